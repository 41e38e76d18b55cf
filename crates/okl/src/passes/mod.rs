//! What a target needs before its text can be printed: IR to IR, and questions about IR.
//!
//! [`ALL`] lists them by name; a target says which its emitter needs, in order ([`crate::target::Target::passes`]).
//! Invariant: the meaning of a kernel stays, item for item; only the order of items within a region may change.

pub(crate) mod address_spaces;
pub(crate) mod check_accesses;
pub(crate) mod check_loops;
pub(crate) mod coarsen;
pub(crate) mod collapse;
pub(crate) mod counters;
pub(crate) mod delinearize;
pub(crate) mod dependence;
pub(crate) mod distribute;
pub(crate) mod emit_loop;
pub(crate) mod exit_flags;
pub(crate) mod fold;
pub(crate) mod forward_tiles;
pub(crate) mod hide_flags;
pub(crate) mod hide_zeros;
pub(crate) mod hoist_checks;
pub(crate) mod hoist_loads;
pub(crate) mod index_set_split;
pub(crate) mod interchange;
pub(crate) mod lanes;
pub(crate) mod leave_rows;
pub(crate) mod loop_bounds;
pub(crate) mod loops;
pub(crate) mod mod_ref;
pub(crate) mod predicate;
pub(crate) mod prefetch;
pub(crate) mod privatize;
pub(crate) mod scalarize;
pub(crate) mod simt;
pub(crate) mod sink_returns;
pub(crate) mod specialise_pointers;
pub(crate) mod structure_exits;
pub(crate) mod unroll;
pub(crate) mod widen_indices;

use crate::ir::Pass;

const STRUCTURE_EXITS: Pass = Pass { name: "structure_exits", run: structure_exits::run };
const PRIVATIZE: Pass = Pass { name: "privatize", run: privatize::run };

/// What every target's items begin with: the end of an item is structured, and an exclusive variable that no later
/// region reads becomes a local one.
pub const ITEMS: [Pass; 2] = [STRUCTURE_EXITS, PRIVATIZE];

/// Items that divide are run row by row: for a CPU.
pub const DELINEARIZE: Pass = Pass { name: "delinearize", run: delinearize::run };

/// What is the same for all items is the group's: for a CPU.
pub const SCALARIZE: Pass = Pass { name: "scalarize", run: scalarize::run };

/// What a tile of shared memory stages is read where it came from: for a CPU.
pub const FORWARD_TILES: Pass = Pass { name: "forward_tiles", run: forward_tiles::run };

/// Checks of a whole region at once: for a CPU.
pub const HOIST_CHECKS: Pass = Pass { name: "hoist_checks", run: hoist_checks::run };

/// Checks of a whole loop at once: for a CPU, behind [`LOOPS`].
pub const HOIST_LOOP_CHECKS: Pass = Pass { name: "hoist_loop_checks", run: hoist_checks::loops::run };

/// Loops of items become loops of their group: for a CPU.
pub const INTERCHANGE: Pass = Pass { name: "interchange", run: interchange::run };

/// The same wherever it is legal, for tests.
pub const INTERCHANGE_ALL: Pass = Pass { name: "interchange_all", run: interchange::run_on_all };

/// Subscripts that may leave their row: for C, whose compilers take rows for limits.
pub const LEAVE_ROWS: Pass = Pass { name: "leave_rows", run: leave_rows::run };

/// Loops over groups and items: for a CPU.
pub const LOOPS: Pass = Pass { name: "loops", run: loops::run };

/// The same, where nests that need more memory than a work-item's stack holds stay as they are.
pub const LOOPS_ON_STACK: Pass = Pass { name: "loops", run: loops::run_on_stack };

/// Blocks of items, which run a loop together that each of them leaves by itself: for a CPU, behind [`LOOPS`].
pub const PREDICATE: Pass = Pass { name: "predicate", run: predicate::run };

/// What items compute of what a search within a function finds, for blocks of items: for a CPU, behind [`PREDICATE`].
pub const SINK_RETURNS: Pass = Pass { name: "sink_returns", run: sink_returns::run };

/// Indices as wide as addresses, in loops: for a CPU.
pub const WIDEN_INDICES: Pass = Pass { name: "widen_indices", run: widen_indices::run };

/// Truth values that lead to elements, which a C compiler may mistake: for a CPU.
pub const HIDE_FLAGS: Pass = Pass { name: "hide_flags", run: hide_flags::run };

/// What later iterations of a loop around items read, asked for ahead of time: for a CPU, behind [`LOOPS`].
pub const PREFETCH: Pass = Pass { name: "prefetch", run: prefetch::run };

/// A 0.0 that stands for a condition, which a compiler may mistake: for a GPU.
pub const HIDE_ZEROS: Pass = Pass { name: "hide_zeros", run: hide_zeros::run };

/// Threads run the items of a group: numbers of groups are `I64`, those of items `U32`, as CUDA's are.
pub const SIMT: Pass = Pass { name: "simt", run: |module| simt::run(module, simt::Threads::CUDA) };

/// A second form of such nests, where it pays, for two groups a thread.
pub const COARSEN: Pass = Pass { name: "coarsen", run: |module| coarsen::run(module, simt::Threads::CUDA.group) };

/// A version of each function for each of the address spaces that it is called with.
pub const ADDRESS_SPACES: Pass = Pass { name: "address_spaces", run: address_spaces::run };

/// For threads of a target that has no jump out of several loops: what is left of the ends of items becomes a flag.
pub const EXIT_FLAGS: Pass = Pass { name: "exit_flags", run: exit_flags::run };

/// For threads of a CPU that emulates a GPU.
pub const HOIST_LOADS: Pass = Pass { name: "hoist_loads", run: hoist_loads::run };

/// For threads of a driver that ends long loops: a record of it.
pub const CHECK_LOOPS: Pass = Pass { name: "check_loops", run: check_loops::run };

/// Memory that is passed by pointer at module scope, and functions without pointers: for WGSL.
pub const SPECIALISE_POINTERS: Pass = Pass { name: "specialise_pointers", run: specialise_pointers::run };

/// Loops over registers, and what the source wants unrolled, written out: for WGSL, behind [`SPECIALISE_POINTERS`].
pub const UNROLL: Pass = Pass { name: "unroll", run: unroll::run };

/// The same for a CPU that emulates a GPU: loops in which items meet stay.
pub const UNROLL_BETWEEN_BARRIERS: Pass = Pass { name: "unroll", run: unroll::run_between_barriers };

/// Checks at every access, as targets have them at those of which no launch can prove anything.
pub const CHECK_ACCESSES: Pass = Pass { name: "check_accesses", run: check_accesses::run_on_all };

/// Every pass, for tests of one alone.
pub const ALL: &[Pass] = &[
    CHECK_ACCESSES,
    STRUCTURE_EXITS,
    PRIVATIZE,
    FORWARD_TILES,
    DELINEARIZE,
    SCALARIZE,
    HOIST_CHECKS,
    INTERCHANGE,
    INTERCHANGE_ALL,
    LEAVE_ROWS,
    LOOPS,
    PREDICATE,
    SINK_RETURNS,
    HOIST_LOOP_CHECKS,
    WIDEN_INDICES,
    HIDE_FLAGS,
    PREFETCH,
    SIMT,
    COARSEN,
    Pass { name: "fold", run: fold::run_alone },
    EXIT_FLAGS,
    HOIST_LOADS,
    CHECK_LOOPS,
    ADDRESS_SPACES,
    SPECIALISE_POINTERS,
    UNROLL,
    HIDE_ZEROS,
];
