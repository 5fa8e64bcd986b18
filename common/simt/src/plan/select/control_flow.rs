//! Structured control flow to flat code with explicit masks.
//!
//! Each construct owns masks in which its waiting lanes are kept, so nothing is pushed at run time. A jump adds
//! the active lanes to its target's mask and goes to the end of the innermost construct, from where code without
//! lanes is skipped, construct by construct. Reconvergence follows from the structure: no post-dominators are needed.

use crate::plan::analysis::wide_accesses::wide_accesses;
use crate::plan::code::Class;
use crate::plan::code::numbers::MaskSlot;
use crate::plan::code::operation::Op;
use crate::plan::code::records::{FunctionLayout, WaitingMask};
use crate::plan::link::LinkedFunction;
use crate::plan::select::selector::{CodeLabel, JumpMasks, Selector, UNPLACED};
use simt_ir::{FunctionIndex, Label, Location, Node, Operand};

impl<'a> Selector<'a> {
    /// The kernel and its functions.
    pub(crate) fn program(&mut self) {
        let program = self.input.program;
        let end = self.new_label();
        self.region(&program.kernel.body, end);
        self.place(end);
        self.emit(Op::Exit, None, Class::None);
        for (index, function) in (0..).map(FunctionIndex).zip(&program.functions) {
            self.function(index, function);
        }
    }

    /// A function's code. Lanes that return wait at its end, where all that entered go back.
    fn function(&mut self, index: FunctionIndex, function: &'a LinkedFunction) {
        let Some(mut registers) = self.function_registers.next() else { return };
        let entry = self.plan.code.next();
        let first_mask = MaskSlot(self.plan.files.masks);
        self.function = Some(index);
        self.location = Some(function.location);
        self.enclosing.clear();
        self.returned = self.new_mask();
        let end = self.new_label();
        self.region(&function.body, end);
        self.place(end);
        self.emit(Op::Back, self.location, Class::Other);
        registers.frame.construct_masks = first_mask..MaskSlot(self.plan.files.masks);
        registers.zeroed.masks.push(self.returned);
        self.plan.functions.push(FunctionLayout {
            entry,
            frame: registers.frame,
            zeroed: registers.zeroed,
            locals: function.locals.clone(),
            local_bytes: function.local_bytes,
            stack_bytes: function.stack_bytes,
        });
    }

    /// Emits a region; `end` is where lanes go once none is left in it.
    fn region(&mut self, region: &'a [Node], end: CodeLabel) {
        let wide = wide_accesses(region, &self.alignments, &self.input.points);
        for (node, wide) in region.iter().zip(wide) {
            match node {
                Node::Inst(inst) => {
                    self.location = Some(inst.location);
                    self.inst(inst, wide);
                }
                Node::If { condition, then, otherwise, location } => {
                    self.conditional(condition, [then, otherwise], *location, end);
                }
                Node::Loop { label, header, condition, body, step, location, .. } => {
                    let parts = LoopRegions { header, condition: condition.as_ref(), body, step };
                    self.repeat(*label, &parts, *location, end);
                }
                Node::Scope { label, body } => self.scope(*label, body, end),
                // What comes after a jump in its region is never executed.
                Node::Break(label) => {
                    let out = self.targets[label].out;
                    return self.jump(Op::Break { out, target: UNPLACED }, end);
                }
                Node::Continue(label) => {
                    let again = self.targets[label].again;
                    return self.jump(Op::Continue { again, target: UNPLACED }, end);
                }
                Node::Return if self.function.is_some() => {
                    return self.jump(Op::Break { out: self.returned, target: UNPLACED }, end);
                }
                Node::Return => return self.jump(Op::Return { target: UNPLACED }, end),
            }
        }
    }

    fn jump(&mut self, op: Op, end: CodeLabel) {
        self.emit_jump(op, end, self.location, Class::None);
    }

    fn scope(&mut self, label: Label, body: &'a [Node], end: CodeLabel) {
        let out = self.new_mask();
        self.targets.insert(label, JumpMasks { out, again: out });
        self.emit(Op::ScopeEnter { out }, self.location, Class::None);
        let after = self.new_label();
        let depth = self.enclosing.len();
        self.enclosing.extend(self.location.map(|location| WaitingMask { mask: out, location }));
        self.region(body, after);
        self.enclosing.truncate(depth);
        self.place(after);
        self.jump(Op::Leave { out, target: UNPLACED }, end);
    }

    fn conditional(&mut self, cond: &Operand, sides: [&'a [Node]; 2], at: Location, end: CodeLabel) {
        let [then, otherwise] = sides;
        let condition = self.mask(cond);
        let other = self.new_mask();
        let (middle, after) = (self.new_label(), self.new_label());
        let target = if otherwise.is_empty() { after } else { middle };
        self.emit_jump(Op::If { condition, other, target: UNPLACED }, target, Some(at), Class::Branch);
        self.enclosing.push(WaitingMask { mask: other, location: at });
        self.region(then, target);
        self.place(middle);
        if !otherwise.is_empty() {
            self.emit_jump(Op::Else { other, target: UNPLACED }, after, Some(at), Class::None);
            self.region(otherwise, after);
        }
        self.enclosing.pop();
        self.place(after);
        self.emit_jump(Op::EndIf { other, target: UNPLACED }, end, Some(at), Class::None);
    }

    fn repeat(&mut self, label: Label, parts: &LoopRegions<'a>, at: Location, end: CodeLabel) {
        let (out, again) = (self.new_mask(), self.new_mask());
        self.targets.insert(label, JumpMasks { out, again });
        let [head, test, next, back, leave] = [(); 5].map(|()| self.new_label());
        let location = Some(at);
        let poll = simt_ir::polls([parts.header, parts.body, parts.step]).then(|| self.plan.files.new_poll());
        if let Some(poll) = poll {
            self.emit(Op::PollEnter { poll }, location, Class::None);
        }
        self.emit(Op::LoopEnter { out, again }, location, Class::None);
        self.enclosing.push(WaitingMask { mask: out, location: at });
        self.place(head);
        self.region(parts.header, test);
        self.place(test);
        if let Some(condition) = parts.condition {
            let condition = self.mask(condition);
            let op = Op::LoopTest { condition, out, target: UNPLACED };
            self.emit_jump(op, leave, location, Class::Branch);
        }
        self.enclosing.push(WaitingMask { mask: again, location: at });
        self.region(parts.body, next);
        self.enclosing.pop();
        self.place(next);
        self.emit_jump(Op::LoopStep { again, target: UNPLACED }, leave, location, Class::None);
        self.region(parts.step, back);
        self.enclosing.pop();
        self.place(back);
        let op = match poll {
            Some(poll) => Op::PollBack { poll, target: UNPLACED },
            None => Op::LoopBack { target: UNPLACED },
        };
        self.emit_jump(op, head, location, Class::None);
        self.place(leave);
        self.emit_jump(Op::Leave { out, target: UNPLACED }, end, location, Class::None);
    }
}

struct LoopRegions<'a> {
    header: &'a [Node],
    condition: Option<&'a Operand>,
    body: &'a [Node],
    step: &'a [Node],
}
