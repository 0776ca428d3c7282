//! What can be wrong with an internet, field by field.

use std::collections::BTreeMap;

use hopscope_measure::Problem;
use hopscope_units::{Data, Rate, Span};

use super::{EthernetParams, Extra, HostParams, Medium, PupParams, RadioParams};
use crate::wire::MOST_DATA;

/// The longest time of anything: with longer ones, the protocol's timeouts of at most 5 s flood the internet with
/// probes.
const LONGEST: Span = Span::from_s(10);
/// The slowest medium, for the same reason.
const SLOWEST: Rate = Rate::from_bit_s(1_000);
/// The fastest medium.
const FASTEST: Rate = Rate::from_mbit_s(100_000);

impl PupParams {
    /// Everything that is wrong with single fields and their references to each other; paths begin at the parameters
    /// themselves.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let mut found = Vec::new();
        self.check_networks(&mut found);
        let mut addresses = BTreeMap::new();
        self.check_hosts(&mut addresses, &mut found);
        self.check_gateways(&mut addresses, &mut found);
        self.check_names(&mut found);
        self.check_lines(&mut found);
        self.check_tests(&mut found);
        self.check_echoes(&mut found);
        self.check_raw(&mut found);
        self.check_protocols(&mut found);
        found
    }

    fn check_networks(&self, found: &mut Vec<Problem>) {
        let mut numbers = BTreeMap::new();
        for (at, network) in self.network.iter().enumerate() {
            let path = |field: &str| format!("network[{at}].{field}");
            check_count(&path("number"), network.number, 1, 255, "networks have numbers of 8 bits", found);
            if let Some(other) = numbers.insert(network.number, &network.name) {
                let problem = format!("{} is the number of \"{other}\" already", network.number);
                found.push(Problem::new(path("number"), problem, "a number of its own"));
            }
            match &network.medium {
                Medium::Ethernet(ethernet) => check_ethernet(&path("medium.ethernet"), ethernet, found),
                Medium::Line(line) => {
                    check_rate(&path("medium.line.rate"), line.rate, found);
                    check_span(&path("medium.line.transit"), line.transit, found);
                    if line.framing > Data::from_bytes(1000) {
                        let problem = format!("framing {} is out of range", line.framing);
                        found.push(Problem::new(path("medium.line.framing"), problem, "at most 1000 B"));
                    }
                }
                Medium::Radio(radio) => self.check_radio(&path("medium.radio"), &network.name, radio, found),
            }
        }
    }

    fn check_radio(&self, path: &str, network: &str, radio: &RadioParams, found: &mut Vec<Problem>) {
        let field = |name: &str| format!("{path}.{name}");
        check_rate(&field("rate"), radio.rate, found);
        check_count(
            &field("leader_words"),
            radio.leader_words,
            1,
            100,
            "a leader leaves room for the Pup",
            found,
        );
        check_span(&field("interval"), radio.interval, found);
        check_span(&field("transit"), radio.transit, found);
        check_span(&field("assembly_timeout"), radio.assembly_timeout, found);
        check_count(&field("queue"), radio.queue, 1, 1000, "a queue takes Pups", found);
        check_count(&field("connection"), radio.connection, 1, 1000, "a connection takes Pups", found);
        check_count(&field("assemblies"), radio.assemblies, 1, 100, "Pups are put together somewhere", found);
        check_loss(&field("loss"), radio.loss, found);
        check_extra(&field("extra"), radio.extra, found);
        for (at, from) in radio.from.iter().enumerate() {
            let field = |name: &str| format!("{path}.from[{at}].{name}");
            let on_it = self.stations_of(network);
            if !on_it.contains(&from.station) {
                let problem = format!("\"{}\" is not on \"{network}\"", from.station);
                let expected = format!("one of {}", on_it.join(", "));
                found.push(Problem::new(field("station"), problem, expected));
            }
            if radio.from[..at].iter().any(|before| before.station == from.station) {
                let problem = format!("\"{}\" is there twice", from.station);
                found.push(Problem::new(field("station"), problem, "each station once"));
            }
            from.interval.iter().for_each(|interval| check_span(&field("interval"), *interval, found));
            from.loss.iter().for_each(|loss| check_loss(&field("loss"), *loss, found));
            from.extra.iter().for_each(|extra| check_extra(&field("extra"), *extra, found));
        }
    }

    /// The names of the machines on a network.
    fn stations_of(&self, network: &str) -> Vec<String> {
        let hosts = self.host.iter().filter(|host| host.network == network).flat_map(HostParams::names);
        let on_it = |gateway: &&super::GatewayParams| gateway.on.iter().any(|on| on.network == network);
        hosts.chain(self.gateway.iter().filter(on_it).map(|gateway| gateway.name.clone())).collect()
    }

    fn check_hosts<'a>(&'a self, taken: &mut Taken<'a>, found: &mut Vec<Problem>) {
        for (at, host) in self.host.iter().enumerate() {
            let path = |field: &str| format!("host[{at}].{field}");
            self.check_network_name(&path("network"), &host.network, found);
            check_count(&path("address"), host.address, 1, 255, HOST_NUMBERS, found);
            let last = u64::from(host.address) + u64::from(host.count);
            if host.count == 0 || last > 256 && host.address <= 255 {
                let problem = format!("{} hosts with the numbers from {} on", host.count, host.address);
                let hint = "hosts beyond those go on another network behind a gateway".to_owned();
                let expected = format!("from 1 to {}: {HOST_NUMBERS}", 256 - host.address.clamp(1, 255));
                found.push(Problem::new(path("count"), problem, expected).hint(hint));
                continue;
            }
            // One that is out of range has been refused already.
            for address in host.address..last.min(256) as u32 {
                check_taken(&path("address"), taken, (&host.network, address), &host.name, found);
            }
        }
    }

    fn check_gateways<'a>(&'a self, taken: &mut Taken<'a>, found: &mut Vec<Problem>) {
        for (at, gateway) in self.gateway.iter().enumerate() {
            let path = |field: &str| format!("gateway[{at}].{field}");
            if gateway.on.len() < 2 {
                let problem = format!("a gateway on {} network", gateway.on.len());
                found.push(Problem::new(path("on"), problem, "2 networks or more"));
            }
            let free = 255u32.saturating_sub(self.network.len() as u32);
            check_count(&path("elsewhere"), gateway.elsewhere, 0, free, "network numbers have 8 bits", found);
            for (n, on) in gateway.on.iter().enumerate() {
                let path = |field: &str| format!("gateway[{at}].on[{n}].{field}");
                self.check_network_name(&path("network"), &on.network, found);
                check_count(&path("address"), on.address, 1, 255, HOST_NUMBERS, found);
                if gateway.on[..n].iter().any(|before| before.network == on.network) {
                    let problem =
                        format!("a loop: \"{}\" leads from \"{}\" back to it", gateway.name, on.network);
                    found.push(Problem::new(path("network"), problem, "each network once"));
                } else {
                    check_taken(&path("address"), taken, (&on.network, on.address), &gateway.name, found);
                }
            }
        }
    }

    fn check_network_name(&self, path: &str, name: &str, found: &mut Vec<Problem>) {
        if !self.network.iter().any(|network| network.name == name) {
            let names: Vec<&str> = self.network.iter().map(|network| network.name.as_str()).collect();
            let expected = format!("one of {}", names.join(", "));
            found.push(Problem::new(path, format!("there is no network \"{name}\""), expected));
        }
    }

    fn check_names(&self, found: &mut Vec<Problem>) {
        let networks =
            self.network.iter().enumerate().map(|(at, n)| (format!("network[{at}].name"), n.name.clone()));
        let hosts = self.host.iter().enumerate().flat_map(|(at, host)| {
            host.names().into_iter().map(move |name| (format!("host[{at}].name"), name))
        });
        let raw = self.raw.iter().enumerate().flat_map(|(at, raw)| {
            let names = super::plan::numbered(&raw.name, raw.stations.min(1000));
            names.into_iter().map(move |name| (format!("raw[{at}].name"), name))
        });
        let gateways =
            self.gateway.iter().enumerate().map(|(at, g)| (format!("gateway[{at}].name"), g.name.clone()));
        let mut names = std::collections::BTreeSet::new();
        for (path, name) in networks.chain(hosts).chain(gateways).chain(raw) {
            if name.is_empty() {
                found.push(Problem::new(path, "the name is empty", "a name"));
            } else if !names.insert(name.clone()) {
                found.push(Problem::new(path, format!("\"{name}\" is there twice"), "a name of its own"));
            }
        }
    }

    fn check_lines(&self, found: &mut Vec<Problem>) {
        for (at, network) in self.network.iter().enumerate() {
            let on_it = self.stations_of(&network.name);
            if matches!(network.medium, Medium::Line(_)) && on_it.len() != 2 {
                let problem = format!("a line between {} machines", on_it.len());
                found.push(Problem::new(format!("network[{at}].medium"), problem, "a line between 2"));
            }
        }
    }

    fn check_tests(&self, found: &mut Vec<Problem>) {
        if self.test.is_empty() && self.raw.is_empty() && self.echo.is_empty() {
            let expected = "1 test or more, or another source";
            found.push(Problem::new("test", "there are no tests", expected));
        }
        for (at, test) in self.test.iter().enumerate() {
            let path = |field: &str| format!("test[{at}].{field}");
            self.check_host_name(&path("from"), &test.from, found);
            self.check_host_name(&path("to"), &test.to, found);
            let most = Data::from_bytes(MOST_DATA as u64);
            if test.data.bits() == 0 || test.data > most || !test.data.bits().is_multiple_of(8) {
                let problem = format!("{} of data is out of range for a Pup", test.data);
                let hint = (test.data > most).then(|| "send a longer message in several Pups".to_owned());
                let expected = format!("whole bytes from 1 B to {most}, which are 266 words");
                found.push(Problem { hint, ..Problem::new(path("data"), problem, expected) });
            }
            if test.pups.is_some_and(|pups| pups == 0 || pups > 1 << 40) {
                found.push(Problem::new(
                    path("pups"),
                    "the number of Pups is out of range",
                    "from 1 to 2^40",
                ));
            }
        }
    }

    fn check_host_name(&self, path: &str, name: &str, found: &mut Vec<Problem>) {
        if !self.host.iter().any(|host| host.name == name) {
            let names: Vec<&str> = self.host.iter().map(|host| host.name.as_str()).collect();
            let expected = format!("one of {}", names.join(", "));
            found.push(Problem::new(path, format!("there is no host \"{name}\""), expected));
        }
    }

    fn check_echoes(&self, found: &mut Vec<Problem>) {
        for (at, echo) in self.echo.iter().enumerate() {
            let path = |field: &str| format!("echo[{at}].{field}");
            self.check_host_name(&path("from"), &echo.from, found);
            self.check_host_name(&path("to"), &echo.to, found);
            let most = Data::from_bytes(MOST_DATA as u64);
            if echo.data > most || !echo.data.bits().is_multiple_of(8) {
                let problem = format!("{} of data is out of range for a Pup", echo.data);
                found.push(Problem::new(path("data"), problem, format!("whole bytes, at most {most}")));
            }
        }
    }

    fn check_raw(&self, found: &mut Vec<Problem>) {
        for (at, raw) in self.raw.iter().enumerate() {
            let path = |field: &str| format!("raw[{at}].{field}");
            self.check_network_name(&path("network"), &raw.network, found);
            let network = self.network.iter().find(|network| network.name == raw.network);
            if network.is_some_and(|network| !matches!(network.medium, Medium::Ethernet(_))) {
                let problem = format!("\"{}\" is no Ethernet", raw.network);
                found.push(Problem::new(
                    path("network"),
                    problem,
                    "an Ethernet: raw packets go nowhere else",
                ));
            }
            check_count(&path("stations"), raw.stations, 1, 1000, "somebody sends", found);
            if raw.length.bits() == 0 || raw.length > Data::from_bytes(10_000) {
                let problem = format!("a packet of {}", raw.length);
                found.push(Problem::new(path("length"), problem, "from 1 bit to 10 kB"));
            }
            raw.offered.iter().for_each(|rate| check_offered(&path("offered"), *rate, found));
        }
    }

    fn check_protocols(&self, found: &mut Vec<Problem>) {
        let (host, gateway) = (&self.processing.host, &self.processing.gateway);
        let window = "a window of 0 lets nothing be sent";
        check_count("stream.window", self.stream.window, 1, 100, window, found);
        check_span("stream.turnaround", self.stream.turnaround, found);
        check_span("processing.host.pup", host.pup, found);
        check_span("processing.gateway.pup", gateway.pup, found);
        for (path, word) in [
            ("processing.host.word", host.word),
            ("processing.host.checksum", host.checksum),
            ("processing.gateway.word", gateway.word),
        ] {
            if word > Span::from_ms(10) {
                found.push(Problem::new(path, format!("{word} per word is out of range"), "at most 10 ms"));
            }
        }
        check_count("processing.gateway.queue", gateway.queue, 1, 1000, "a queue takes Pups", found);
        if !(Span::from_s(1)..=Span::from_s(3600)).contains(&self.routing.every) {
            let problem = format!("broadcast period {} is out of range", self.routing.every);
            found.push(Problem::new("routing.every", problem, "from 1 s to 1 h"));
        }
        check_span("routing.jitter", self.routing.jitter, found);
        if self.routing.jitter >= self.routing.every {
            let problem = format!("jitter {} is out of range", self.routing.jitter);
            let expected = format!("less than the broadcast period, {}", self.routing.every);
            found.push(Problem::new("routing.jitter", problem, expected));
        }
    }
}

/// Who has which host number on which network.
type Taken<'a> = BTreeMap<(&'a str, u32), &'a str>;

const HOST_NUMBERS: &str = "host numbers have 8 bits, and 0 is every host";

fn check_taken<'a>(
    path: &str,
    taken: &mut Taken<'a>,
    (network, address): (&'a str, u32),
    name: &'a str,
    found: &mut Vec<Problem>,
) {
    if let Some(other) = taken.insert((network, address), name) {
        let problem = format!("{address} on \"{network}\" is the number of \"{other}\" already");
        found.push(Problem::new(path, problem, "a number of its own"));
    }
}

fn check_ethernet(path: &str, ethernet: &EthernetParams, found: &mut Vec<Problem>) {
    check_rate(&format!("{path}.rate"), ethernet.rate, found);
    check_span(&format!("{path}.collision"), ethernet.collision, found);
    check_span(&format!("{path}.backoff"), ethernet.backoff, found);
    check_span(&format!("{path}.gap"), ethernet.gap, found);
    if ethernet.delay > ethernet.collision || ethernet.delay == Span::ZERO {
        let problem = format!("propagation delay {} is out of range", ethernet.delay);
        let expected = format!("above 0 and at most the collision time, {}", ethernet.collision);
        found.push(Problem::new(format!("{path}.delay"), problem, expected));
    }
}

fn check_extra(path: &str, extra: Extra, found: &mut Vec<Problem>) {
    if !(0.0..=1.0).contains(&extra.share) {
        let problem = format!("share {} is out of range", extra.share);
        found.push(Problem::new(format!("{path}.share"), problem, "from 0 to 1"));
    }
    if let Some(burst) = extra.burst
        && !(burst >= 1.0 && extra.share <= burst / (1.0 + burst) && burst.is_finite())
    {
        let problem = format!("bursts of {burst} radio packets cannot make up a share of {}", extra.share);
        let expected = "1 or more, and at least share / (1 - share)";
        found.push(Problem::new(format!("{path}.burst"), problem, expected));
    }
    check_span(&format!("{path}.longest"), extra.longest, found);
    if extra.shortest > extra.longest {
        let problem = format!("{} is longer than the longest, {}", extra.shortest, extra.longest);
        found.push(Problem::new(format!("{path}.shortest"), problem, format!("at most {}", extra.longest)));
    }
}

fn check_loss(path: &str, loss: f64, found: &mut Vec<Problem>) {
    if !(0.0..=0.9).contains(&loss) {
        found.push(Problem::new(path, format!("loss rate {loss} is out of range"), "a share from 0 to 0.9"));
    }
}

fn check_offered(path: &str, rate: Rate, found: &mut Vec<Problem>) {
    if rate < Rate::from_bit_s(1) || rate > FASTEST {
        let expected = format!("from 1 bit/s to {FASTEST}");
        found.push(Problem::new(path, format!("rate {rate} is out of range"), expected));
    }
}

fn check_rate(path: &str, rate: Rate, found: &mut Vec<Problem>) {
    if !(SLOWEST..=FASTEST).contains(&rate) {
        let expected = format!("from {SLOWEST} to {FASTEST}");
        found.push(Problem::new(path, format!("rate {rate} is out of range"), expected));
    }
}

fn check_span(path: &str, span: Span, found: &mut Vec<Problem>) {
    if span > LONGEST {
        found.push(Problem::new(path, format!("time {span} is out of range"), format!("at most {LONGEST}")));
    }
}

fn check_count(path: &str, count: u32, least: u32, most: u32, why: &str, found: &mut Vec<Problem>) {
    if !(least..=most).contains(&count) {
        let expected = format!("from {least} to {most}: {why}");
        let field = path.rsplit('.').next().unwrap_or(path);
        found.push(Problem::new(path, format!("{field} = {count}"), expected));
    }
}
