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

#[cfg(test)]
mod tests {
    use crate::driver::KernelRef;
    use crate::fault::FaultKind;
    use crate::launch::Launch;
    use crate::machine::memory::POISON;
    use crate::testing::{Build, Device, i32, ptr};
    use simt_ir::ElementType;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    /// `out[i + plus] = i`.
    fn store(plus: i32) -> Build {
        let mut b = Build::new();
        let out = b.pointer("out");
        let i = b.global_id();
        let at = b.add(i, i32(plus));
        b.store(ElementType::I32, out, at, i);
        b
    }

    /// The proofs of a plan in the cache are replaced by those of another kernel: the first block that is looked at shows that they do not
    /// hold. The launch runs again without them, and says so.
    #[test]
    fn a_wrong_proof_is_noticed_and_does_no_harm() {
        let launch = |out| Launch {
            grid: [4, 1, 1],
            block: [64, 1, 1],
            dynamic_shared: 0,
            cooperative: None,
            args: vec![ptr(out)],
        };
        let mut devices = [0, 1].map(|plus| {
            let mut d = Device::new(store(plus));
            d.options.every_mode = false;
            let out = d.empty(257);
            (d, out)
        });
        for (d, out) in &mut devices {
            let kernel = KernelRef { module: &d.module, symbols: d.id, index: 0 };
            let outcome = d.simulator.run(kernel, &launch(*out), &d.options).unwrap();
            assert!(outcome.warnings.is_empty(), "{:?}", outcome.warnings);
            assert_eq!(outcome.proved.unwrap().apart, ["out"]);
        }
        let [(right, _), (d, out)] = &mut devices;
        let others = right.simulator.plans.0[0].1.proofs.clone();
        let plan = Arc::get_mut(&mut d.simulator.plans.0[0].1).unwrap();
        (plan.proofs, plan.is_compared) = (others, AtomicBool::new(false));
        let kernel = KernelRef { module: &d.module, symbols: d.id, index: 0 };
        let outcome = d.simulator.run(kernel, &launch(*out), &d.options).unwrap();
        let [warning] = &outcome.warnings[..] else { panic!("{:?}", outcome.warnings) };
        assert!(matches!(warning.kind, FaultKind::ModesDiffer { .. }));
        let mut wanted = vec![POISON];
        wanted.extend(0..256);
        assert_eq!(d.read(*out), wanted);
    }
}
