//! The traffic of a scenario compiled against one network.

use std::collections::BTreeMap;

use hopscope_kernel::{Discrete, RandomStream, step};
use hopscope_measure::{MOST_CLASSES, Problem, too_many_classes};
use hopscope_topology::{HostId, Network, Role};
use hopscope_units::{Data, Rate, Span};

use crate::arrivals::{Arrivals, Periodic, Poisson, Saturated, Slotted};
use crate::named::host_named;
use crate::source::{Destination, What};
use crate::{
    ArrivalLaw, BurstLaw, Bursts, Emission, Flow, Load, Observed, Pattern, Receivers, SizeLaw, Sizes, Source,
    TrafficSpec,
};

/// The traffic of a scenario, ready to be drawn on one network.
pub struct Workload {
    /// The classes under which messages are reported; a message's class is an index into it.
    pub classes: Vec<String>,
    /// Every source, by sending host.
    pub sources: Vec<Source>,
    /// Which messages the statistics include.
    pub observed: Observed,
    sizes: Vec<SizeLaw>,
    bursts: Vec<BurstLaw>,
    /// The groups of hosts that sources send to: to one of a group, or to all of it.
    pub groups: Vec<Vec<HostId>>,
    weighted: Vec<(Vec<HostId>, Discrete)>,
    /// The weights of each weighted list, in its order.
    pub(crate) weights: Vec<Vec<(HostId, f64)>>,
    pub(crate) hosts: usize,
}

impl Workload {
    /// Compiles the traffic for a network whose host links have these rates (one a host). Problems carry paths below
    /// `traffic`.
    pub fn new(
        spec: &TrafficSpec,
        network: &Network,
        rates: &[Rate],
        seed: u64,
    ) -> Result<Self, Vec<Problem>> {
        let mut problems = spec.problems();
        if problems.is_empty() {
            let mut compiler = Compiler::new(spec, network, rates, seed);
            match compiler.compile() {
                Ok(()) => return Ok(compiler.workload),
                Err(problem) => problems.push(problem),
            }
        }
        Err(problems)
    }

    /// Draws what the source sends now.
    #[inline]
    pub fn draw(&mut self, source: usize) -> Emission {
        let Source { from, destination, what, random, .. } = &mut self.sources[source];
        let to = match *destination {
            Destination::Fixed(host) => host,
            Destination::Others => {
                let other = random.below(self.hosts as u64 - 1) as usize;
                HostId::new(other + usize::from(other >= from.index()))
            }
            Destination::Group(group) => *random.pick(&self.groups[usize::from(group)]),
            Destination::Weighted(list) => {
                let (hosts, law) = &self.weighted[list as usize];
                hosts[law.sample(random)]
            }
            Destination::All(group) => {
                let What::Messages(law) = *what else { unreachable!("bursts go to one host") };
                let (size, class) = self.sizes[usize::from(law)].sample(random);
                return Emission::Multicast { group, size, class };
            }
        };
        match *what {
            What::Bursts(law) => Emission::Burst { to, law },
            What::Messages(law) => {
                let (size, class) = self.sizes[usize::from(law)].sample(random);
                Emission::Message { to, size, class }
            }
        }
    }

    /// Whether any source sends bursts.
    #[must_use]
    pub fn has_bursts(&self) -> bool {
        !self.bursts.is_empty()
    }

    /// Which hosts are sent anything.
    #[must_use]
    pub fn receivers(&self) -> Vec<bool> {
        let mut receives = vec![false; self.hosts];
        // Who sends to each group, or to all hosts: one sender, and whether there are others.
        let mut senders: BTreeMap<Option<u16>, (HostId, bool)> = BTreeMap::new();
        for source in &self.sources {
            let group = match source.destination {
                Destination::Fixed(to) => {
                    receives[to.index()] = true;
                    continue;
                }
                Destination::Weighted(list) => {
                    self.weighted[list as usize].0.iter().for_each(|to| receives[to.index()] = true);
                    continue;
                }
                Destination::Others => None,
                Destination::Group(group) | Destination::All(group) => Some(group),
            };
            let known = senders.entry(group).or_insert((source.from(), false));
            known.1 |= known.0 != source.from();
        }
        let everybody: Vec<HostId> = (0..self.hosts).map(HostId::new).collect();
        for (group, (sender, has_others)) in senders {
            let hosts = group.map_or(&everybody, |group| &self.groups[usize::from(group)]);
            // What a host sends to its own group it does not receive.
            let reached = hosts.iter().filter(|&&to| has_others || to != sender);
            reached.for_each(|to| receives[to.index()] = true);
        }
        receives
    }

    /// The hosts of sources that always have something to send.
    #[must_use]
    pub fn saturated_hosts(&self) -> Vec<u32> {
        let saturated = self.sources.iter().filter(|source| source.is_saturated());
        saturated.map(|source| source.from().index() as u32).collect()
    }

    /// The longest message that can be drawn.
    #[must_use]
    pub fn longest(&self) -> Data {
        let messages = self.sizes.iter().map(SizeLaw::longest);
        messages.chain(self.bursts.iter().map(|law| law.packet.max(law.ack))).max().unwrap_or(Data::ZERO)
    }

    /// The longest message for several hosts that can be drawn; nothing where none is sent.
    #[must_use]
    pub fn longest_multicast(&self) -> Option<Data> {
        let lengths = self.sources.iter().filter_map(|source| match (source.destination, source.what) {
            (Destination::All(_), What::Messages(law)) => Some(self.sizes[usize::from(law)].longest()),
            _ => None,
        });
        lengths.max()
    }

    /// The burst law with this index.
    #[inline]
    #[must_use]
    pub fn burst(&self, law: u16) -> &BurstLaw {
        &self.bursts[usize::from(law)]
    }
}

/// The most different groups of hosts that a workload may have.
const MOST_GROUPS: usize = 1_000;

/// Sources carry the number of their law of sizes or bursts in two bytes.
const MOST_LAWS: usize = 1 << 16;

/// What one sender offers: how much of its link, of what.
#[derive(Clone, Copy)]
struct SenderOffer<'a> {
    load: Load,
    sizes: &'a Sizes,
    bursts: Option<&'a Bursts>,
    class: Option<&'a str>,
}

struct Compiler<'a> {
    spec: &'a TrafficSpec,
    network: &'a Network,
    rates: &'a [Rate],
    seed: u64,
    workload: Workload,
}

impl<'a> Compiler<'a> {
    fn new(spec: &'a TrafficSpec, network: &'a Network, rates: &'a [Rate], seed: u64) -> Self {
        let workload = Workload {
            classes: Vec::new(),
            sources: Vec::new(),
            observed: spec.observed,
            sizes: Vec::new(),
            bursts: Vec::new(),
            groups: Vec::new(),
            weighted: Vec::new(),
            weights: Vec::new(),
            hosts: network.hosts().len(),
        };
        Self { spec, network, rates, seed, workload }
    }

    fn compile(&mut self) -> Result<(), Problem> {
        if self.network.hosts().len() < 2 {
            let problem = format!("the network has {} host(s)", self.network.hosts().len());
            return Err(Problem::new("pattern", problem, "at least two hosts, a sender and a receiver"));
        }
        match &self.spec.pattern {
            Pattern::Uniform => self.every_host(|_| Destination::Others)?,
            Pattern::ClientServer => self.client_server(true)?,
            Pattern::ClientToServer => self.client_server(false)?,
            Pattern::Permutation(permutation) => {
                let mut random = RandomStream::named(self.seed, "permutation", 0);
                let receivers =
                    permutation.receivers(self.network.hosts().len(), &mut random).map_err(|problem| {
                        Problem::new("pattern.permutation", problem, "another permutation or network")
                    })?;
                self.every_host(|host| Destination::Fixed(HostId::new(receivers[host.index()])))?;
            }
            Pattern::Broadcast => self.broadcast()?,
            Pattern::Flows(flows) => {
                for (i, flow) in flows.iter().enumerate() {
                    self.flow(i, flow)?;
                }
            }
            Pattern::Matrix(matrix) => self.matrix(&matrix.pairs)?,
        }
        self.workload.sources.sort_by_key(Source::from);
        self.one_saturated_source_a_host()
    }

    fn offer(&self) -> SenderOffer<'a> {
        SenderOffer {
            load: self.spec.load,
            sizes: &self.spec.sizes,
            bursts: self.spec.bursts.as_ref(),
            class: None,
        }
    }

    fn every_host(&mut self, destination: impl Fn(HostId) -> Destination) -> Result<(), Problem> {
        let offer = self.offer();
        for host in (0..self.network.hosts().len()).map(HostId::new) {
            let destination = destination(host);
            if !matches!(destination, Destination::Fixed(to) if to == host) {
                self.source(host, destination, offer)?;
            }
        }
        Ok(())
    }

    /// The servers' links carry the load in each direction, so a client offers its share of what all servers receive:
    /// the same number of bits a second as every other client.
    fn client_server(&mut self, replies: bool) -> Result<(), Problem> {
        let with_role = |role| -> Vec<HostId> {
            let hosts = self.network.hosts().iter().enumerate();
            hosts.filter(|(_, host)| host.role == role).map(|(i, _)| HostId::new(i)).collect()
        };
        let (clients, servers) = (with_role(Role::Client), with_role(Role::Server));
        if clients.is_empty() || servers.is_empty() {
            let problem = format!("the network has {} clients and {} servers", clients.len(), servers.len());
            return Err(Problem::new(
                "pattern",
                problem,
                "a network whose hosts have both roles, or another pattern",
            ));
        }
        self.workload.groups = vec![servers.clone(), clients.clone()];
        let offer = self.offer();
        let rate = |host: &HostId| self.rates[host.index()].bit_s() as f64;
        // A sum of ratios, each of which is exactly 1 where all links are alike. Few links differ.
        let share =
            |own: f64| servers.iter().map(|server| rate(server) / own).sum::<f64>() / clients.len() as f64;
        let mut shares: BTreeMap<Rate, f64> = BTreeMap::new();
        for client in &clients {
            let share = *shares.entry(self.rates[client.index()]).or_insert_with(|| share(rate(client)));
            let load = match offer.load {
                Load::Fraction(load) => Load::Fraction(load * share),
                Load::Saturated => Load::Saturated,
            };
            self.source(*client, Destination::Group(0), SenderOffer { load, ..offer })?;
        }
        if replies {
            for &server in &servers {
                self.source(server, Destination::Group(1), offer)?;
            }
        }
        Ok(())
    }

    /// Every host is to receive the load from all others together, so each offers its share of it.
    fn broadcast(&mut self) -> Result<(), Problem> {
        let all: Vec<HostId> = (0..self.network.hosts().len()).map(HostId::new).collect();
        let offer = self.offer();
        let load = match offer.load {
            Load::Fraction(load) => Load::Fraction(load / (all.len() - 1) as f64),
            Load::Saturated => Load::Saturated,
        };
        let to = Destination::All(self.multicast_group(all.clone()).expect("it is the only group"));
        all.into_iter().try_for_each(|host| self.source(host, to, SenderOffer { load, ..offer }))
    }

    /// The number of a group of hosts, which joins the others where no equal one is known; nothing where it is one too
    /// many.
    fn multicast_group(&mut self, mut hosts: Vec<HostId>) -> Option<u16> {
        hosts.sort_unstable();
        let groups = &mut self.workload.groups;
        let known = groups.iter().position(|other| *other == hosts);
        (known.is_some() || groups.len() < MOST_GROUPS).then(|| {
            let group = known.unwrap_or(groups.len());
            if known.is_none() {
                groups.push(hosts);
            }
            u16::try_from(group).expect("fewer groups than 65,536")
        })
    }

    fn receivers(&mut self, receivers: &Receivers, path: &str) -> Result<Destination, Problem> {
        match receivers {
            Receivers::One(name) => self.host(name, || path.to_owned()).map(Destination::Fixed),
            Receivers::Group(names) => {
                let hosts = names.iter().enumerate();
                let hosts = hosts.map(|(i, name)| self.host(name, || format!("{path}[{i}]")));
                let hosts = hosts.collect::<Result<Vec<_>, _>>()?;
                let group = self.multicast_group(hosts).ok_or_else(|| {
                    let problem = format!("this is one more than {MOST_GROUPS} different groups");
                    Problem::new(path, problem, "fewer groups: each has entries in every switch")
                })?;
                Ok(Destination::All(group))
            }
        }
    }

    fn host(&self, name: &str, path: impl FnOnce() -> String) -> Result<HostId, Problem> {
        host_named(self.network, name, path)
    }

    fn flow(&mut self, i: usize, flow: &'a Flow) -> Result<(), Problem> {
        let from = self.host(&flow.from, || format!("pattern.flows[{i}].from"))?;
        let to = self.receivers(&flow.to, &format!("pattern.flows[{i}].to"))?;
        let general = self.offer();
        let offer = SenderOffer {
            load: flow.load.unwrap_or(general.load),
            sizes: flow.sizes.as_ref().unwrap_or(general.sizes),
            bursts: flow.bursts.as_ref().or(general.bursts),
            class: flow.class.as_deref(),
        };
        self.source(from, to, offer)
    }

    fn matrix(&mut self, pairs: &'a [crate::WeightedPair]) -> Result<(), Problem> {
        let mut rows: BTreeMap<HostId, Vec<(HostId, f64)>> = BTreeMap::new();
        let (mut sent, mut received) = (vec![0.0; self.rates.len()], vec![0.0; self.rates.len()]);
        for (i, pair) in pairs.iter().enumerate() {
            let from = self.host(&pair.from, || format!("pattern.matrix.pairs[{i}].from"))?;
            let to = self.host(&pair.to, || format!("pattern.matrix.pairs[{i}].to"))?;
            if from != to && pair.weight > 0.0 {
                rows.entry(from).or_default().push((to, pair.weight));
                sent[from.index()] += pair.weight / self.rates[from.index()].bit_s() as f64;
                received[to.index()] += pair.weight / self.rates[to.index()].bit_s() as f64;
            }
        }
        let busiest = sent.iter().chain(&received).copied().fold(0.0, f64::max);
        if busiest == 0.0 {
            return Err(Problem::new(
                "pattern.matrix.pairs",
                "no pair of hosts exchanges traffic",
                "a weight above 0 between two hosts",
            )
            .hint("weights of 0 and from a host to itself carry nothing"));
        }
        let offer = self.offer();
        for (from, row) in rows {
            let load = match offer.load {
                Load::Fraction(load) => Load::Fraction(load * sent[from.index()] / busiest),
                Load::Saturated => Load::Saturated,
            };
            let weights: Vec<f64> = row.iter().map(|(_, weight)| *weight).collect();
            let list = u32::try_from(self.workload.weighted.len()).expect("fewer rows than hosts");
            self.workload
                .weighted
                .push((row.iter().map(|(to, _)| *to).collect(), Discrete::of_shares(&weights)));
            self.workload.weights.push(row);
            self.source(from, Destination::Weighted(list), SenderOffer { load, ..offer })?;
        }
        Ok(())
    }

    /// Adds what one sender offers: a source of messages, a source of bursts, or both.
    fn source(
        &mut self,
        from: HostId,
        destination: Destination,
        offer: SenderOffer<'_>,
    ) -> Result<(), Problem> {
        let bit_s = self.rates[from.index()].bit_s() as f64;
        let share = offer.bursts.map_or(0.0, |bursts| bursts.packet_share);
        let burst_bits = offer.bursts.map_or(0.0, |bursts| bursts.packet.bits() as f64);
        // Packets a second, so that messages and burst packets together make the load.
        let packets_s =
            |load: f64| load * bit_s / ((1.0 - share) * offer.sizes.mean_bits() + share * burst_bits);
        let at_set_times = offer.bursts.is_some_and(|bursts| bursts.every.is_some());
        if share < 1.0 && !at_set_times {
            let arrivals = match (offer.load, self.spec.arrivals) {
                (Load::Fraction(load), ArrivalLaw::Poisson) => poisson(packets_s(load) * (1.0 - share)),
                (Load::Fraction(load), ArrivalLaw::Slotted) => {
                    if load > 1.0 {
                        let name = &self.network.host(from).name;
                        let problem = format!("host \"{name}\" would send {load:.3} messages a slot");
                        return Err(Problem::new("load", problem, "a load that takes at most one a slot"));
                    }
                    let length = Data::from_bits(offer.sizes.mean_bits() as u64);
                    let slot = self.rates[from.index()].time_for(length);
                    Arrivals::Slotted(Slotted::new(slot, load))
                }
                (Load::Saturated, _) => Arrivals::Saturated(Saturated),
            };
            let what = What::Messages(self.size_law(offer)?);
            let bits = (1.0 - share) * offer.sizes.mean_bits();
            self.push(from, destination, arrivals, what, offer.load.fraction().map(|f| packets_s(f) * bits));
        }
        if let Some(bursts) = offer.bursts {
            let arrivals = match (bursts.every, offer.load) {
                (Some(every), _) => Arrivals::Periodic(Periodic::new(every, bursts.within)),
                (None, Load::Fraction(load)) => {
                    poisson(packets_s(load) * share / f64::from(bursts.packets()))
                }
                (None, Load::Saturated) => Arrivals::Saturated(Saturated),
            };
            let what = What::Bursts(self.burst_law(bursts, offer.class)?);
            let bit_s = match bursts.every {
                Some(every) => Some(f64::from(bursts.packets()) * burst_bits / every.as_seconds()),
                None => offer.load.fraction().map(|f| packets_s(f) * share * burst_bits),
            };
            self.push(from, destination, arrivals, what, bit_s);
        }
        Ok(())
    }

    fn push(
        &mut self,
        from: HostId,
        destination: Destination,
        arrivals: Arrivals,
        what: What,
        bit_s: Option<f64>,
    ) {
        let random = RandomStream::named(self.seed, "source", self.workload.sources.len() as u64);
        self.workload.sources.push(Source { from, destination, arrivals, what, bit_s, random });
    }

    /// The number of a class, which joins the others where it is not yet known.
    fn class(&mut self, name: &str) -> Result<u8, Problem> {
        let classes = &mut self.workload.classes;
        let known = classes.iter().position(|class| class == name);
        let class = known.unwrap_or(classes.len());
        if class >= MOST_CLASSES {
            return Err(too_many_classes("pattern"));
        }
        if known.is_none() {
            classes.push(name.to_owned());
        }
        Ok(u8::try_from(class).expect("at most 255"))
    }

    fn size_law(&mut self, offer: SenderOffer<'_>) -> Result<u16, Problem> {
        let names = offer.class.map_or(offer.sizes.class_names().to_vec(), |name| vec![name]);
        let classes = names.iter().map(|name| self.class(name)).collect::<Result<Vec<u8>, _>>()?;
        index(&mut self.workload.sizes, SizeLaw::new(offer.sizes, &classes))
    }

    fn burst_law(&mut self, bursts: &Bursts, class: Option<&str>) -> Result<u16, Problem> {
        let class = self.class(class.unwrap_or("burst"))?;
        let Bursts { packet, window, ack, .. } = *bursts;
        let law = BurstLaw { packets: bursts.packets(), packet, window, ack, class };
        index(&mut self.workload.bursts, law)
    }

    /// A host whose queue never empties can only have one source that fills it, or which of them would send next?
    fn one_saturated_source_a_host(&self) -> Result<(), Problem> {
        let saturated: Vec<HostId> =
            self.workload.sources.iter().filter(|s| s.is_saturated()).map(Source::from).collect();
        match saturated.windows(2).find(|pair| pair[0] == pair[1]) {
            None => Ok(()),
            Some(pair) => {
                let name = &self.network.host(pair[0]).name;
                let problem = format!("host \"{name}\" has two saturated sources");
                Err(Problem::new("pattern", problem, "at most one saturated flow from a host"))
            }
        }
    }
}

/// The index of a law in its list, which it joins where no equal one is known.
fn index<T: PartialEq>(list: &mut Vec<T>, law: T) -> Result<u16, Problem> {
    step("comparing the sizes of flows");
    // Flows come in groups that are alike, so the last ones are asked first.
    let at = list.iter().rposition(|other| *other == law).unwrap_or(list.len());
    let number = u16::try_from(at).map_err(|_| {
        let problem = format!("there are more than {MOST_LAWS} different laws of sizes or bursts");
        Problem::new("pattern.flows", problem, "flows that share their sizes")
    })?;
    if at == list.len() {
        list.push(law);
    }
    Ok(number)
}

fn poisson(per_second: f64) -> Arrivals {
    let gap_ps = (1e12 / per_second).round().max(1.0);
    Arrivals::Poisson(Poisson::new(Span::from_ps(gap_ps as u64)))
}
