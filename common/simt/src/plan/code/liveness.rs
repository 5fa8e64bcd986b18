//! Liveness of one uniform slot from one place on, found when it is asked for, which is rare: when two parts of a warp that went
//! different ways are to be joined.

use crate::index_vec::VecIndex;
use crate::plan::code::Plan;
use crate::plan::code::numbers::{Pc, UniformSlot};
use crate::plan::code::operation::Op;
use crate::plan::code::roles::Slot;

impl Plan {
    /// Whether an operation that may follow one of these places reads a uniform slot before any writes it. A function writes no uniform
    /// slot, so a call leads to the next operation.
    pub(crate) fn is_live(&self, slot: UniformSlot, from: impl IntoIterator<Item = Pc>) -> bool {
        let mut seen = vec![false; self.code.len()];
        let mut rest: Vec<Pc> = from.into_iter().collect();
        while let Some(pc) = rest.pop() {
            if pc >= self.code.next() || std::mem::replace(&mut seen[pc.index()], true) {
                continue;
            }
            let op = self.code[pc];
            let (mut reads, mut writes) = (false, false);
            op.reads(&self.records, |read| reads |= read == Slot::Uniform(slot));
            op.writes(&self.records, |written| writes |= written == Slot::Uniform(slot));
            if reads {
                return true;
            }
            if writes || matches!(op, Op::Exit | Op::Back) {
                continue;
            }
            rest.extend(op.target());
            rest.push(if let Op::Skip { to } = op { to } else { pc + 1 });
        }
        false
    }
}
