//! Pools against a naive recount from the list of what happened.

use hopscope_measure::{HoldActivity, HoldWhy, Pool, PoolLabel, ResourceKind, Site, StagedPool};
use hopscope_units::{Span, Time};
use proptest::prelude::*;

const CAPACITY: u64 = 20;
const LABEL: PoolLabel<'static> =
    PoolLabel { kind: ResourceKind::Buffers, place: "switch 1", site: Site::Node(1), unit: "B" };
const STAGES: [HoldActivity; 3] = [
    HoldActivity::of(HoldWhy::Input),
    HoldActivity::of(HoldWhy::HostQueue),
    HoldActivity::of(HoldWhy::RfnmTransit),
];

/// What may happen to a pool, before it is known whether the pool allows it.
#[derive(Clone, Debug)]
enum Wish {
    Acquire { stage: usize, amount: u64 },
    Advance { from: usize, to: usize, amount: u64 },
    Release { stage: usize, amount: u64 },
    StartWaiting,
    StopWaiting,
    Restart,
}

fn wish() -> impl Strategy<Value = Wish> {
    prop_oneof![
        4 => (0usize..3, 0u64..8).prop_map(|(stage, amount)| Wish::Acquire { stage, amount }),
        3 => (0usize..3, 0usize..3, 0u64..8).prop_map(|(from, to, amount)| Wish::Advance { from, to, amount }),
        4 => (0usize..3, 0u64..8).prop_map(|(stage, amount)| Wish::Release { stage, amount }),
        2 => Just(Wish::StartWaiting),
        2 => Just(Wish::StopWaiting),
        1 => Just(Wish::Restart),
    ]
}

/// The state after each event of the measured window: the recount integrates over this list.
#[derive(Clone, Debug)]
struct State {
    at: Time,
    held: [u64; 3],
    waiting: u64,
}

fn integral(states: &[State], until: Time, quantity: impl Fn(&State) -> u64) -> u128 {
    let ends = states[1..].iter().map(|state| state.at).chain([until]);
    states.iter().zip(ends).map(|(s, end)| u128::from(quantity(s)) * u128::from(end.since(s.at).ps())).sum()
}

proptest! {
    #[test]
    fn integrals_peak_and_counts_agree_with_a_recount(
        wishes in prop::collection::vec((wish(), 0u64..1000), 0..200),
        tail in 0u64..1000,
    ) {
        let mut pool = StagedPool::<3>::new(Pool::bounded(CAPACITY));
        let mut now = Time::ZERO;
        let mut states = vec![State { at: now, held: [0; 3], waiting: 0 }];
        let (mut peak, mut acquisitions, mut entered) = (0, 0, [0; 3]);
        for (wish, gap) in wishes {
            now += Span::from_ps(gap);
            let mut next = State { at: now, ..states[states.len() - 1].clone() };
            match wish {
                Wish::Acquire { stage, amount } if amount <= pool.pool().free() => {
                    pool.acquire(now, stage, amount);
                    next.held[stage] += amount;
                    entered[stage] += amount;
                    acquisitions += 1;
                }
                Wish::Advance { from, to, amount } if amount <= pool.held_in(from) => {
                    pool.advance(now, from, to, amount);
                    next.held[from] -= amount;
                    next.held[to] += amount;
                    entered[to] += if from == to { 0 } else { amount };
                }
                Wish::Release { stage, amount } if amount <= pool.held_in(stage) => {
                    pool.release(now, stage, amount);
                    next.held[stage] -= amount;
                }
                Wish::StartWaiting => {
                    pool.start_waiting(now);
                    next.waiting += 1;
                }
                Wish::StopWaiting if pool.pool().waiting() > 0 => {
                    pool.stop_waiting(now);
                    next.waiting -= 1;
                }
                Wish::Restart => {
                    pool.restart(now);
                    states.clear();
                    (peak, acquisitions, entered) = (0, 0, [0; 3]);
                }
                _ => {}
            }
            peak = peak.max(next.held.iter().sum());
            states.push(next);
        }
        now += Span::from_ps(tail);
        let last = &states[states.len() - 1];
        let whole = pool.pool();
        prop_assert_eq!((whole.held(), whole.waiting(), whole.peak()), (last.held.iter().sum(), last.waiting, peak));
        prop_assert_eq!(whole.acquisitions(), acquisitions);
        prop_assert_eq!(whole.held_ps(now), integral(&states, now, |s| s.held.iter().sum()));
        prop_assert_eq!(whole.waiting_ps(now), integral(&states, now, |s| s.waiting));
        for stage in 0..3 {
            prop_assert_eq!(pool.held_in_ps(now, stage), integral(&states, now, |s| s.held[stage]));
        }
        let row = pool.row(now, LABEL, 10, &STAGES);
        let in_stages: f64 = row.held_in.iter().map(|held| held.occupancy).sum();
        prop_assert!((in_stages - row.occupancy).abs() < 1e-9);
        for (stage, &activity) in STAGES.iter().enumerate() {
            let held = row.held_in.iter().find(|held| held.activity == activity);
            prop_assert!(held.is_none_or(|held| held.entered == entered[stage]));
        }
        prop_assert!((0.0..=1.0).contains(&row.utilisation) && row.occupancy <= row.peak);
    }
}

#[test]
fn a_row_says_how_the_resource_was_used() {
    let us = |us: u64| Time::from_ps(us * 1_000_000);
    let mut pool = StagedPool::<3>::new(Pool::bounded(4));
    pool.acquire(us(0), 0, 2);
    pool.restart(us(10));
    pool.advance(us(12), 0, 1, 2);
    pool.acquire(us(12), 0, 2);
    pool.start_waiting(us(14));
    pool.release(us(18), 1, 2);
    pool.stop_waiting(us(18));
    let row = pool.row(us(20), LABEL, 2, &STAGES);
    insta::assert_snapshot!(serde_json::to_string_pretty(&row).unwrap(), @r#"
    {
      "name": "buffers",
      "kind": "buffers",
      "place": "switch 1",
      "capacity": 4.0,
      "unit": "B",
      "occupancy": 3.2,
      "utilisation": 0.8,
      "peak": 4.0,
      "waiting": 0.4,
      "wait_us": 2.0,
      "acquisitions": 1,
      "held_in": [
        {
          "stage": "message being taken in",
          "occupancy": 2.0,
          "entered": 2
        },
        {
          "stage": "message in the queue for its host",
          "occupancy": 1.2,
          "entered": 2
        }
      ]
    }
    "#);
}

#[test]
fn an_unbounded_pool_has_no_capacity_and_no_utilisation() {
    let mut pool = Pool::unbounded();
    pool.acquire(Time::ZERO, 1 << 40);
    let row = pool.row(Time::from_ps(5), LABEL, 0);
    assert_eq!((row.capacity, row.utilisation, row.occupancy), (None, 0.0, (1u64 << 40) as f64));
}

#[test]
#[should_panic(expected = "took 3 where 2 of 4 were held")]
fn nobody_takes_more_than_there_is() {
    let mut pool = Pool::bounded(4);
    pool.acquire(Time::ZERO, 2);
    pool.acquire(Time::ZERO, 3);
}

#[test]
#[should_panic(expected = "gave back 3 where 2 were held")]
fn nobody_gives_back_more_than_is_held() {
    let mut pool = Pool::bounded(4);
    pool.acquire(Time::ZERO, 2);
    pool.release(Time::ZERO, 3);
}

#[test]
#[should_panic(expected = "gave back 1 where 0 were held in that stage")]
fn nobody_gives_back_from_a_stage_that_holds_nothing() {
    let mut pool = StagedPool::<3>::new(Pool::bounded(4));
    pool.acquire(Time::ZERO, 0, 2);
    pool.release(Time::ZERO, 1, 1);
}

#[test]
#[should_panic(expected = "stopped a wait that nobody had started")]
fn nobody_stops_a_wait_that_has_not_begun() {
    Pool::bounded(1).stop_waiting(Time::ZERO);
}

#[test]
#[should_panic(expected = "time ran backwards")]
fn a_pool_does_not_go_back_in_time() {
    let mut pool = Pool::bounded(1);
    pool.acquire(Time::from_ps(7), 1);
    pool.release(Time::from_ps(6), 1);
}

#[test]
fn a_pool_holds_as_much_as_it_is_told() {
    let ps = |ps| Time::ZERO + Span::from_ps(ps);
    let mut pool = Pool::bounded(CAPACITY);
    for (at, amount) in [(0, 5), (10, 2), (30, 2), (40, 0)] {
        pool.hold(ps(at), amount);
        assert_eq!(pool.held(), amount);
    }
    assert_eq!(pool.held_ps(ps(50)), 5 * 10 + 2 * 30);
}
