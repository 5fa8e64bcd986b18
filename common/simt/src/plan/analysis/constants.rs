//! What a launch knows of the values of a plan along one way through its code: uniform slots that are constants of the launch,
//! or of each warp, and masks that are the same for all threads.
//!
//! Operations that are followed are renamed, too: what is computed each time anew gets a slot of its own each time, and
//! what is known is read from a slot that nobody writes. So those that come after (see `group` and `shorten`) find constants
//! where there are some, and drop what nobody reads.

use crate::launch::Launch;
use crate::plan::analysis::def_use::unwritten;
use crate::plan::code::Plan;
use crate::plan::code::access::Access;
use crate::plan::code::operands::{Addr, FALSE, Src, TID, TRUE};
use crate::plan::code::operation::{MaskOp, Op};
use crate::value::{alu32, alu64, cmp32, cmp64, convert, una32, una64};
use simt_ir::{Conversion, ElementType, IndexKind};
use source::hash::Map;
use std::ops::Range;
use std::sync::Arc;

/// A value that is known: by warp.
type Value = Arc<[u64]>;

/// What is known at a place.
#[derive(Clone)]
pub(crate) struct Facts {
    /// By uniform slot of the code as it was.
    values: Vec<Option<Value>>,
    /// By mask slot: whether it is true, or false, for all threads.
    masks: Vec<Option<bool>>,
}

impl Facts {
    /// What is known where two ways meet.
    fn meet(&mut self, other: &Facts) {
        let values = self.values.iter_mut().zip(&other.values);
        values.filter(|(a, b)| a != b).for_each(|(a, _)| *a = None);
        let masks = self.masks.iter_mut().zip(&other.masks);
        masks.filter(|(a, b)| a != b).for_each(|(a, _)| *a = None);
    }
}

/// A way through the code.
pub(crate) struct Follow<'a> {
    plan: &'a mut Plan,
    block: [u32; 3],
    facts: Facts,
    /// By uniform slot of the code as it was: the slot that has its value now.
    names: Vec<u32>,
    /// The same by mask slot.
    mask_names: Vec<u32>,
    /// Slots that nobody writes, by value.
    constants: Map<Value, u32>,
    /// How many times the way may not have been taken: what is written there is written in place.
    parts: u32,
    /// Lengths of the plan's tables before.
    lengths: [usize; 5],
    masks: u32,
}

impl<'a> Follow<'a> {
    /// At the kernel's beginning.
    pub(crate) fn new(plan: &'a mut Plan, launch: &Launch) -> Follow<'a> {
        let warps = launch.block.iter().map(|n| *n as usize).product::<usize>().div_ceil(32);
        let fixed = unwritten(plan);
        let values = fixed.iter().zip(&plan.uniforms);
        let values = values.map(|(fixed, value)| fixed.then(|| vec![*value; warps].into())).collect();
        let mut masks = vec![None; plan.masks as usize];
        (masks[FALSE as usize], masks[TRUE as usize]) = (Some(false), Some(true));
        let lengths = [
            plan.loads.len(),
            plan.stores.len(),
            plan.addresses.len(),
            plan.uniforms.len(),
            plan.by_warp.len(),
        ];
        let mut follow = Follow {
            names: (0..plan.uniforms.len() as u32).collect(),
            mask_names: (0..plan.masks).collect(),
            masks: plan.masks,
            plan,
            block: launch.block,
            facts: Facts { values, masks },
            constants: Map::default(),
            parts: 0,
            lengths,
        };
        for (slot, value) in (0..).zip(&follow.facts.values) {
            if let Some(value) = value {
                follow.constants.insert(value.clone(), slot);
            }
        }
        follow
    }

    /// The code as it was.
    pub(crate) fn code(&self) -> &[Op] {
        &self.plan.code
    }

    /// Leaves the plan as it was.
    pub(crate) fn undo(self) {
        let [loads, stores, addresses, uniforms, by_warp] = self.lengths;
        self.plan.loads.truncate(loads);
        self.plan.stores.truncate(stores);
        self.plan.addresses.truncate(addresses);
        self.plan.uniforms.truncate(uniforms);
        self.plan.by_warp.truncate(by_warp);
        self.plan.masks = self.masks;
    }

    /// A control operation of the code as it was, with the names of now.
    pub(crate) fn control(&self, pc: usize) -> Op {
        let mut op = self.plan.code[pc];
        if let Op::If { condition, .. } | Op::LoopTest { condition, .. } = &mut op {
            *condition = self.mask_names[*condition as usize];
        }
        op
    }

    /// Whether a mask is true, or false, for all threads that are here.
    pub(crate) fn mask(&self, slot: u32) -> Option<bool> {
        self.facts.masks[slot as usize]
    }

    /// What is known here.
    pub(crate) fn facts(&self) -> Facts {
        self.facts.clone()
    }

    /// Another way leads here.
    pub(crate) fn meet(&mut self, other: &Facts) {
        self.facts.meet(other);
    }

    /// The way parts: what follows need not be executed by all, or at all. Gives what is known here.
    pub(crate) fn part(&mut self) -> Facts {
        self.parts += 1;
        self.facts.clone()
    }

    /// Goes on with the other of two ways from a place where `facts` were known; gives what is known at the end of this one.
    pub(crate) fn instead(&mut self, facts: Facts) -> Facts {
        std::mem::replace(&mut self.facts, facts)
    }

    /// Two ways meet: the one at hand and another.
    pub(crate) fn join(&mut self, other: Facts) {
        self.parts -= 1;
        self.facts.meet(&other);
    }

    /// Nothing is known any more of what this part of the code as it was may write.
    pub(crate) fn forget(&mut self, part: Range<usize>) {
        for pc in part {
            let op = self.plan.code[pc];
            let facts = &mut self.facts;
            self.plan.writes(&op, &mut |dst| match dst {
                Src::U(slot) | Src::A(slot, _) => facts.values[slot as usize] = None,
                // Perhaps of a mask.
                Src::L(slot) => {
                    if let Some(mask) = facts.masks.get_mut(slot as usize) {
                        *mask = None;
                    }
                }
            });
        }
    }

    /// Follows an operation of the code as it was, and gives it with the names of now.
    pub(crate) fn execute(&mut self, pc: usize) -> Op {
        let op = self.plan.code[pc];
        let (result, condition) = (self.result(&op), self.condition(&op));
        let renamed = self.rename(op);
        self.plan.writes(&op, &mut |dst| {
            if let Some(slot) = dst.uniform() {
                self.facts.values[slot as usize] = result.clone();
            }
        });
        match op {
            Op::Cmp32 { dst, .. } | Op::Cmp64 { dst, .. } | Op::Mask { dst, .. } => {
                self.facts.masks[dst as usize] = condition;
            }
            Op::Load(load) if self.plan.loads[load as usize].ty == ElementType::Bool => {
                self.forget(pc..pc + 1)
            }
            _ => {}
        }
        renamed
    }

    fn warps(&self) -> usize {
        self.threads().div_ceil(32)
    }

    fn threads(&self) -> usize {
        self.block.iter().map(|n| *n as usize).product()
    }

    /// A thread's value of an operand, if it is known.
    fn at(&self, src: Src, thread: usize) -> Option<u64> {
        let part = |slot: u32| self.facts.values[slot as usize].as_ref().map(|value| value[thread / 32]);
        match src {
            Src::U(slot) => part(slot),
            Src::A(slot, pattern) => {
                let lane = self.plan.vectors.at(u32::from(pattern), thread);
                part(slot).map(|part| u64::from(lane.wrapping_add(part as u32)))
            }
            Src::L(slot) if (TID..TID + 3).contains(&slot) => {
                let ([x, y, _], thread) = (self.block, thread as u32);
                Some(u64::from([thread % x, thread / x % y, thread / x / y][(slot - TID) as usize]))
            }
            Src::L(_) => None,
        }
    }

    /// What an operation gives, if it is uniform and known.
    fn result(&self, op: &Op) -> Option<Value> {
        let of = |f: &dyn Fn(usize) -> Option<u64>| (0..self.warps()).map(|warp| f(warp * 32)).collect();
        match *op {
            Op::Mov32 { dst: Src::U(_), src } => of(&|t| Some(u64::from(self.at(src, t)? as u32))),
            Op::Mov64 { dst: Src::U(_), src: src @ Src::U(_) } => of(&|t| self.at(src, t)),
            Op::Una32 { op, dst: Src::U(_), a } => of(&|t| Some(u64::from(una32(op, self.at(a, t)? as u32)))),
            Op::Una64 { op, dst: Src::U(_), a: a @ Src::U(_) } => of(&|t| Some(una64(op, self.at(a, t)?))),
            Op::Alu32 { op, dst: Src::U(_), a, b } => of(&|t| {
                let (a, b) = (self.at(a, t)? as u32, self.at(b, t)? as u32);
                (b != 0 || !op.divides()).then(|| u64::from(alu32(op, a, b)))
            }),
            Op::Alu64 { op, dst: Src::U(_), a: a @ Src::U(_), b: b @ Src::U(_) } => of(&|t| {
                let (a, b) = (self.at(a, t)?, self.at(b, t)?);
                (b != 0 || !op.divides()).then(|| alu64(op, a, b))
            }),
            Op::Conv {
                op: op @ (Conversion::SignExtend | Conversion::ZeroExtend | Conversion::Truncate),
                dst: Src::U(_),
                src: src @ Src::U(_),
            } => of(&|t| Some(convert(op, self.at(src, t)?))),
            _ => None,
        }
    }

    /// What an operation makes of a mask, if it is the same for all threads and known.
    fn condition(&self, op: &Op) -> Option<bool> {
        match *op {
            Op::Cmp32 { op, float, a, b, .. } => {
                let uniform = matches!((a, b), (Src::U(_), Src::U(_)));
                let compare = |t| Some(cmp32(op, float, self.at(a, t)? as u32, self.at(b, t)? as u32));
                self.all(if uniform { 32 } else { 1 }, compare)
            }
            Op::Cmp64 { op, float, a: a @ Src::U(_), b: b @ Src::U(_), .. } => {
                self.all(32, |t| Some(cmp64(op, float, self.at(a, t)?, self.at(b, t)?)))
            }
            Op::Mask { op, a, b, c, .. } => {
                let [a, b, c] = [a, b, c].map(|slot| self.mask(slot));
                match op {
                    MaskOp::Copy => a,
                    MaskOp::Not => a.map(|a| !a),
                    MaskOp::And if a == Some(false) || b == Some(false) => Some(false),
                    MaskOp::And => Some(a? && b?),
                    MaskOp::Or if a == Some(true) || b == Some(true) => Some(true),
                    MaskOp::Or => Some(a? || b?),
                    MaskOp::Xor => Some(a? != b?),
                    MaskOp::Equal => Some(a? == b?),
                    MaskOp::Select => {
                        if a? {
                            b
                        } else {
                            c
                        }
                    }
                }
            }
            _ => None,
        }
    }

    /// What a condition is for each of so many threads, if it is the same.
    fn all(&self, each: usize, condition: impl Fn(usize) -> Option<bool>) -> Option<bool> {
        let first = condition(0)?;
        let mut others = (0..self.threads()).step_by(each).skip(1);
        others.all(|thread| condition(thread) == Some(first)).then_some(first)
    }

    /// The slot of a value that is known.
    fn constant(&mut self, value: &Value) -> u32 {
        if let Some(slot) = self.constants.get(value) {
            return *slot;
        }
        let slot = self.plan.uniforms.len() as u32;
        self.plan.uniforms.push(value[0]);
        if value.iter().any(|v| *v != value[0]) {
            self.plan.by_warp.push((slot, value.clone()));
        }
        self.constants.insert(value.clone(), slot);
        slot
    }

    fn read(&mut self, src: Src) -> Src {
        src.with_slot(|slot| match self.facts.values[slot as usize].clone() {
            Some(value) => self.constant(&value),
            None => self.names[slot as usize],
        })
    }

    fn write(&mut self, dst: Src) -> Src {
        dst.with_slot(|slot| {
            if self.parts == 0 {
                self.names[slot as usize] = self.plan.uniforms.len() as u32;
                self.plan.uniforms.push(0);
            }
            self.names[slot as usize]
        })
    }

    fn write_mask(&mut self, slot: u32) -> u32 {
        if self.parts == 0 {
            self.mask_names[slot as usize] = self.plan.masks;
            self.plan.masks += 1;
        }
        self.mask_names[slot as usize]
    }

    fn address(&mut self, addr: Addr) -> Addr {
        let index = addr.index.map(|(index, kind)| (self.read(index), kind));
        Addr { base: self.read(addr.base), index, ..addr }
    }

    fn access(&mut self, access: Access) -> Access {
        let fixed = match access.addr.index {
            Some((Src::U(slot) | Src::A(slot, _), kind)) if kind != IndexKind::Wide => {
                let value = self.facts.values[slot as usize].as_ref();
                value.filter(|value| value.iter().all(|v| *v == value[0])).map(|value| value[0] as u32)
            }
            _ => None,
        };
        Access { addr: self.address(access.addr), fixed: fixed.or(access.fixed), ..access }
    }

    /// An operation by the names of now.
    fn rename(&mut self, op: Op) -> Op {
        match op {
            Op::Alu32 { op, dst, a, b } => {
                let (a, b) = (self.read(a), self.read(b));
                Op::Alu32 { op, dst: self.write(dst), a, b }
            }
            Op::Alu64 { op, dst, a, b } => {
                let (a, b) = (self.read(a), self.read(b));
                Op::Alu64 { op, dst: self.write(dst), a, b }
            }
            Op::Una32 { op, dst, a } => {
                let a = self.read(a);
                Op::Una32 { op, dst: self.write(dst), a }
            }
            Op::Una64 { op, dst, a } => {
                let a = self.read(a);
                Op::Una64 { op, dst: self.write(dst), a }
            }
            Op::Fma32 { dst, a, b, c } => {
                let [a, b, c] = [a, b, c].map(|src| self.read(src));
                Op::Fma32 { dst: self.write(dst), a, b, c }
            }
            Op::Fma64 { dst, a, b, c } => {
                let [a, b, c] = [a, b, c].map(|src| self.read(src));
                Op::Fma64 { dst: self.write(dst), a, b, c }
            }
            Op::Cmp32 { op, float, dst, a, b } => {
                let (a, b) = (self.read(a), self.read(b));
                Op::Cmp32 { op, float, dst: self.write_mask(dst), a, b }
            }
            Op::Cmp64 { op, float, dst, a, b } => {
                let (a, b) = (self.read(a), self.read(b));
                Op::Cmp64 { op, float, dst: self.write_mask(dst), a, b }
            }
            Op::Mask { op, dst, a, b, c } => {
                let [a, b, c] = [a, b, c].map(|slot| self.mask_names[slot as usize]);
                Op::Mask { op, dst: self.write_mask(dst), a, b, c }
            }
            Op::Sel32 { dst, cond, a, b } => {
                let (a, b, cond) = (self.read(a), self.read(b), self.mask_names[cond as usize]);
                Op::Sel32 { dst: self.write(dst), cond, a, b }
            }
            Op::Sel64 { dst, cond, a, b } => {
                let (a, b, cond) = (self.read(a), self.read(b), self.mask_names[cond as usize]);
                Op::Sel64 { dst: self.write(dst), cond, a, b }
            }
            Op::Mov32 { dst, src } => {
                let src = self.read(src);
                Op::Mov32 { dst: self.write(dst), src }
            }
            Op::Mov64 { dst, src } => {
                let src = self.read(src);
                Op::Mov64 { dst: self.write(dst), src }
            }
            Op::MaskToI32 { dst, src } => {
                let src = self.mask_names[src as usize];
                Op::MaskToI32 { dst: self.write(dst), src }
            }
            Op::Conv { op, dst, src } => {
                let src = self.read(src);
                Op::Conv { op, dst: self.write(dst), src }
            }
            Op::Math32 { function, dst, a, b, c } => {
                let [a, b, c] = [a, b, c].map(|src| self.read(src));
                Op::Math32 { function, dst: self.write(dst), a, b, c }
            }
            Op::Math64 { function, dst, a, b, c } => {
                let [a, b, c] = [a, b, c].map(|src| self.read(src));
                Op::Math64 { function, dst: self.write(dst), a, b, c }
            }
            Op::Offset { dst, addr } => {
                let addr = self.address(self.plan.addresses[addr as usize]);
                let dst = self.write(dst);
                self.plan.addresses.push(addr);
                Op::Offset { dst, addr: self.plan.addresses.len() as u32 - 1 }
            }
            Op::Load(load) => {
                let mut access = self.access(self.plan.loads[load as usize]);
                for dst in &mut access.regs[..access.count as usize] {
                    *dst = match *dst {
                        Src::L(slot) if access.ty == ElementType::Bool => Src::L(self.write_mask(slot)),
                        dst => self.write(dst),
                    };
                }
                self.plan.loads.push(access);
                Op::Load(self.plan.loads.len() as u32 - 1)
            }
            Op::Store(store) => {
                let mut access = self.access(self.plan.stores[store as usize]);
                for src in &mut access.regs[..access.count as usize] {
                    *src = match *src {
                        Src::L(slot) if access.ty == ElementType::Bool => {
                            Src::L(self.mask_names[slot as usize])
                        }
                        src => self.read(src),
                    };
                }
                self.plan.stores.push(access);
                Op::Store(self.plan.stores.len() as u32 - 1)
            }
            op => op,
        }
    }
}
