//! Definite assignment: which registers some lane may read before it has written them, and which so must start as zero.
//!
//! Forward over the structure, meeting by intersection (Gosling et al.: The Java Language Specification, chapter 16). Conditions count
//! as if they could go either way.

use crate::index_vec::IndexVec;
use crate::plan::link::LinkedFunction;
use simt_ir::{Facts, ForwardFlow, Kernel, Node, Operand, Reg};

/// Registers that may be read before they are written.
pub(crate) type Exposed = IndexVec<Reg, bool>;

/// The exposed registers of a kernel's own body, of all that the kernel has.
pub(crate) fn of_kernel(kernel: &Kernel) -> Exposed {
    exposed(&kernel.body, 0, Unassigned(vec![true; kernel.registers.len()])).into()
}

/// The exposed registers of a function, among its own, in their order. A path that gives no result gives zero.
pub(crate) fn of_function(function: &LinkedFunction) -> Vec<bool> {
    let first = function.registers.start;
    let mut unassigned = Unassigned(vec![true; function.registers.len()]);
    function.params.iter().for_each(|reg| unassigned.0[(reg.0 - first) as usize] = false);
    let mut exposed = exposed(&function.body, first, unassigned);
    function.results.iter().for_each(|reg| exposed[(reg.0 - first) as usize] = true);
    exposed
}

/// Registers that some path to a place does not assign, numbered from the first of the body's own.
#[derive(Clone, Default)]
struct Unassigned(Vec<bool>);

impl Facts for Unassigned {
    fn join(&mut self, other: &Unassigned) -> bool {
        self.0.resize(other.0.len(), false);
        let mut grew = false;
        for (one, other) in self.0.iter_mut().zip(&other.0) {
            grew |= *other && !*one;
            *one |= *other;
        }
        grew
    }
}

/// The exposed registers of a body whose own begin with `first`. One walk is enough: what leads back to the beginning of a loop
/// has come from there, so it has assigned all that was assigned there.
fn exposed(body: &[Node], first: u32, unassigned: Unassigned) -> Vec<bool> {
    let mut exposed = vec![false; unassigned.0.len()];
    ForwardFlow::default().walk_from(unassigned, body, |node, Unassigned(unassigned)| {
        let own = |reg: Reg| (reg.0 - first) as usize;
        let mut read = |operand: &Operand| {
            if let Operand::Reg(reg) = operand {
                exposed[own(*reg)] |= unassigned[own(*reg)];
            }
        };
        match node {
            Node::Inst(inst) => {
                inst.kind.for_each_use(read);
                inst.kind.for_each_def(|reg| unassigned[own(*reg)] = false);
            }
            Node::If { condition, .. } | Node::Loop { condition: Some(condition), .. } => read(condition),
            _ => {}
        }
    });
    exposed
}
