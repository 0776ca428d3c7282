//! What the holders of windows and queues need, for whoever explains a run.

use hopscope_measure::{Dependence, ResourceRow};

/// A Pup in an output queue needs the station's channel or the cable; one in a window needs whatever is on its way.
pub(crate) fn dependences(rows: &[ResourceRow]) -> Vec<Dependence> {
    let mut found = Vec::new();
    for (holder, row) in rows.iter().enumerate() {
        for (needs, other) in rows.iter().enumerate() {
            let needed = match row.name.as_str() {
                "output queue" => {
                    let network = row.place.rsplit_once(" on ").map(|(_, network)| network);
                    other.kind == "channel" && other.place == row.place
                        || other.kind == "cable" && network == Some(other.place.as_str())
                }
                "window" => match other.name.as_str() {
                    "host processor" => row.place.split(" to ").any(|end| end == other.place),
                    name => name != "window" && name != "output queue",
                },
                _ => false,
            };
            if needed {
                found.push(Dependence { holder, stage: "", needs });
            }
        }
    }
    found
}
