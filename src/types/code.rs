//! Enumerations whose members have stable names, each name written once.

/// Declares an enumeration with a stable code for each member: `ALL`, `code`, `from_code`, and
/// serialization as the code.
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
                Self::ALL.iter().copied().find(|member| member.code() == code)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.code())
            }
        }
    };
}

pub(crate) use coded;
