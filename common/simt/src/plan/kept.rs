//! The plans of the last launches, for launches that are just the same: kernels are timed in loops, and iterative ones swap two
//! buffers.

use super::Plan;
use crate::launch::{Ahead, Launch};
use crate::memory::ModuleId;
use simt_ir::Version;
use std::sync::Arc;

/// Plans that are kept.
const MOST: usize = 4;

/// All that a plan depends on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Planned {
    pub(crate) version: Version,
    pub(crate) symbols: ModuleId,
    pub(crate) kernel: usize,
    pub(crate) launch: Launch,
    pub(crate) ahead: Ahead,
}

/// The last plans, the latest at the end.
#[derive(Debug, Default)]
pub(crate) struct Kept(Vec<(Planned, Arc<Plan>)>);

impl Kept {
    /// The plan of a launch, made if it is not there.
    pub(crate) fn get(&mut self, of: Planned, make: impl FnOnce() -> Plan) -> Arc<Plan> {
        let found = self.0.iter().position(|(planned, _)| *planned == of);
        let plan = match found {
            Some(at) => self.0.remove(at).1,
            None => Arc::new(make()),
        };
        if self.0.len() == MOST {
            self.0.remove(0);
        }
        self.0.push((of, plan.clone()));
        plan
    }
}
