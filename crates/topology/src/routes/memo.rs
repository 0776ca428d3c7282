//! Routes that a network has had computed.

use std::fmt;
use std::sync::{Arc, Mutex};

use super::{RouteError, Routes, RoutingRule};

/// The routes of a network by rule, shared by all its clones. It is no part of what a network is: all memos are equal.
#[derive(Clone, Default)]
pub(crate) struct RouteMemo(Arc<Mutex<Vec<(RoutingRule, Routes)>>>);

impl RouteMemo {
    /// The routes of this rule; computed where they are not known, which others who ask meanwhile wait for.
    pub fn get_or_compute(
        &self,
        rule: &RoutingRule,
        compute: impl FnOnce() -> Result<Routes, RouteError>,
    ) -> Result<Routes, RouteError> {
        let mut known = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((_, routes)) = known.iter().find(|(of, _)| of == rule) {
            return Ok(routes.clone());
        }
        let routes = compute()?;
        known.push((rule.clone(), routes.clone()));
        Ok(routes)
    }
}

impl PartialEq for RouteMemo {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for RouteMemo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RouteMemo")
    }
}
