//! What a cell or a line of a figure measures: one file a kind.

mod compared;
mod constant;
mod crossing;
mod equal;
mod events;
mod metric;
mod noise;
mod order;
mod planted;
mod replay;
mod resource;
mod share;
mod swept;

use hopscope_scenario::{Joined, Path};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use self::compared::Compared;
use self::constant::Constant;
use self::crossing::Crossing;
use self::equal::Equal;
use self::events::Events;
pub(super) use self::metric::Metric;
use self::noise::Noise;
use self::order::Order;
use self::planted::Planted;
use self::replay::Replay;
use self::resource::Resource;
use self::share::Share;
use self::swept::SweptQuantity;
use super::metric_name::MetricName;
use super::resolver::Resolver;
use super::setting::{Context, SettingTable};

pub(super) use self::share::all_classes;

/// A quantity with the setting in which it is measured.
pub(super) type Measured = Joined<SettingTable, Quantity>;

/// A quantity that a study measures. Without `kind`: a metric.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Quantity {
    /// A metric of one setting, or a figure of its network. A figure that is a list counts its entries.
    Metric(Metric),
    /// The share of a message's latency that one resource takes, including waits for it, from the ledger.
    Share(Share),
    /// The swept value at which a metric rises above a threshold; saturation counts as above.
    Crossing(Crossing),
    /// The first of two quantities minus the second.
    Difference(Compared),
    /// The first of two quantities divided by the second.
    Ratio(Compared),
    /// A quantity at every swept value: the median, with the smallest and the largest value.
    Spread(SweptQuantity),
    /// A spread over unpublished inputs; only its two ends are shown.
    Band(SweptQuantity),
    /// The smallest of a quantity over all swept values.
    Least(SweptQuantity),
    /// The largest of a quantity over all swept values.
    Greatest(SweptQuantity),
    /// Pairs of quantities that should agree: the largest relative difference.
    Equal(Equal),
    /// Whether quantities are in a given order.
    Order(Order),
    /// The range that contains the correlation coefficient of uncorrelated values in 95 % of cases.
    Noise(Noise),
    /// A constant, to compare with.
    Constant(Constant),
    /// A figure of one resource at one place.
    Resource(Resource),
    /// Whether each event happened exactly once, and in this order.
    Events(Events),
    /// Routing messages in the order of a published table, with the table entry that each produces.
    Replay(Replay),
    /// How often an explanation names what was planted in a generated corpus.
    Planted(Planted),
}

/// What a figure says for all of its lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    /// The metric of a place, which goes before a line's own.
    pub at_place: Option<MetricName>,
    /// The metric of the figure, for lines without one.
    pub metric: Option<MetricName>,
    /// The amount that metrics are multiples of, for lines without one.
    pub per: Option<f64>,
}

impl Given {
    /// The metric that holds where a table names this one or none.
    pub fn metric(&self, own: Option<&MetricName>) -> Option<String> {
        let found = self.at_place.as_ref().or(own).or(self.metric.as_ref());
        found.map(|name| name.0.clone())
    }
}

/// A kind of quantity.
pub(super) trait Kind {
    /// The quantity as JSON, for what measures it: its `kind`, its settings, and every default written out. What is
    /// wrong with it is noted by the resolver.
    fn resolve(&self, resolver: &mut Resolver<'_>, at: &Path, context: &Context, given: &Given) -> Json;
}

impl Kind for Quantity {
    fn resolve(&self, resolver: &mut Resolver<'_>, at: &Path, context: &Context, given: &Given) -> Json {
        let (name, kind): (_, &dyn Kind) = match self {
            Self::Metric(kind) => ("metric", kind),
            Self::Share(kind) => ("share", kind),
            Self::Crossing(kind) => ("crossing", kind),
            Self::Difference(kind) => ("difference", kind),
            Self::Ratio(kind) => ("ratio", kind),
            Self::Spread(kind) => ("spread", kind),
            Self::Band(kind) => ("band", kind),
            Self::Least(kind) => ("least", kind),
            Self::Greatest(kind) => ("greatest", kind),
            Self::Equal(kind) => ("equal", kind),
            Self::Order(kind) => ("order", kind),
            Self::Noise(kind) => ("noise", kind),
            Self::Constant(kind) => ("constant", kind),
            Self::Resource(kind) => ("resource", kind),
            Self::Events(kind) => ("events", kind),
            Self::Replay(kind) => ("replay", kind),
            Self::Planted(kind) => ("planted", kind),
        };
        let mut resolved = kind.resolve(resolver, at, context, given);
        resolved["kind"] = name.into();
        resolved
    }
}

impl Quantity {
    /// The metric that it names itself, if it is one and nothing else.
    pub fn as_metric(&self) -> Option<&Metric> {
        match self {
            Self::Metric(metric) => Some(metric),
            _ => None,
        }
    }
}
