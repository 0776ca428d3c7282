//! Bad parameters are refused with their place.

use crate::nets::{chain, flow, lines};
use hopscope_arpanet::{ArpanetParams, ArpanetPlan, Computer, ImpParams, When};
use hopscope_units::Rate;

fn refusals(params: ArpanetParams) -> String {
    let problems = ArpanetPlan::new(params).expect_err("bad parameters");
    problems.iter().map(|p| format!("{}: {}; expected {}\n", p.path, p.problem, p.expected)).collect()
}

fn imp(name: &str, number: u32) -> ImpParams {
    ImpParams { name: name.into(), number: Some(number), processor: Computer::H516, very_distant_host: false }
}

#[test]
fn tables_and_lines_without_substance() {
    let mut params = chain(2, 1);
    params.protocol.pending_leaders = 0;
    params.network.line[1].rate = Rate::from_bit_s(0);
    params.network.line[0].between[0] = "imp1".into();
    insta::assert_snapshot!(refusals(params), @r#"
    protocol.pending_leaders: there are 0; expected from 1 to 256
    network.line[0].between: a line from imp1 to itself; expected two IMPs
    network.line[1].rate: line rate 0 bit/s is out of range; expected from 300 bit/s to 10 Mbit/s
    host[0].imp: there is no IMP "imp0"; expected the name of an IMP
    "#);
}

#[test]
fn imps_without_lines_or_numbers_of_their_own() {
    let mut params = chain(2, 1);
    params.network.imp = vec![imp("imp0", 7), imp("imp2", 7), imp("imp9", 1)];
    insta::assert_snapshot!(refusals(params), @r#"
    network.imp[1].number: imp0 and imp2 both have the number 7; expected a number of its own for every IMP
    network.imp[2].name: the IMP "imp9" has no lines; expected an IMP that a line names
    "#);
}

#[test]
fn hosts_that_are_not_there() {
    let mut params = chain(1, 1);
    params.host[0].imp = "nowhere".into();
    insta::assert_snapshot!(refusals(params), @r#"host[0].imp: there is no IMP "nowhere"; expected the name of an IMP"#);
    let mut params = chain(1, 1);
    params.flow.push(flow("PDP-11", "PDP-11", 8063, When::Saturated));
    insta::assert_snapshot!(refusals(params), @"flow[1].to: PDP-11 sends to itself; expected another host, or an IMP's fake host");
}

#[test]
fn a_network_in_two_parts() {
    let mut params = lines(&[("a", "b"), ("c", "d")]);
    params.flow = vec![flow("a", "b", 100, When::Saturated)];
    insta::assert_snapshot!(refusals(params), @"network.line[1].between[0]: no lines lead from a to c; expected lines that connect all IMPs");
}
