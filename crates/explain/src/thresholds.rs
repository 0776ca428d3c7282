//! The thresholds of explanations, each with its reason: what decides, not how many names a list shows.
//!
//! Diagnoses of counters and the planning of changes use some of them as well: [`SHARED`] hands those to Python.

/// A chain follows what holders need if they hold at least this share of the held amount: a fifth of a resource is
/// worth having back, less is not.
pub(crate) const HELD_SHARE: f64 = 0.2;

/// A resource is scarce if none of it is free for at least this share of the time: below it, random arrivals wait for
/// less than two service times.
pub(crate) const SCARCE: f64 = 0.6;

/// A resource that holders need causes their waiting only if its pressure is at least this share of that of the
/// resource they hold. With an entry in use all the time and a line in use for three quarters of it, one more entry
/// would carry a third more: the line is not the bottleneck.
pub(crate) const NEARLY_AS_PRESSED: f64 = 0.8;

/// A chain begins upstream of its root if at least this share of the root's waiters wait there; and a resource that
/// causes a smaller share of all waiting is not the bottleneck.
pub(crate) const WORTH_TELLING: f64 = 0.1;

/// Waiting because of one resource counts if it is at least this share of a message's lifetime.
pub(crate) const WAIT_SHARE: f64 = 0.1;

/// Waiting because of a resource that is only just scarce counts from this share of a message's lifetime on: random
/// arrivals with constant services wait as much at that utilisation (M/D/1, utilisation u: u/(2 - u)), and nothing is
/// wrong.
pub(crate) const MUCH_WAITING: f64 = 0.4;

/// Added to the free share of a resource, which divides its waiting: waiting grows as 1/(1 - utilisation), so of two
/// resources with equally many waiters the one with less free is the tighter. This keeps a resource that is always used
/// from counting without bound.
pub(crate) const SPARE: f64 = 0.05;

/// Losses are the cause if waits for retransmissions take at least this share of a message's lifetime.
pub(crate) const LOSS_SHARE: f64 = 0.2;

/// Retransmissions are also tried, beside another cause, from this share on: they add as much to the load of links, and
/// waiting grows faster than load.
pub(crate) const REPEATED: f64 = 0.05;

/// A timeout is long if it is at least this many times a message's lifetime without waiting: a loss is certain two
/// orders of magnitude earlier.
pub(crate) const LONG_TIMEOUT: f64 = 100.0;

/// Messages are blocked if they wait behind one another in input buffers, or for room downstream, for at least this
/// share of their lifetime. Neither wait is necessary: with unlimited queues at the outputs a message would wait for
/// its own output only. Below a fifth of the lifetime the rest of it is the better place to look.
pub(crate) const HELD_BACK: f64 = 0.2;

/// A window is full if it is used for at least this share of the time: the sender nearly always has something to send.
pub(crate) const FULL_WINDOW: f64 = 0.9;

/// A line is saturated from this utilisation on.
pub(crate) const SATURATED_LINE: f64 = 0.9;

/// A link is full if it sends for at least this share of the time: the rest is set-up times and chance.
pub(crate) const FULL_LINK: f64 = 0.93;

/// A link that is stopped for at least this share of the time passes on a stop from downstream.
pub(crate) const STOPPED: f64 = 0.1;

/// A buffer is never filled if at most this share of it is in use when all of its inputs have paused their senders: a
/// pause is to prevent overflow, and nine tenths are free.
pub(crate) const NEVER_FILLED: f64 = 0.1;

/// A congestion tree stops at least this many links: one stopped link is a queue.
pub(crate) const STOPPED_LINKS: usize = 2;

/// An output is a root of congestion if it is one in at least this share of samples: an occasional root is chance.
pub(crate) const ROOT_SHARE: f64 = 0.2;

/// Of two resources that block each other, each has at least this mean number of waiters: a resource that is nearly all
/// in use but hardly ever missing does no harm.
pub(crate) const WAITED_FOR: f64 = 0.2;

/// In a retransmission trap, messages wait for their turn after a rejection for at least this share of their lifetime.
pub(crate) const TRAPPED: f64 = 0.2;

/// With head-of-line blocking, at least this share of the packets in FIFOs are behind others.
pub(crate) const BEHIND_OTHERS: f64 = 0.2;

/// The traffic of a switch goes one way if at least this share of it leaves by one link: then hardly any packet could
/// leave before its turn.
pub(crate) const ONE_WAY: f64 = 0.95;

/// With head-of-line blocking, at least this share of the heads wait for their outputs: otherwise heads move on at once
/// and FIFOs are mere queues. Only heads are compared, since the number behind them depends on the size of the FIFO.
pub(crate) const HEADS_WAITING: f64 = 0.2;

/// With randomly contending heads no output of a large FIFO switch is utilised more than this: 2 - sqrt 2 (Karol,
/// Hluchyj and Morgan 1987).
pub(crate) const FIFO_LIMIT: f64 = 0.586;

/// The same limit for packets of exponentially distributed lengths: n / (2n - 1) with n outputs.
pub(crate) const FIFO_LIMIT_OF_EXPONENTIAL_LENGTHS: f64 = 0.5;

/// An output that is busier than this explains its waiters itself.
pub(crate) const FULL_OUTPUT: f64 = 0.9;

/// Causes other than a scarce resource are considered if messages wait for at least this share of their lifetime: below
/// it the latency is less than one and a half times its minimum.
pub(crate) const WAITS: f64 = 0.3;

/// An interruption is considered if messages wait for at least this share of their lifetime, which makes their latency
/// one and a quarter times its minimum. It was observed, so it needs less evidence than a cause inferred from
/// utilisation.
pub(crate) const INTERRUPTED_WAITS: f64 = 0.2;

/// If messages wait for at least this share of their lifetime, a cause is always named: latency is over two and a half
/// times its minimum.
pub(crate) const MOSTLY_WAITING: f64 = 0.6;

/// An interruption is the cause if it explains at least this share of the waiting.
pub(crate) const INTERRUPTED: f64 = 0.4;

/// Messages may have met an interruption if those of some pair of hosts wait for at least this share of the mean wait
/// that it causes to random arrivals: a detour may spare them most of it.
pub(crate) const MET_WAIT: f64 = 0.1;

/// An interruption is also tried, beside another cause, if it takes at least this share of the time: it delays as large
/// a share of the traffic.
pub(crate) const INTERRUPTED_TIME: f64 = 0.05;

/// Packets that return to a node matter if they are at least this share of what lines carry: less is a negligible load.
pub(crate) const LOOPED: f64 = 0.01;

/// A link from this utilisation on has next to no time to spare: where the offered load exceeds the carried load, a
/// bottleneck link sends for at least this share of the time. Randomly contending heads leave every link below it
/// (Karol, Hluchyj and Morgan 1987: 0.586 to 0.75).
pub const NEARLY_FULL: f64 = 0.85;

/// A station is overloaded if its arrivals are at least this many times its departures.
pub(crate) const AS_MANY: f64 = 1.01;

/// A cause explains nearly all waiting if it explains at least this share of it.
pub(crate) const NEARLY_ALL: f64 = 0.9;

/// A cable is bad if it is busy with retransmitted frames for at least this share of the time.
pub(crate) const RETRIED: f64 = 0.1;

/// Parallel links are used unevenly only if, shared evenly, each would be utilised at most this much.
pub(crate) const EVENLY_USED: f64 = 0.85;

/// Parallel links are used unevenly only if the busiest of them is utilised at least this many times their mean.
pub const UNEVENLY_USED: f64 = 1.2;

/// Services vary greatly from this squared coefficient of variation on: messages wait two and a half times as long as
/// with exponential services (Pollaczek and Khinchine).
pub(crate) const VARIATION: f64 = 4.0;

/// Above this utilisation the cause is a busy resource rather than varying services: even with constant services,
/// messages would wait for two service times.
pub(crate) const VARIABLE_USE: f64 = 0.8;

/// A service is slow if it takes at least this many times its default: an order of magnitude.
pub(crate) const SLOW_TIMES: f64 = 10.0;

/// One of several equally short paths is slow if another is at least this many times as fast: the ARPANET had lines of
/// 50 and 230 kbit/s side by side.
pub(crate) const SLOW_WAY: f64 = 5.0;

/// A station is slow if its services take at least this many times the median of the others, and a link is long if its
/// delay does: another order of magnitude.
pub(crate) const TIMES_THE_USUAL: f64 = 10.0;

/// Nodes of one network are at most this far apart, seconds of propagation: 100 km of fibre, the distance of mirrored
/// sites.
pub(crate) const APART_S: f64 = 5e-4;

/// A station is slow only if one of its servers is utilised at least this many times as much as one of the others':
/// half an order of magnitude. Otherwise its pool was sized for long services.
pub(crate) const TIMES_THE_WORK: f64 = 5.0;

/// A congested node keeps a window small if it marks at least this share of what passes, and if the mean window is at
/// most this share of its range above its minimum.
pub(crate) const SMALL_WINDOW: f64 = 0.2;

/// Overhead such as routing is worth reducing if it takes at least this share of a line's time.
pub(crate) const OVERHEAD: f64 = 0.2;

/// Overhead is the cause of a full line if it takes at least this share of the line's time: about half, without which
/// nearly twice as much is left for messages.
pub(crate) const OVERHEAD_FILLS: f64 = 0.4;

/// Where a sender always has another message, a resource may limit it, although nothing is full, if a message spends at
/// least this share of its lifetime there: a fifth is worth having back.
pub(crate) const OF_ROUND_TRIP: f64 = 0.2;

/// A class is light if it sends at most this part of an equal share: with a lane of its own it would hardly wait.
pub(crate) const LIGHT_CLASS: f64 = 0.5;

/// Inputs are served last if the messages that come by them wait at least this many times the mean wait of all.
pub(crate) const SERVED_LAST: f64 = 2.0;

/// Marks are reported if at least this share of frames has one: each slows its sender down for many frames.
pub(crate) const MARKED: f64 = 0.01;

/// A queue of fewer frames than this is no sign of congestion: one frame waits while another is sent.
pub(crate) const SHORT_QUEUE: f64 = 2.0;

/// A share that is more than this is most of something.
pub(crate) const MOSTLY: f64 = 0.5;

/// A transfer stalls if it waits for acknowledgments for at least this share of its time.
pub(crate) const STANDING: f64 = 0.5;

/// A link counts among the used links, those that could be full, from this utilisation on.
pub(crate) const USED_LINK: f64 = 0.4;

/// Links are overloaded if at least this share of the used ones is full: one full link among others is a bottleneck,
/// not an overload.
pub(crate) const ALL_FULL: f64 = 0.75;

/// Links are equally full if each is utilised at least this share of the busiest one's utilisation.
pub(crate) const ALIKE: f64 = 0.9;

/// A job loads links equally if each is utilised at least this share of the busiest one's utilisation: the placement of
/// its members makes some switches send a little more than others.
pub(crate) const USED_BY_A_JOB: f64 = 0.75;

/// Links between switches limit a job if those of hosts are utilised at most this many times as much: at an
/// oversubscription of 2 to 1, with seven of eight messages leaving the switch, it is four sevenths.
pub(crate) const HOSTS_REST: f64 = 0.67;

/// Where the offered load exceeds the carried load, equally loaded links are full from this utilisation on: the rest is
/// gaps between packets and windows that close at times.
pub(crate) const SATURATED_PEERS: f64 = 0.8;

/// A host's link counts among the used links from this utilisation on: if hosts could send more, the network between
/// them is the limit.
pub(crate) const USED_HOST_LINK: f64 = 0.05;

/// Fewer used links between switches than this do not distinguish an oversubscribed network from a full link: two
/// cables, each with two directions.
pub(crate) const TRUNKS: usize = 4;

/// The links of one switch alone are full if they are utilised at least this many times as much as those of switches
/// like it: a random spread of hosts' loads makes less.
pub(crate) const TIMES_ITS_PEERS: f64 = 1.5;

/// Fewer used links than this do not distinguish an overload from a bottleneck.
pub(crate) const PEERS: usize = 3;

/// Traffic concentrates at the root if its links carry at least this many times the mean of links between switches.
pub(crate) const TIMES_THE_MEAN: f64 = 1.25;

/// Traffic concentrates at the root if the share of its links in the waiting for links between switches is at least
/// this many times their share in the number of these links: waiting grows faster than load.
pub(crate) const TIMES_THE_WAITING: f64 = 1.3;

/// Concentration at a root is reported as a symptom from this utilisation of its busiest link on: below it, even random
/// arrivals wait for less than a third of their transmission time (M/D/1: rho / 2(1 - rho)).
pub(crate) const ROOT_NOTICED: f64 = 0.4;

/// Concentration at a root is a cause from this utilisation of its busiest link on: there, even random arrivals wait
/// for half of their transmission time (M/D/1).
pub(crate) const ROOT_USED: f64 = 0.5;

/// A link is hardly used, and other routes could use it, below this share of the mean utilisation: half as much again
/// would bring it to the mean.
pub(crate) const BELOW_THE_MEAN: f64 = 0.67;

/// A host that causes the waiting is slow if it is busy for at least this share of the time.
pub(crate) const SLOW_HOST: f64 = 0.8;

/// Below this utilisation a line or server has spare time.
pub(crate) const IDLE: f64 = 0.5;

/// Arrivals are bursts if at least this many times as many messages wait as with random arrivals and exponential
/// services: u^2/(1 - u) at utilisation u. With constant services half of that would wait.
pub(crate) const TIMES_AT_RANDOM: f64 = 2.0;

/// Holders with less than this share of the held amount are not named.
pub(crate) const LEAST_HOLDER: f64 = 0.02;

/// The waits of holders with less than this share of the held amount are not followed.
pub(crate) const LEAST_FOLLOWED: f64 = 0.05;

/// Below this mean number of waiting messages no burst is reported.
pub(crate) const WAITING_IN_A_BURST: f64 = 0.1;

/// Blame below this share of all waiting is not divided further.
pub(crate) const LEAST_DIVIDED: f64 = 0.002;

/// A pair of hosts with fewer messages than this share of the mean over pairs is left out: its mean wait is chance.
pub(crate) const TYPICAL_PAIR: f64 = 0.2;

/// With at least this many messages the mean of a pair is not chance, whatever the other pairs have: a sender that
/// always has another message sends fewest where it waits longest.
pub(crate) const ENOUGH_OF_A_PAIR: u64 = 100;

/// Latency has risen where it stays above this many times its earlier mean.
pub(crate) const RISEN: f64 = 2.0;

/// A rise needs at least this many points of the series before it, and as many after it: fewer are chance.
pub(crate) const POINTS_OF_A_RISE: usize = 3;

/// A rise needs at least this share of all points after it: near full load a queue is long for a tenth of a run by
/// chance.
pub(crate) const AFTER_A_RISE: f64 = 0.2;

/// A wait of less than this share of a message's lifetime is not reported.
pub(crate) const LEAST_WAIT: f64 = 0.02;

/// A wait of the source shorter than this share of its longest wait is not followed.
pub(crate) const LEAST_OF_LONGEST: f64 = 0.25;

/// Superfluous requests matter if they are at least this share of the requests of measured messages.
pub(crate) const SUPERFLUOUS: f64 = 0.1;

/// Refusals matter if messages wait for retransmission for at least this share of their lifetime.
pub(crate) const REFUSED: f64 = 0.05;

/// Reasons of less than this share of all refusals are not reported.
pub(crate) const LEAST_REASON: f64 = 0.01;

/// Slow processors matter if the mean wait of a packet for one is at least this, ms.
pub(crate) const SLOW_PROCESSOR_MS: f64 = 1.0;

/// Slow processors matter if the mean wait for one is at least this many times that for a fast one.
pub(crate) const TIMES_AS_SLOW: f64 = 2.0;

/// A class that gets nothing has messages under way if at least one of them waits on average.
pub(crate) const STARVING: f64 = 1.0;

/// A verdict on fewer messages than this says so: the interval of such a mean is useless.
pub(crate) const FEW_MESSAGES: u64 = 10;

/// The thresholds that Python uses as well, by their names.
pub const SHARED: [(&str, f64); 12] = [
    ("ALIKE", ALIKE),
    ("APART_S", APART_S),
    ("FULL_LINK", FULL_LINK),
    ("INTERRUPTED_WAITS", INTERRUPTED_WAITS),
    ("LEAST_WAIT", LEAST_WAIT),
    ("LONG_TIMEOUT", LONG_TIMEOUT),
    ("MOSTLY_WAITING", MOSTLY_WAITING),
    ("NEARLY_FULL", NEARLY_FULL),
    ("SCARCE", SCARCE),
    ("SHORT_QUEUE", SHORT_QUEUE),
    ("TIMES_SLOWER", hopscope_measure::TIMES_SLOWER),
    ("WAITS", WAITS),
];
