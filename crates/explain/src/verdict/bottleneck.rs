//! A resource that most of the waiting leads to.

use hopscope_measure::{Nature, Outcome, ResourceKind, ResourceRow, SenderUse, StageKind, usual};

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::pressure::{pressure_at, unusable};
use crate::thresholds::{
    ALIKE, FULL_LINK, FULL_OUTPUT, MOSTLY, MOSTLY_WAITING, MUCH_WAITING, NEARLY_FULL, OVERHEAD, SCARCE,
    SPARE, USED_HOST_LINK, WAIT_SHARE, WORTH_TELLING,
};
use crate::words::{
    Like, all_of, capitalised, duration, have, holders, is_slower_than_its_like, is_the_limit, it, percent,
    rate, rate_among_its_like, retried, whole, words,
};

impl Judge<'_> {
    /// The root of most waiting, if it is scarce, with its mechanism where it is more than busy. Where several outputs
    /// are used more than parallel ones, or heads of FIFOs contend for many outputs, which one is busiest is chance.
    pub(super) fn bottleneck(&self) -> Option<Candidate> {
        let root = self.scarce_root()?;
        if let Some(small) = self.small_windows(root) {
            return Some(small);
        }
        if let Some(next) = self.fuller_beyond(root) {
            return Some(self.behind(root, next));
        }
        let is_full = pressure_at(self.report, root) >= FULL_OUTPUT;
        let one_of_many = !is_full && self.chain.blamed(root) < MOSTLY * self.chain.all_waiting();
        let together = one_of_many.then(|| self.unevenly_used().or_else(|| self.blocked())).flatten();
        together.or_else(|| self.by_mechanism(root)).or_else(|| Some(self.busy(root)))
    }

    /// The next link downstream if it is clearly fuller than the root: packets wait for the root because it is stopped,
    /// and a faster one would only bring them to the next link sooner.
    fn fuller_beyond(&self, root: usize) -> Option<usize> {
        let (next, is_after) = self.as_full_beside(root)?;
        let [own, after] = [root, next].map(|row| self.row(row).utilisation);
        (is_after && after >= NEARLY_FULL && own < ALIKE * after).then_some(next)
    }

    /// A link that is the bottleneck although messages wait for the link before it.
    fn behind(&self, before: usize, root: usize) -> Candidate {
        let upstream = self.chain.blamed(before) + self.chain.blamed(root);
        let used = percent(self.row(root).utilisation);
        let found = match self.slow_cable(root) {
            Some(slow) => format!("{slow} It is {used} utilised."),
            None => format!("Bottleneck: {} ({used} utilised).", words(self.row(root))),
        };
        let sentence = format!(
            "{found} {} of all waiting is for it or for {}, which leads to it and is {} utilised.{}{}",
            percent(upstream / self.chain.all_waiting()),
            words(self.row(before)),
            percent(self.row(before).utilisation),
            self.slower(root),
            self.beyond(root),
        );
        let weight = self.weight_of(before) + self.weight_of(root);
        let found = self.at_row(super::mechanism::class_of(self.row(root)), root, weight, sentence);
        Candidate { beyond: self.nodes_beside(root), ..found }
    }

    /// The scarce root of most waiting, weighted by how little of it is free. Waiting at a station is not weighted: its
    /// customers wait for its servers and nothing downstream.
    pub(super) fn scarce_root(&self) -> Option<usize> {
        let pressed = |root: usize| self.pressed(root).min(1.0);
        let is_scarce = |&&(root, _): &&(usize, f64)| {
            self.weight_of(root) >= self.least_weight(root, pressed(root)) && self.is_scarce(root)
        };
        let weight = |&(root, waiting): &(usize, f64)| match self.row(root).kind {
            ResourceKind::Station(_) => waiting,
            _ => waiting / (1.0 + SPARE - pressed(root)),
        };
        let candidates = self.chain.roots().iter().filter(is_scarce);
        candidates.max_by(|a, b| weight(a).total_cmp(&weight(b)).then(b.0.cmp(&a.0))).map(|&(root, _)| root)
    }

    /// The share of the lifetime from which waiting because of a root counts: the less of the root is free, the
    /// smaller. At the utilisation from which a resource is scarce, random arrivals wait this long anyway; at a full
    /// resource any wait counts. A link that is slower than its kind is a fault at any utilisation.
    fn least_weight(&self, root: usize, pressed: f64) -> f64 {
        let works = self.row(root).kind.nature() == Nature::Works;
        if self.report.outcome == Outcome::Saturated || !works || self.is_slow(root) {
            return WAIT_SHARE;
        }
        let spare = (NEARLY_FULL - pressed) / (NEARLY_FULL - SCARCE);
        WAIT_SHARE + (MUCH_WAITING - WAIT_SHARE) * spare.clamp(0.0, 1.0)
    }

    /// Whether a root is scarce. Where the offered load exceeds the carried load, a bottleneck is full, not only busy.
    fn is_scarce(&self, root: usize) -> bool {
        let saturated = self.report.outcome == Outcome::Saturated;
        let is_link = self.row(root).kind.carries_bits();
        let least = if saturated && is_link { NEARLY_FULL } else { SCARCE };
        self.pressed(root) >= least
    }

    /// The pressure on a root. A pool of servers that is utilised like a full link has as little free, however seldom
    /// all of its servers work at once: with little more load its queue grows without bound.
    fn pressed(&self, root: usize) -> f64 {
        let row = self.row(root);
        let is_full = matches!(row.kind, ResourceKind::Station(_)) && row.utilisation >= NEARLY_FULL;
        pressure_at(self.report, root).max(if is_full { row.utilisation } else { 0.0 })
    }

    /// The verdict on a busy resource.
    fn busy(&self, root: usize) -> Candidate {
        let row = self.row(root);
        let share = self.chain.blamed(root) / self.chain.all_waiting();
        let told = self.told(self.chain.start_of(root), root);
        let them = it(row);
        let sentence = match (row.kind, row.kind.nature()) {
            (ResourceKind::RateLimiter | ResourceKind::FlowWindow, _) => self.paced(root, share),
            (_, Nature::Works) => format!(
                "{}{}{}{}{told}{}{}",
                self.used_and_awaited(root, share),
                self.slower(root),
                self.fewer_servers(root),
                self.part_of_work(root),
                self.beyond(root),
                self.other_stations(root)
            ),
            (_, Nature::Held | Nature::Queue) => format!(
                "Bottleneck: {} ({} in use on average; {} of all waiting is for {them}). Nothing behind {them} is full, so {}.{}{told}{}",
                words(row),
                percent(row.utilisation),
                percent(share),
                is_the_limit(row),
                Self::left_over(row),
                self.busiest_line()
            ),
        };
        let found = self.at_row(super::mechanism::class_of(row), root, self.weight_of(root), sentence);
        self.everywhere_if_alike(Candidate { beyond: self.nodes_beside(root), ..found })
    }

    /// A sentence on the utilisation of a root and its share of all waiting. That its cable is slower than others of
    /// its kind is the reason, and comes first.
    fn used_and_awaited(&self, root: usize, share: f64) -> String {
        let (used, share) = (percent(self.row(root).utilisation), percent(share));
        match self.slow_cable(root) {
            Some(slow) => format!("{slow} It is {used} utilised; {share} of all waiting is for it."),
            None => format!(
                "Bottleneck: {} ({used} utilised; {share} of all waiting is for it).{}",
                words(self.row(root)),
                self.accepts(root)
            ),
        }
    }

    /// A further sentence on how long a packet radio takes to accept a packet.
    fn accepts(&self, root: usize) -> String {
        let row = self.row(root);
        if row.kind != ResourceKind::RadioInterval || row.acquisitions == 0 {
            return String::new();
        }
        let each_s = row.occupancy * self.report.measured.span_s / row.acquisitions as f64;
        format!(" The radio takes {} to accept a packet.", duration(each_s))
    }

    /// A further sentence on work of a processor that is considerable and avoidable.
    pub(super) fn part_of_work(&self, root: usize) -> String {
        let part = self.report.evidence.parts_of_work.get(&root).filter(|part| part.share >= OVERHEAD);
        part.map_or_else(String::new, |part| {
            format!(" {} of its work on a message is {}.", percent(part.share), part.what)
        })
    }

    /// A further sentence on the part of a resource that its waiters cannot use.
    fn left_over(row: &ResourceRow) -> String {
        unusable(row).map_or_else(String::new, |[left, capacity]| {
            format!(
                " A message waits until there is room for all of its packets, so {} of the {} buffers are hardly used.",
                whole(left),
                whole(capacity)
            )
        })
    }

    /// The next link downstream and true, if it is as full as the root; else the link before and false, if all traffic
    /// of the root comes by it.
    fn as_full_beside(&self, root: usize) -> Option<(usize, bool)> {
        let own = self.row(root);
        let own_ends = own.ends.as_ref().filter(|_| own.kind.carries_bits())?;
        let used = |joins: fn(&[String; 2], &[String; 2]) -> bool, least: f64| {
            let rows = self.report.resources.iter().enumerate();
            rows.filter(move |(_, row)| {
                let is_joined = row.ends.as_ref().is_some_and(|ends| joins(ends, own_ends));
                row.kind == own.kind && row.utilisation >= least && is_joined
            })
        };
        // Traffic that has come down a tree does not go up again: neither end of that path has hosts.
        let with_hosts = self.switches_with_hosts();
        let is_inner = |switch: Option<u32>| switch.is_some_and(|switch| !with_hosts.contains(&switch));
        let turns = |next: &ResourceRow| is_inner(own.site.switch()) && is_inner(next.far.switch());
        let after = |next: &[String; 2], own: &[String; 2]| next[0] == own[1] && next[1] != own[0];
        let before = |last: &[String; 2], own: &[String; 2]| last[1] == own[0] && last[0] != own[1];
        let alike = ALIKE * own.utilisation;
        let next = used(after, alike)
            .filter(|(_, row)| !turns(row))
            .max_by(|a, b| a.1.utilisation.total_cmp(&b.1.utilisation).then(b.0.cmp(&a.0)));
        if let Some((at, _)) = next {
            return Some((at, true));
        }
        let mut all = used(before, USED_HOST_LINK);
        let (at, row) = all.next()?;
        (all.next().is_none() && row.utilisation >= alike).then_some((at, false))
    }

    /// The links downstream that are as full as the root, and true; else the link before it, and false. A packet that
    /// leaves one of them sooner only waits at the next.
    fn as_full_along(&self, root: usize) -> (Vec<usize>, bool) {
        let mut found = Vec::new();
        let least = ALIKE * self.row(root).utilisation;
        while let Some((next, is_after)) = self.as_full_beside(found.last().copied().unwrap_or(root)) {
            if !is_after && found.is_empty() {
                return (vec![next], false);
            }
            if !is_after || next == root || found.contains(&next) || self.row(next).utilisation < least {
                break;
            }
            found.push(next);
        }
        (found, true)
    }

    /// The nodes along these links, in the order of the path.
    fn nodes_beside(&self, root: usize) -> Vec<String> {
        let (rows, _) = self.as_full_along(root);
        let mut ends = rows.into_iter().filter_map(|row| self.row(row).ends.clone());
        let first = ends.next().map_or_else(Vec::new, Vec::from);
        first.into_iter().chain(ends.map(|[_, far]| far)).collect()
    }

    /// The first sentence of an answer on a cable that is slower than others of its kind, with the number of other slow
    /// ones.
    pub(super) fn slow_cable(&self, root: usize) -> Option<String> {
        let is_slow = |row: usize| {
            let is_a_link = self.row(row).kind == ResourceKind::Output && retried(self.row(row)).is_none();
            is_a_link && is_slower_than_its_like(self.report, row)
        };
        let (own, usual) = rate_among_its_like(self.report, root).filter(|_| is_slow(root))?;
        let is_like = |&&row: &&usize| Like::of(self.row(row)) == Like::of(self.row(root)) && is_slow(row);
        // Each cable has a row for each direction.
        let others = self.report.evidence.rates.keys().filter(is_like).count().div_ceil(2) - 1;
        let (begins, more) = match others {
            0 => ("Slow cable", String::new()),
            1 => ("Slow cables", "; one more is slow".to_owned()),
            _ => ("Slow cables", format!("; {others} more are slow")),
        };
        let link = words(self.row(root));
        let have = have(self.report, root, usual);
        Some(format!("{begins}: {link} runs at {}, where {have} {}{more}.", rate(own), rate(usual)))
    }

    /// A further sentence if a line is slower than others of its kind, or if a cable fails.
    fn slower(&self, root: usize) -> String {
        if let Some(share) = retried(self.row(root)) {
            return format!(
                " It sends frames again that failed on the cable for {} of the time.",
                percent(share)
            );
        }
        match rate_among_its_like(self.report, root) {
            Some((own, usual))
                if is_slower_than_its_like(self.report, root) && self.slow_cable(root).is_none() =>
            {
                let own = match self.report.evidence.side_by_side.get(&root) {
                    Some(&lines) => format!("{lines} lines of {}", rate(own / lines as f64)),
                    None => rate(own),
                };
                let have = have(self.report, root, usual);
                format!(" It is slower than comparable links: {own}, where {have} {}.", rate(usual))
            }
            _ => String::new(),
        }
    }

    /// A further sentence on the next links downstream, or the link before, if they are as full.
    fn beyond(&self, root: usize) -> String {
        let (rows, is_after) = self.as_full_along(root);
        let Some(least) = rows.iter().map(|&row| self.row(row).utilisation).reduce(f64::min) else {
            return String::new();
        };
        let names: Vec<String> = rows.iter().map(|&row| words(self.row(row))).collect();
        let (are, at_least) = if rows.len() == 1 { ("it is", "") } else { ("it are", "at least ") };
        format!(
            " {} {} {are} as full ({at_least}{} utilised): a faster one alone would only move the queue.",
            capitalised(&all_of(&names)),
            if is_after { "after" } else { "before" },
            percent(least)
        )
    }

    /// A further sentence if a station has fewer servers than all others, which have equally many.
    fn fewer_servers(&self, root: usize) -> String {
        let stations = self.report.resources.iter().enumerate();
        let others = stations.filter(|&(at, row)| at != root && matches!(row.kind, ResourceKind::Station(_)));
        let others: Vec<f64> = others.filter_map(|(_, row)| row.capacity).collect();
        let is_station = matches!(self.row(root).kind, ResourceKind::Station(_));
        match (&others[..], self.row(root).capacity) {
            ([first, second, rest @ ..], Some(own))
                if is_station
                    && own < *first
                    && [second].into_iter().chain(rest).all(|each| each == first) =>
            {
                let servers = if own > 1.0 { "servers" } else { "server" };
                format!(" It has {} {servers}, where the others have {}.", whole(own), whole(*first))
            }
            _ => String::new(),
        }
    }

    /// A further sentence on other stations that are as full: they remain a bottleneck if this one alone becomes
    /// faster.
    fn other_stations(&self, root: usize) -> String {
        let own = self.row(root);
        let is_as_full = |at: usize, row: &ResourceRow| {
            matches!(row.kind, ResourceKind::Station(_))
                && at != root
                && row.utilisation >= ALIKE * own.utilisation
        };
        let rows = self.report.resources.iter().enumerate();
        let others: Vec<&ResourceRow> =
            rows.filter(|&(at, row)| is_as_full(at, row)).map(|(_, row)| row).collect();
        let least = others.iter().map(|row| row.utilisation).fold(f64::INFINITY, f64::min);
        if others.is_empty() || !matches!(own.kind, ResourceKind::Station(_)) {
            return String::new();
        }
        let (are, at_least) = if others.len() == 1 { ("is", "") } else { ("are", "at least ") };
        let names = capitalised(&all_of(&others.into_iter().map(words).collect::<Vec<_>>()));
        let used = percent(least);
        if least >= own.utilisation || used == percent(own.utilisation) {
            format!(" {names} {are} as full.")
        } else {
            format!(" {names} {are} nearly as full ({at_least}{used}).")
        }
    }

    /// A further sentence on why the waiters depend on the root. The queue of a line holds what waits for that line.
    fn told(&self, start: usize, root: usize) -> String {
        let (first, last) = (self.row(start), self.row(root));
        let is_its_queue = first.kind == ResourceKind::OutputQueue && first.place == last.place;
        if start == root || is_its_queue {
            return String::new();
        }
        let needed = words(last);
        let step = self.chain.step(start);
        let share = percent(step.map_or(0.0, |step| step.held_share));
        let activity = step.and_then(|step| step.activity);
        let sentence = match (first.kind.nature(), activity) {
            (Nature::Queue, _) => format!("messages in {} wait for {needed}.", words(first)),
            (_, None) => format!("holders of {} wait for {needed}.", words(first)),
            (Nature::Held, Some(activity)) => {
                format!(
                    "{share} of {} are held by {}, which wait for {needed}.",
                    words(first),
                    holders(activity)
                )
            }
            (Nature::Works, Some(activity)) if activity.why.is_held_back() => {
                let from = first.ends.as_ref().map_or(&first.place, |[from, _]| from);
                format!(
                    "back-pressure reaches {from}: {} is {} for {share} of the time in which it has a packet to send.",
                    words(first),
                    activity.word()
                )
            }
            (Nature::Works, Some(activity)) => {
                let activity = activity.word();
                format!(
                    "{} is {activity} for {share} of the time in which it has a packet to send, because of {needed}.",
                    words(first)
                )
            }
        };
        format!(" {}", capitalised(&sentence))
    }

    /// A further sentence on the utilisation of the busiest line.
    pub(super) fn busiest_line(&self) -> String {
        let lines = self.report.resources.iter().filter(|row| row.kind.carries_bits());
        let busiest = lines.max_by(|a, b| a.utilisation.total_cmp(&b.utilisation));
        busiest.map_or(String::new(), |row| {
            let name = if row.kind == ResourceKind::Output { "link" } else { "line" };
            format!(" The busiest {name} is {} utilised.", percent(row.utilisation))
        })
    }

    /// Hardly anything waits, yet one host, or one resource unlike the others of its kind, works all the time: a sender
    /// that sends whenever that is free is limited by it. A sending host counts if nothing else is as busy: its waits
    /// are the rest of a round trip.
    pub(super) fn always_busy(&self) -> Option<Candidate> {
        let works =
            || self.report.resources.iter().enumerate().filter(|(_, row)| row.kind.nature() == Nature::Works);
        let by_use = |a: &(usize, &ResourceRow), b: &(usize, &ResourceRow)| {
            a.1.utilisation.total_cmp(&b.1.utilisation).then(b.0.cmp(&a.0))
        };
        let busiest = works().filter(|(_, row)| row.capacity == Some(1.0)).max_by(by_use);
        let most = busiest.map_or(0.0, |(_, row)| row.utilisation);
        let senders = self.report.evidence.senders.iter();
        let sender = senders.max_by(|a, b| a.utilisation.total_cmp(&b.utilisation));
        let limits = |sender: &&SenderUse| self.is_closed() && sender.utilisation >= SCARCE.max(most);
        if let Some(sender) = sender.filter(limits) {
            let sentence = format!(
                "Bottleneck: {} ({} utilised). Messages hardly wait: the next one is sent as soon as it is free.",
                sender.place.words,
                percent(sender.utilisation)
            );
            let found = Self::at_place(Cause::Resource, &sender.place, sender.utilisation, sentence);
            return Some(found.with_weight_stated(true));
        }
        // A station serves arrivals: no sender sends whenever it is free.
        let counts =
            |row: &ResourceRow| row.utilisation >= FULL_LINK && !matches!(row.kind, ResourceKind::Station(_));
        let (at, row) = busiest.filter(|(_, row)| counts(row))?;
        let used = |is_like: &dyn Fn(&ResourceRow) -> bool| {
            let others =
                works().filter(|&(other, like)| other != at && like.utilisation > 0.0 && is_like(like));
            usual(others.map(|(_, like)| like.utilisation).collect())
        };
        // A link that is the only one between switches, or the only one of a host, is compared with the links of the
        // other kind.
        let others =
            used(&|like| Like::of(like) == Like::of(row)).or_else(|| used(&|like| like.kind == row.kind));
        (others.unwrap_or(0.0) <= MOSTLY * row.utilisation).then(|| {
            let waits = if self.waits() >= WORTH_TELLING {
                format!("Messages spend {} of their lifetime waiting.", percent(self.waits()))
            } else if self.is_closed() {
                "Messages hardly wait: the next one is sent as soon as it is free.".to_owned()
            } else {
                "Messages hardly wait.".to_owned()
            };
            let used = percent(row.utilisation);
            let found = match self.slow_cable(at) {
                Some(slow) => format!("{slow} It is {used} utilised."),
                None => format!("Bottleneck: {} ({used} utilised).", words(row)),
            };
            let sentence = format!("{found} {waits}{}", self.slower(at));
            self.at_row(super::mechanism::class_of(row), at, row.utilisation, sentence)
                .with_weight_stated(true)
        })
    }

    /// The root of most waiting, where messages wait for most of their lifetime and no other cause was found.
    pub(super) fn most_waited(&self) -> Option<Candidate> {
        let &(root, waiting) = self.chain.roots().first()?;
        let row = self.row(root);
        (self.report.outcome == Outcome::Saturated || self.waits() >= MOSTLY_WAITING).then(|| {
            let sending = self.of_life(|row| row.kind == StageKind::Wait && row.stage.waits_to_send());
            if sending >= MOSTLY * self.waits() {
                return self.small_windows(root).unwrap_or_else(|| self.senders_limit(root, sending));
            }
            let how = if self.report.outcome == Outcome::Saturated { "Saturated" } else { "Contention" };
            let share = waiting / self.chain.all_waiting();
            let [waits, share_told, used] = [self.waits(), share, row.utilisation].map(percent);
            let there = words(row);
            let slow = self.slow_cable(root).filter(|_| share >= WORTH_TELLING);
            let sentence = if let Some(slow) = slow {
                format!(
                    "{slow} Messages spend {waits} of their lifetime waiting. {share_told} of all waiting is for this \
                     link ({used} utilised)."
                )
            } else if share < WORTH_TELLING {
                format!(
                    "{how} at many places: messages spend {waits} of their lifetime waiting, and no resource stands out. The largest part, \
                     {share_told} of all waiting, is for {there} ({used} utilised)."
                )
            } else {
                format!(
                    "{how}: messages spend {waits} of their lifetime waiting. The largest part, {share_told} of all waiting, is \
                     for {there} ({used} utilised)."
                )
            };
            self.at_row(super::mechanism::class_of(row), root, self.weight_of(root), sentence)
        })
    }
}
