//! `[figure]`: what is drawn in the axes of the paper.

use std::collections::BTreeMap;

use hopscope_scenario::{Entry, Joined, Node, Path, Value, did_you_mean};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::file::Head;
use super::kinds::{Given, Measured, Metric, Quantity, all_classes};
use super::metric_name::MetricName;
use super::over::ByPath;
use super::published::PublishedCell;
use super::resolver::Resolver;
use super::setting::{Context, SettingTable, values};

/// A figure with the setting that its lines inherit.
pub(super) type Figure = Joined<SettingTable, FigureKind>;

/// A figure. Without `kind`: lines.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum FigureKind {
    /// Lines over an axis, with the published values as marks.
    Lines(Lines),
    /// Where the time of one class of messages went, by resource: a bar for each setting.
    Shares(Shares),
}

/// Lines. Published cells of plain metrics join the line and the place whose scenario and values they share.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Lines {
    /// The title above it.
    pub title: String,
    /// The title of the x axis.
    pub x_title: String,
    /// The title of the y axis.
    pub y_title: String,
    /// Whether the y axis is logarithmic.
    #[serde(default)]
    pub log: bool,
    /// The metric of lines without their own.
    #[serde(default)]
    pub metric: Option<MetricName>,
    /// `per` of lines without their own.
    #[serde(default)]
    pub per: Option<f64>,
    /// One path with the points on the x axis: a list of numbers, or a range "0.1..0.7:0.1".
    #[serde(default)]
    pub over: Option<ByPath>,
    /// The points on the x axis one by one, instead of `over`.
    #[serde(default)]
    pub at: Option<Vec<Place>>,
    /// The lines. Default: one without a label.
    #[serde(default)]
    pub series: Option<Vec<Series>>,
}

/// A point on the x axis.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Place {
    /// The x value.
    pub x: f64,
    /// The settings at this point, by path.
    #[serde(default)]
    #[expect(dead_code, reason = "its values are read where they stand, with their places")]
    pub set: ByPath,
    /// The metric at this point, if it differs between points.
    #[serde(default)]
    pub metric: Option<MetricName>,
}

/// A line: what it is called, and what it shows.
pub(super) type Series = Joined<SeriesHead, Measured>;

/// What a line is called, and where it has places and published values of its own.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct SeriesHead {
    /// Its name in the legend.
    pub label: String,
    /// Its own points on the x axis.
    pub at: Option<Vec<Place>>,
    /// Additional published cells to mark: ids with their x.
    pub published: BTreeMap<String, f64>,
}

/// Bars of shares.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Shares {
    /// The title above it.
    pub title: String,
    /// The class of messages.
    #[serde(default = "all_classes")]
    pub class: String,
    /// The bars, one per setting.
    pub bar: Vec<Labelled>,
}

/// A setting with a label.
pub(super) type Labelled = Joined<SettingTable, Label>;

/// A bar.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Label {
    /// Its name in the figure.
    pub label: String,
}

/// A place with what is set there.
struct Point {
    x: f64,
    set: BTreeMap<String, Entry>,
    metric: Option<MetricName>,
}

/// A published value of a plain metric: it may be marked where a line shows the same.
struct Mark {
    metric: Option<MetricName>,
    context: Context,
    number: f64,
}

impl Resolver<'_> {
    /// The figures of a study.
    pub fn figures(&mut self, head: &Head, outer: &Context) -> Vec<Json> {
        let path = Path::of("figure");
        let is_list = matches!(self.root.at(&path).map(|node| &node.value), Some(Value::List(_)));
        let mut drawn = Vec::new();
        for (nth, figure) in head.figure.0.iter().enumerate() {
            let at = if is_list { path.entry(nth) } else { path.clone() };
            let context = self.within(&figure.shared, &at, outer);
            drawn.push(match &figure.own {
                FigureKind::Lines(lines) => self.lines(lines, &at, &context, &self.marks(head, outer)),
                FigureKind::Shares(shares) => json!({
                    "kind": "shares",
                    "title": shares.title,
                    "class": shares.class,
                    "bars": self.labelled(&shares.bar, &at.field("bar"), &context),
                }),
            });
        }
        drawn
    }

    /// Settings with their labels.
    pub fn labelled(&mut self, settings: &[Labelled], at: &Path, outer: &Context) -> Vec<Json> {
        let mut resolved = Vec::new();
        for (nth, each) in settings.iter().enumerate() {
            let at = at.entry(nth);
            let context = self.within(&each.shared, &at, outer);
            resolved.push(json!({ "label": each.own.label, "setting": self.setting(&context, &at) }));
        }
        resolved
    }

    /// The published cells that lines may share a place with.
    fn marks(&self, head: &Head, outer: &Context) -> Vec<Mark> {
        let mark = |(nth, cell): (usize, &super::file::Cell)| {
            let metric = cell.own.own.as_metric()?.metric.clone();
            let number = self.published.get(&cell.shared.id)?.number()?;
            let context = self.within(&cell.own.shared, &Path::of("cell").entry(nth), outer);
            Some(Mark { metric, context, number })
        };
        head.cell.iter().enumerate().filter_map(mark).collect()
    }

    fn lines(&mut self, lines: &Lines, at: &Path, context: &Context, marks: &[Mark]) -> Json {
        let alone = [unlabelled()];
        let series = lines.series.as_deref().unwrap_or(&alone);
        let needs_places = series.iter().any(|line| line.shared.at.is_none());
        let common = self.common_places(lines, at, needs_places);
        let mut resolved = Vec::new();
        for (nth, line) in series.iter().enumerate() {
            let at = at.field("series").entry(nth);
            let own = line.shared.at.as_ref().map(|places| self.listed(places, &at.field("at")));
            let points = own.as_ref().unwrap_or(&common);
            resolved.push(self.line(lines, line, &at, context, points, marks));
        }
        json!({
            "kind": "lines",
            "title": lines.title,
            "x_title": lines.x_title,
            "y_title": lines.y_title,
            "log": lines.log,
            "series": resolved,
        })
    }

    fn line(
        &mut self,
        lines: &Lines,
        line: &Series,
        at: &Path,
        figure: &Context,
        points: &[Point],
        marks: &[Mark],
    ) -> Json {
        let measured = &line.own;
        let own = self.within(&measured.shared, at, figure);
        let given = Given { at_place: None, metric: lines.metric.clone(), per: lines.per };
        let mut resolved = Vec::new();
        for point in points {
            let given = Given { at_place: point.metric.clone(), ..given.clone() };
            let there = own.with(point.set.clone());
            resolved.push(json!([point.x, self.quantity(measured, at, &there, &given)]));
        }
        let mut published = Vec::new();
        if let Some(metric) = measured.own.as_metric() {
            let metric = metric.metric.as_ref().or(lines.metric.as_ref());
            let set = values(self.root, &at.field("set"));
            for point in points {
                let there: BTreeMap<_, _> = set.clone().into_iter().chain(point.set.clone()).collect();
                let joins = |mark: &&Mark| {
                    let scenario =
                        |context: &Context| context.scenario.as_ref().map(|(name, _)| name.clone());
                    mark.metric.as_ref() == metric
                        && scenario(&mark.context) == scenario(&own)
                        && shares(&mark.context.set, &there)
                };
                published.extend(marks.iter().filter(joins).map(|mark| json!([point.x, mark.number])));
            }
        }
        published.extend(self.added_marks(&line.shared.published, &at.field("published")));
        json!({ "label": line.shared.label, "points": resolved, "published": published })
    }

    /// The published values that a line adds, in the order of the text.
    fn added_marks(&mut self, added: &BTreeMap<String, f64>, at: &Path) -> Vec<Json> {
        let mut added: Vec<_> = added.iter().map(|(id, x)| (at.field(id), id, *x)).collect();
        added.sort_by_key(|(path, ..)| self.root.nearest_place(path).span.start);
        let mut marks = Vec::new();
        for (path, id, x) in added {
            if let Some(number) = self.published.get(id).and_then(PublishedCell::number) {
                marks.push(json!([x, number]));
                continue;
            }
            let numbers = self.published.values().filter(|cell| cell.number().is_some());
            let hint = did_you_mean(id, numbers.map(|cell| cell.id.as_str()));
            let problem = format!("there is no published number \"{id}\" to draw");
            self.refuse(&path, &problem, "the id of a cell with a number", hint);
        }
        marks
    }

    /// The places of a figure's x axis; `needed` says whether a line asks for them.
    fn common_places(&mut self, lines: &Lines, at: &Path, needed: bool) -> Vec<Point> {
        match (&lines.at, &lines.over) {
            (Some(_), Some(_)) => {
                self.refuse(&at.field("over"), "`at` and `over` are given together", "one of the two", None);
                Vec::new()
            }
            (Some(places), None) => self.listed(places, &at.field("at")),
            (None, Some(_)) => self.swept_places(at),
            (None, None) => {
                if needed {
                    self.missing(at, "over", "the places on the x axis, or a list of them in `at`");
                }
                Vec::new()
            }
        }
    }

    fn swept_places(&mut self, at: &Path) -> Vec<Point> {
        let Some(swept) = self.swept(at) else { return Vec::new() };
        let mut points = Vec::new();
        for node in swept.values {
            let x = match node.value {
                Value::Integer(number) => number as f64,
                Value::Float(number) => number,
                _ => {
                    self.refuse_node(&at.field("over"), &node, "a number, which is a place on the x axis");
                    continue;
                }
            };
            let entry = Entry { node, ..swept.entry.clone() };
            points.push(Point { x, set: BTreeMap::from([(entry.key.clone(), entry)]), metric: None });
        }
        points
    }

    fn listed(&self, places: &[Place], at: &Path) -> Vec<Point> {
        let point = |(nth, place): (usize, &Place)| Point {
            x: place.x,
            set: values(self.root, &at.entry(nth).field("set")),
            metric: place.metric.clone(),
        };
        places.iter().enumerate().map(point).collect()
    }
}

/// The line of a figure that names none.
fn unlabelled() -> Series {
    let metric = Quantity::Metric(Metric { metric: None, per: None });
    let measured = Joined { shared: SettingTable::default(), own: metric };
    Joined { shared: SeriesHead::default(), own: measured }
}

/// Whether all these values are among those chosen.
fn shares(chosen: &BTreeMap<String, Entry>, set: &BTreeMap<String, Entry>) -> bool {
    set.iter().all(|(path, entry)| chosen.get(path).is_some_and(|other| are_equal(&other.node, &entry.node)))
}

/// Whether two values are the same, however they are written: 1 is 1.0.
fn are_equal(one: &Node, other: &Node) -> bool {
    let number = |node: &Node| match node.value {
        Value::Integer(number) => Some(number as f64),
        Value::Float(number) => Some(number),
        _ => None,
    };
    match (number(one), number(other)) {
        (Some(one), Some(other)) => one == other,
        (None, None) => one.toml() == other.toml(),
        _ => false,
    }
}
