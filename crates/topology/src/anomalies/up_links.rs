//! The up-links of each level of a fat tree but the highest: how much less they carry than what comes from below, and
//! switches with fewer of them than most.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use hopscope_units::Rate;

use crate::anomalies::departures::{Departures, MOST, most_common};
use crate::anomalies::unlike::slow_links;
use crate::anomalies::{Anomaly, AnomalyKind, NAMED, listed};
use crate::family::{Family, Levels};
use crate::graph::{LinkId, Network, Port, SwitchId};

/// A few cables that are slower than comparable cables have anomalies of their own, and so have missing and misplaced
/// ones. Switches are compared as if these were repaired, and "most" refers to switches without such cables. Second,
/// the levels above which a switch is reported as absent.
pub(super) fn anomalies(
    network: &Network,
    levels: &Levels,
    departures: &Departures,
) -> (Vec<Anomaly>, BTreeSet<i32>) {
    if network.links().iter().any(|link| link.rate.is_none()) {
        return (Vec::new(), BTreeSet::new());
    }
    let own: Vec<u64> = network.links().iter().map(|link| link.rate.map_or(0, Rate::bit_s)).collect();
    let mended = mended_rates(network, levels, own.clone());
    let strays = Strays::of(network, levels, departures, &mended);
    let (mut words, mut absent) = (Vec::new(), BTreeSet::new());
    for number in 0..levels.top() {
        let members = network.switch_ids().filter(|id| levels.level(*id) == number);
        let switch = |id| {
            let mended_up_down = UpDown::of(network, &mended, levels, id);
            let should = strays.mended(id, mended_up_down);
            let links = network.switch(id).ports.iter().flatten();
            Member {
                id,
                is: UpDown::of(network, &own, levels, id),
                should,
                slow: links.filter(|link| own[link.index()] != mended[link.index()]).count(),
                is_cabled_otherwise: should != mended_up_down,
            }
        };
        let level = Level { network, levels, number, switches: members.map(switch).collect() };
        let mut fewer = if departures.is_empty() { level.with_fewer() } else { Vec::new() };
        fewer.retain(|id| !departures.of_own_design.contains(id));
        let over: Vec<Member> = level.switches.iter().copied().filter(|each| each.should.is_over()).collect();
        // Those that only lack up-links are reported with these.
        if !over.iter().all(|each| fewer.contains(&each.id)) {
            words.extend(level.oversubscription(&over));
        }
        words.extend(level.fewer(&fewer));
        absent.extend(level.missing_above(&fewer).map(|_| number));
    }
    (words.into_iter().map(|words| Anomaly::new(AnomalyKind::UnequalUpDown, words)).collect(), absent)
}

/// The rates of all links in bit/s, as if the few slow cables between switches were repaired.
fn mended_rates(network: &Network, levels: &Levels, mut rates: Vec<u64>) -> Vec<u64> {
    let slow = slow_links(network, &Family::FatTree(levels.clone()));
    for slow in slow.iter().filter(|slow| slow.is_of_few && network.link(slow.link).switches().is_some()) {
        rates[slow.link.index()] = slow.usual.bit_s();
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

    /// What it carries down and up, in words.
    fn words(self) -> String {
        let [up, down] = [self.up, self.down].map(Rate::from_bit_s);
        format!("{down} of downlinks, {up} of uplinks")
    }

    fn is_over(self) -> bool {
        self.down > self.up && self.up > 0
    }

    /// Down to up, as "2.0:1", with one digit after the point where a second would be 0.
    fn ratio(self) -> String {
        let exact = format!("{:.2}", self.down as f64 / self.up as f64);
        format!("{}:1", exact.strip_suffix('0').unwrap_or(&exact))
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

/// A switch of a level with what its links carry: as they are, and with the reported faults repaired.
#[derive(Clone, Copy)]
struct Member {
    id: SwitchId,
    is: UpDown,
    should: UpDown,
    /// The number of its slow cables that have an anomaly of their own.
    slow: usize,
    /// Whether cables of it are missing or misplaced.
    is_cabled_otherwise: bool,
}

impl Member {
    /// The faults for which it does not carry what it should, in words.
    fn faults(&self) -> String {
        let slow = match self.slow {
            0 => None,
            1 => Some("its slow cable".to_owned()),
            count => Some(format!("its {count} slow cables")),
        };
        let others = self.is_cabled_otherwise.then(|| "missing or misplaced cables".to_owned());
        slow.into_iter().chain(others).collect::<Vec<_>>().join(" and ")
    }
}

/// The switches of one level.
struct Level<'a> {
    network: &'a Network,
    levels: &'a Levels,
    number: i32,
    switches: Vec<Member>,
}

impl Level<'_> {
    fn name(&self, id: SwitchId) -> &str {
        &self.network.switch(id).name
    }

    /// The switches that get more from below than they can send up, by the worst of them; and those that do so, or do
    /// so more, because of a fault with its own anomaly.
    fn oversubscription(&self, over: &[Member]) -> Option<String> {
        let (whole, faulty): (Vec<Member>, Vec<Member>) =
            over.iter().partition(|each| each.is == each.should);
        let words = self.over(&whole, &faulty)?;
        let faulty: Vec<String> = faulty
            .iter()
            .filter(|each| each.is.up > 0 && each.is.cmp(each.should) == Ordering::Greater)
            .map(|each| {
                let (name, ratio, faults) = (self.name(each.id), each.is.ratio(), each.faults());
                format!("{name} is oversubscribed {ratio} because of {faults} ({})", each.is.words())
            })
            .collect();
        let faulty = if faulty.is_empty() { String::new() } else { format!("; {}", listed(&faulty)) };
        Some(format!("{words}{faulty}"))
    }

    fn names(&self, members: &[Member]) -> String {
        listed(&members.iter().map(|each| self.name(each.id).to_owned()).collect::<Vec<_>>())
    }

    fn with_rates(&self, each: &Member) -> String {
        format!("{} ({})", self.name(each.id), each.is.words())
    }

    /// Switches that get more from below than they can send up, beside those that do with a fault of their own.
    fn over(&self, over: &[Member], faulty: &[Member]) -> Option<String> {
        let worst = over.iter().map(|each| each.is).max_by(|a, b| a.cmp(*b))?;
        let (one, (_, many)) = (self.levels.one(self.number), self.levels.role(self.number));
        let all = self.switches.len();
        let ratio = worst.ratio();
        let as_worst: Vec<&Member> =
            over.iter().filter(|each| each.is.cmp(worst) == Ordering::Equal).collect();
        let less: Vec<String> = over
            .iter()
            .filter(|each| each.is.cmp(worst) == Ordering::Less)
            .map(|each| self.with_rates(each))
            .collect();
        let are_alike = as_worst.iter().all(|each| each.is == worst);
        let of = |count: usize| match count {
            _ if count == all => format!("every {one}"),
            _ if count + faulty.len() == all => format!("all {many} but {}", self.names(faulty)),
            1 => format!("1 of {all} {many}"),
            _ => format!("{count} of {all} {many}"),
        };
        let count = as_worst.len();
        let are_all = count + faulty.len() == all;
        if are_alike && (are_all || count > NAMED) {
            let are = if count == all { "is" } else { "are" };
            let less = if less.is_empty() { String::new() } else { format!("; less so: {}", listed(&less)) };
            return Some(format!("{} {are} oversubscribed {ratio} ({}){less}", of(count), worst.words()));
        }
        let named: Vec<String> = as_worst.iter().map(|each| self.with_rates(each)).collect();
        let most = most_common(over.iter().map(|each| each.is.ratio()))
            .filter(|(most, times)| *times as f64 > MOST * all as f64 && *most != ratio)
            .map_or(String::new(), |(most, _)| format!(" most {most},"));
        let at = if less.is_empty() { String::new() } else { format!(",{most} at worst") };
        let are = if over.len() == all || over.len() == 1 { "is" } else { "are" };
        let of_them =
            if less.is_empty() || count <= NAMED { String::new() } else { format!(" ({count} of them)") };
        Some(format!("{} {are} oversubscribed{at} {ratio}{of_them}: {}", of(over.len()), listed(&named)))
    }

    /// What the up-links of most carry, bit/s; nothing where no number is that of most.
    fn usual_up(&self) -> Option<u64> {
        let (up, times) = most_common(self.switches.iter().map(|each| each.should.up))?;
        (times as f64 > MOST * self.switches.len() as f64).then_some(up)
    }

    /// The switches whose up-links carry less than those of most.
    fn with_fewer(&self) -> Vec<SwitchId> {
        let Some(usual) = self.usual_up() else { return Vec::new() };
        self.switches.iter().filter(|each| each.should.up < usual).map(|each| each.id).collect()
    }

    /// These switches, whose up-links carry less than those of most.
    fn fewer(&self, fewer: &[SwitchId]) -> Option<String> {
        let most = Rate::from_bit_s(self.usual_up()?);
        let of_fewer = self.switches.iter().filter(|each| fewer.contains(&each.id));
        let named: Vec<String> = of_fewer
            .map(|Member { id, should, .. }| {
                let over = if should.is_over() {
                    format!("; oversubscribed {}", should.ratio())
                } else {
                    String::new()
                };
                format!(
                    "{} ({} of uplinks, where most have {most}{over})",
                    self.name(*id),
                    Rate::from_bit_s(should.up)
                )
            })
            .collect();
        let (one, (_, many)) = (self.levels.one(self.number), self.levels.role(self.number));
        let of = match fewer.len() {
            0 => return None,
            1 => format!("1 {one} has"),
            count => format!("{count} {many} have"),
        };
        let missing = self.missing_above(fewer).unwrap_or_default();
        Some(format!("{of} less uplink capacity than most: {}{missing}", listed(&named)))
    }

    /// What several switches with fewer up-links have in common: a port with no cable, in which all others have one up.
    /// One switch of the level above with a cable to each of them leaves just that behind.
    fn missing_above(&self, fewer: &[SwitchId]) -> Option<String> {
        let others: Vec<SwitchId> =
            self.switches.iter().map(|each| each.id).filter(|id| !fewer.contains(id)).collect();
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
