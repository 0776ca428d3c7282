//! Loop-free routing: tables alone, with routing messages that come late or never and lines that fail and come back.
//! After every message and every computation the next hops towards each destination are followed.

use std::collections::VecDeque;

use hopscope_arpanet::{HoldDown, NO_PORT, Numbers, Port, RoutingTable, Vector};
use hopscope_kernel::RandomStream;
use proptest::prelude::*;

/// The cost of a hop over an idle line.
const HOP: u16 = 4;
const WORST: u16 = 2047;
/// Computations after which a line that is silent is declared dead.
const DEAD_AFTER: u32 = 5;

/// A routing message in transit.
struct Message {
    age: u32,
    vector: Vector,
    numbers: Numbers,
}

/// One direction of a line.
struct Line {
    from: usize,
    to: usize,
    far_port: Port,
    messages: VecDeque<Message>,
    /// Computations for which nothing has come over it because it was out, and for which it still will be out.
    silent: u32,
    out: u32,
}

/// IMPs in a ring with some chords.
struct Net {
    tables: Vec<RoutingTable>,
    lines: Vec<Line>,
    /// The lines of each IMP.
    ports: Vec<Vec<usize>>,
    loops: u64,
    random: RandomStream,
}

impl Net {
    fn new(seed: u64, imps: usize, chords: usize, rule: HoldDown) -> Self {
        let mut random = RandomStream::named(seed, "net", 0);
        let mut ends: Vec<[usize; 2]> = (0..imps).map(|imp| [imp, (imp + 1) % imps]).collect();
        ends.extend((0..chords).map(|_| {
            let a = random.below(imps as u64) as usize;
            [a, (a + 1 + random.below(imps as u64 - 1) as usize) % imps]
        }));
        let mut ports = vec![Vec::new(); imps];
        let mut lines = Vec::new();
        for [a, b] in ends {
            let [port, far_port] = [a, b].map(|imp| ports[imp].len() as Port);
            ports[a].push(lines.len());
            ports[b].push(lines.len() + 1);
            for (from, to, far_port) in [(a, b, far_port), (b, a, port)] {
                lines.push(Line { from, to, far_port, messages: VecDeque::new(), silent: 0, out: 0 });
            }
        }
        let hops = hops(imps, &lines);
        let tables = (0..imps).map(|imp| {
            let estimates: Vec<u16> = hops[imp].iter().map(|&hops| hops * HOP).collect();
            let best = |to: usize| {
                let nearer = |&line: &usize| hops[lines[line].to][to] + 1 == hops[imp][to];
                ports[imp].iter().position(nearer).map_or(NO_PORT, |port| port as Port)
            };
            let best: Vec<Port> = (0..imps).map(best).collect();
            RoutingTable::new(&estimates, &best, ports[imp].len(), rule)
        });
        Self { tables: tables.collect(), lines, ports, loops: 0, random }
    }

    fn next(&self, imp: usize, destination: usize) -> Option<usize> {
        let port = self.tables[imp].best(destination);
        (port != NO_PORT).then(|| self.lines[self.ports[imp][usize::from(port)]].to)
    }

    fn arrives(&self, imp: usize, destination: usize) -> bool {
        let mut at = imp;
        for _ in 0..self.tables.len() {
            match self.next(at, destination) {
                Some(next) => at = next,
                None => return at == destination,
            }
        }
        false
    }

    fn look_for_loops(&mut self) {
        let imps = 0..self.tables.len();
        let pairs = imps.clone().flat_map(|imp| imps.clone().map(move |destination| (imp, destination)));
        self.loops += u64::from(!pairs.clone().all(|(imp, destination)| self.arrives(imp, destination)));
    }

    /// Every IMP computes once, in any order, with queues of up to `load` packets; messages come up to `late`
    /// computations late, one in `lost` never. A line fails now and then if any `fail`.
    fn computation(&mut self, load: u64, late: u64, lost: Option<u64>, fail: bool) {
        let imps = self.tables.len();
        let first = self.random.below(imps as u64) as usize;
        for imp in (0..imps).map(|imp| (first + imp) % imps) {
            for port in 0..self.ports[imp].len() {
                self.tables[imp].sample(port as Port, self.random.below(load + 1) as u16);
            }
            self.tables[imp].tick();
            self.look_for_loops();
            let table = &self.tables[imp];
            let (vector, numbers) = (*table.estimates(), table.numbers().copied());
            for &line in &self.ports[imp] {
                let numbers = numbers.unwrap_or([0; hopscope_arpanet::MOST_DESTINATIONS]);
                self.lines[line].messages.push_back(Message { age: 0, vector, numbers });
            }
            let come = self.random.below(2 * self.lines.len() as u64);
            (0..come).for_each(|_| {
                let line = self.random.below(self.lines.len() as u64) as usize;
                self.deliver(line, lost);
            });
        }
        for line in 0..self.lines.len() {
            self.lines[line].messages.iter_mut().for_each(|message| message.age += 1);
            while self.lines[line].messages.front().is_some_and(|message| u64::from(message.age) > late) {
                self.deliver(line, lost);
            }
        }
        self.outages(fail);
    }

    /// The oldest message on a line comes to its end.
    fn deliver(&mut self, line: usize, lost: Option<u64>) {
        let (to, port) = (self.lines[line].to, self.lines[line].far_port);
        let Some(message) = self.lines[line].messages.pop_front() else { return };
        let is_lost = lost.is_some_and(|one_in| self.random.below(one_in) == 0);
        if !is_lost && self.lines[line].out == 0 {
            self.lines[line].silent = 0;
            self.tables[to].merge_numbered(port, &message.vector, &message.numbers, |_, _| {});
            self.look_for_loops();
        }
    }

    /// Lines fail in both directions; each end finds it out for itself.
    fn outages(&mut self, fail: bool) {
        if fail && self.random.below(10) == 0 {
            let line = self.random.below(self.lines.len() as u64 / 2) as usize * 2;
            // Up to two minutes, longer than what has been told is kept.
            let out = 1 + self.random.below(200) as u32;
            (self.lines[line].out, self.lines[line + 1].out) = (out, out);
        }
        for index in 0..self.lines.len() {
            let line = &mut self.lines[index];
            line.silent = if line.out > 0 { line.silent + 1 } else { 0 };
            line.out = line.out.saturating_sub(1);
            if line.silent == DEAD_AFTER {
                let (to, port) = (line.to, line.far_port);
                self.tables[to].line_died(port);
                self.look_for_loops();
            }
        }
    }
}

fn hops(imps: usize, lines: &[Line]) -> Vec<Vec<u16>> {
    let mut hops = vec![vec![WORST; imps]; imps];
    for (imp, row) in hops.iter_mut().enumerate() {
        row[imp] = 0;
        for _ in 0..imps {
            for line in lines {
                row[line.to] = row[line.to].min(row[line.from].saturating_add(1));
            }
        }
    }
    hops
}

/// Loops seen in 150 computations with everything that can go wrong; then all lines work and are idle, and after
/// another minute every IMP must know the shortest way to all others.
fn loops_seen(seed: u64, imps: usize, chords: usize, late: u64, rule: HoldDown) -> u64 {
    let mut net = Net::new(seed, imps, chords, rule);
    (0..150).for_each(|_| net.computation(8, late, Some(10), true));
    let loops = net.loops;
    net.lines.iter_mut().for_each(|line| line.out = 0);
    (0..100).for_each(|_| net.computation(0, late, None, false));
    let hops = hops(imps, &net.lines);
    for (imp, row) in hops.iter().enumerate() {
        for (destination, &hops) in row.iter().enumerate() {
            assert_eq!(net.tables[imp].estimate(destination), hops * HOP, "{imp} to {destination}: {rule:?}");
            assert!(net.arrives(imp, destination), "{imp} to {destination}: {rule:?}");
        }
    }
    loops
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn no_loop_exists_at_any_instant(
        seed in any::<u64>(), imps in 3usize..9, chords in 0usize..6, late in 0u64..4,
    ) {
        prop_assert_eq!(loops_seen(seed, imps, chords, late, HoldDown::LoopFree), 0);
    }
}

#[test]
fn in_the_same_nets_every_other_rule_lets_loops_form() {
    let loops = |rule| (0..10).map(|seed| loops_seen(seed, 6, 3, 2, rule)).sum::<u64>();
    for rule in [HoldDown::None, HoldDown::ByMessage, HoldDown::ByTime] {
        assert!(loops(rule) > 0, "{rule:?}");
    }
    assert_eq!(loops(HoldDown::LoopFree), 0);
}
