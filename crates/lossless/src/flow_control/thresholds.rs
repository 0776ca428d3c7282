//! When pause frames are sent: thresholds and headroom, dimensioned so that nothing is ever lost.

use hopscope_fabric::{Link, NANOBITS, NO_SLOT, Slots};
use hopscope_measure::{Problem, SharedPauses};
use hopscope_topology::{Network, Port};
use hopscope_units::Data;

use crate::flow_control::pfc::CONTROL_BITS;
use crate::params::{FrameParams, PfcParams};

/// The resolution of a threshold's multiple of the free buffer: this stands for 1.
pub(crate) const ALPHA_ONE: u64 = 1 << 16;

/// When pause frames are sent; amounts are bits.
#[derive(Clone, Debug)]
pub(crate) struct PfcThresholds {
    pub xoff: u64,
    /// How far the resume level is below the pause level.
    pub gap: u64,
    /// The multiple of the free buffer, in parts of [`ALPHA_ONE`].
    pub alpha: Option<u64>,
    /// The headroom of an input and priority, by slot.
    pub headroom: Vec<u64>,
    /// The part of a switch's buffer that is not headroom, by switch.
    pub shared: Vec<u64>,
}

impl PfcThresholds {
    /// The level above which an input pauses its sender, when the inputs of its switch hold this much of the shared
    /// buffer.
    #[inline]
    pub fn stop_above(&self, switch: usize, shared: u64) -> u64 {
        match self.alpha {
            None => self.xoff,
            Some(alpha) => {
                let free = self.shared[switch].saturating_sub(shared);
                (u128::from(free) * u128::from(alpha) / u128::from(ALPHA_ONE)) as u64
            }
        }
    }

    /// The multiple and the shared buffers, if the level follows the free buffer.
    pub fn shared_pauses(&self) -> Option<SharedPauses> {
        let alpha = self.alpha? as f64 / ALPHA_ONE as f64;
        let shared = self.shared.iter().enumerate();
        let shared = shared.map(|(switch, &bits)| (switch as u32, bits as f64 / 8.0)).collect();
        Some(SharedPauses { alpha, shared })
    }

    /// The level at or below which an input resumes its sender.
    #[inline]
    pub fn start_at(&self, switch: usize, shared: u64) -> u64 {
        self.stop_above(switch, shared).saturating_sub(self.gap)
    }
}

/// The data of one priority that may still arrive on a link after the decision to pause it.
///
/// The worst case, in the manner of IEEE 802.1Qbb, annex O, for a receiver R, a sender S and the frame whose admission
/// at R makes the decision, at t.
///
/// 1. That frame's last bit left S at t - latency - delay: later frames began no earlier.
/// 2. R's pause frame waits for at most one frame of data, which R's port has begun or decided on (mtu); for a pause
///    frame under way; and for one of each other priority, since at most one pause frame of a priority waits, which
///    carries the state at its beginning. With its own time that makes mtu + (P + 1) pause frames on the link.
/// 3. It reaches S a delay later. Until then S may have sent without a gap: for 2 delay + latency and the time of 2.
/// 4. S completes the frame that it has begun or decided on by then: one mtu more. Pause frames of S only take time
///    from its data.
///
/// Times of frames are rounded up to whole picoseconds: the rounding of the P + 3 in 2 and 4 is added. If the shared
/// buffer may be full, the frame that makes the decision is in the headroom as well.
///
/// The headroom is empty when a pause begins, since a sender is resumed only then. So the next pause has all of it,
/// however soon it comes.
fn needed_headroom(link: Link, params: &FrameParams, priorities: u8) -> u64 {
    let priorities = u64::from(priorities);
    let under_way = 2 * link.delay.ps() + params.latency.ps() + priorities + 3;
    let on_the_link = link.rate.saturating_mul(under_way).div_ceil(NANOBITS);
    let frames = if params.buffer.alpha.is_some() { 3 } else { 2 };
    on_the_link + frames * params.mtu.bits() + (priorities + 1) * CONTROL_BITS
}

/// The thresholds of a fabric, if every switch has room for them.
pub(crate) fn thresholds(
    params: &FrameParams,
    pfc: &PfcParams,
    network: &Network,
    slots: &Slots,
) -> Result<PfcThresholds, Vec<Problem>> {
    let headroom = headrooms(params, pfc, network, slots).map_err(|problem| vec![problem])?;
    let (size, xoff) = (params.buffer.size.bits(), pfc.xoff.bits());
    let xon = pfc.xon(params.mtu).map_or(0, Data::bits);
    let mut shared = vec![size; network.switches().len()];
    for (switch, shared) in shared.iter_mut().enumerate() {
        let ports = network.switches()[switch].ports.len() as Port;
        let inputs = (0..ports).map(|port| slots.port(switch, port) as usize);
        let inputs = inputs.filter(|&slot| slots.links[slot].far != NO_SLOT);
        let (mut kept, mut stopped_at) = (0, 0);
        for slot in inputs {
            kept += headroom[slot] * u64::from(pfc.priorities);
            // An input is paused by the frame that exceeds the threshold; with a threshold that follows the free
            // buffer, by the last that fits.
            stopped_at = match params.buffer.alpha {
                None => stopped_at + (xoff + params.mtu.bits()) * u64::from(pfc.priorities),
                Some(_) => params.mtu.bits(),
            };
        }
        if kept + stopped_at > size {
            let name = &network.switches()[switch].name;
            return Err(vec![too_small(params.buffer.size, name, kept + stopped_at)]);
        }
        *shared = size - kept;
    }
    let alpha = params.buffer.alpha.map(|alpha| (alpha * ALPHA_ONE as f64) as u64);
    Ok(PfcThresholds { xoff, gap: xoff - xon, alpha, shared, headroom })
}

fn too_small(size: Data, switch: &str, needed: u64) -> Problem {
    let bytes = needed.div_ceil(8);
    let problem =
        format!("{size} is too small for the reserved buffers and headroom of all inputs of switch {switch}");
    let hint =
        format!("size = \"{bytes} B\", a lower xoff, or a threshold that follows what is free (alpha)");
    Problem::new("frames.buffer.size", problem, format!("at least {bytes} B")).hint(hint)
}

/// The headroom of each input, by slot: as given, if the link needs no more.
fn headrooms(
    params: &FrameParams,
    pfc: &PfcParams,
    network: &Network,
    slots: &Slots,
) -> Result<Vec<u64>, Problem> {
    let mut headroom = vec![0; slots.links.len()];
    for slot in slots.connected().filter(|&slot| !slots.is_host(slot)) {
        let link = slots.links[slot as usize];
        let needed = needed_headroom(link, params, pfc.priorities);
        let given = pfc.headroom.map_or(needed, Data::bits);
        if given < needed {
            let bytes = needed.div_ceil(8);
            let problem = format!(
                "headroom {} would overflow: link {} still sends more than that after it is told to stop",
                Data::from_bits(given),
                slots.link_name(network, link.far)
            );
            let hint =
                format!("headroom = \"{bytes} B\" does; without it, each input has what its cable needs");
            return Err(Problem::new(
                "frames.flow_control.pfc.headroom",
                problem,
                format!("at least {bytes} B"),
            )
            .hint(hint));
        }
        headroom[slot as usize] = given;
    }
    Ok(headroom)
}
