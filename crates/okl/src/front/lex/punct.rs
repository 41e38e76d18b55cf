//! Operators and brackets.

macro_rules! puncts {
    ($($name:ident $text:literal)*) => {
        /// An operator or bracket of C, `@`, or one of the preprocessor's.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)] // the spelling stands beside each name below
        pub enum Punct {
            $($name,)*
        }

        impl Punct {
            /// Whether it opens a bracket.
            pub fn opens(self) -> bool {
                matches!(self.as_str(), "(" | "[" | "{")
            }

            /// Whether it closes one.
            pub fn closes(self) -> bool {
                matches!(self.as_str(), ")" | "]" | "}")
            }

            /// Every one, longer spellings before their own beginnings.
            pub(super) const ALL: &'static [Punct] = &[$(Punct::$name,)*];

            /// Its spelling.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Punct::$name => $text,)*
                }
            }
        }
    };
}

puncts! {
    Ellipsis "..." ShlAssign "<<=" ShrAssign ">>="
    Arrow "->" Increment "++" Decrement "--" Shl "<<" Shr ">>" LessEqual "<=" GreaterEqual ">=" EqualEqual "=="
    NotEqual "!=" AndAnd "&&" OrOr "||" StarAssign "*=" SlashAssign "/=" PercentAssign "%=" PlusAssign "+="
    MinusAssign "-=" AndAssign "&=" OrAssign "|=" XorAssign "^=" HashHash "##" ColonColon "::"
    LeftBracket "[" RightBracket "]" LeftParen "(" RightParen ")" LeftBrace "{" RightBrace "}"
    Dot "." And "&" Star "*" Plus "+" Minus "-" Tilde "~" Not "!" Slash "/" Percent "%" Less "<" Greater ">"
    Xor "^" Or "|" Question "?" Colon ":" Semicolon ";" Assign "=" Comma "," Hash "#" At "@"
}
