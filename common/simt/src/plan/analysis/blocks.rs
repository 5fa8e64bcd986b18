//! Basic blocks of the flat code: one begins where a jump leads (a *leader*; Aho, Lam, Sethi, Ullman: Compilers, 8.4) or after an
//! operation of control flow.

use crate::index_vec::IndexVec;
use crate::plan::code::Plan;
use crate::plan::code::numbers::Pc;
use crate::plan::code::operation::Op;

/// Where jumps lead, and where functions begin; one element more than there are operations.
pub(crate) fn leaders(plan: &Plan) -> IndexVec<Pc, bool> {
    let mut leaders = IndexVec::filled(false, plan.code.len() + 1);
    plan.code.iter().copied().filter_map(Op::target).for_each(|target| leaders[target] = true);
    plan.functions.iter().for_each(|function| leaders[function.entry] = true);
    leaders
}
