//! Writes a fabric in a form that other tools read: as `ibnetdiscover` prints it, as a net file of ibsim, as a CSV edge
//! list.

use std::fmt::{self, Write};

use hopscope_topology::{Endpoint, HostId, LinkId, Node, Port, SwitchId};
use hopscope_units::{Rate, Span, amount};
use thiserror::Error;

use crate::columns::csv::shielded;
use crate::fabric::edge_list::COLUMNS;
use crate::fabric::ibnetdiscover::{MOST_PORTS, word_of_rate};
use crate::fabric::{CabledNetwork, NodeLids};
use crate::lines::is_unseen;

/// A form in which a fabric is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenForm {
    /// As `ibnetdiscover` prints it.
    Discovered,
    /// A net file of ibsim: nodes by their names.
    Net,
    /// A CSV edge list.
    EdgeList,
}

impl WrittenForm {
    /// The endings of file names, each with the form that it stands for.
    pub const ENDINGS: [(&str, Self); 3] =
        [(".ibnetdiscover", Self::Discovered), (".net", Self::Net), (".csv", Self::EdgeList)];

    /// The form that the ending of a file's name stands for.
    #[must_use]
    pub fn of_name(file_name: &str) -> Option<Self> {
        let is_its = |(ending, _): &&(&str, Self)| file_name.ends_with(ending);
        Self::ENDINGS.iter().find(is_its).map(|(_, form)| *form)
    }
}

/// What holds for links of which the network says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkDefaults {
    /// The rate in each direction.
    pub rate: Rate,
    /// The propagation delay.
    pub delay: Span,
}

/// Why a fabric cannot be written in a form.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{problem}; expected {expected}")]
pub struct Unwritable {
    /// What the form has no way to say.
    pub problem: String,
    /// What it can say.
    pub expected: String,
}

/// The fabric as a file of this form. Reading it gives the same switches, hosts and cables back.
///
/// Nodes get the local identifiers of [`CabledNetwork::lids`], switches their devices and numbers of ports where these
/// are known. The InfiniBand formats have no delays, and only rates of a width and speed of InfiniBand: a comment at
/// their top states what is left out. Ports are counted from 1 there ([`CabledNetwork::port_offset`]).
///
/// # Errors
/// A name or a number of ports that the format cannot express.
pub fn write_fabric(
    fabric: &CabledNetwork,
    form: WrittenForm,
    defaults: LinkDefaults,
) -> Result<String, Unwritable> {
    check_names(fabric, form)?;
    let writer = Writer { fabric, lids: fabric.lids(), defaults, offset: fabric.port_offset() };
    let mut text = String::new();
    let written = match form {
        WrittenForm::EdgeList => writer.edge_list(&mut text),
        WrittenForm::Discovered | WrittenForm::Net => {
            writer.check_ports()?;
            writer.infiniband(&mut text, form)
        }
    };
    written.expect("a text takes any line");
    Ok(text)
}

fn check_names(fabric: &CabledNetwork, form: WrittenForm) -> Result<(), Unwritable> {
    let (breaks, expected): (fn(&str) -> bool, _) = match form {
        WrittenForm::EdgeList => (
            |name| name.contains(',') || name.starts_with('#') || name.trim() != name,
            "names without commas, without # at their beginning and without white space around them",
        ),
        WrittenForm::Discovered | WrittenForm::Net => {
            (|name| name.contains('"'), "names without quotation marks")
        }
    };
    let network = &fabric.network;
    let mut names = network.switches().iter().map(|s| &s.name).chain(network.hosts().iter().map(|h| &h.name));
    match names.find(|name| name.is_empty() || name.contains(is_unseen) || breaks(name)) {
        None => Ok(()),
        Some(name) => {
            let problem = format!("the name {name:?} cannot be written in this form");
            Err(Unwritable { problem, expected: expected.to_owned() })
        }
    }
}

struct Writer<'a> {
    fabric: &'a CabledNetwork,
    /// The local identifiers of all nodes, where there are enough of them.
    lids: Option<NodeLids>,
    defaults: LinkDefaults,
    offset: Port,
}

impl Writer<'_> {
    /// The ports of a switch as InfiniBand counts them: those of the fabric's file, else up to the last one in use.
    fn ports(&self, switch: SwitchId) -> usize {
        let used = self.fabric.network.switch(switch).ports.len() + usize::from(self.offset);
        let told = self.fabric.ports[switch.index()].map_or(1, usize::from);
        used.saturating_sub(1).max(told)
    }

    fn check_ports(&self) -> Result<(), Unwritable> {
        let network = &self.fabric.network;
        match network.switch_ids().find(|id| self.ports(*id) as u64 > MOST_PORTS) {
            None => Ok(()),
            Some(id) => {
                let problem = format!("switch \"{}\" has {} ports", network.switch(id).name, self.ports(id));
                Err(Unwritable { problem, expected: format!("at most {MOST_PORTS}, or the form .csv") })
            }
        }
    }

    fn edge_list(&self, text: &mut String) -> fmt::Result {
        let network = &self.fabric.network;
        writeln!(text, "{}", COLUMNS.join(","))?;
        for link in network.links() {
            let rate = link.rate.unwrap_or(self.defaults.rate);
            let delay = link.delay.unwrap_or(self.defaults.delay);
            let [near, far] = link.ends;
            let [near_name, far_name] = [near, far].map(|end| shielded(network.name(end.node)));
            match far.node {
                Node::Host(_) => {
                    writeln!(text, "{far_name},{near_name},,{},{rate},{delay},host", near.port)?;
                }
                Node::Switch(_) => {
                    writeln!(text, "{near_name},{far_name},{},{},{rate},{delay},trunk", near.port, far.port)?;
                }
            }
        }
        Ok(())
    }

    fn infiniband(&self, text: &mut String, form: WrittenForm) -> fmt::Result {
        let network = &self.fabric.network;
        self.losses(text)?;
        for id in network.switch_ids() {
            self.record(text, form, Node::Switch(id), self.ports(id))?;
            for (port, link) in network.switch(id).ports.iter().enumerate() {
                if let Some(link) = link {
                    self.cable(text, form, Endpoint::switch(id, port as Port), *link)?;
                }
            }
            writeln!(text)?;
        }
        for id in network.host_ids() {
            self.record(text, form, Node::Host(id), 1)?;
            self.cable(text, form, Endpoint::host(id), network.host(id).link)?;
            writeln!(text)?;
        }
        Ok(())
    }

    /// A comment on what the file cannot express, if anything.
    fn losses(&self, text: &mut String) -> fmt::Result {
        let links = self.fabric.network.links();
        let rates = links.iter().map(|link| link.rate.unwrap_or(self.defaults.rate));
        let unknown = rates.filter(|rate| word_of_rate(*rate).is_none()).count();
        let delays = links.iter().filter(|link| link.delay.is_some()).count();
        let nodes = self.fabric.aggregation.len();
        let of_links = |count| amount(count, "link", "links");
        for (count, words) in [
            (unknown, format!("the rates of {}, which InfiniBand has no word for", of_links(unknown))),
            (delays, format!("the delays of {}", of_links(delays))),
            (nodes, format!("{} (SHARP)", amount(nodes, "aggregation node", "aggregation nodes"))),
        ] {
            if count > 0 {
                writeln!(text, "# left out: {words}")?;
            }
        }
        Ok(())
    }

    /// What stands before the cables of a node.
    fn record(&self, text: &mut String, form: WrittenForm, node: Node, ports: usize) -> fmt::Result {
        let guid = self.node_guid(node);
        let (kind, of_guid) = match node {
            Node::Switch(_) => ("Switch", "switchguid"),
            Node::Host(_) if form == WrittenForm::Net => ("Hca", "caguid"),
            Node::Host(_) => ("Ca", "caguid"),
        };
        let name = self.fabric.network.name(node);
        let device = match node {
            Node::Switch(id) => self.fabric.devices[id.index()],
            Node::Host(_) => None,
        };
        if form == WrittenForm::Net {
            if let Some(device) = device {
                writeln!(text, "devid={device:#x}")?;
            }
            write!(text, "{of_guid}={guid:#x}\n{kind} {ports} \"{name}\"")?;
        } else {
            let own = if let Node::Switch(_) = node { format!("({guid:x})") } else { String::new() };
            let device = device.unwrap_or(0);
            write!(text, "vendid=0x0\ndevid={device:#x}\nsysimgguid={guid:#x}\n{of_guid}={guid:#x}{own}\n")?;
            write!(text, "{kind}\t{ports} \"{}\"\t\t# \"{name}\"", self.id(node))?;
        }
        match (node, self.lid(node)) {
            (Node::Switch(_), Some(lid)) => {
                let comment =
                    if form == WrittenForm::Net { format!("\t\t# \"{name}\"") } else { String::new() };
                writeln!(text, "{comment} base port 0 lid {lid} lmc 0")
            }
            _ => writeln!(text),
        }
    }

    /// The line of a cable at its near end.
    fn cable(&self, text: &mut String, form: WrittenForm, near: Endpoint, link: LinkId) -> fmt::Result {
        let network = &self.fabric.network;
        let link = network.link(link);
        let far = link.far(near);
        let rate = word_of_rate(link.rate.unwrap_or(self.defaults.rate));
        let (near_port, far_port) = (self.port(near), self.port(far));
        if form == WrittenForm::Net {
            write!(text, "[{near_port}] \"{}\"[{far_port}]", network.name(far.node))?;
        } else {
            let (near_guid, far_guid) = (self.socket(near.node), self.socket(far.node));
            write!(text, "[{near_port}]{near_guid}\t\"{}\"[{far_port}]{far_guid}", self.id(far.node))?;
        }
        write!(text, "\t\t#")?;
        if let (Node::Host(_), Some(own)) = (near.node, self.lid(near.node)) {
            let lmc = self.fabric.address(near.node).lmc;
            write!(text, " lid {own} lmc {lmc}")?;
        }
        write!(text, " \"{}\"", network.name(far.node))?;
        // ibsim wants both or none.
        if let (Some(lid), Some(rate)) = (self.lid(far.node), rate) {
            write!(text, " lid {lid} {rate}")?;
        }
        writeln!(text)
    }

    /// The GUID of a host's port in parentheses.
    fn socket(&self, node: Node) -> String {
        match node {
            Node::Host(id) => format!("({:x})", self.fabric.hosts[id.index()].guid),
            Node::Switch(_) => String::new(),
        }
    }

    fn port(&self, end: Endpoint) -> Port {
        if let Node::Host(_) = end.node { 1 } else { end.port + self.offset }
    }

    fn lid(&self, node: Node) -> Option<u16> {
        let lids = self.lids.as_ref()?;
        Some(match node {
            Node::Switch(id) => lids.switches[id.index()],
            Node::Host(id) => lids.hosts[id.index()],
        })
    }

    /// The GUID of a node. A host is a port: its node's GUID is the one before, as ibsim counts them.
    fn node_guid(&self, node: Node) -> u64 {
        let of_host = |id: HostId| self.fabric.hosts[id.index()].guid.wrapping_sub(1);
        match node {
            Node::Switch(id) => self.fabric.switches[id.index()].guid,
            Node::Host(id) => of_host(id),
        }
    }

    /// What `ibnetdiscover` calls a node by.
    fn id(&self, node: Node) -> String {
        let letter = if let Node::Switch(_) = node { 'S' } else { 'H' };
        format!("{letter}-{:016x}", self.node_guid(node))
    }
}
