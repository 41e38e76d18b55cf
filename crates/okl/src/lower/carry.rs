//! Variables that live across a cut.
