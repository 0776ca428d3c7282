//! Who has which identifier: no two nodes of a fabric have a node GUID or a port GUID in common, and no two ports a
//! LID.
//!
//! The port GUID of one node may be the node GUID of another: files that hopscope writes number them so where an
//! adapter of several ports was taken apart.

use std::collections::BTreeMap;

use crate::error::{Fault, Place};

/// A port of a node, by numbers of the reader's; a switch is one port.
pub(super) type Owner = (usize, u8);

/// What a GUID is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum GuidOf {
    Node,
    Port,
}

/// A claim: who has an identifier, what the file calls it, and where it says so.
struct Claim {
    owner: Owner,
    name: String,
    byte: usize,
}

/// The identifiers that are taken, each with who has it and where.
pub(super) struct Identities<'a> {
    text: &'a str,
    lids: BTreeMap<u16, Claim>,
    guids: BTreeMap<(GuidOf, u64), Claim>,
}

impl<'a> Identities<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, lids: BTreeMap::new(), guids: BTreeMap::new() }
    }

    /// Notes the LIDs of a port from this one on, 2 to the power of `lmc`; refuses one that another port has.
    pub fn lids(
        &mut self,
        owner: Owner,
        name: &str,
        byte: usize,
        (first, lmc): (u16, u8),
    ) -> Result<(), Fault> {
        for lid in first..=first.saturating_add((1 << lmc) - 1) {
            let claim = || Claim { owner, name: name.to_owned(), byte };
            let known = self.lids.entry(lid).or_insert_with(claim);
            if known.owner != owner {
                let what = format!("LID {lid} of \"{name}\"");
                return Err(taken(self.text, known, byte, &what, "a LID of its own for each port"));
            }
        }
        Ok(())
    }

    /// Notes a GUID of a node or of one of its ports; refuses one that another node has.
    pub fn guid(
        &mut self,
        owner: Owner,
        name: &str,
        byte: usize,
        (of, guid): (GuidOf, u64),
    ) -> Result<(), Fault> {
        let claim = || Claim { owner, name: name.to_owned(), byte };
        let known = self.guids.entry((of, guid)).or_insert_with(claim);
        if known.owner.0 == owner.0 {
            return Ok(());
        }
        let what = format!("GUID {guid:#018x} of \"{name}\"");
        Err(taken(self.text, known, byte, &what, "a GUID of its own for each node"))
    }
}

/// An identifier that already belongs to another node.
fn taken(text: &str, known: &Claim, byte: usize, what: &str, expected: &str) -> Fault {
    let line = Place::of_byte(text, known.byte).line;
    let problem = format!("{what} is that of \"{}\" on line {line}", known.name);
    Fault::at(byte, problem, expected).hint("are these two files in one, or of two fabrics?")
}
