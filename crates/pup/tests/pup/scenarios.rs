//! The ready scenarios are the presets, and what is wrong with a scenario is said at its place.

use hopscope_pup::ien138::{Configuration, Era, Runs, pup_test};
use hopscope_pup::{PupParams, PupPlan};

/// The parameters in a scenario, without what all models share.
fn params(text: &str) -> PupParams {
    let mut table: toml::Table = text.parse().expect("it is TOML");
    for shared in ["title", "model", "seed", "measure"] {
        table.remove(shared);
    }
    table.try_into().expect("every field is known")
}

macro_rules! scenario {
    ($name:literal) => {
        params(include_str!(concat!("../../../../scenarios/pup-", $name, ".toml")))
    };
}

#[test]
fn the_ready_scenarios_are_the_presets() {
    let scenarios = [
        (Era::Epr, Configuration::SameMachine, scenario!("epr-same-machine")),
        (Era::Epr, Configuration::Ethernet, scenario!("epr-ethernet")),
        (Era::Epr, Configuration::Gateway, scenario!("epr-gateway")),
        (Era::Epr, Configuration::Phone, scenario!("epr-phone")),
        (Era::Epr, Configuration::Radio, scenario!("epr-radio")),
        (Era::Epr, Configuration::RadioGateways, scenario!("epr-radio-gateways")),
        (Era::Ipr, Configuration::SameMachine, scenario!("ipr-same-machine")),
        (Era::Ipr, Configuration::Ethernet, scenario!("ipr-ethernet")),
        (Era::Ipr, Configuration::Gateway, scenario!("ipr-gateway")),
        (Era::Ipr, Configuration::Phone, scenario!("ipr-phone")),
        (Era::Ipr, Configuration::Radio, scenario!("ipr-radio")),
        (Era::Ipr, Configuration::RadioGateways, scenario!("ipr-radio-gateways")),
    ];
    for (era, configuration, found) in scenarios {
        assert_eq!(found, pup_test(era, configuration, 100, Runs::Good), "{era:?} {configuration:?}");
    }
}

#[test]
fn parameters_write_and_read_back() {
    for configuration in Configuration::ALL {
        let written = pup_test(Era::Ipr, configuration, 266, Runs::All);
        assert_eq!(params(&toml::to_string(&written).expect("it can be written")), written);
    }
}

/// What is wrong with a preset after a change.
fn problems(configuration: Configuration, change: impl FnOnce(&mut PupParams)) -> String {
    let mut params = pup_test(Era::Ipr, configuration, 100, Runs::Good);
    change(&mut params);
    let problems = PupPlan::new(params).expect_err("something is wrong");
    let line = |p: &hopscope_measure::Problem| {
        let hint = p.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        format!("{}: {}; expected {}{hint}", p.path, p.problem, p.expected)
    };
    problems.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn bad_internets_are_refused_with_their_reason() {
    use Configuration::{Ethernet, Gateway, Phone, Radio, SameMachine};
    let cases = [
        problems(Ethernet, |p| (p.host[0].address, p.host[0].count) = (1, 300)),
        problems(SameMachine, |p| p.test[0].data = hopscope_units::Data::from_bytes(533)),
        problems(Gateway, |p| p.gateway[0].on[1].network = "parc".into()),
        problems(SameMachine, |p| p.stream.window = 0),
        problems(Gateway, |p| p.gateway.clear()),
        problems(Phone, |p| p.gateway.truncate(1)),
        problems(Ethernet, |p| p.host[1].address = 10),
        problems(Ethernet, |p| p.test[0].to = "nobody".into()),
        problems(Ethernet, |p| p.network[0].number = 256),
        problems(Radio, |p| p.test.clear()),
    ];
    insta::assert_snapshot!(cases.join("\n\n"), @r#"
    host[0].count: 300 hosts with the numbers from 1 on; expected from 1 to 255: host numbers have 8 bits, and 0 is every host (hosts beyond those go on another network behind a gateway)

    test[0].data: 533 B of data is out of range for a Pup; expected whole bytes from 1 B to 532 B, which are 266 words (send a longer message in several Pups)

    gateway[0].on[1].network: a loop: "gateway" leads from "parc" back to it; expected each network once

    stream.window: window = 0; expected from 1 to 100: a window of 0 lets nothing be sent

    test[0].to: no route leads from "parc-alto" to "hanover-alto"; expected a way over at most 15 gateways, there and back

    network[1].medium: a line between 1 machines; expected a line between 2

    host[1].address: 10 on "parc" is the number of "parc-alto" already; expected a number of its own

    test[0].to: there is no host "nobody"; expected one of parc-alto, hanover-alto

    network[0].number: number = 256; expected from 1 to 255: networks have numbers of 8 bits

    test: there are no tests; expected 1 test or more, or another source
    "#);
}

#[test]
fn a_way_over_sixteen_gateways_is_refused() {
    let mut chain = pup_test(Era::Ipr, Configuration::Gateway, 100, Runs::Good);
    let ethernet = chain.network[0].clone();
    let gateway = chain.gateway[0].clone();
    for n in 2..=16u32 {
        let name = format!("n{n}");
        chain.network.push(hopscope_pup::NetworkParams {
            name: name.clone(),
            number: 100 + n,
            ..ethernet.clone()
        });
        let mut next = gateway.clone();
        next.name = format!("g{n}");
        next.on[0].network = if n == 2 { "next".into() } else { format!("n{}", n - 1) };
        next.on[0].address = 200;
        next.on[1].network = name;
        chain.gateway.push(next);
    }
    chain.host[1].network = "n16".into();
    let too_far = PupPlan::new(chain.clone()).expect_err("sixteen gateways are too many");
    assert_eq!(too_far[0].path, "test[0].to");
    chain.host[1].network = "n15".into();
    assert!(PupPlan::new(chain).is_ok(), "fifteen are not");
}
