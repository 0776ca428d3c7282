//! What a scenario's author sees of the network's parameters.

use hopscope_topology::NetworkSpec;
use serde_json::Value;

/// Every schema of an object in a JSON document, with where it is.
fn objects<'a>(path: &str, value: &'a Value, found: &mut Vec<(String, &'a Value)>) {
    match value {
        Value::Object(map) => {
            if map.contains_key("properties") {
                found.push((path.to_owned(), value));
            }
            map.iter().for_each(|(key, inner)| objects(&format!("{path}/{key}"), inner, found));
        }
        Value::Array(list) => list.iter().for_each(|inner| objects(path, inner, found)),
        _ => {}
    }
}

#[test]
fn every_parameter_is_documented_and_no_other_is_taken() {
    let schema = serde_json::to_value(schemars::schema_for!(NetworkSpec)).unwrap();
    let mut found = Vec::new();
    objects("", &schema, &mut found);
    assert!(found.len() > 20);
    for (path, object) in found {
        assert_eq!(object["additionalProperties"], Value::Bool(false), "{path}");
        for (name, property) in object["properties"].as_object().unwrap() {
            // A family's name carries the description of the family.
            let described = property.get("description").is_some() || object.get("description").is_some();
            assert!(described, "{path}/{name} has no description");
        }
    }
}

#[test]
fn families_read_back_as_they_are_written() {
    for family in [
        "torus = {}",
        "mesh = { width = 3 }",
        "hypercube = {}",
        "corefringe = {}",
        "mstage = { pairing = \"all-pairs\" }",
        "floors = { interconnect = \"line\" }",
        "floors-plus = {}",
        "line = {}",
        "ring = {}",
        "star = {}",
        "fat-tree = { hosts_per_edge = 3 }",
        "dragonfly = {}",
        "random = {}",
        "file = { path = \"a.graphml\", cycle = \"1 ns\" }",
        "custom = { switches = [\"a\"], hosts = [{ name = \"h\", at = \"a\", rate = \"1 Gbit/s\" }] }",
    ] {
        let spec: NetworkSpec = toml::from_str(family).unwrap();
        assert_eq!(toml::from_str::<NetworkSpec>(&toml::to_string(&spec).unwrap()).unwrap(), spec);
    }
}
