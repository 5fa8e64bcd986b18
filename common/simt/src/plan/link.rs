//! A kernel and its functions in one register file and one set of labels, so that the analyses and the flat code see one
//! program.
//!
//! A function's registers come after those of the kernel and of the functions before it, then those that hold its arguments and
//! results: reads of an argument and results given become copies. The kernel's own registers keep their numbers, so without functions
//! nothing changes. Nothing is inlined.

use crate::plan::analysis::live_intervals::{LiveInterval, LiveIntervals};
use crate::plan::definedness::FollowedKernel;
use simt_ir::{
    Inst, InstKind, Kernel, Label, LocalArray, Location, Node, Operand, Reg, Region, Register, Type,
    label_count,
};
use std::borrow::Cow;
use std::ops::Range;

/// The linked program.
pub(crate) struct Program<'a> {
    /// The kernel, with the registers of all functions after its own.
    pub(crate) kernel: Cow<'a, Kernel>,
    /// In the order of [`Kernel::functions`].
    pub(crate) functions: Vec<LinkedFunction>,
    /// Registers of which the program knows nothing, because they follow its undefined values: ranges in order, none empty.
    pub(crate) shadows: Vec<Range<u32>>,
}

/// A function in terms of the linked register file.
pub(crate) struct LinkedFunction {
    /// All of its registers.
    pub(crate) registers: Range<u32>,
    pub(crate) params: Vec<Reg>,
    pub(crate) results: Vec<Reg>,
    pub(crate) locals: Vec<LocalArray>,
    /// Bytes of local arrays in a frame, a multiple of 16.
    pub(crate) local_bytes: u32,
    /// Bytes of the thread's stack that a frame takes.
    pub(crate) stack_bytes: u32,
    pub(crate) body: Region,
    pub(crate) location: Location,
}

impl Program<'_> {
    /// Whether an instruction is not of the program, but follows its undefined values.
    pub(crate) fn is_added(&self, kind: &InstKind) -> bool {
        let mut added = matches!(kind, InstKind::CheckDefined { .. });
        kind.for_each_def(|dst| {
            let at = self.shadows.partition_point(|shadows| shadows.end <= dst.0);
            added |= !matches!(kind, InstKind::Call { .. })
                && self.shadows.get(at).is_some_and(|shadows| shadows.contains(&dst.0));
        });
        added
    }

    /// The bodies of the kernel and of its functions, each with the registers that it may name.
    pub(crate) fn bodies_and_registers(&self) -> impl Iterator<Item = (&Region, Range<u32>)> {
        let all = self.kernel.registers.len() as u32;
        let own = 0..self.functions.first().map_or(all, |function| function.registers.start);
        let functions = self.functions.iter().map(|f| (&f.body, f.registers.clone()));
        std::iter::once((&self.kernel.body, own)).chain(functions)
    }

    /// The bodies of the kernel and of its functions.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = &Region> {
        std::iter::once(&self.kernel.body).chain(self.functions.iter().map(|f| &f.body))
    }
}

/// Links a valid kernel, with what follows its undefined values.
pub(crate) fn link<'a>(FollowedKernel { kernel, added, .. }: FollowedKernel<'a>) -> Program<'a> {
    let mut shadows = Vec::new();
    shadows.push(added[0].registers..kernel.registers.len() as u32);
    if kernel.functions.is_empty() {
        shadows.retain(|shadows: &Range<u32>| !shadows.is_empty());
        return Program { kernel, functions: Vec::new(), shadows };
    }
    let mut linked = kernel.into_owned();
    let mut labels = label_count(&linked.body);
    let functions =
        std::mem::take(&mut linked.functions).into_iter().zip(&added[1..]).map(|(function, added)| {
            let first = linked.registers.len() as u32;
            let local_bytes = function.local_bytes().next_multiple_of(16);
            let stack_bytes = FRAME_BYTES + local_bytes + saved_bytes(&function.body, &function.registers);
            linked.registers.extend(function.registers);
            let mut hold = |types: &[Type]| -> Vec<Reg> {
                types.iter().map(|ty| linked.add_register(*ty, None)).collect()
            };
            let (params, results) = (hold(&function.params), hold(&function.results));
            let end = linked.registers.len() as u32;
            let starts_and_ends = [
                (first + added.registers, params.first().map_or(end, |reg: &Reg| reg.0)),
                (params.get(added.params).map_or(end, |reg| reg.0), results.first().map_or(end, |reg| reg.0)),
                (results.get(added.results).map_or(end, |reg| reg.0), end),
            ];
            shadows.extend(starts_and_ends.map(|(start, end)| start..end));
            let renaming = Renaming { first, labels, params: &params, results: &results };
            labels += label_count(&function.body);
            LinkedFunction {
                registers: first..linked.registers.len() as u32,
                body: renaming.region(function.body),
                params,
                results,
                locals: function.locals,
                local_bytes,
                stack_bytes,
                location: function.location,
            }
        });
    let functions = functions.collect();
    shadows.retain(|shadows| !shadows.is_empty());
    Program { kernel: Cow::Owned(linked), functions, shadows }
}

/// The registers and labels of a function in the linked program.
struct Renaming<'a> {
    first: u32,
    labels: u32,
    params: &'a [Reg],
    results: &'a [Reg],
}

impl Renaming<'_> {
    fn reg(&self, reg: &mut Reg) {
        reg.0 += self.first;
    }

    fn operand(&self, operand: &mut Operand) {
        if let Operand::Reg(reg) = operand {
            self.reg(reg);
        }
    }

    fn label(&self, label: Label) -> Label {
        Label(label.0 + self.labels)
    }

    fn region(&self, region: Region) -> Region {
        let mut out = Region::with_capacity(region.len());
        for mut node in region {
            match &mut node {
                Node::Inst(inst) => {
                    self.inst(inst, &mut out);
                    continue;
                }
                Node::If { condition, then, otherwise, .. } => {
                    self.operand(condition);
                    *then = self.region(std::mem::take(then));
                    *otherwise = self.region(std::mem::take(otherwise));
                }
                Node::Loop { label, header, condition, body, step, .. } => {
                    *label = self.label(*label);
                    condition.iter_mut().for_each(|c| self.operand(c));
                    for part in [header, body, step] {
                        *part = self.region(std::mem::take(part));
                    }
                }
                Node::Scope { label, body } => {
                    *label = self.label(*label);
                    *body = self.region(std::mem::take(body));
                }
                Node::Break(label) | Node::Continue(label) => *label = self.label(*label),
                Node::Return => {}
            }
            out.push(node);
        }
        out
    }

    fn inst(&self, inst: &mut Inst, out: &mut Region) {
        inst.kind.for_each_use_mut(|operand| self.operand(operand));
        inst.kind.for_each_def_mut(|reg| self.reg(reg));
        let mut push = |kind| out.push(Node::Inst(Inst { kind, location: inst.location }));
        match &inst.kind {
            InstKind::Argument { dst, index } => {
                push(InstKind::Copy { dst: *dst, src: self.params[index.index()].into() });
            }
            InstKind::Result { values } => {
                for (dst, src) in self.results.iter().zip(values) {
                    push(InstKind::Copy { dst: *dst, src: *src });
                }
            }
            kind => push(kind.clone()),
        }
    }
}

/// Bytes of a frame besides local arrays and saved registers: the return address and the caller's frame.
const FRAME_BYTES: u32 = 16;

/// Bytes of the registers that a frame must save across a call in it: of those live before a call and after it; the most for any one
/// call. A compiler saves them on the stack too.
fn saved_bytes(body: &Region, registers: &[Register]) -> u32 {
    let live = LiveIntervals::of(body, 0..registers.len() as u32);
    // By call: what becomes live across it and was not across the one before, less what no longer is.
    let mut changes = vec![0i64; live.calls.len() + 1];
    for (reg, LiveInterval { start, end }) in live.named() {
        let bytes = match registers[reg.index()].ty {
            Type::Bool => 0,
            Type::I32 | Type::F32 => 4,
            Type::I64 | Type::F64 | Type::Ptr => 8,
        };
        let across =
            live.calls.partition_point(|call| *call <= start)..live.calls.partition_point(|call| *call < end);
        if !across.is_empty() {
            changes[across.start] += bytes;
            changes[across.end] -= bytes;
        }
    }
    let saved = changes.iter().scan(0i64, |saved, change| {
        *saved += change;
        Some(*saved)
    });
    saved.max().unwrap_or(0) as u32
}
