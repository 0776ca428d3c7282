//! The up-links of each level of a fat tree but the highest: how much less they carry than what comes from below, and
//! switches with fewer of them than most.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use hopscope_units::Rate;

use crate::anomalies::departures::{Departures, MOST, most_common};
use crate::anomalies::{Anomaly, AnomalyKind, listed, slow_links};
use crate::family::{Family, Levels};
use crate::graph::{LinkId, Network, Port, SwitchId};

/// Cables that are slower than their like are told of themselves, and so are missing and misplaced ones: here each
/// switch counts as if they were mended.
pub(super) fn anomalies(network: &Network, levels: &Levels, departures: &Departures) -> Vec<Anomaly> {
    if network.links().iter().any(|link| link.rate.is_none()) {
        return Vec::new();
    }
    let rates = healthy_rates(network, levels);
    let strays = Strays::of(network, levels, departures, &rates);
    let mut words = Vec::new();
    for number in 0..levels.top() {
        let members = network.switch_ids().filter(|id| levels.level(*id) == number);
        let switches =
            members.map(|id| (id, strays.mended(id, UpDown::of(network, &rates, levels, id)))).collect();
        let level = Level { network, levels, number, switches };
        let fewer = if departures.is_empty() { level.with_fewer() } else { Vec::new() };
        let over: Vec<(SwitchId, UpDown)> =
            level.switches.iter().copied().filter(|(_, of)| of.is_over()).collect();
        // Those that only lack up-links are told with these.
        if !over.iter().all(|(id, _)| fewer.contains(id)) {
            words.extend(level.oversubscription(&over));
        }
        words.extend(level.fewer(&fewer));
    }
    words.into_iter().map(|words| Anomaly::new(AnomalyKind::UnequalUpDown, words)).collect()
}

/// The rate of each link in bit/s, as if none were slower than its like.
fn healthy_rates(network: &Network, levels: &Levels) -> Vec<u64> {
    let mut rates: Vec<u64> = network.links().iter().map(|link| link.rate.map_or(0, Rate::bit_s)).collect();
    for (link, usual) in slow_links(network, &Family::FatTree(levels.clone())) {
        rates[link.index()] = usual as u64;
    }
    rates
}

/// What a switch's links up and down carry together, bit/s.
#[derive(Clone, Copy, PartialEq, Eq)]
struct UpDown {
    up: u64,
    down: u64,
}

impl UpDown {
    fn of(network: &Network, rates: &[u64], levels: &Levels, id: SwitchId) -> Self {
        let (mut up, mut down) = (0, 0);
        for link in network.switch(id).ports.iter().flatten() {
            let (rate, link) = (rates[link.index()], network.link(*link));
            let far = link.switches().map(|[a, b]| if a == id { b } else { a });
            match far {
                Some(far) if levels.level(far) > levels.level(id) => up += rate,
                Some(far) if levels.level(far) == levels.level(id) => {}
                _ => down += rate,
            }
        }
        Self { up, down }
    }

    /// By how much more comes from below than goes up; by cross products, which are exact.
    fn cmp(self, other: Self) -> Ordering {
        let product = |down: u64, up: u64| u128::from(down) * u128::from(up);
        product(self.down, other.up).cmp(&product(other.down, self.up))
    }

    fn is_over(self) -> bool {
        self.down > self.up && self.up > 0
    }

    /// Down to up, with one digit after the point where a second would be 0.
    fn ratio(self) -> String {
        let exact = format!("{:.2}", self.down as f64 / self.up as f64);
        format!("{} to 1", exact.strip_suffix('0').unwrap_or(&exact))
    }
}

/// What cables that are missing and cables that are misplaced change of switches, bit/s: `[up, down]`.
struct Strays {
    lacks: BTreeMap<SwitchId, [u64; 2]>,
    exceeds: BTreeMap<SwitchId, [u64; 2]>,
}

impl Strays {
    fn of(network: &Network, levels: &Levels, departures: &Departures, rates: &[u64]) -> Self {
        let mut strays = Self { lacks: BTreeMap::new(), exceeds: BTreeMap::new() };
        let between = |a: SwitchId, b: SwitchId| [levels.level(a), levels.level(b)];
        let usual = |ends: [i32; 2]| {
            let is_alike = |link: &LinkId| {
                let own = network.link(*link).switches().map(|[a, b]| between(a, b));
                own.is_some_and(|[a, b]| [a, b] == ends || [b, a] == ends)
            };
            most_common(network.link_ids().filter(is_alike).map(|link| rates[link.index()]))
                .map_or(0, |most| most.0)
        };
        let by_levels: BTreeMap<[i32; 2], u64> = departures
            .short
            .keys()
            .chain(departures.over.keys())
            .map(|(a, b)| between(*a, *b))
            .collect::<BTreeSet<_>>()
            .into_iter()
            .map(|ends| (ends, usual(ends)))
            .collect();
        let mut add = |is_lack: bool, (a, b): (SwitchId, SwitchId), cables: usize| {
            let ends = between(a, b);
            let sides = if is_lack { &mut strays.lacks } else { &mut strays.exceeds };
            let rate = cables as u64 * by_levels[&ends];
            let (below, above) = match ends[0].cmp(&ends[1]) {
                Ordering::Less => (a, b),
                Ordering::Greater => (b, a),
                Ordering::Equal => return,
            };
            sides.entry(below).or_default()[0] += rate;
            sides.entry(above).or_default()[1] += rate;
        };
        departures.short.iter().for_each(|(pair, short)| add(true, *pair, short.wanted - short.has));
        departures.over.iter().for_each(|(pair, over)| add(false, *pair, over.misplaced));
        strays
    }

    fn mended(&self, id: SwitchId, own: UpDown) -> UpDown {
        let of = |sides: &BTreeMap<SwitchId, [u64; 2]>| sides.get(&id).copied().unwrap_or_default();
        let ([up, down], [up_more, down_more]) = (of(&self.lacks), of(&self.exceeds));
        UpDown {
            up: (own.up + up).saturating_sub(up_more),
            down: (own.down + down).saturating_sub(down_more),
        }
    }
}

/// The switches of one level with what they carry.
struct Level<'a> {
    network: &'a Network,
    levels: &'a Levels,
    number: i32,
    switches: Vec<(SwitchId, UpDown)>,
}

impl Level<'_> {
    fn name(&self, id: SwitchId) -> &str {
        &self.network.switch(id).name
    }

    /// The switches that get more from below than they can send up, by the worst of them.
    fn oversubscription(&self, over: &[(SwitchId, UpDown)]) -> Option<String> {
        let (_, worst) = *over.iter().max_by(|(_, a), (_, b)| a.cmp(*b))?;
        let (one, many) = self.levels.role(self.number);
        let [up, down] = [worst.up, worst.down].map(Rate::from_bit_s);
        if self.switches.iter().all(|(_, of)| *of == worst) {
            let ratio = worst.ratio();
            return Some(format!("every {one} has {down} of links down and {up} up: oversubscribed {ratio}"));
        }
        let all = self.switches.len();
        let of = match over.len() {
            count if count == all => format!("every {one} is"),
            1 => format!("1 of {all} {many} is"),
            count => format!("{count} of {all} {many} are"),
        };
        let as_worst = over.iter().filter(|(_, of)| of.cmp(worst) == Ordering::Equal);
        let named: Vec<String> = as_worst
            .map(|(id, of)| {
                let [up, down] = [of.up, of.down].map(Rate::from_bit_s);
                format!("{} ({down} of links down, {up} up)", self.name(*id))
            })
            .collect();
        let most = most_common(over.iter().map(|(_, of)| of.ratio()))
            .filter(|(ratio, times)| *times as f64 > MOST * all as f64 && *ratio != worst.ratio())
            .map_or(String::new(), |(ratio, _)| format!(" most {ratio},"));
        let at = if named.len() == over.len() { String::new() } else { format!(",{most} at worst") };
        Some(format!("{of} oversubscribed{at} {}: {}", worst.ratio(), listed(&named)))
    }

    /// What the up-links of most carry, bit/s; nothing where no number is that of most.
    fn usual_up(&self) -> Option<u64> {
        let (up, times) = most_common(self.switches.iter().map(|(_, of)| of.up))?;
        (times as f64 > MOST * self.switches.len() as f64).then_some(up)
    }

    /// The switches whose up-links carry less than those of most.
    fn with_fewer(&self) -> Vec<SwitchId> {
        let Some(usual) = self.usual_up() else { return Vec::new() };
        self.switches.iter().filter(|(_, of)| of.up < usual).map(|(id, _)| *id).collect()
    }

    /// These switches, whose up-links carry less than those of most.
    fn fewer(&self, fewer: &[SwitchId]) -> Option<String> {
        let most = Rate::from_bit_s(self.usual_up()?);
        let (of_fewer, others): (Vec<_>, Vec<_>) =
            self.switches.iter().partition(|(id, _)| fewer.contains(id));
        let named: Vec<String> = of_fewer
            .iter()
            .map(|(id, of)| {
                let over =
                    if of.is_over() { format!(": oversubscribed {}", of.ratio()) } else { String::new() };
                format!("{} ({} up, where most have {most}{over})", self.name(*id), Rate::from_bit_s(of.up))
            })
            .collect();
        let (one, many) = self.levels.role(self.number);
        let of = match fewer.len() {
            0 => return None,
            1 => format!("1 {one} has"),
            count => format!("{count} {many} have"),
        };
        let others: Vec<SwitchId> = others.into_iter().map(|(id, _)| id).collect();
        let missing = self.missing_above(fewer, &others).unwrap_or_default();
        Some(format!("{of} less capacity up than most: {}{missing}", listed(&named)))
    }

    /// What several switches with fewer up-links have in common: a port with no cable, in which all others have one up.
    /// One switch of the level above with a cable to each of them leaves just that behind.
    fn missing_above(&self, fewer: &[SwitchId], others: &[SwitchId]) -> Option<String> {
        let first = *others.first().filter(|_| fewer.len() > 1)?;
        let leads_up = |id: &SwitchId, port: Port| {
            let mut up = self.network.neighbours(*id).filter(|(own, ..)| *own == port);
            up.any(|(_, _, far, _)| self.levels.level(far) > self.number)
        };
        let is_empty = |id: &SwitchId, port: Port| {
            self.network.switch(*id).ports.get(usize::from(port)).is_none_or(Option::is_none)
        };
        let ports = self.network.neighbours(first).map(|(port, ..)| port);
        let common = |port: &Port| {
            fewer.iter().all(|id| is_empty(id, *port)) && others.iter().all(|id| leads_up(id, *port))
        };
        let mut empty = ports.filter(common);
        let port = empty.next().filter(|_| empty.next().is_none())?;
        let (_, above) = self.levels.role(self.number + 1);
        Some(format!(
            "; port {port} of each is empty, where all others have a cable up: one of the {above} is probably missing"
        ))
    }
}
