//! `summary.json`: everything measured but the tables. What grows with the network, the resources, is written as it is
//! walked: a tree of values takes several times the memory and the time. Keys stand in the order of the alphabet.

use hopscope_measure::{HeldIn, ResourceRow};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value as Json};

/// The key of the list that is written as it is walked.
pub(crate) const RESOURCES: &str = "resources";

/// A summary: its fields, of which that of the resources is an empty list, and these.
pub(crate) struct SummaryFile<'a> {
    pub fields: Map<String, Json>,
    pub resources: &'a [ResourceRow],
}

impl Serialize for SummaryFile<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.fields.len()))?;
        for (key, value) in &self.fields {
            match key.as_str() {
                RESOURCES => map.serialize_entry(key, &Resources(self.resources))?,
                _ => map.serialize_entry(key, value)?,
            }
        }
        map.end()
    }
}

/// The list of the resources alone.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn resources_json(rows: &[ResourceRow]) -> String {
    serde_json::to_string(&Resources(rows)).expect("a row is plain data")
}

struct Resources<'a>(&'a [ResourceRow]);

impl Serialize for Resources<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Resource))
    }
}

/// The use of a resource, with what its words stand for: its kind, the nodes that it joins with the port where the
/// first one sends, and what each of its holders does.
struct Resource<'a>(&'a ResourceRow);

impl Serialize for Resource<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let row = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("acquisitions", &row.acquisitions)?;
        map.serialize_entry("capacity", &row.capacity)?;
        if let Some(ends) = &row.ends {
            map.serialize_entry("ends", ends)?;
        }
        if !row.held_in.is_empty() {
            map.serialize_entry("held_in", &HeldList(&row.held_in))?;
        }
        map.serialize_entry("id", row.kind.id())?;
        map.serialize_entry("kind", row.kind.word())?;
        map.serialize_entry("name", row.title())?;
        map.serialize_entry("occupancy", &row.occupancy)?;
        map.serialize_entry("peak", &row.peak)?;
        map.serialize_entry("place", &row.place)?;
        if row.ends.is_some() {
            map.serialize_entry("port", &row.site.port())?;
        }
        if row.refused > 0 {
            map.serialize_entry("refused", &row.refused)?;
        }
        map.serialize_entry("unit", &row.unit)?;
        map.serialize_entry("utilisation", &row.utilisation)?;
        map.serialize_entry("wait_us", &row.wait_us)?;
        map.serialize_entry("waiting", &row.waiting)?;
        map.end()
    }
}

struct HeldList<'a>(&'a [HeldIn]);

impl Serialize for HeldList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Held))
    }
}

/// What is held for a cause.
struct Held<'a>(&'a HeldIn);

impl Serialize for Held<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let HeldIn { activity, occupancy, entered } = self.0;
        let mut map = serializer.serialize_map(None)?;
        if *entered > 0 {
            map.serialize_entry("entered", entered)?;
        }
        map.serialize_entry("id", activity.why.id())?;
        if let Some(lane) = &activity.lane {
            map.serialize_entry("lane", lane)?;
        }
        map.serialize_entry("occupancy", occupancy)?;
        map.serialize_entry("stage", activity)?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use hopscope_measure::{HoldActivity, HoldWhy, PoolLabel, ResourceKind, Site};
    use serde_json::{json, to_value};

    use super::*;

    /// A resource in all its parts.
    fn whole() -> ResourceRow {
        let site = Site::Port { switch: 1, port: 4, lane: 2 };
        let label = PoolLabel { kind: ResourceKind::Output, place: "s1", site, unit: "packets" };
        let held = |lane, entered| HeldIn {
            activity: HoldActivity { why: HoldWhy::Sending, lane },
            occupancy: 0.25,
            entered,
        };
        ResourceRow {
            ends: Some(["s1".to_owned(), "s2".to_owned()]),
            refused: 3,
            held_in: vec![held(Some(2), 7), held(None, 0)],
            ..ResourceRow::unused(label)
        }
    }

    #[test]
    fn a_resource_has_the_fields_of_its_row_and_what_its_words_stand_for() {
        for row in [whole(), ResourceRow { ends: None, refused: 0, held_in: Vec::new(), ..whole() }] {
            let mut expected = to_value(&row).expect("a row is plain data");
            expected["id"] = "Output".into();
            if row.ends.is_some() {
                expected["ends"] = json!(["s1", "s2"]);
                expected["port"] = 4.into();
                expected["held_in"][0]["id"] = "Sending".into();
                expected["held_in"][0]["lane"] = 2.into();
                expected["held_in"][1]["id"] = "Sending".into();
            }
            assert_eq!(to_value(Resource(&row)).expect("a row is plain data"), expected);
        }
    }

    #[test]
    fn keys_stand_in_the_order_of_the_alphabet() {
        let fields = json!({"zero": 0, "resources": [], "all": [1]});
        let Json::Object(fields) = fields else { panic!("it is a section") };
        let text = serde_json::to_string(&SummaryFile { fields, resources: &[whole()] }).expect("plain data");
        let again: Json = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!(again.to_string(), text, "a tree of values writes keys in this order");
        assert_eq!(again["resources"][0]["name"], "output");
    }
}
