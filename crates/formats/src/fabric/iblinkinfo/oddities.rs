//! What is odd about the links that `iblinkinfo` lists: ends that disagree, links below what they could be, dead ports.

use std::collections::BTreeMap;

use hopscope_topology::{Anomaly, AnomalyKind, LinkId, Network, Node, cable, listed};

use crate::error::Place;
use crate::fabric::ibnetdiscover::{DifferingEnds, Width};

use super::rows::{Dead, Kind, State};
use super::{Listing, Live};

/// The number of links of one kind that are listed individually.
const FEW: usize = 2;

/// What each of these words of a hint begins with.
const COULD_BE: &str = "Could be ";

/// Links whose ends disagree, and those below what both ends could do. Links have the numbers of their places here.
pub(super) fn of_links(listing: &Listing<'_>, network: &Network, links: &[Live]) -> Vec<Anomaly> {
    let mut found = Vec::new();
    let mut degraded: BTreeMap<String, Vec<LinkId>> = BTreeMap::new();
    for (number, link) in links.iter().enumerate() {
        let id = LinkId::new(number);
        let widths = listing.widths(link);
        if let [Some(one), Some(other)] = widths
            && one != other
        {
            let lines = link.rows.map(|row| Place::of_byte(listing.text, listing.rows[row].byte).line);
            found.push(DifferingEnds { link: id, widths: [one, other], lines }.anomaly(network));
        }
        let hint = link.rows.iter().map(|row| listing.rows[*row].could_be).find(|hint| !hint.is_empty());
        if let Some(hint) = hint {
            let slower = widths.into_iter().flatten().min_by_key(|width| width.mbit_s);
            let runs =
                slower.map_or_else(|| "runs".to_owned(), |width| format!("runs at {},", width.words()));
            let words = format!("{runs} and could be {}", could_be(hint, slower));
            degraded.entry(words).or_default().push(id);
        }
    }
    for (words, cables) in degraded {
        let name = |id: &LinkId| cable(network, *id);
        let below = |words, cables| told(AnomalyKind::BelowAbility, words).of_cables(cables);
        if cables.len() <= FEW {
            found.extend(cables.iter().map(|id| below(format!("the cable {} {words}", name(id)), vec![*id])));
        } else {
            let (names, words): (Vec<String>, _) =
                (cables.iter().map(name).collect(), words.replacen("runs", "run", 1));
            found.push(below(format!("{} cables {words}: {}", cables.len(), listed(&names)), cables));
        }
    }
    found
}

/// What a link could be by a hint such as "Could be 4X Could be 25.78125 Gbps", of which each part alone says less: its
/// width and speed where these are known, else the hint's own words.
fn could_be(hint: &str, runs: Option<Width>) -> String {
    let parts: Vec<&str> = hint.split(COULD_BE).map(str::trim).filter(|part| !part.is_empty()).collect();
    let reached = runs.and_then(|runs| parts.iter().try_fold(runs, |width, part| width.improved(part)));
    reached.map_or_else(|| parts.join(" and "), Width::words)
}

/// Ports that carry nothing, by their state, and nodes that have no other.
pub(super) fn of_ports(listing: &Listing<'_>, network: &Network, nodes: &[Option<Node>]) -> Vec<Anomaly> {
    let mut dead: BTreeMap<Dead<'_>, Vec<String>> = BTreeMap::new();
    let mut alone = Vec::new();
    for (of, node) in listing.nodes.iter().zip(nodes).filter(|(of, _)| !of.is_aggregation_node()) {
        let Some(node) = node else {
            // A port that was joined to another one of its host has left its rows there. A host with a link to itself
            // is reported as such.
            let is_up = |row: &usize| matches!(listing.rows[*row].state, State::Up { .. });
            let has_own = of.kind == Kind::Host && of.rows.iter().any(is_up);
            alone.extend((!of.rows.is_empty() && !has_own).then(|| of.name.to_owned()));
            continue;
        };
        for row in of.rows.iter().map(|row| &listing.rows[*row]) {
            let State::Dead(state) = row.state else { continue };
            dead.entry(state).or_default().push(format!("{}:{}", network.name(*node), row.near.socket.port));
        }
    }
    let mut found: Vec<Anomaly> = dead.into_iter().map(|(state, ports)| of_state(state, &ports)).collect();
    if !alone.is_empty() {
        let words =
            format!("left out, because no link of theirs to another node is active: {}", listed(&alone));
        found.push(told(AnomalyKind::DeadPort, words));
    }
    found
}

fn of_state(state: Dead<'_>, ports: &[String]) -> Anomaly {
    let left_out = ["carries nothing and is left out", "carry nothing and are left out"];
    // Most switches have empty ports; a port in any other state was in use, or is meant to be.
    let (kind, [one, many], state) = match state {
        Dead::Polling => {
            let one = "is down and polling: empty, or its cable is dead";
            let many = "are down and polling: empty, or their cables are dead";
            (AnomalyKind::LeftOut, [one, many], String::new())
        }
        Dead::Unanswered(logical) => {
            let state = format!(" ({logical}/LinkUp, and nothing answers at the other end)");
            (AnomalyKind::DeadPort, left_out, state)
        }
        Dead::Other(logical, physical) => {
            (AnomalyKind::DeadPort, left_out, format!(" ({logical}/{physical})"))
        }
    };
    let words = match ports {
        [only] => format!("the port {only} {one}{state}"),
        _ => format!("{} ports {many}{state}: {}", ports.len(), listed(ports)),
    };
    told(kind, words)
}

fn told(kind: AnomalyKind, words: String) -> Anomaly {
    Anomaly::new(kind, words)
}
