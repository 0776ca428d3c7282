//! The scenario language, which knows no model: from a text to typed values, with the place of everything that is wrong
//! on the way.
//!
//! ```text
//! TOML or JSON -> tree with places -> overrides -> serde over the tree -> typed values, or every mistake at once
//! ```
//!
//! A model's parameters, and the files of studies, are plain serde types: [`read`] fills them from a tree. What is
//! refused is a [`Diagnosis`] with file, line and column, what was expected, and a hint.

mod access;
mod brackets;
mod called;
mod deserialise;
mod diagnosis;
mod files;
mod header;
mod joined;
mod json_text;
mod names;
mod one_or_more;
mod overrides;
mod quotation;
mod reading;
mod refusal;
mod schema;
mod shorthand;
mod snapshots;
mod text;
mod toml_text;
mod tree;
mod worked_out;

pub use access::{FileAccess, inside};
pub use diagnosis::{Diagnosis, ScenarioError};
pub use files::{Asked, Attachment, Base, Brought, Carried, Files, Refused, read_beside, read_text};
pub use header::{Header, Measure, WarmupRule};
pub use hopscope_measure::{closest, did_you_mean};
pub use joined::Joined;
pub use names::one_of;
pub use one_or_more::OneOrMore;
pub use overrides::Override;
pub use reading::{read, read_below};
pub use schema::{field, meaning, resolved};
pub use shorthand::plain_number;
pub use snapshots::Snapshots;
pub use text::parse;
pub use tree::{Entry, Node, Origin, Path, Place, SourceText, Step, Table, Value};
