//! What cannot be a fabric of frames is refused with its place, what is wrong, what would do and a hint.

use hopscope_fabric::{Choice, Rule};
use hopscope_lossless::{
    BufferParams, CreditParams, DcqcnParams, EcnParams, FlowControl, FrameParams, LosslessParams,
    LosslessPlan, PfcParams,
};
use hopscope_topology::{Grid, NetworkSpec};
use hopscope_traffic::{Bursts, Load, OfferSpec, TrafficSpec};
use hopscope_units::{Data, Span};

use crate::universe::{dumbbell, fabric, frames, messages};

fn refusal(change: impl FnOnce(&mut LosslessParams, &mut TrafficSpec)) -> String {
    let (mut params, mut traffic) = (fabric(frames()), messages(1000, Load::Fraction(0.5)));
    change(&mut params, &mut traffic);
    let torus = NetworkSpec::Torus(Grid { width: 5, height: 5, hosts_per_switch: 1, ..Grid::default() });
    let network = if params.fabric.routing.rule == Rule::DimensionOrder {
        torus.build().expect("a torus")
    } else {
        dumbbell()
    };
    let problems = LosslessPlan::new(network, params, OfferSpec::Traffic(traffic)).expect_err("a refusal");
    let lines = problems.iter().map(|p| {
        let hint = p.hint.as_ref().map_or(String::new(), |hint| format!(" ({hint})"));
        format!("{}: {}; expected {}{hint}", p.path, p.problem, p.expected)
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn with(change: impl FnOnce(&mut FrameParams)) -> String {
    refusal(|params, _| change(&mut params.frames))
}

fn pfc(change: impl FnOnce(&mut PfcParams)) -> String {
    let mut pfc = PfcParams::default();
    change(&mut pfc);
    with(|frames| frames.flow_control = FlowControl::Pfc(pfc))
}

fn credits(lanes: u8, bytes: u64) -> String {
    let credits = CreditParams { lanes, buffer_per_lane: Data::from_bytes(bytes) };
    with(|frames| frames.flow_control = FlowControl::Credits(credits))
}

#[test]
fn every_refusal_says_what_would_do() {
    let ecn = |kmin: u64, pmax: f64| EcnParams { kmin: Data::from_bytes(kmin), pmax, ..EcnParams::default() };
    let refusals = [
        with(|frames| frames.mtu = Data::ZERO),
        with(|frames| frames.latency = Span::from_s(2)),
        with(|frames| frames.ttl = Some(0)),
        pfc(|pfc| pfc.xon = Some(Data::from_bytes(30_000))),
        pfc(|pfc| pfc.xoff = Data::from_bytes(1_999)),
        pfc(|pfc| pfc.priorities = 9),
        pfc(|pfc| pfc.headroom = Some(Data::from_bytes(5_000))),
        with(|frames| frames.buffer = BufferParams { size: Data::from_bytes(100_000), alpha: None }),
        with(|frames| frames.buffer.alpha = Some(0.0)),
        credits(0, 10_000),
        credits(1, 999),
        with(|frames| frames.ecn = Some(ecn(300_000, 0.01))),
        with(|frames| frames.ecn = Some(ecn(5_000, 1.5))),
        with(|frames| frames.dcqcn = Some(DcqcnParams::default())),
        with(|frames| {
            frames.ecn = Some(EcnParams::default());
            frames.dcqcn = Some(DcqcnParams { gain: 0.0, rate_timer: Span::ZERO, ..DcqcnParams::default() });
        }),
        refusal(|params, _| params.fabric.routing.rule = Rule::DimensionOrder),
        refusal(|params, _| params.fabric.routing.choice = Choice::SinglePath),
        refusal(|_, traffic| traffic.bursts = Some(Bursts::default())),
    ];
    insta::assert_snapshot!(refusals.join("\n"), @r#"
    frames.mtu: MTU 0 B is out of range; expected from 1 bit to 65536 B
    frames.latency: time 2 s is out of range; expected above 0, at most 1 s
    frames.ttl: a time to live of 0 lets no frame pass a switch; expected from 1 to 255, or no ttl
    frames.flow_control.pfc.xon: xon 30000 B is above xoff 24470 B; expected at most xoff
    frames.flow_control.pfc.xoff: 1999 B is less than two frames of 1000 B, the default distance of xon below xoff; expected at least twice the mtu (give xon, or a larger xoff)
    frames.flow_control.pfc.priorities: 9 priorities are out of range; expected from 1 to 8
    frames.flow_control.pfc.headroom: headroom 5000 B would overflow: link y:0 -> x:0 still sends more than that after it is told to stop; expected at least 8379 B (headroom = "8379 B" does; without it, each input has what its cable needs)
    frames.buffer.size: 100000 B is too small for the reserved buffers and headroom of all inputs of switch x; expected at least 101545 B (size = "101545 B", a lower xoff, or a threshold that follows what is free (alpha))
    frames.buffer.alpha: alpha 0 is out of range; expected from 0.0001 to 64
    frames.flow_control.credits.lanes: 0 virtual lanes are out of range; expected from 1 to 15
    frames.flow_control.credits.buffer_per_lane: buffer size 999 B is out of range for frames of 1000 B; expected at least one frame, at most 1073741824 B
    frames.ecn.kmin: kmin 300000 B is above kmax 200000 B; expected at most kmax
    frames.ecn.pmax: share 1.5 is out of range; expected from 0 to 1
    frames.dcqcn: DCQCN needs ECN, and no switch marks frames; expected [frames.ecn] as well (add a table [frames.ecn]; empty, it has the defaults of the paper)
    frames.dcqcn.rate_timer: time 0 s is out of range; expected above 0, at most 1 s
    frames.dcqcn.gain: gain 0 is out of range; expected above 0, at most 1
    routing.rule: the routes need 2 virtual channels, and pause frames have priorities only; expected "up-down" or "shortest", or flow_control = { credits = { lanes = ... } }
    routing.choice: AN1's choice of next hops together with frames; expected one or the other (frames take what [frames] balancing says)
    traffic: AN1's bursts together with frames; expected messages without bursts (use a list of flows instead)
    "#);
}
