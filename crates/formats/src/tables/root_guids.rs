//! Root GUID files, as OpenSM's option `-a` takes them: one GUID of a switch on each line; `#` begins a comment.

use hopscope_topology::SwitchId;

use crate::error::{Fault, FormatError};
use crate::fabric::CabledNetwork;
use crate::lines::content_lines;

/// The switches of a fabric that a file names.
///
/// # Errors
/// A line that is no GUID, a GUID that no switch has, a file without any; with its place.
pub fn read(text: &str, fabric: &CabledNetwork) -> Result<Vec<SwitchId>, FormatError> {
    roots(text, fabric).map_err(|fault| fault.in_text(text))
}

fn roots(text: &str, fabric: &CabledNetwork) -> Result<Vec<SwitchId>, Fault> {
    let by_guid = fabric.switches_by_guid();
    let mut roots = Vec::new();
    for mut cursor in content_lines(text) {
        let byte = cursor.byte;
        let guid = cursor.hexadecimal(u64::MAX, "the GUID of a switch, such as 0x2c90300a1b2c3")?;
        cursor.blank();
        if !cursor.is_over() {
            return Err(cursor.missing("one GUID on each line"));
        }
        let Some(&root) = by_guid.get(&guid) else {
            let problem = format!("the fabric has no switch with GUID {guid:#018x}");
            return Err(Fault::at(byte, problem, "the GUID of one of its switches"));
        };
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    if roots.is_empty() {
        return Err(Fault::at(
            text.len(),
            "the file ends without a GUID",
            "the GUID of a switch on each line",
        ));
    }
    Ok(roots)
}
