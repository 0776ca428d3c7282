//! The requirements on a network with packets for several hosts.

use hopscope_fabric::{Arbiter, NANOBITS, Rule, Slot};
use hopscope_measure::Problem;
use hopscope_traffic::Workload;
use hopscope_units::Data;

use crate::discipline::Discipline;
use crate::multicast::trees::Trees;
use crate::params::{MulticastStop, Switching};
use crate::plan::An1Plan;
use crate::switch::directive::Thresholds;

impl An1Plan {
    /// The trees of packets for several hosts, if the traffic has any.
    ///
    /// # Errors
    /// A setting under which switches cannot send them, as the problem of that setting.
    pub(crate) fn multicast_trees(&self, workload: &Workload) -> Result<Option<Trees>, Problem> {
        let Some(longest) = workload.longest_multicast() else { return Ok(None) };
        self.check_multicast_switches()?;
        self.check_one_rate()?;
        if self.params.switch.multicast_stop == MulticastStop::Ignored
            && let Some(thresholds) = self.thresholds
        {
            self.check_room_for_rest(thresholds, longest)?;
        }
        let network = &self.fabric.network;
        let tree = self.fabric.routes.spanning_tree(network).ok_or_else(|| {
            let problem = "packets for several hosts climb to one root";
            Problem::new("routing.roots", problem, "at most `root`")
        })?;
        Ok(Some(Trees::new(network, tree, &workload.groups)))
    }

    fn check_multicast_switches(&self) -> Result<(), Problem> {
        let switch = &self.params.switch;
        let (path, problem, expected) = if self.params.fabric.routing.rule != Rule::UpDown {
            (
                "routing.rule",
                "packets for several hosts follow the spanning tree of up*/down* routes",
                "rule = \"up-down\"",
            )
        } else if switch.discipline != Discipline::InputFifo {
            ("switch.discipline", "packets for several hosts need input FIFOs", "discipline = \"input-fifo\"")
        } else if switch.switching == Switching::VirtualCutThrough {
            (
                "switch.switching",
                "virtual cut-through is not defined for packets that need several outputs",
                "\"cut-through\" or \"store-and-forward\"",
            )
        } else if switch.arbiter != Arbiter::Oldest {
            (
                "switch.arbiter",
                "two packets for several hosts that reserve outputs could wait for each other forever",
                "arbiter = \"oldest\": the earlier reserves first",
            )
        } else if switch.ttl.is_some() {
            ("switch.ttl", "packets for several hosts have no time to live", "no ttl, or one receiver each")
        } else if !self.faults.is_empty() {
            (
                "faults",
                "the tree of packets for several hosts is not reconfigured",
                "no faults, or one receiver for each message",
            )
        } else {
            return Ok(());
        };
        Err(Problem::new(path, problem, expected))
    }

    /// All outputs of a packet send at one rate through the crossbar.
    fn check_one_rate(&self) -> Result<(), Problem> {
        let slots = &self.fabric.slots;
        let mut linked = slots.connected();
        let Some(first) = linked.next() else { return Ok(()) };
        let Some(other) =
            linked.find(|&slot| slots.links[slot as usize].rate != slots.links[first as usize].rate)
        else {
            return Ok(());
        };
        let [one, other] = [first, other].map(|slot| slots.link_name(&self.fabric.network, slot));
        let problem =
            format!("a packet for several hosts leaves at one rate, but links {one} and {other} differ");
        Err(Problem::new("network", problem, "links of one rate, or one receiver for each message"))
    }

    /// After a stop a FIFO must take what is in flight, and a packet for several hosts that has begun: at worst all of
    /// it (Schroeder et al. 1991).
    fn check_room_for_rest(&self, thresholds: Thresholds, longest: Data) -> Result<(), Problem> {
        let slots = &self.fabric.slots;
        let into_switches = |slot: &Slot| !slots.is_host(*slot);
        for slot in slots.connected().filter(into_switches) {
            let cable = slots.links[slot as usize];
            let wait = self.params.switch.directive.period(cable.rate);
            // The crossing of the threshold is detected at the next whole picosecond.
            let on_the_way = cable.rate.saturating_mul(2 * cable.delay.ps() + wait.ps() + 1);
            let rest = longest.bits() * NANOBITS;
            let needed = thresholds.stop_above.saturating_add(on_the_way).saturating_add(rest);
            if needed > thresholds.capacity {
                let link = slots.link_name(&self.fabric.network, cable.far);
                let problem = format!(
                    "a packet of {longest} for several hosts ignores a stop on link {link} and may overflow the FIFO"
                );
                let expected = format!(
                    "at least {} B, a lower stop_above, or shorter packets",
                    needed.div_ceil(8 * NANOBITS)
                );
                return Err(Problem::new("switch.fifo", problem, expected));
            }
        }
        Ok(())
    }
}
