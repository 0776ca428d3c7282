//! Routing messages in a listed order, replayed on tables of the ARPANET model: Tables I to III of Kleinrock and
//! Opderbeck (1977).

use std::collections::BTreeMap;

use hopscope_arpanet::{HoldDown, RoutingTable, vector_of};
use serde::{Deserialize, Serialize};

/// Estimates are counted from an unknown one, the tables' d: it stands for this many delay units, of 2047 at most.
const D: i32 = 1000;

/// Some IMPs with their estimates to one destination, and the routing messages that reach them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RoutingReplay {
    /// The hold-down rule.
    pub hold_down: HoldDown,
    /// The IMPs whose tables are computed.
    pub imps: Vec<ReplayedImp>,
    /// The routing messages in order.
    pub steps: Vec<ReplayStep>,
}

/// An IMP of a replay.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReplayedImp {
    /// Its name.
    pub name: String,
    /// Its first estimate, relative to d.
    pub estimate: i32,
    /// Its neighbours, beginning with the best at the start.
    pub neighbours: Vec<String>,
}

/// A routing message.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReplayStep {
    /// The sending neighbour.
    pub from: String,
    /// The receiving IMP.
    pub to: String,
    /// The estimate that it carries, relative to d, if the table of its sender is not computed.
    #[serde(default)]
    pub estimate: Option<i32>,
    /// The packets in the output queue towards that neighbour: the local delay. Default: unchanged.
    #[serde(default)]
    pub local: Option<u16>,
}

/// What a table says: estimate counted from d, local delay, best neighbour, and whether its line is held down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ReplayCell {
    /// The estimate, counted from d.
    estimate: i32,
    /// The local delay over the best line.
    local: u16,
    /// The best neighbour.
    best: String,
    /// Whether the line is held down.
    held: bool,
}

/// A replay that names what there is not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("step {step}: {problem}")]
pub(crate) struct ReplayError {
    /// The step, counted from 1; 0 for the state before the first.
    pub step: usize,
    /// What is wrong.
    pub problem: String,
}

/// Replays routing messages: `text` is a replay as JSON, with `hold_down`, `imps` (`name`, `estimate`, `neighbours`)
/// and `steps` (`from`, `to`, and where needed `estimate` and `local`), estimates counted from d. Gives, as JSON, the
/// table of each IMP as it is at first and then the one that each message leaves behind: `estimate`, `local`, `best`,
/// `held`.
///
/// # Errors
/// What is wrong with it, in words.
pub fn replay_routing(text: &str) -> Result<String, String> {
    let replay = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let cells = replayed(&replay).map_err(|error| error.to_string())?;
    Ok(serde_json::to_string(&cells).expect("cells are plain data"))
}

/// The cells that a replay leaves behind.
pub(crate) fn replayed(replay: &RoutingReplay) -> Result<Vec<ReplayCell>, ReplayError> {
    let mut tables: BTreeMap<&str, (RoutingTable, &[String])> = BTreeMap::new();
    for imp in &replay.imps {
        let estimate = absolute(imp.estimate).map_err(|problem| ReplayError { step: 0, problem })?;
        if imp.neighbours.is_empty() {
            return Err(ReplayError { step: 0, problem: format!("IMP {} has no neighbour", imp.name) });
        }
        let table = RoutingTable::new(&[estimate], &[0], imp.neighbours.len(), replay.hold_down);
        tables.insert(&imp.name, (table, &imp.neighbours));
    }
    let mut cells: Vec<ReplayCell> = replay.imps.iter().map(|imp| cell(&tables[imp.name.as_str()])).collect();
    for (index, step) in replay.steps.iter().enumerate() {
        let wrong = |problem| ReplayError { step: index + 1, problem };
        let estimate = match (step.estimate, tables.get_mut(step.from.as_str())) {
            (Some(given), _) => absolute(given).map_err(wrong)?,
            (None, Some((sender, _))) => {
                sender.tell();
                sender.estimate(0)
            }
            (None, None) => {
                return Err(wrong(format!(
                    "{} is no IMP that is followed, and no estimate is given",
                    step.from
                )));
            }
        };
        let Some((table, neighbours)) = tables.get_mut(step.to.as_str()) else {
            return Err(wrong(format!("{} is no IMP that is followed", step.to)));
        };
        let Some(port) = neighbours.iter().position(|name| *name == step.from) else {
            return Err(wrong(format!("{} is no neighbour of {}", step.from, step.to)));
        };
        let port =
            u8::try_from(port).map_err(|_| wrong("an IMP has fewer than 256 neighbours".to_owned()))?;
        if let Some(local) = step.local {
            table.sample(port, local);
        }
        table.merge(port, &vector_of(&[estimate]), |_, _| {});
        cells.push(cell(&tables[step.to.as_str()]));
    }
    Ok(cells)
}

fn absolute(estimate: i32) -> Result<u16, String> {
    (-D..=D)
        .contains(&estimate)
        .then(|| (D + estimate) as u16)
        .ok_or_else(|| format!("an estimate of d {estimate:+} is out of range: from {} to {D}", -D))
}

fn cell((table, neighbours): &(RoutingTable, &[String])) -> ReplayCell {
    let best = table.best(0);
    ReplayCell {
        estimate: i32::from(table.estimate(0)) - D,
        local: table.local_delay(best),
        best: neighbours[usize::from(best)].clone(),
        held: table.held(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(steps: Vec<ReplayStep>) -> RoutingReplay {
        let imp = |name: &str, estimate, neighbours: &[&str]| ReplayedImp {
            name: name.into(),
            estimate,
            neighbours: neighbours.iter().map(|&name| name.into()).collect(),
        };
        RoutingReplay {
            hold_down: HoldDown::ByMessage,
            imps: vec![imp("A", -4, &["X", "B"]), imp("B", 0, &["A"])],
            steps,
        }
    }

    fn step(from: &str, to: &str, estimate: Option<i32>) -> ReplayStep {
        ReplayStep { from: from.into(), to: to.into(), estimate, local: None }
    }

    #[test]
    fn a_worsening_travels_from_imp_to_imp_and_holds_lines_down() {
        let cells =
            replayed(&chain(vec![step("X", "A", Some(2)), step("A", "B", None)])).expect("a sound replay");
        let words: Vec<String> = cells
            .iter()
            .map(|c| format!("{:+}/{}{}", c.estimate, c.best, if c.held { "!" } else { "" }))
            .collect();
        assert_eq!(words, ["-4/X", "+0/A", "+6/X!", "+10/A!"]);
    }

    #[test]
    fn what_there_is_not_is_told_with_its_step() {
        let found = |steps| replayed(&chain(steps)).expect_err("a wrong step").to_string();
        assert_eq!(found(vec![step("C", "B", Some(0))]), "step 1: C is no neighbour of B");
        assert_eq!(found(vec![step("A", "C", None)]), "step 1: C is no IMP that is followed");
        assert_eq!(
            found(vec![step("X", "A", None)]),
            "step 1: X is no IMP that is followed, and no estimate is given"
        );
        assert!(found(vec![step("X", "A", Some(20_000))]).contains("out of range"));
    }
}
