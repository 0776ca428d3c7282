//! From the tables of a study to its definition: what is inherited is filled in, and what each table means is checked
//! at its place.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_scenario::{
    Diagnosis, Entry, FileAccess, Node, Override, Path, ScenarioError, did_you_mean, one_of,
};
use serde_json::{Value as Json, json};

use super::file::{Cell, StudyFile};
use super::kinds::{Given, Kind, Measured};
use super::over::{Swept, swept};
use super::published::{self, PublishedCell};
use super::setting::{Context, Setting, SettingTable, values};
use crate::scenario::Draft;

/// A study while it is resolved, with everything that was found wrong.
pub(super) struct Resolver<'a> {
    pub root: &'a Node,
    pub published: BTreeMap<String, PublishedCell>,
    always: BTreeMap<String, Entry>,
    access: &'a FileAccess,
    found: Vec<Diagnosis>,
    /// The scenarios that were named; nothing for one that there is not.
    scenarios: BTreeMap<String, Option<Draft>>,
    checked: BTreeSet<Setting>,
}

impl<'a> Resolver<'a> {
    /// Begins with a study, whose published cells must be there; with `quick`, under the values of `[quick]`. `access`
    /// says where its scenarios may lie.
    pub fn new(
        root: &'a Node,
        study: &StudyFile,
        access: &'a FileAccess,
        quick: bool,
    ) -> Result<Self, ScenarioError> {
        let file = study.own.published.as_str();
        let Some(published) = published::cells(file) else {
            let path = Path::of("published");
            let known = || published::files().into_iter();
            let diagnosis = Diagnosis::about(&path, &format!("there are no published cells \"{file}\""));
            let diagnosis = diagnosis.at(root.nearest_place(&path)).expected(one_of(known()));
            return Err(diagnosis.hint(did_you_mean(file, known())).into());
        };
        let always = if quick { values(root, &Path::of("quick.set")) } else { BTreeMap::new() };
        let (scenarios, checked) = (BTreeMap::new(), BTreeSet::new());
        let published = published.into_iter().map(|cell| (cell.id.clone(), cell)).collect();
        Ok(Self { root, published, always, access, found: Vec::new(), scenarios, checked })
    }

    /// Everything that was found wrong, once.
    pub fn finish(self) -> Result<(), ScenarioError> {
        let mut told = BTreeSet::new();
        let key = |diagnosis: &Diagnosis| {
            let place = diagnosis.place.as_ref().map(|place| (place.source.label.clone(), place.span.start));
            (place, diagnosis.problem.clone())
        };
        let once: Vec<_> = self.found.into_iter().filter(|diagnosis| told.insert(key(diagnosis))).collect();
        if once.is_empty() { Ok(()) } else { Err(ScenarioError::new(once)) }
    }

    /// The whole study.
    pub fn study(&mut self, study: &StudyFile) -> Json {
        let outermost = Context { always: self.always.clone(), ..Context::default() };
        let context = outermost.within(&study.shared, &Path::default(), self.root);
        let head = &study.own;
        let cells: Vec<Json> = head
            .cell
            .iter()
            .enumerate()
            .map(|(nth, cell)| self.cell(cell, &Path::of("cell").entry(nth), &context))
            .collect();
        let figures = self.figures(head, &context);
        let diagrams = self.diagrams(&head.diagram, &context);
        json!({
            "title": head.title,
            "source": head.source,
            "cells": cells,
            "figures": figures,
            "histogram": head.histogram.as_ref().map(|drawn| self.histogram(drawn, &context)),
            "diagrams": diagrams,
            "why": self.reasons(&head.why, &context),
        })
    }

    fn cell(&mut self, cell: &Cell, at: &Path, context: &Context) -> Json {
        let head = &cell.shared;
        let published = self.published.get(&head.id).cloned();
        if published.is_none() {
            let hint = did_you_mean(&head.id, self.published.keys().map(String::as_str));
            let problem = format!("there is no published cell \"{}\"", head.id);
            self.refuse(
                &at.field("id"),
                &problem,
                "the id of a row of the file that `published` names",
                hint,
            );
        }
        let quantity = self.quantity(&cell.own, at, context, &Given::default());
        json!({ "published": published, "quantity": quantity, "reason": head.reason })
    }

    /// What a table measures. `given` is what a figure says for all of its lines.
    pub fn quantity(&mut self, measured: &Measured, at: &Path, outer: &Context, given: &Given) -> Json {
        let context = outer.within(&measured.shared, at, self.root);
        measured.own.resolve(self, at, &context, given)
    }

    /// What holds within a table.
    pub fn within(&self, table: &SettingTable, at: &Path, outer: &Context) -> Context {
        outer.within(table, at, self.root)
    }

    /// The setting of a table, whose scenario and values are checked.
    pub fn setting(&mut self, context: &Context, at: &Path) -> Setting {
        let setting = self.unchecked(context);
        let Some((_, named_at)) = &context.scenario else {
            let expected = "the name of a ready scenario, here or at the top of the study";
            self.refuse(at, "no `scenario` is named", expected, None);
            return setting;
        };
        if self.checked.insert(setting.clone()) {
            self.check(&setting.scenario, named_at, &context.entries());
        }
        setting
    }

    /// The setting of a table to which more will be added: it is checked with that.
    pub fn unchecked(&self, context: &Context) -> Setting {
        let entries = context.entries();
        let set = entries.iter().map(|(path, entry)| (path.clone(), entry.node.toml())).collect();
        let scenario = context.scenario.as_ref().map(|(name, _)| name.clone()).unwrap_or_default();
        let study = self.access.study.clone();
        Setting { scenario, set, seeds: context.seeds.map_or(1, u32::from), study }
    }

    fn check(&mut self, scenario: &str, named_at: &Path, entries: &BTreeMap<String, Entry>) {
        if !self.scenarios.contains_key(scenario) {
            let draft = Draft::find(scenario, self.access).map_err(|error| {
                let place = self.root.nearest_place(named_at);
                let placed = error.diagnoses.into_iter().map(|found| Diagnosis {
                    place: found.place.or_else(|| Some(place.clone())),
                    problem: format!("{named_at}: {}", found.problem),
                    ..found
                });
                self.found.extend(placed);
            });
            self.scenarios.insert(scenario.to_owned(), draft.ok());
        }
        let Some(Some(draft)) = self.scenarios.get(scenario) else { return };
        let (mut overrides, mut failed) = (Vec::new(), Vec::new());
        for entry in entries.values() {
            match Override::of(entry) {
                Ok(change) => overrides.push(change),
                Err(diagnosis) => failed.push(diagnosis),
            }
        }
        self.found.extend(if failed.is_empty() { draft.mistakes(&overrides) } else { failed });
    }

    /// What the field `over` of a table sweeps; nothing where it is wrong.
    pub fn swept(&mut self, at: &Path) -> Option<Swept> {
        let path = at.field("over");
        let over = self.root.at(&path).expect("a field that was read");
        swept(over)
            .map_err(|found| {
                let problem = format!("{path}: {}", found.problem);
                self.found.push(Diagnosis { problem, ..found });
            })
            .ok()
    }

    /// Says that the value at a path is wrong.
    pub fn refuse(&mut self, path: &Path, problem: &str, expected: &str, hint: Option<String>) {
        let place = self.root.nearest_place(path);
        self.found.push(Diagnosis::about(path, problem).at(place).expected(expected).hint(hint));
    }

    /// Says that a section lacks a field.
    pub fn missing(&mut self, at: &Path, field: &str, meaning: &str) {
        self.refuse(at, &format!("the field \"{field}\" is missing"), &format!("{field}: {meaning}"), None);
    }

    /// Says that a value that was swept is wrong.
    pub fn refuse_node(&mut self, path: &Path, node: &Node, expected: &str) {
        let problem = format!("{} does not fit here", node.describe());
        self.found.push(Diagnosis::about(path, &problem).at(node.place.clone()).expected(expected));
    }
}
