//! A resource that most of the waiting leads to.

use hopscope_measure::{Nature, Outcome, ResourceKind, ResourceRow, SenderUse, StageKind, usual};

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::pressure::{pressure_at, unusable};
use crate::thresholds::{
    ALIKE, FULL_LINK, FULL_OUTPUT, FULL_WHERE_SATURATED, MOSTLY, MOSTLY_WAITING, MUCH_WAITING, OVERHEAD,
    SCARCE, SPARE, USED_HOST_LINK, WAIT_SHARE, WORTH_TELLING,
};
use crate::words::{
    Like, all_of, capitalised, have, holders, is_slower_than_its_like, percent, rate, rate_among_its_like,
    retried, whole, words,
};

impl Judge<'_> {
    /// The root behind most of the waiting, if it is scarce, with the mechanism where that is more than being busy.
    /// Where several outputs are used more than others beside them, or heads of FIFOs contend for many outputs, the
    /// busiest of them is chance.
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

    /// The next link on the way where that is clearly fuller than the root: packets wait for the root because it may
    /// not send, and a faster one would only bring them to the next link sooner.
    fn fuller_beyond(&self, root: usize) -> Option<usize> {
        let (next, is_after) = self.as_full_beside(root)?;
        let [own, after] = [root, next].map(|row| self.row(row).utilisation);
        (is_after && after >= FULL_WHERE_SATURATED && own < ALIKE * after).then_some(next)
    }

    /// A link that is the bottleneck though messages wait for the one before it.
    fn behind(&self, before: usize, root: usize) -> Candidate {
        let upstream = self.chain.blamed(before) + self.chain.blamed(root);
        let used = percent(self.row(root).utilisation);
        let found = match self.slow_cable(root) {
            Some(slow) => format!("{slow} It is {used} utilised."),
            None => format!("Bottleneck: {} ({used} utilised).", words(self.row(root))),
        };
        let sentence = format!(
            "{found} {} of all waiting is upstream of {}, which leads to it and is {} utilised.{}{}",
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

    /// The scarce root with most waiting behind it, weighed by how little it has to spare. Who waits at a station waits
    /// for its servers and for nothing behind them, so that of stations is not weighed.
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

    /// The share of a lifetime that counts as much because of a root: the less, the less it has to spare. At the least
    /// use of what is scarce random arrivals wait so long anyway; where it is full, any wait is because of that. One
    /// that is slower than its like is not as it should be at any use.
    fn least_weight(&self, root: usize, pressed: f64) -> f64 {
        let works = self.row(root).kind.nature() == Nature::Works;
        if self.report.outcome == Outcome::Saturated || !works || self.is_slow(root) {
            return WAIT_SHARE;
        }
        let spare = (FULL_WHERE_SATURATED - pressed) / (FULL_WHERE_SATURATED - SCARCE);
        WAIT_SHARE + (MUCH_WAITING - WAIT_SHARE) * spare.clamp(0.0, 1.0)
    }

    /// Where more is offered than carried, what holds it back is full, not only busy.
    fn is_scarce(&self, root: usize) -> bool {
        let saturated = self.report.outcome == Outcome::Saturated;
        let is_link = self.row(root).kind.carries_bits();
        let least = if saturated && is_link { FULL_WHERE_SATURATED } else { SCARCE };
        self.pressed(root) >= least
    }

    /// How hard a root is pressed. A pool of servers that is used as much as a full link has as little to spare,
    /// however seldom all of its servers work at once: so much more load and its queue grows without bound.
    fn pressed(&self, root: usize) -> f64 {
        let row = self.row(root);
        let is_full = matches!(row.kind, ResourceKind::Station(_)) && row.utilisation >= FULL_WHERE_SATURATED;
        pressure_at(self.report, root).max(if is_full { row.utilisation } else { 0.0 })
    }

    /// A resource that is busy.
    fn busy(&self, root: usize) -> Candidate {
        let row = self.row(root);
        let share = self.chain.blamed(root) / self.chain.all_waiting();
        let told = self.told(self.chain.start_of(root), root);
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
                "Bottleneck: {} ({} in use on average; {} of all waiting is there).{} What its holders wait for has capacity to spare.{told}{}",
                words(row),
                percent(row.utilisation),
                percent(share),
                Self::left_over(row),
                self.busiest_line()
            ),
        };
        let found = self.at_row(super::mechanism::class_of(row), root, self.weight_of(root), sentence);
        self.everywhere_if_alike(Candidate { beyond: self.nodes_beside(root), ..found })
    }

    /// How much of its time what works is in use, and how much of all waiting is because of it. That a cable is slower
    /// than its like says why, and comes first.
    fn used_and_awaited(&self, root: usize, share: f64) -> String {
        let (used, share) = (percent(self.row(root).utilisation), percent(share));
        match self.slow_cable(root) {
            Some(slow) => format!("{slow} It is {used} utilised; {share} of all waiting is upstream of it."),
            None => format!(
                "Bottleneck: {} ({used} utilised; {share} of all waiting is upstream of it).",
                words(self.row(root))
            ),
        }
    }

    /// What takes much of a processor's work and may be spared, as a sentence after another one.
    pub(super) fn part_of_work(&self, root: usize) -> String {
        let part = self.report.evidence.parts_of_work.get(&root).filter(|part| part.share >= OVERHEAD);
        part.map_or_else(String::new, |part| {
            format!(" {} of its work on a message is {}.", percent(part.share), part.what)
        })
    }

    /// How much of a resource is of no use to those who wait, as a sentence after another one.
    fn left_over(row: &ResourceRow) -> String {
        unusable(row).map_or_else(String::new, |[left, capacity]| {
            format!(
                " Whole messages wait for room for all of their packets, so {} of the {} hardly help.",
                whole(left),
                whole(capacity)
            )
        })
    }

    /// The next link on the way where that is as full as the root, and true; else the one before, and false, where all
    /// that comes to the root comes by it.
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
        // What has come down in a tree does not go up again: neither end of that way has hosts.
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

    /// The links on the way on that are as full as the root, and true; else the one before it, and false. What leaves
    /// one of them sooner only waits at the next.
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

    /// The nodes along these links, in the order of the way.
    fn nodes_beside(&self, root: usize) -> Vec<String> {
        let (rows, _) = self.as_full_along(root);
        let mut ends = rows.into_iter().filter_map(|row| self.row(row).ends.clone());
        let first = ends.next().map_or_else(Vec::new, Vec::from);
        first.into_iter().chain(ends.map(|[_, far]| far)).collect()
    }

    /// A cable that is slower than others of its kind, as the sentence that an answer begins with; how many more are.
    pub(super) fn slow_cable(&self, root: usize) -> Option<String> {
        let is_slow = |row: usize| {
            let is_a_link = self.row(row).kind == ResourceKind::Output && retried(self.row(row)).is_none();
            is_a_link && is_slower_than_its_like(self.report, row)
        };
        let (own, usual) = rate_among_its_like(self.report, root).filter(|_| is_slow(root))?;
        let is_like = |&&row: &&usize| Like::of(self.row(row)) == Like::of(self.row(root)) && is_slow(row);
        // Each cable has a row for either way.
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

    /// Whether a line is slower than others of its kind, or a cable fails, as a sentence after another one.
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

    /// The next links on the way where these are as full, or the one before, as a sentence after another one.
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

    /// That a station has fewer servers than all others, which are alike, as a sentence after another one.
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

    /// Which other stations are as full as one, as a sentence after another one: a faster one alone leaves them.
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

    /// How the waiters come to depend on the root, as a sentence after another one.
    fn told(&self, start: usize, root: usize) -> String {
        if start == root {
            return String::new();
        }
        let (first, needed) = (self.row(start), words(self.row(root)));
        let step = self.chain.step(start);
        let share = percent(step.map_or(0.0, |step| step.held_share));
        let cause = step.and_then(|step| step.cause);
        let sentence = match (first.kind.nature(), cause) {
            (Nature::Queue, _) => format!("messages in {} wait for {needed}.", words(first)),
            (_, None) => format!("holders of {} wait for {needed}.", words(first)),
            (Nature::Held, Some(cause)) => {
                format!(
                    "{share} of {} are held by {}, which wait for {needed}.",
                    words(first),
                    holders(cause)
                )
            }
            (Nature::Works, Some(cause)) => {
                let cause = cause.word();
                format!(
                    "{} is {cause} {share} of the time that a packet holds it: it waits for {needed}.",
                    words(first)
                )
            }
        };
        format!(" {}", capitalised(&sentence))
    }

    /// How busy the busiest line is, as a sentence after another one.
    pub(super) fn busiest_line(&self) -> String {
        let lines = self.report.resources.iter().filter(|row| row.kind.carries_bits());
        let busiest = lines.max_by(|a, b| a.utilisation.total_cmp(&b.utilisation));
        busiest.map_or(String::new(), |row| {
            let name = if row.kind == ResourceKind::Output { "link" } else { "line" };
            format!(" The busiest {name} is {} utilised.", percent(row.utilisation))
        })
    }

    /// Hardly anything waits, and yet one host, or one resource unlike the others of its kind, works all the time: who
    /// sends whenever it is free goes as fast as it does. A host that sends counts where nothing is as busy: what it
    /// waits for besides is the rest of a round trip.
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
            return Some(Self::at_place(Cause::Resource, &sender.place, sender.utilisation, sentence));
        }
        // A station serves what comes: nobody sends whenever it is free.
        let counts =
            |row: &ResourceRow| row.utilisation >= FULL_LINK && !matches!(row.kind, ResourceKind::Station(_));
        let (at, row) = busiest.filter(|(_, row)| counts(row))?;
        let used = |is_like: &dyn Fn(&ResourceRow) -> bool| {
            let others =
                works().filter(|&(other, like)| other != at && like.utilisation > 0.0 && is_like(like));
            usual(others.map(|(_, like)| like.utilisation).collect())
        };
        // Where a link is the only one between switches, or of a host, those of the other sort are what it is beside.
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
        })
    }

    /// Messages wait for most of their lifetime, though none of what is looked for was found: the resource with most of
    /// it behind it.
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
                    "{slow} Messages spend {waits} of their lifetime waiting. The largest part of that ({share_told}) is upstream of this \
                     link ({used} utilised)."
                )
            } else if share < WORTH_TELLING {
                format!(
                    "{how} at many places: messages spend {waits} of their lifetime waiting, and no resource is behind much of it: at most \
                     {share_told} of it is upstream of {there} ({used} utilised)."
                )
            } else {
                format!(
                    "{how}: messages spend {waits} of their lifetime waiting. The largest part of that ({share_told}) is upstream of \
                     {there} ({used} utilised)."
                )
            };
            self.at_row(super::mechanism::class_of(row), root, self.weight_of(root), sentence)
        })
    }
}
