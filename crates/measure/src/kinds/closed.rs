//! Enums whose every variant has a word and a meaning.

/// Declares a closed enum: for each variant its name, its word and its meaning, which is also its documentation.
/// Variants that are numbered from 0 have a word for each number.
macro_rules! closed {
    (
        $(#[$about:meta])*
        pub enum $Name:ident {
            $($Plain:ident, $word:literal, $meaning:literal;)*
        }
        $(numbered { $($Numbered:ident, [$($nth:literal),* $(,)?], $of_each:literal;)* })?
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $Name {
            $(#[doc = $meaning] $Plain,)*
            $($(#[doc = $of_each] $Numbered(u8),)*)?
        }

        impl $Name {
            /// Every one, in their order.
            #[must_use]
            pub fn all() -> Vec<Self> {
                let plain = vec![$(Self::$Plain),*];
                $($(let plain = {
                    let mut all = plain;
                    all.extend((0u8..).zip([$($nth),*]).map(|(number, _)| Self::$Numbered(number)));
                    all
                };)*)?
                plain
            }

            /// The word that people read. It is unique.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$Plain => $word,)*
                    $($(Self::$Numbered(number) => [$($nth),*][number as usize],)*)?
                }
            }

            /// What it means, as a clause for a legend or a sentence.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Self::$Plain => $meaning,)*
                    $($(Self::$Numbered(_) => $of_each,)*)?
                }
            }

            /// The name by which programs refer to it; for a numbered variant its word.
            #[must_use]
            pub const fn id(self) -> &'static str {
                match self {
                    $(Self::$Plain => stringify!($Plain),)*
                    $($(Self::$Numbered(_) => self.word(),)*)?
                }
            }

            /// The one with this word.
            #[must_use]
            pub fn of_word(word: &str) -> Option<Self> {
                Self::all().into_iter().find(|one| one.word() == word)
            }
        }

        $crate::kinds::in_words!($Name);
    };
}

/// Writes a kind as its word and reads it back.
macro_rules! in_words {
    ($Name:ident) => {
        impl std::fmt::Display for $Name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.word().as_ref())
            }
        }

        impl serde::Serialize for $Name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.word().as_ref())
            }
        }

        impl<'de> serde::Deserialize<'de> for $Name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = String::deserialize(deserializer)?;
                Self::of_word(&word).ok_or_else(|| serde::de::Error::custom(format!("\"{word}\" is no kind")))
            }
        }
    };
}

pub(crate) use {closed, in_words};
