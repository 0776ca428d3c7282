//! Two distributions of flow sizes with which the literature has tried networks ever since, as (bytes, share of flows
//! up to them).
//!
//! The papers give them as curves. The points are those that the flow generators of the literature read off the curves
//! and that later papers compare on, so that results here compare with theirs.

/// Web search: M. Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, Figure 4, as in the traffic generators of
/// TrafficGenerator (HKUST, `conf/DCTCP_CDF.txt`) and of HPCC (Alibaba, `traffic_gen/WebSearch_distribution.txt`),
/// which agree. Mean 1.67 MB.
pub(crate) const WEB_SEARCH: [(u64, f64); 12] = [
    (0, 0.0),
    (10_000, 0.15),
    (20_000, 0.2),
    (30_000, 0.3),
    (50_000, 0.4),
    (80_000, 0.53),
    (200_000, 0.6),
    (1_000_000, 0.7),
    (2_000_000, 0.8),
    (5_000_000, 0.9),
    (10_000_000, 0.97),
    (30_000_000, 1.0),
];

/// Data mining: A. Greenberg et al., "VL2: A Scalable and Flexible Data Center Network", SIGCOMM 2009, Figure 2, as in
/// TrafficGenerator (HKUST, `conf/VL2_CDF.txt`). Mean 12.7 MB: nearly all bytes are in the few flows above 100 MB.
pub(crate) const DATA_MINING: [(u64, f64); 13] = [
    (0, 0.0),
    (180, 0.1),
    (216, 0.2),
    (560, 0.3),
    (900, 0.4),
    (1_100, 0.5),
    (1_870, 0.6),
    (3_160, 0.7),
    (10_000, 0.8),
    (400_000, 0.9),
    (3_160_000, 0.95),
    (100_000_000, 0.98),
    (1_000_000_000, 1.0),
];
