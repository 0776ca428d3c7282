//! The arrows as ARCHITECTURE.md writes them: the one source of what may use what.

use std::collections::BTreeMap;

use crate::breach::Breach;
use crate::tree::Tree;

/// Where the arrows are written.
pub const ARCHITECTURE: &str = "ARCHITECTURE.md";

/// An order of parts, in which a part may use those of earlier steps.
///
/// It is a block of text under a heading. The first line is the order: `a → b, c → d`, where the parts of one step do
/// not see each other. A line `step: a, b, c on a` names the parts of a step and which of them stand on another of the
/// same step. A line `on call: a → b, c` lets `a` import later parts inside a function, when it is called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrow {
    step_of: BTreeMap<String, usize>,
    stands_on: BTreeMap<String, String>,
    on_call: BTreeMap<String, Vec<String>>,
    line: usize,
}

impl Arrow {
    /// Reads the block of text under this heading; nothing where there is none.
    #[must_use]
    pub fn read(tree: &Tree, heading: &str) -> Option<Self> {
        let file = tree.file(ARCHITECTURE)?;
        let mut lines = file.lines().skip_while(|(_, line)| *line != heading).skip(1);
        let (fence, _) = lines
            .by_ref()
            .take_while(|(_, line)| !line.starts_with('#'))
            .find(|(_, line)| *line == "```text")?;
        let block: Vec<&str> = lines.map(|(_, line)| line).take_while(|line| *line != "```").collect();
        let mut arrow = Self { line: fence + 1, ..Self::default() };
        let named: BTreeMap<&str, &str> = block.iter().filter_map(|line| line.split_once(": ")).collect();
        let order = block.iter().filter(|line| !line.contains(": ")).copied().collect::<Vec<_>>().join(" ");
        for (step, parts) in order.split('→').enumerate() {
            let parts = parts.trim().trim_end_matches(',');
            for part in named.get(parts).copied().unwrap_or(parts).split(',').map(str::trim) {
                arrow.put(part, step);
            }
        }
        for (from, to) in
            named.get("on call").into_iter().flat_map(|text| text.split(';')).filter_map(arrow_of)
        {
            arrow.on_call.insert(from, to);
        }
        Some(arrow)
    }

    fn put(&mut self, part: &str, step: usize) {
        let (name, ground) =
            part.split_once(" on ").map_or((part, None), |(name, ground)| (name, Some(ground)));
        self.step_of.insert(name.to_owned(), step);
        if let Some(ground) = ground {
            self.stands_on.insert(name.to_owned(), ground.to_owned());
        }
    }

    /// All parts.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.step_of.keys().map(String::as_str)
    }

    /// Whether it names this part.
    #[must_use]
    pub fn knows(&self, part: &str) -> bool {
        self.step_of.contains_key(part)
    }

    /// The breach of an ARCHITECTURE.md without the arrow of this heading.
    #[must_use]
    pub fn expected(heading: &str) -> Vec<Breach> {
        vec![Breach::new(ARCHITECTURE, 1, format!("a block of text under \"{heading}\" was expected"))]
    }

    /// What is wrong with a part that the arrow of this heading does not name.
    #[must_use]
    pub fn unplaced(part: &str, heading: &str) -> String {
        format!("\"{part}\" is not in the arrow: give it a place under \"{heading}\" in {ARCHITECTURE}")
    }

    /// The parts that the arrow names and that are not there; `what` they should be, such as "crate".
    #[must_use]
    pub fn missing(&self, there: &[String], what: &str) -> Vec<Breach> {
        let gone = self.parts().filter(|part| !there.iter().any(|known| known == part));
        gone.map(|part| {
            let message = format!("the arrow names \"{part}\", which is no {what}");
            Breach::new(ARCHITECTURE, self.line, message)
        })
        .collect()
    }

    /// Whether a part may use another: one of an earlier step, or the one of its own step that it stands on.
    #[must_use]
    pub fn allows(&self, from: &str, to: &str) -> bool {
        let step = |part: &str| self.step_of.get(part);
        match (step(from), step(to)) {
            (Some(from_step), Some(to_step)) if from_step == to_step => {
                self.stands_on.get(from).is_some_and(|ground| ground == to)
            }
            (Some(from_step), Some(to_step)) => to_step < from_step,
            _ => false,
        }
    }

    /// Whether a part may use a later one inside a function.
    #[must_use]
    pub fn allows_on_call(&self, from: &str, to: &str) -> bool {
        self.on_call.get(from).is_some_and(|parts| parts.iter().any(|part| part == to))
    }
}

fn arrow_of(text: &str) -> Option<(String, Vec<String>)> {
    let (from, to) = text.split_once('→')?;
    Some((from.trim().to_owned(), to.split(',').map(|part| part.trim().to_owned()).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrow() -> Arrow {
        let text = "# A\n\n## Order\n\nWords.\n\n```text\nunits → kernel → models →\nengine, tools\n\
                    models: fabric, an1 on fabric, pup\non call: kernel → engine\n```\n";
        Arrow::read(&Tree::of(&[(ARCHITECTURE, text)]), "## Order").expect("a block")
    }

    #[test]
    fn a_part_sees_earlier_steps_alone() {
        let arrow = arrow();
        assert!(arrow.allows("kernel", "units") && arrow.allows("engine", "pup"));
        assert!(!arrow.allows("units", "kernel") && !arrow.allows("tools", "engine"));
        assert!(!arrow.knows("models") && arrow.knows("tools"));
    }

    #[test]
    fn parts_of_a_step_see_what_they_stand_on() {
        let arrow = arrow();
        assert!(arrow.allows("an1", "fabric"));
        assert!(!arrow.allows("fabric", "an1") && !arrow.allows("pup", "fabric"));
    }

    #[test]
    fn a_call_may_reach_a_later_part() {
        let arrow = arrow();
        assert!(arrow.allows_on_call("kernel", "engine") && !arrow.allows_on_call("units", "engine"));
    }
}
