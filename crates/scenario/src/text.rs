//! A whole text as a tree, whichever of the two languages it is written in.

use std::sync::Arc;

use crate::diagnosis::Diagnosis;
use crate::tree::{Node, SourceText};
use crate::{json_text, toml_text};

/// Reads a text: JSON where it begins as an object does, else TOML.
///
/// # Errors
/// Every separate error of syntax.
pub fn parse(source: &Arc<SourceText>) -> Result<Node, Vec<Diagnosis>> {
    let text = source.text.trim_start_matches('\u{feff}').trim_start();
    if text.starts_with('{') { json_text::parse(source) } else { toml_text::parse(source) }
}
