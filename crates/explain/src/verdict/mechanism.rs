//! Why a root is busy, other than by its load: classes in one lane, colliding flows, one path of several, services of
//! very different lengths, set-ups.

use hopscope_measure::{
    Alternatives, Charged, Choice, HoldWhy, Nature, Outcome, Outstanding, ResourceKind, ResourceRow,
};

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::thresholds::{
    EVENLY_USED, FULL_LINK, HELD_BACK, MOSTLY, UNEVENLY_USED, VARIABLE_USE, WAIT_SHARE, WAITS,
};
use crate::words::{Like, is_slower_than_its_like, percent, retried, words};

/// The class of a root that is only busy: a sender's window, the rates of its flows, or any other resource.
pub(super) const fn class_of(row: &ResourceRow) -> Cause {
    match (row.kind, row.kind.outstanding()) {
        (ResourceKind::RateLimiter, _) => Cause::RateControl,
        (_, Outstanding::Window | Outstanding::WindowWhereAwaited) => Cause::Window,
        (_, Outstanding::NoWindow) => Cause::Resource,
    }
}

/// Roots of one kind: their number, the one that causes most waiting, and the share of all waiting that they cause.
struct Together {
    roots: usize,
    most: usize,
    share: f64,
}

impl Judge<'_> {
    /// The mechanism that makes a root busy; nothing if it is merely busy.
    pub(super) fn by_mechanism(&self, root: usize) -> Option<Candidate> {
        let tests: [fn(&Self, usize) -> Option<Candidate>; 4] =
            [Self::shared_lane, Self::one_of_several_ways, Self::set_up, Self::variable_service];
        tests.iter().find_map(|test| test(self, root))
    }

    /// Classes share a lane: messages that wait for a root, which need not be full, delay messages that go elsewhere.
    pub(super) fn shared_lane(&self, root: usize) -> Option<Candidate> {
        let lanes = self.report.evidence.lanes?;
        let row = self.row(root);
        let victims = self.report.trees.iter().map(|tree| tree.victims).max().unwrap_or(0);
        let held = self.waits_for(Charged::is_behind_others) + self.waits_for(Charged::is_room_downstream);
        let holds_up = victims > 0 || self.report.outcome == Outcome::Saturated;
        let is_so =
            lanes.lanes < lanes.classes && holds_up && held >= HELD_BACK && row.utilisation < FULL_LINK;
        is_so.then(|| {
            let name = self.report.evidence.lane_name;
            let parted = self.held_up_by_others(root);
            let most = parted.as_ref().map_or_else(String::new, |[name, _]| format!(", most of all `{name}`"));
            let sentence = format!(
                "Shared {}: {} classes share {}, so messages that wait for {} ({} utilised) hold up messages that do not need it{most}. \
                 Messages wait {} of their lifetime behind others or for room downstream.",
                name.word(),
                lanes.classes,
                name.several(lanes.lanes),
                words(row),
                percent(row.utilisation),
                percent(held)
            );
            let found = self.at_row(Cause::Lanes, root, self.weight_of(root), sentence);
            let (class, behind) = parted.map(|[name, others]| (name, others)).unzip();
            Candidate { class, behind, ..found }
        })
    }

    /// The root is one of several outputs to the same places, and the others have spare time.
    fn one_of_several_ways(&self, root: usize) -> Option<Candidate> {
        let (even, evenly) = self.unevenly_shared(root)?;
        let (cause, why) = match even.choice {
            Choice::Hashed => (Cause::PathCollision, "Path collision: a hash puts several flows on"),
            Choice::Single => {
                (Cause::RouteConcentration, "Route concentration: all packets of a destination take")
            }
        };
        let sentence = format!(
            "{why} {} ({} utilised), although {} outputs lead there; shared evenly, each would be {} utilised.",
            words(self.row(root)),
            percent(self.row(root).utilisation),
            even.rows.len(),
            percent(evenly)
        );
        Some(self.at_row(cause, root, self.weight_of(root), sentence))
    }

    /// Many roots, none of which causes much waiting alone, but most waiting is due to outputs that a hash or the
    /// routes use more than others to the same places: one cause, everywhere.
    pub(super) fn unevenly_used(&self) -> Option<Candidate> {
        self.unevenly_chosen(Choice::Hashed).or_else(|| self.unevenly_chosen(Choice::Single))
    }

    fn unevenly_chosen(&self, choice: Choice) -> Option<Candidate> {
        let unevenly = |root| self.unevenly_shared(root).is_some_and(|(even, _)| even.choice == choice);
        let Together { roots, most, share } = self.together(unevenly)?;
        // Routes that bring packets together are a mistake. A hash spreads flows unevenly by chance: that matters where
        // they wait for it.
        let (cause, least, why) = match choice {
            Choice::Hashed => {
                (Cause::PathCollision, WAITS, "Path collisions: a hash puts several flows on each of")
            }
            Choice::Single => {
                (Cause::RouteConcentration, WAIT_SHARE, "Route concentration: the routes put most packets on")
            }
        };
        let weight = self.waits() * share;
        (roots > 1 && share >= MOSTLY && weight >= WAIT_SHARE && self.waits() >= least).then(|| {
            let sentence = format!(
                "{why} {roots} links, while other links to the same places have time to spare; {} of all waiting is for these \
                 {roots} links, the largest part for {} ({} utilised).",
                percent(share),
                words(self.row(most)),
                percent(self.row(most).utilisation)
            );
            self.at_row(cause, most, weight, sentence)
        })
    }

    /// Path collisions where the hash uses all outputs about equally over time, yet at any moment several flows meet at
    /// one output while others have spare time.
    pub(super) fn passing_collisions(&self) -> Option<Candidate> {
        let Together { roots, most, share } = self.together(|root| self.is_hashed(root))?;
        let waits = self.waits_in_network();
        (roots > 1 && share >= MOSTLY && waits >= WAITS).then(|| {
            let sentence = format!(
                "Path collisions: a hash balances the load over time, but at any moment several flows share one link while \
                 other links to the same places have time to spare. {} of all waiting is for such links, the largest part for \
                 {} ({} utilised).",
                percent(share),
                words(self.row(most)),
                percent(self.row(most).utilisation)
            );
            self.at_row(Cause::PathCollision, most, waits * share, sentence)
        })
    }

    /// The roots that meet a test, taken together; nothing if there are none.
    fn together(&self, is_meant: impl Fn(usize) -> bool) -> Option<Together> {
        let meant: Vec<_> = self.chain.roots().iter().filter(|&&(root, _)| is_meant(root)).collect();
        let waiting: f64 = meant.iter().map(|&&(_, waiting)| waiting).sum();
        let &&(most, _) = meant.first()?;
        let share = waiting / self.chain.all_waiting().max(f64::MIN_POSITIVE);
        Some(Together { roots: meant.len(), most, share })
    }

    /// Whether a hash chooses this output among several to the same places, which together have spare time.
    pub(super) fn is_hashed(&self, root: usize) -> bool {
        let groups = self.alternatives.get(&root).into_iter().flatten();
        let mut hashed = groups.filter(|group| group.choice == Choice::Hashed && group.rows.len() > 1);
        hashed.any(|group| self.mean_use(group) <= EVENLY_USED) && !self.is_slow(root)
    }

    /// Mean utilisation of outputs to the same places.
    fn mean_use(&self, group: &Alternatives) -> f64 {
        group.rows.iter().map(|&row| self.row(row).utilisation).sum::<f64>() / group.rows.len() as f64
    }

    /// The group of outputs to the root's destinations that would have the least utilisation if shared evenly, and that
    /// utilisation; nothing if the root is not used far more.
    pub(super) fn unevenly_shared(&self, root: usize) -> Option<(&Alternatives, f64)> {
        let groups = self.alternatives.get(&root)?.iter().copied();
        let even = groups.min_by(|a, b| self.mean_use(a).total_cmp(&self.mean_use(b)))?;
        let evenly = self.mean_use(even);
        let is_uneven = evenly <= EVENLY_USED && self.row(root).utilisation >= UNEVENLY_USED * evenly;
        // A slow link is full sooner than others that carry as much.
        (is_uneven && !self.is_slow(root)).then_some((even, evenly))
    }

    /// Whether a link is slower than others of its kind, by its rate or because much is sent again.
    pub(super) fn is_slow(&self, row: usize) -> bool {
        let evidence = &self.report.evidence;
        let is_slower = evidence.rates.get(&row).is_some_and(|&own| {
            hopscope_measure::is_slower_than_its_like(own, self.usual_rates[&Like::of(self.row(row))])
                && (evidence.side_by_side.is_empty() || is_slower_than_its_like(self.report, row))
        });
        is_slower || retried(self.row(row)).is_some()
    }

    /// The root is held for set-ups for longer than it sends.
    fn set_up(&self, root: usize) -> Option<Candidate> {
        let row = self.row(root);
        let held = |why: HoldWhy| -> f64 {
            row.held_in.iter().filter(|held| held.activity.why == why).map(|held| held.occupancy).sum()
        };
        let (setting_up, sending) = (held(HoldWhy::SetUp), held(HoldWhy::Sending));
        (row.kind.nature() == Nature::Works && setting_up > sending && setting_up > 0.0).then(|| {
            let sentence = format!(
                "Slow service: {} is being set up for {} of the time and sends for {}; {} of all waiting is for it.",
                words(row),
                percent(setting_up),
                percent(sending),
                percent(self.chain.blamed(root) / self.chain.all_waiting())
            );
            self.at_row(Cause::SlowService, root, self.weight_of(root), sentence)
        })
    }

    /// The root has spare time, but its services are of very different lengths.
    fn variable_service(&self, root: usize) -> Option<Candidate> {
        (self.row(root).utilisation <= VARIABLE_USE).then(|| self.varied(root)).flatten()
    }
}
