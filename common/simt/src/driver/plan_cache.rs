//! The plans of the last launches, for launches that are just the same: kernels are timed in loops, and iterative ones swap two
//! buffers.

use crate::launch::Launch;
use crate::machine::memory::ModuleId;
use crate::plan::{Plan, PlanMode};
use simt_ir::ModuleVersion;
use std::sync::Arc;

/// Plans in the cache, at most.
const MAX_PLANS: usize = 4;

/// Operations of all plans in the cache, at most, unless a single plan has more: plans of very long kernels take hundreds of megabytes.
const MAX_OPS: usize = 1 << 15;

/// All that a plan depends on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlanKey {
    pub(crate) version: ModuleVersion,
    pub(crate) symbols: ModuleId,
    pub(crate) kernel: usize,
    pub(crate) launch: Launch,
    pub(crate) mode: PlanMode,
}

/// The last plans, the latest at the end.
#[derive(Debug, Default)]
pub(crate) struct PlanCache(Vec<(PlanKey, Arc<Plan>)>);

impl PlanCache {
    /// The plan of a launch, made if it is not there.
    pub(crate) fn get(&mut self, key: &PlanKey, make: impl FnOnce() -> Plan) -> Arc<Plan> {
        let found = self.0.iter().position(|(other, _)| other == key);
        let plan = match found {
            Some(at) => self.0.remove(at).1,
            None => Arc::new(make()),
        };
        self.0.push((key.clone(), plan.clone()));
        let is_large = |plans: &[(PlanKey, Arc<Plan>)]| {
            plans.len() > MAX_PLANS || plans.iter().map(|(_, plan)| plan.code.len()).sum::<usize>() > MAX_OPS
        };
        while self.0.len() > 1 && is_large(&self.0) {
            self.0.remove(0);
        }
        plan
    }

    /// Drops the plan of a launch.
    pub(crate) fn forget(&mut self, key: &PlanKey) {
        self.0.retain(|(other, _)| other != key);
    }
}
