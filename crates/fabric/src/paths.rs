//! The path of a packet or frame: the next hops that the routes permit.

use hopscope_topology::{HostId, Port, Routes, SwitchId};

use crate::plan::FabricPlan;

impl FabricPlan {
    /// The ports and lanes of the routes by which a packet in this phase may leave a switch, as `port * lanes + lane`:
    /// towards the switch of its destination host, or to the host itself.
    #[inline]
    #[must_use]
    pub fn next_channels(&self, switch: usize, phase: u8, to: u32) -> &[Port] {
        self.next_channels_under(&self.routes, switch, phase, to)
    }

    /// The same under other routes of the same network.
    #[inline]
    #[must_use]
    pub fn next_channels_under<'a>(
        &'a self,
        routes: &'a Routes,
        switch: usize,
        phase: u8,
        to: u32,
    ) -> &'a [Port] {
        self.next_channels_on(routes, switch, phase, (to, 0))
    }

    /// The same on one of the paths to the host.
    #[inline]
    #[must_use]
    pub fn next_channels_on<'a>(
        &'a self,
        routes: &'a Routes,
        switch: usize,
        phase: u8,
        (to, path): (u32, usize),
    ) -> &'a [Port] {
        let (at, port) = &self.attached[to as usize];
        if *at as usize == switch {
            return std::slice::from_ref(port);
        }
        let destination = (SwitchId::new(*at as usize), HostId::new(to as usize));
        routes.next_channels_to(SwitchId::new(switch), phase, destination, path)
    }
}

/// A well-spread function of a number: the finalizer of SplitMix64 (Steele, Lea and Flood 2014).
#[inline]
#[must_use]
pub fn scatter(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
