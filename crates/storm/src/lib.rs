//! The storm: whole experiments drawn over everything that the scenario schema accepts, and what must hold of each.
//!
//! ```text
//! schema -> drawn scenario -> mended where it is refused -> run, run again, saved, reread, renamed, explained
//!                                                        -> on a failure: shrunk, with the command that repeats it
//! ```
//!
//! It knows no model. What a parameter may be, it reads in the JSON Schema that [`hopscope_engine::schema`] gives;
//! where a drawn scenario makes no sense, it changes what the refusal points at. So a new parameter is drawn without
//! anyone's doing, and a refusal that points at the wrong place shows.

mod case;
mod draw;
mod failure;
mod language;
mod mend;
mod path;
mod quantity;
mod rename;
mod shrink;
mod storm;
mod tally;
mod trial;

pub use case::{Case, Drafted};
pub use failure::Failure;
pub use language::Language;
pub use storm::{Found, Report, Storm, Until};
pub use tally::{OfModel, Tally};
