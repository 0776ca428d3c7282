//! The rules of the house. Each rule is one file with its reason, its check and its planted breaches.
//!
//! A check reads a [`Tree`] of text files and gives every [`Breach`]. `tests/house.rs` holds the project itself to the
//! rules; `tests/planted.rs` holds each rule to finding what is planted for it. What waits for other work is in
//! `waiting.toml`, and shrinks: an entry that no breach needs any more is a breach itself.

mod architecture;
mod breach;
pub mod python;
pub mod rules;
pub mod rust;
pub mod tokens;
mod tree;
pub mod waiting;

pub use architecture::Arrow;
pub use breach::Breach;
pub use rules::{Planted, RULES, Rule};
pub use tree::{SourceFile, Tree};
