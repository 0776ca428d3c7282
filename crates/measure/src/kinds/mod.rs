//! The closed kinds that models, explanations and readers of results share: resources, stages, reasons to hold.
//!
//! A decision asks a kind for what it implies; it never compares text. Words are for people, and are defined only here:
//! the report writes a kind as its word, and a word belongs to one kind. A kind that lacks a word, a meaning or an
//! answer does not compile.

mod charged;
mod closed;
mod hold;
mod resource;
mod site;
mod stage;
mod table;

pub use charged::Charged;
pub use hold::{HoldActivity, HoldWhy};
pub use resource::{Nature, Outstanding, ResourceKind, WaitersAt};
pub use site::Site;
pub use stage::{StageId, StageKind, StageLabel};
pub use table::KindTable;

pub(crate) use closed::{closed, in_words};
