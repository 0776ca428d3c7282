//! Typed ids.

/// Declares typed ids: `u32` indices that cannot be mistaken for one another.
///
/// Each has `new`, `index` (for dense vectors), ordering and a `Debug` form such as `switch 3`.
///
/// ```
/// hopscope_units::typed_ids! {
///     /// A switch of a network.
///     pub struct SwitchId = "switch";
/// }
/// assert_eq!(SwitchId::new(3).index(), 3);
/// assert_eq!(format!("{:?}", SwitchId::new(3)), "switch 3");
/// ```
#[macro_export]
macro_rules! typed_ids {
    ($($(#[$meta:meta])* pub struct $name:ident = $noun:literal;)+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The id with this index. Panics where the index does not fit 32 bits: a program error.
            #[inline]
            #[must_use]
            pub const fn new(index: usize) -> Self {
                assert!(index <= u32::MAX as usize);
                Self(index as u32)
            }

            /// The index, for a dense vector.
            #[inline]
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl ::core::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                write!(f, concat!($noun, " {}"), self.0)
            }
        }
    )+};
}
