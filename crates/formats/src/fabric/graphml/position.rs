//! Where to draw the nodes of a file.

use crate::fabric::draft::Draft;

/// Brings the positions to the scale of all drawings, where linked switches are 1 apart in the mean. The drawing
/// program places a drawing in which a switch has no position.
pub(super) fn normalise(draft: &mut Draft) {
    let mut switches = draft.nodes.iter().filter(|node| node.host.is_none());
    let complete = switches.all(|node| node.position.is_some());
    let lengths = draft.links.iter().filter_map(|link| {
        let [a, b] = link.ends.map(|end| &draft.nodes[end]);
        let ((ax, ay), (bx, by)) = (a.position?, b.position?);
        let (dx, dy) = (bx - ax, by - ay);
        (a.host.is_none() && b.host.is_none()).then(|| (dx * dx + dy * dy).sqrt())
    });
    let (total, count) = lengths.fold((0.0, 0), |(total, count), length| (total + length, count + 1));
    let scale = total / f64::from(count);
    for node in &mut draft.nodes {
        node.position = node
            .position
            .filter(|_| complete)
            .map(|(x, y)| if scale.is_normal() { (x / scale, y / scale) } else { (x, y) });
    }
}
