//! Max-min fair shares of links.

/// The max-min fair rates of flows, each over the links of its path, with these link rates: repeatedly, the link with
/// the least rate for each of its flows sets their rate (D. Bertsekas and R. Gallager, "Data Networks", 2nd edition,
/// 1992, section 6.5.2). Rates are integers, rounded down. A flow over no link has no bound.
pub(super) fn fair_shares(ways: &[&[u32]], links: &[u64]) -> Vec<u64> {
    let mut shares = vec![None; ways.len()];
    let mut left = links.to_vec();
    let mut flows = vec![0u64; links.len()];
    for &link in ways.iter().copied().flatten() {
        flows[link as usize] += 1;
    }
    let narrowest = |left: &[u64], flows: &[u64]| {
        let open = (0..links.len()).filter(|&link| flows[link] > 0);
        open.map(|link| (left[link] / flows[link], link)).min()
    };
    while let Some((share, narrow)) = narrowest(&left, &flows) {
        for (way, own) in ways.iter().zip(&mut shares) {
            if own.is_none() && way.contains(&(narrow as u32)) {
                *own = Some(share);
                for &link in *way {
                    left[link as usize] -= share;
                    flows[link as usize] -= 1;
                }
            }
        }
    }
    shares.into_iter().map(|share| share.unwrap_or(u64::MAX)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parking_lot_gives_the_long_flow_no_more_than_the_short_ones() {
        // One flow over three links, and one over each of them; the last link is faster.
        let ways: [&[u32]; 4] = [&[0, 1, 2], &[0], &[1], &[2]];
        assert_eq!(fair_shares(&ways, &[100, 60, 300]), [30, 70, 30, 270]);
    }

    #[test]
    fn nobody_can_have_more_without_one_who_has_no_more_having_less() {
        // Every flow is held by a link that is full, and on which no flow has more.
        let ways: [&[u32]; 5] = [&[0, 1], &[1, 2], &[2], &[0, 3], &[3]];
        let links = [90, 100, 40, 200];
        let shares = fair_shares(&ways, &links);
        for (at, way) in ways.iter().enumerate() {
            let is_bottleneck = |&&link: &&u32| {
                let sharing = || ways.iter().zip(&shares).filter(|(way, _)| way.contains(&link));
                let used: u64 = sharing().map(|(_, share)| share).sum();
                let most = sharing().map(|(_, share)| *share).max();
                used + 5 > links[link as usize] && most == Some(shares[at])
            };
            assert!(way.iter().any(|link| is_bottleneck(&link)), "flow {at} of {shares:?}");
        }
    }
}
