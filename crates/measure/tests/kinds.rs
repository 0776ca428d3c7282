//! One word for one kind, and every kind read back from its word.

use std::collections::BTreeSet;

use hopscope_measure::{Charged, HoldActivity, HoldWhy, KindTable, ResourceKind, StageId, StageKind};
use serde::Serialize;
use serde::de::DeserializeOwned;

fn alone(words: &[&str]) {
    let apart: BTreeSet<&&str> = words.iter().collect();
    assert_eq!(apart.len(), words.len(), "a word stands for two kinds: {words:?}");
}

fn returns<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(kind: &T) {
    let text = serde_json::to_string(kind).unwrap();
    assert_eq!(serde_json::from_str::<T>(&text).unwrap(), *kind, "{text}");
}

#[test]
fn every_kind_has_a_word_of_its_own_and_is_read_back_from_it() {
    alone(&ResourceKind::all().iter().map(|kind| kind.word()).collect::<Vec<_>>());
    alone(&StageId::all().iter().map(|stage| stage.word()).collect::<Vec<_>>());
    alone(&Charged::all().iter().map(|charged| charged.word()).collect::<Vec<_>>());
    alone(&HoldWhy::all().iter().map(|why| why.word()).collect::<Vec<_>>());
    ResourceKind::all().iter().for_each(returns);
    StageId::all().iter().for_each(returns);
    Charged::all().iter().for_each(returns);
    HoldWhy::all().into_iter().map(HoldActivity::from).for_each(|activity| returns(&activity));
    returns(&HoldActivity::in_lane(HoldWhy::Paused, 11));
    assert!(serde_json::from_str::<StageId>("\"output weight\"").is_err());
}

#[test]
fn meanings_are_clauses_that_sentences_go_on_with() {
    let table = KindTable::new();
    let stages = table.stages.iter().map(|stage| &stage.entry);
    let holds = table.holds.iter().map(|hold| &hold.entry);
    for entry in stages.chain(holds).chain(&table.charged) {
        assert!(!entry.meaning.is_empty() && !entry.meaning.ends_with('.'), "{entry:?}");
    }
}

#[test]
fn what_holders_wait_in_are_waits() {
    for why in HoldWhy::all() {
        assert!(why.stages().iter().all(|stage| stage.kind() == StageKind::Wait), "{why:?}");
    }
    let sending_again = StageId::all().into_iter().filter(|stage| stage.is_retransmission());
    assert!(sending_again.clone().all(|stage| stage.kind() == StageKind::Wait));
    assert_eq!(sending_again.count(), 2);
}
