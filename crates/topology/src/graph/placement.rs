//! Which hosts are servers, where a topology does not say.

use hopscope_kernel::{RandomStream, step};

use crate::graph::{HostId, Network, Role, SwitchId};

impl Network {
    /// Makes this many hosts servers and all others clients; 0 leaves every host free to talk to any.
    ///
    /// No switch gets a second server before every switch with hosts has one. Within that, seed 0 spreads them by
    /// hand-checkable rule: the first goes to the first switch with hosts, each next to the switch that is the most
    /// hops away from all chosen so far (the first of several). Any other seed draws the switches at random. On its
    /// switch the server is the first host that is not one yet. Panics where there are fewer hosts than servers.
    ///
    /// The AN1 paper gives no placement for its torus, hypercube and corefringe, and the placement matters: vary the
    /// seed to see how much.
    pub fn choose_servers(&mut self, servers: usize, seed: u64) {
        assert!(servers <= self.hosts.len(), "{servers} servers among {} hosts", self.hosts.len());
        if servers == 0 {
            return;
        }
        let mut hosts_at = vec![Vec::new(); self.switches.len()];
        for id in self.host_ids() {
            hosts_at[self.host(id).switch.index()].push(id);
            self.hosts[id.index()].role = Role::Client;
        }
        let mut left = servers;
        for round in 0.. {
            let free: Vec<SwitchId> =
                self.switch_ids().filter(|id| hosts_at[id.index()].len() > round).collect();
            let chosen = if left >= free.len() {
                free
            } else if seed == 0 {
                self.spread(&free, left)
            } else {
                let mut drawn = free;
                RandomStream::named(seed, "server placement", round as u64).shuffle(&mut drawn);
                drawn.truncate(left);
                drawn
            };
            for switch in &chosen {
                let host = hosts_at[switch.index()][round];
                self.hosts[host.index()].role = Role::Server;
            }
            left -= chosen.len();
            if left == 0 {
                break;
            }
        }
    }

    /// Gives every host the role that this says.
    pub(crate) fn set_roles(&mut self, role_of: impl Fn(HostId) -> Role) {
        for id in self.host_ids() {
            self.hosts[id.index()].role = role_of(id);
        }
    }

    /// `count` of these switches, far from one another: each the farthest from those before it.
    fn spread(&self, among: &[SwitchId], count: usize) -> Vec<SwitchId> {
        let mut chosen = Vec::with_capacity(count);
        let mut hops_from_chosen = vec![u32::MAX; self.switches.len()];
        let mut reached = Vec::new();
        while chosen.len() < count {
            step("placing servers");
            let farthest = |a: &SwitchId, b: &SwitchId| {
                let far = |id: SwitchId| (hops_from_chosen[id.index()], std::cmp::Reverse(id));
                far(*a).cmp(&far(*b))
            };
            let next = among.iter().copied().max_by(farthest).expect("there are switches to choose from");
            chosen.push(next);
            hops_from_chosen[next.index()] = 0;
            reached.clear();
            reached.push(next);
            let mut done = 0;
            while done < reached.len() {
                let at: SwitchId = reached[done];
                done += 1;
                let hops = hops_from_chosen[at.index()] + 1;
                for (_, _, far, _) in self.neighbours(at) {
                    if hops < hops_from_chosen[far.index()] {
                        hops_from_chosen[far.index()] = hops;
                        reached.push(far);
                    }
                }
            }
        }
        chosen
    }
}
