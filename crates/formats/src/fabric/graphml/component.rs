//! The largest connected part of a graph.

use hopscope_topology::{Anomaly, AnomalyKind};

use crate::fabric::draft::Draft;

/// The part with the most nodes, of several the first, and what is left out.
pub(super) fn largest(draft: Draft) -> (Draft, Option<Anomaly>) {
    let parts = parts(&draft);
    let mut sizes = vec![0_usize; draft.nodes.len()];
    for part in &parts {
        sizes[*part] += 1;
    }
    let Some(most) = sizes.iter().copied().max().filter(|most| *most < draft.nodes.len()) else {
        return (draft, None);
    };
    let kept = sizes.iter().position(|size| *size == most).expect("one of them is the largest");
    let mut new_place = vec![usize::MAX; draft.nodes.len()];
    let mut left = Draft::default();
    let (all, mut first_left_out) = (draft.nodes.len(), None);
    for (place, node) in draft.nodes.into_iter().enumerate() {
        if parts[place] == kept {
            new_place[place] = left.nodes.len();
            left.nodes.push(node);
        } else {
            first_left_out.get_or_insert(node.name);
        }
    }
    for mut link in draft.links {
        if parts[link.ends[0]] == kept {
            link.ends = link.ends.map(|end| new_place[end]);
            left.links.push(link);
        }
    }
    let name = first_left_out.unwrap_or_default();
    let words = format!(
        "left out: {} of {all} nodes that have no path to the largest part, such as \"{name}\"",
        all - most
    );
    (left, Some(Anomaly::new(AnomalyKind::LeftOut, words)))
}

/// The part of each node, by the first node in it.
fn parts(draft: &Draft) -> Vec<usize> {
    let mut near = vec![Vec::new(); draft.nodes.len()];
    for [a, b] in draft.links.iter().map(|link| link.ends) {
        near[a].push(b);
        near[b].push(a);
    }
    let mut part = vec![usize::MAX; draft.nodes.len()];
    for first in 0..part.len() {
        if part[first] != usize::MAX {
            continue;
        }
        part[first] = first;
        let mut open = vec![first];
        while let Some(at) = open.pop() {
            for &far in &near[at] {
                if part[far] == usize::MAX {
                    part[far] = first;
                    open.push(far);
                }
            }
        }
    }
    part
}
