//! The thresholds of explanations, in one place, each with its reason.

/// Holders lead on to what they need where at least this share of the amount held is held for the cause that needs it:
/// a fifth of a resource is worth having back, less is not.
pub(crate) const HELD_SHARE: f64 = 0.2;

/// A resource is scarce where it has nothing to spare for at least this share of the time: below it, random arrivals
/// wait less than they are served twice over.
pub(crate) const SCARCE: f64 = 0.6;

/// What holders need is behind their waiting only if it is nearly as hard pressed as what they hold. With an entry in
/// use all the time and a line in use for three quarters of it, one more entry would carry a third more: the line is
/// not the bottleneck.
pub(crate) const NEARLY: f64 = 0.8;

/// A chain begins before its root where at least this share of those who wait for the root wait there; and a resource
/// with a smaller share of all waiting behind it is not what holds a network back.
pub(crate) const WORTH_TELLING: f64 = 0.1;

/// Waiting because of one resource counts where it is at least this share of a message's life.
pub(crate) const WAIT_SHARE: f64 = 0.1;

/// At what is only just scarce it has to be so much: at random arrivals and services of one length as much of a life is
/// waiting at that use (M/D/1, use u: u/(2 - u)), and nothing is wrong.
pub(crate) const MUCH_WAITING: f64 = 0.4;

/// Waiting grows as 1/(1 - use), so of two resources with as many waiters the one with less to spare is the tighter.
/// This keeps what is used all the time from counting without bound.
pub(crate) const SPARE: f64 = 0.05;

/// Losses are the cause where waits for retransmissions take at least this share of a message's life.
pub(crate) const LOSS_SHARE: f64 = 0.2;

/// Where something else is named, what is sent again is tried as well from this share on: it adds as much to the load
/// of links, and waiting grows faster than their load.
pub(crate) const REPEATED: f64 = 0.05;

/// A timeout is long where it takes this many times as long as a message does without waiting: two orders of magnitude,
/// for which nobody needs to wait to know that an acknowledgment is lost.
pub(crate) const LONG_TIMEOUT: f64 = 100.0;

/// Messages are held back where they wait behind one another in input buffers, or for room further down, for at least
/// this share of their lifetime. Nobody needs either: with queues at the outputs, and room in them, all would wait for
/// their own output and for nothing else. So what such waits take is lost, however much of the links is free; below a
/// fifth of a life the rest of it is the better place to look.
pub(crate) const HELD_BACK: f64 = 0.2;

/// A window is full where it is in use for at least this share of the time: the sender hardly ever lacks something to
/// send.
pub(crate) const FULL_WINDOW: f64 = 0.9;

/// A line is saturated from this use on.
pub(crate) const SATURATED_LINE: f64 = 0.9;

/// A link that sends for this share of the time is full: what is left are set-up times and chance.
pub(crate) const FULL_LINK: f64 = 0.93;

/// A link that is stopped for at least this share of the time passes a stop on from further down.
pub(crate) const STOPPED: f64 = 0.1;

/// A buffer is never filled where at most this share of it is in use when all of its inputs have paused their senders:
/// a pause is to keep it from overflowing, and nine tenths of it are left.
pub(crate) const NEVER_FILLED: f64 = 0.1;

/// A congestion tree stops at least this many links: one stopped link is a queue.
pub(crate) const STOPPED_LINKS: usize = 2;

/// An output is a root of congestion where it is one in at least this share of samples: what is a root now and then is
/// chance.
pub(crate) const ROOT_SHARE: f64 = 0.2;

/// Both of two resources that block each other are waited for by at least so many on average: what is nearly all in
/// use, but hardly ever lacking, is no matter.
pub(crate) const WAITED_FOR: f64 = 0.2;

/// Messages wait for their turn after a rejection for at least this share of their lifetime.
pub(crate) const TRAPPED: f64 = 0.2;

/// At least this share of the packets in FIFOs are behind others.
pub(crate) const BEHIND: f64 = 0.2;

/// Of what passes a switch, at least this share leaves by one link: then nearly nothing could leave before its turn.
pub(crate) const ONE_WAY: f64 = 0.95;

/// At least this share of the heads wait for their outputs: else heads move on at once and FIFOs are mere queues. Heads
/// are compared with heads, as the number behind them only tells how much a FIFO holds.
pub(crate) const HEADS: f64 = 0.2;

/// With heads that contend at random no output of a large FIFO switch is in use more than this: 2 - sqrt 2 (Karol,
/// Hluchyj and Morgan 1987).
pub(crate) const FIFO_LIMIT: f64 = 0.586;

/// The same where packets are not of one slot each, but of exponentially distributed lengths: n / (2n - 1) of n outputs.
pub(crate) const FIFO_LIMIT_OF_EXPONENTIAL_LENGTHS: f64 = 0.5;

/// An output that is busier than this explains its waiters itself.
pub(crate) const FULL_OUTPUT: f64 = 0.9;

/// Messages wait for at least this share of their lifetime before a cause is looked for that is not a scarce resource:
/// below it the latency is less than one and a half times its minimum.
pub(crate) const WAITS: f64 = 0.3;

/// An interruption was seen, so it needs less than what follows from use: messages wait for at least this share of
/// their lifetime, which makes their latency one and a quarter times its minimum.
pub(crate) const INTERRUPTED_WAITS: f64 = 0.2;

/// Messages wait for most of their lifetime: latency is over two and a half times its minimum, and something must be
/// named.
pub(crate) const MOSTLY_WAITING: f64 = 0.6;

/// An interruption is the cause where it explains at least this share of the waiting; below half, something else does.
pub(crate) const INTERRUPTED: f64 = 0.4;

/// Messages may have come to an interruption where those of some two hosts wait for at least this share of what it
/// makes who comes at random wait: a detour may spare them most of that.
pub(crate) const MET: f64 = 0.1;

/// Beside another cause an interruption is tried as well from this share of the time on: what was to pass meanwhile is
/// as much of all there is.
pub(crate) const INTERRUPTED_TIME: f64 = 0.05;

/// Packets that come back to a node that they had left matter from this share of what lines carry on: less is no load
/// to speak of.
pub(crate) const LOOPED: f64 = 0.01;

/// Where more is offered than carried, a link that holds it back sends for at least this share of the time. Heads that
/// contend at random leave every link below it (Karol, Hluchyj and Morgan 1987: 0.586 to 0.75).
pub(crate) const FULL_WHERE_SATURATED: f64 = 0.85;

/// Of fewer than this many times what leaves, a station is offered as much as it can do.
pub(crate) const AS_MANY: f64 = 1.01;

/// What explains at least this much of the waiting explains nearly all of it.
pub(crate) const NEARLY_ALL: f64 = 0.9;

/// A cable is bad where it is busy with frames that are sent again for at least this share of the time.
pub(crate) const RETRIED: f64 = 0.1;

/// Shared evenly, several ways would be used at most this much, so that none of them were scarce for long.
pub(crate) const EVENLY_USED: f64 = 0.85;

/// And the busiest of them is used this many times as much as that.
pub(crate) const UNEVENLY_USED: f64 = 1.2;

/// Services vary much from this squared coefficient of variation on: messages wait two and a half times as long as
/// behind exponential ones (Pollaczek and Khinchine).
pub(crate) const VARIATION: f64 = 4.0;

/// Above this use a resource is busy first, and its services vary second: even regular ones would make messages wait
/// twice as long as they are served.
pub(crate) const VARIABLE_USE: f64 = 0.8;

/// A service is slow where it takes this many times as long as it does by default: another order of magnitude.
pub(crate) const SLOW_TIMES: f64 = 10.0;

/// One of several ways of as few lines is slow where another is this many times as fast: lines of 50 and 230 kbit/s,
/// the ARPANET's two rates, stood beside one another.
pub(crate) const SLOW_WAY: f64 = 5.0;

/// A station is slow where its services take this many times as long as the median of the others.
pub(crate) const LIKE: f64 = 10.0;

/// Places of one network are no further apart than this, seconds: 100 km of fibre, as far as one site mirrors another.
pub(crate) const APART_S: f64 = 5e-4;

/// And where a server there has this many times as much to do as one of theirs: half an order of magnitude. A pool of
/// servers that are used as much as others was sized for long services.
pub(crate) const LIKE_EACH: f64 = 5.0;

/// A window is kept small by a congested node where that tells at least this share of what passes so, and where the
/// window is on average no further from the least that it may have than this share of its range.
pub(crate) const TOLD: f64 = 0.2;

/// What carries no messages, such as routing, is worth less of it where it takes at least this share of a line's time.
pub(crate) const OVERHEAD: f64 = 0.2;

/// What carries no messages fills a full line where it takes at least this share of its time: some half of it, which as
/// much as doubles what is left for messages.
pub(crate) const FILLS: f64 = 0.4;

/// Where a sender always has another message, what a message spends at least this share of its lifetime at may hold it
/// back, although nothing is full: a fifth is worth having back.
pub(crate) const OF_ROUND_TRIP: f64 = 0.2;

/// A class is light where it sends at most this part of an equal share: with a lane of its own it would hardly wait.
pub(crate) const LIGHT: f64 = 0.5;

/// Some inputs are served after others where what comes by them waits at least so many times as long as all do on
/// average.
pub(crate) const SERVED_LAST: f64 = 2.0;

/// Marks are told of where at least this share of frames has one: each makes its sender slower for many frames.
pub(crate) const MARKED: f64 = 0.01;

/// A queue of fewer frames than this is one that waits behind one that is sent: no sign of congestion.
pub(crate) const SHORT_QUEUE: f64 = 2.0;

/// Most of something: half.
pub(crate) const MOSTLY: f64 = 0.5;

/// A transfer stalls, waiting for acknowledgments, for at least this share of its time.
pub(crate) const STANDING: f64 = 0.5;

/// A link is used, and counts among those that could be full, from this use on.
pub(crate) const USED_LINK: f64 = 0.4;

/// More is offered than links carry where at least this share of the used ones is full: one full link among others is a
/// bottleneck, not an overload.
pub(crate) const ALL_FULL: f64 = 0.75;

/// Links are full alike where each is used at least this share of the busiest one's use.
pub(crate) const ALIKE: f64 = 0.9;

/// A job loads links alike where each is used at least this share of the busiest one's use: where its members are makes
/// some switches send a little more than others.
pub(crate) const USED_BY_A_JOB: f64 = 0.75;

/// Links between switches hold a job back where those of hosts are used at most this part of what they are used: where
/// hosts have twice what leads up, seven of eight messages that go elsewhere make it four sevenths.
pub(crate) const HOSTS_REST: f64 = 0.67;

/// Where more is offered than carried, links alike are full from this use on: the rest are gaps between packets and
/// windows that close now and then.
pub(crate) const SATURATED_PEERS: f64 = 0.8;

/// A host's link that is used at all counts among them as well: where hosts could send more, a network between them
/// holds them back.
pub(crate) const USED_HOST_LINK: f64 = 0.05;

/// Fewer used links between switches than this do not tell an oversubscribed network from a full link: two cables, each
/// of which sends both ways.
pub(crate) const TRUNKS: usize = 4;

/// The links of one switch are full, and those of switches like it are not, where they are used so many times as much:
/// a spread of hosts' loads by chance makes less.
pub(crate) const TIMES_ITS_PEERS: f64 = 1.5;

/// Fewer used links than this do not tell an overload from a bottleneck.
pub(crate) const PEERS: usize = 3;

/// The links of the root carry at least so many times as much as those between switches do on average.
pub(crate) const TIMES_THE_MEAN: f64 = 1.25;

/// Of the waiting for links between switches, those of the root have at least this many times their share of the links:
/// where they carry more, waiting grows faster than what they carry.
pub(crate) const TIMES_THE_WAITING: f64 = 1.3;

/// Concentration at a root is told as a symptom from this use of its busiest link on: below it, even packets that come
/// at random wait for less than a third of the time that they are sent (M/D/1: rho / 2(1 - rho)).
pub(crate) const ROOT_NOTICED: f64 = 0.4;

/// It is a cause where the busiest link of the root is used at least this much: from there on, even packets that come
/// at random wait for half the time that they are sent (M/D/1).
pub(crate) const ROOT_USED: f64 = 0.5;

/// A link with less than this share of the mean use is one that other routes could use: half as much again would leave
/// it at the mean.
pub(crate) const HARDLY_USED: f64 = 0.67;

/// A host is slow where it is busy for at least this share of the time and behind the waiting.
pub(crate) const SLOW_HOST: f64 = 0.8;

/// Below this use a line or server has time to spare.
pub(crate) const IDLE: f64 = 0.5;

/// At random arrivals and services as uneven as exponential ones, use u makes u^2/(1 - u) wait: so many times that is a
/// burst. Services of one length make half of it wait.
pub(crate) const TIMES_AT_RANDOM: f64 = 2.0;

/// Holders with less than this share of what is held are not named.
pub(crate) const LEAST_HOLDER: f64 = 0.02;

/// What holders with less than this share of what is held wait for is not followed.
pub(crate) const LEAST_FOLLOWED: f64 = 0.05;

/// A wait of less than this share of a message's life is not worth a word.
pub(crate) const LEAST_WAIT: f64 = 0.02;

/// A wait of the source shorter than this share of its longest one is not followed.
pub(crate) const LEAST_OF_LONGEST: f64 = 0.25;

/// Superfluous requests matter where they are at least this share of the requests of what is measured.
pub(crate) const SUPERFLUOUS: f64 = 0.1;

/// Refusals matter where messages wait for at least this share of their lifetime to be sent again.
pub(crate) const REFUSED: f64 = 0.05;

/// Reasons for less than this share of all refusals are not told.
pub(crate) const LEAST_REASON: f64 = 0.01;

/// Slow processors matter where a packet waits at least this long for one, ms.
pub(crate) const SLOW_PROCESSOR_MS: f64 = 1.0;

/// And this many times as long as for a fast one.
pub(crate) const TIMES_AS_SLOW: f64 = 2.0;

/// A verdict on fewer messages says so: a mean of fewer has no interval to speak of.
pub(crate) const FEW_MESSAGES: u64 = 10;
