//! Small universes told stage by stage, to be read.

use std::sync::Arc;

use hopscope_fabric::Arbiter;
use hopscope_lossless::{FrameParams, LosslessPlan};
use hopscope_measure::{JourneyLog, Subject};
use hopscope_traffic::OfferSpec;
use hopscope_traffic::flows::ListedFlow;

use crate::universe::{at_once, at_us, credits, dumbbell, fabric, frames, ladder, listed};

/// The life of each flow where of two frames that ask at one instant the one with the lower port goes first:
/// from, to and length of every stage that took time.
fn lives(frames: FrameParams, flows: Vec<ListedFlow>) -> String {
    let offer = OfferSpec::Flows(vec![at_once("flows", flows)]);
    let frames = FrameParams { arbiter: Arbiter::Lowest, ..frames };
    let plan = LosslessPlan::new(dumbbell(), fabric(frames), offer).expect("a valid scenario");
    let mut simulation = Arc::new(plan).simulation(1, JourneyLog::new(10));
    simulation.run_until(at_us(1_000));
    let now = simulation.now();
    let report = simulation.model.report(now);
    ladder(&report)
}

#[test]
fn a_flow_of_two_frames_is_stored_and_forwarded() {
    insta::assert_snapshot!(lives(frames(), vec![listed("a", "c", 2000)]), @"
    0      0 ..     80  transmission a -> x:1
    0     80 ..    160  transmission a -> x:1
    0    160 ..    260  propagation  a -> x:1
    0    260 ..    560  switching    x:1 -> a
    0    560 ..    640  transmission x:0 -> y:0
    0    640 ..    740  propagation  x:0 -> y:0
    0    740 ..   1040  switching    y:0 -> x:0
    0   1040 ..   1120  transmission y:1 -> c
    0   1120 ..   1220  propagation  y:1 -> c
    ");
}

#[test]
fn flows_take_turns_frame_by_frame_and_queue_where_they_meet() {
    insta::assert_snapshot!(lives(frames(), vec![listed("a", "c", 1000), listed("b", "c", 1000)]), @"
    0      0 ..     80  transmission a -> x:1
    0     80 ..    180  propagation  a -> x:1
    0    180 ..    480  switching    x:1 -> a
    0    480 ..    560  transmission x:0 -> y:0
    0    560 ..    660  propagation  x:0 -> y:0
    0    660 ..    960  switching    y:0 -> x:0
    0    960 ..   1040  transmission y:1 -> c
    0   1040 ..   1140  propagation  y:1 -> c
    1      0 ..     80  transmission b -> x:2
    1     80 ..    180  propagation  b -> x:2
    1    180 ..    480  switching    x:2 -> b
    1    480 ..    560  queueing     x:0 -> y:0
    1    560 ..    640  transmission x:0 -> y:0
    1    640 ..    740  propagation  x:0 -> y:0
    1    740 ..   1040  switching    y:0 -> x:0
    1   1040 ..   1120  transmission y:1 -> c
    1   1120 ..   1220  propagation  y:1 -> c
    ");
}

#[test]
fn without_credit_nothing_leaves() {
    insta::assert_snapshot!(lives(credits(1, 1), vec![listed("a", "c", 1000), listed("b", "c", 1000)]), @"
    0      0 ..     80  transmission a -> x:1
    0     80 ..    180  propagation  a -> x:1
    0    180 ..    480  switching    x:1 -> a
    0    480 ..    560  transmission x:0 -> y:0
    0    560 ..    660  propagation  x:0 -> y:0
    0    660 ..    960  switching    y:0 -> x:0
    0    960 ..   1040  transmission y:1 -> c
    0   1040 ..   1140  propagation  y:1 -> c
    1      0 ..     80  transmission b -> x:2
    1     80 ..    180  propagation  b -> x:2
    1    180 ..    480  switching    x:2 -> b
    1    480 ..   1060  out of credit x:0 -> y:0
    1   1060 ..   1140  queueing     x:0 -> y:0
    1   1140 ..   1220  transmission x:0 -> y:0
    1   1220 ..   1320  propagation  x:0 -> y:0
    1   1320 ..   1620  switching    y:0 -> x:0
    1   1620 ..   1700  transmission y:1 -> c
    1   1700 ..   1800  propagation  y:1 -> c
    ");
}
