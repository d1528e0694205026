//! Enumerations whose members have stable names, each name written once.

/// Declares an enumeration with a stable code for each member: `ALL`, `code`, `from_code`, and
/// the code as its value.
macro_rules! coded {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $( $(#[$doc:meta])* $member:ident = $code:literal, )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub enum $name {
            $( $(#[$doc])* $member, )+
        }

        impl $name {
            /// Every member, in order.
            pub const ALL: &[Self] = &[$(Self::$member),+];

            /// The stable name of this member.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self {
                    $( Self::$member => $code, )+
                }
            }

            /// The member of that name.
            #[must_use]
            pub fn from_code(code: &str) -> Option<Self> {
                Self::ALL.get($crate::types::place_of(code, &[$($code),+])?).copied()
            }
        }

        impl From<$name> for $crate::types::Value {
            fn from(member: $name) -> Self {
                member.code().into()
            }
        }
    };
}

pub(crate) use coded;

/// Where a code stands in a list. One function for all lists, never inlined: a search of its own in each
/// enumeration would be compiled to a comparison per code.
#[inline(never)]
pub(crate) fn place_of(code: &str, codes: &[&str]) -> Option<usize> {
    codes.iter().position(|known| *known == code)
}
