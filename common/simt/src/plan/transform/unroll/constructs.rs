//! The loops, conditionals and scopes of flat code, found again by the masks that their control operations share.

use crate::index_vec::IndexVec;
use crate::plan::code::numbers::Pc;
use crate::plan::code::operation::Op;
use source::hash::Map;

/// A construct, by where its control operations stand.
#[derive(Clone, Copy)]
pub(crate) enum Construct {
    If { middle: Option<Pc>, end: Pc },
    Loop(LoopControl),
    Scope { leave: Pc },
}

/// Where a loop's control operations stand, but for the first.
#[derive(Clone, Copy)]
pub(crate) struct LoopControl {
    pub(crate) test: Pc,
    pub(crate) step: Pc,
    pub(crate) back: Pc,
    pub(crate) leave: Pc,
}

/// All constructs of a kernel.
pub(crate) struct Constructs {
    /// By where they begin.
    pub(crate) begin: Map<Pc, Construct>,
    /// By any other of their control operations: where they begin.
    pub(crate) owner: Map<Pc, Pc>,
}

impl Constructs {
    /// `None` for code with a loop that has no condition.
    pub(crate) fn find(code: &IndexVec<Pc, Op>) -> Option<Constructs> {
        let mut constructs = Constructs { begin: Map::default(), owner: Map::default() };
        for (pc, op) in code.enumerated() {
            let after = |is: &dyn Fn(&Op) -> bool| (pc + 1).to(code.next()).find(|pc| is(&code[*pc]));
            let (construct, rest) = match *op {
                Op::If { other, .. } => {
                    let end = after(&|op| matches!(op, Op::EndIf { other: o, .. } if *o == other))?;
                    let middle = after(&|op| matches!(op, Op::Else { other: o, .. } if *o == other));
                    (Construct::If { middle, end }, vec![middle.unwrap_or(end), end])
                }
                Op::LoopEnter { out, again } => {
                    let head = pc + 1;
                    let test = after(&|op| matches!(op, Op::LoopTest { out: o, .. } if *o == out))?;
                    let step = after(&|op| matches!(op, Op::LoopStep { again: a, .. } if *a == again))?;
                    let back = after(&|op| leads_back_to(op, head))?;
                    let leave = after(&|op| matches!(op, Op::Leave { out: o, .. } if *o == out))?;
                    (Construct::Loop(LoopControl { test, step, back, leave }), vec![test, step, back, leave])
                }
                Op::ScopeEnter { out } => {
                    let leave = after(&|op| matches!(op, Op::Leave { out: o, .. } if *o == out))?;
                    (Construct::Scope { leave }, vec![leave])
                }
                _ => continue,
            };
            constructs.begin.insert(pc, construct);
            constructs.owner.extend(rest.into_iter().map(|at| (at, pc)));
        }
        Some(constructs)
    }
}

/// Whether an operation ends the iterations of the loop whose header begins there.
fn leads_back_to(op: &Op, head: Pc) -> bool {
    matches!(op, Op::LoopBack { target } | Op::PollBack { target, .. } if *target == head)
}
