//! The needs of the holders of windows and queues, for explanations of a run.

use hopscope_measure::{Dependence, ResourceKind, ResourceRow, Site};

/// A Pup in an output queue needs the station's channel or the cable; one in a window needs whatever is in transit.
pub(crate) fn dependences(rows: &[ResourceRow]) -> Vec<Dependence> {
    let mut found = Vec::new();
    for (holder, row) in rows.iter().enumerate() {
        for (needs, other) in rows.iter().enumerate() {
            let needed = row.kind == ResourceKind::OutputQueue && is_served_by(row.site, other)
                || row.kind == ResourceKind::Window && is_on_the_way(row.site, other);
            if needed {
                found.push(Dependence { holder, activity: None, needs });
            }
        }
    }
    found
}

/// The networks' resources that every stream may pass.
const ON_ANY_WAY: [ResourceKind; 4] =
    [ResourceKind::GatewayProcessor, ResourceKind::Ethernet, ResourceKind::Line, ResourceKind::RadioInterval];

/// Whether a station's queue empties into this.
fn is_served_by(station: Site, other: &ResourceRow) -> bool {
    let own =
        [ResourceKind::Line, ResourceKind::RadioInterval].contains(&other.kind) && other.site == station;
    let Site::Interface { network, .. } = station else { return own };
    own || other.kind == ResourceKind::Ethernet && other.site == Site::Network(network)
}

/// Whether the Pups of a stream pass this. Of processors of hosts they pass those of its ends.
fn is_on_the_way(stream: Site, other: &ResourceRow) -> bool {
    let Site::Pair { from, to } = stream else { return false };
    let at_an_end = [from, to].iter().any(|&end| other.site == Site::Node(end));
    ON_ANY_WAY.contains(&other.kind) || other.kind == ResourceKind::HostProcessor && at_an_end
}
