//! A scenario for another process or machine: its text and the files that it names as a parcel, and its overrides.
//! Derived data are not included. Scenarios that differ by overrides alone have one parcel.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use hopscope_scenario::{Base, Brought, FileAccess, Origin, Override, ScenarioError, SourceText};
use serde::{Deserialize, Serialize};

use super::source::{CARRIED, Source};
use super::{Scenario, read_overrides};
use crate::registry::Purpose;
use crate::rules::Rules;

/// What travels. Both ends have the same version of the program, so it may change with every version.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parcel {
    name: String,
    label: String,
    text: String,
    is_bare_fabric: bool,
    /// Where files that are not brought along are looked for; nothing: among those that the program carries.
    folder: Option<PathBuf>,
    /// Whether it may name files outside of its folder.
    any_file: bool,
    /// The folder of the study whose overrides they are.
    study: Option<PathBuf>,
    files: Vec<BroughtFile>,
}

#[derive(Debug, Serialize, Deserialize)]
struct BroughtFile {
    path: String,
    by_override: bool,
    label: String,
    text: String,
}

impl Scenario {
    /// The scenario without its overrides as text, from which [`unpacked`](Self::unpacked) makes the same one anywhere.
    ///
    /// # Panics
    /// Never: a parcel is plain data.
    #[must_use]
    pub fn parcel(&self) -> String {
        let base = match &self.source.base {
            Base::Brought(brought) => &brought.then,
            base => base,
        };
        let files = self.identity.attachments.iter().map(|attachment| BroughtFile {
            path: attachment.asked.0.clone(),
            by_override: attachment.asked.1,
            label: attachment.text.label.clone(),
            text: attachment.text.text.clone(),
        });
        let parcel = Parcel {
            name: self.source.name.clone(),
            label: self.source.text.label.clone(),
            text: self.source.text.text.clone(),
            is_bare_fabric: self.source.is_bare_fabric,
            folder: match base {
                Base::Folder(folder) | Base::Given(folder) => Some(folder.clone()),
                Base::Carried(_) | Base::Brought(_) => None,
            },
            any_file: self.source.access.any,
            study: self.source.access.study.clone(),
            files: files.collect(),
        };
        serde_json::to_string(&parcel).expect("a parcel is plain data")
    }

    /// Its overrides, as texts.
    #[must_use]
    pub fn overrides(&self) -> Vec<&str> {
        self.overrides.iter().map(Override::text).collect()
    }

    /// The scenario of a [`parcel`](Self::parcel) with these overrides. It shares with `like`, where that is given,
    /// what both have in common, such as a network and its routes.
    ///
    /// # Errors
    /// As [`load`](Self::load): another version of the program may refuse it.
    ///
    /// # Panics
    /// Where the text is no parcel of this version.
    pub fn unpacked(parcel: &str, overrides: &[&str], like: Option<&Self>) -> Result<Self, ScenarioError> {
        let purpose = like.map_or(Purpose::Run, |like| Purpose::RunLike(like.prepared()));
        Self::read(source_of(parcel), read_overrides(overrides)?, Rules::default(), purpose)
    }

    /// The same where the scenario is to be shown and not run, as [`of_run`](Self::of_run).
    ///
    /// # Errors
    /// Those of [`unpacked`](Self::unpacked).
    ///
    /// # Panics
    /// As [`unpacked`](Self::unpacked).
    pub fn unpacked_to_show(parcel: &str, overrides: &[&str]) -> Result<Self, ScenarioError> {
        Self::read(source_of(parcel), read_overrides(overrides)?, Rules::for_showing(), Purpose::Run)
    }

    /// The files that it names, by what asks for them.
    #[must_use]
    pub fn files(&self) -> Vec<&(String, bool)> {
        self.identity.attachments.iter().map(|attachment| &attachment.asked).collect()
    }
}

/// What travelled in a parcel.
fn source_of(parcel: &str) -> Source {
    let parcel: Parcel = serde_json::from_str(parcel).expect("a parcel of this version");
    let file = |file: BroughtFile| {
        let text = SourceText { label: file.label, text: file.text, origin: Origin::Named };
        ((file.path, file.by_override), Arc::new(text))
    };
    let files: BTreeMap<_, _> = parcel.files.into_iter().map(file).collect();
    let given = if parcel.is_bare_fabric { Base::Given } else { Base::Folder };
    let then = parcel.folder.map_or(Base::Carried(CARRIED), given);
    let text = SourceText { label: parcel.label, text: parcel.text, origin: Origin::Scenario };
    Source {
        name: parcel.name,
        text: Arc::new(text),
        base: Base::Brought(Arc::new(Brought { files, then })),
        access: FileAccess { any: parcel.any_file, study: parcel.study },
        is_bare_fabric: parcel.is_bare_fabric,
    }
}
