//! Rows of stations.

use crate::{Case, Cause};

const SLOWEST_US: u32 = 10;

/// Stations with these mean services in us and servers, under a load of the busiest.
fn row(stations: &[(u32, u32)], load: f64) -> String {
    let stations: Vec<String> = stations
        .iter()
        .map(|(us, servers)| {
            format!("[[station]]\nservers = {servers}\nservice = {{ exponential = \"{us} us\" }}\n")
        })
        .collect();
    format!(
        "model = \"queueing\"\n[arrivals]\nload = {load}\n{}[measure]\nmessages = 20_000\n",
        stations.join("\n")
    )
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (count, load) in [(3, 0.9), (5, 0.85), (4, 0.97), (2, 1.3)] {
        for slow in 0..count {
            let stations: Vec<_> =
                (0..count).map(|at| (if at == slow { SLOWEST_US } else { 4 }, 1)).collect();
            let name = format!("station {} of {count} is slow at load {load}", slow + 1);
            cases.push(Case::new(
                name,
                row(&stations, load),
                Cause::Resource(format!("station {}", slow + 1)),
            ));
        }
    }
    for servers in [2, 4, 8] {
        let stations = [(3, 1), (SLOWEST_US * servers, servers), (3, 1)];
        let name = format!("{servers} servers are too few");
        cases.push(Case::new(name, row(&stations, 0.95), Cause::Resource("station 2".into())));
    }
    for load in [0.1, 0.2, 0.3, 0.4, 0.5] {
        cases.push(Case::new(
            format!("healthy at {load}"),
            row(&[(5, 1), (10, 1), (7, 1)], load),
            Cause::Nothing,
        ));
    }
    cases
}
