//! Who is stuck, of those that wait for one of several, or for one of each of several.

use hopscope_fabric::{cycle_of_waits, keep_stuck};

/// Those that are left, of four places of which the first moves.
fn stuck(mut waits: Vec<(u32, Vec<u32>)>) -> Vec<u32> {
    let mut moving = vec![true; 4];
    for (waiter, _) in &waits {
        moving[*waiter as usize] = false;
    }
    keep_stuck(&mut waits, &mut moving);
    let mut left: Vec<u32> = waits.iter().map(|(waiter, _)| *waiter).collect();
    left.dedup();
    assert!(left.iter().all(|waiter| !moving[*waiter as usize]));
    left
}

#[test]
fn one_of_several_is_enough() {
    assert_eq!(stuck(vec![(1, vec![0, 2]), (2, vec![1])]), [0_u32; 0]);
    assert_eq!(stuck(vec![(1, vec![2, 3]), (2, vec![1]), (3, vec![2])]), [1, 2, 3]);
}

#[test]
fn one_of_each_is_needed() {
    // The first thing comes from 0, which moves; the second from 2, which waits for 1 in turn.
    let waits = vec![(1, vec![0]), (1, vec![2]), (2, vec![1])];
    assert_eq!(stuck(waits.clone()), [1, 2]);
    assert_eq!(stuck(vec![(1, vec![0]), (1, vec![2]), (2, vec![0])]), [0_u32; 0]);
    // What does not come is what the cycle is made of.
    assert_eq!(cycle_of_waits(1, &waits[1..]), [1, 2]);
}
