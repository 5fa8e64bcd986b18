//! Structured control flow to flat code with explicit mask operations.
//!
//! Each construct owns mask slots in which its waiting lanes are kept, so nothing is pushed at run time. A jump adds
//! the active lanes to its target's slot and goes to the end of the innermost construct, from where code without
//! lanes is passed over, construct by construct.

use crate::launch::Launch;
use crate::plan::analysis::affine::Patterns;
use crate::plan::analysis::points_to::PointsTo;
use crate::plan::analysis::uniform::Varying;
use crate::plan::code::access::Footprint;
use crate::plan::code::affine::{AffineVectors, SAME};
use crate::plan::code::effects::{SHARED, UNKNOWN};
use crate::plan::code::operands::{Addr, BLOCK_INDEX, FALSE, LANE, NONE, Src};
use crate::plan::code::operation::Op;
use crate::plan::code::records::{FunctionPlan, LoopInfo};
use crate::plan::code::{Class, Plan};
use crate::plan::link::{Linked, Program};
use crate::plan::select::slots::share;
use simt_ir::{
    GlobalIndex, IndexKind, InstKind, Kernel, Label, Location, Module, Node, Operand, Type, for_each_inst,
};
use source::hash::Map;

/// A place in the code, known once it is placed.
type Mark = u32;

/// Mask slots and end of a construct that jumps may name.
#[derive(Clone, Copy)]
struct Target {
    out: u32,
    again: u32,
}

pub(crate) struct Flatten<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) functions: &'a [Linked],
    /// The function whose body is at hand.
    pub(crate) inside: Option<usize>,
    /// The mask slot of the lanes that have returned from it.
    returned: u32,
    pub(crate) launch: &'a Launch,
    pub(crate) global: &'a dyn Fn(GlobalIndex) -> u64,
    pub(crate) plan: Plan,
    pub(crate) patterns: Patterns,
    /// By register: its slot in the file that [`Flatten::varying`] and its type give.
    pub(crate) slots: Vec<u32>,
    pub(crate) varying: Vec<bool>,
    constants: Map<u64, u32>,
    footprints: Map<Footprint, u32>,
    marks: Vec<u32>,
    targets: Map<Label, Target>,
    /// Mask slots of the constructs around, with their positions, innermost last.
    pub(crate) enclosing: Vec<(u32, Location)>,
    last: Option<Location>,
}

impl<'a> Flatten<'a> {
    pub(crate) fn new(
        module: &'a Module,
        program: &'a Program<'a>,
        launch: &'a Launch,
        global: &'a dyn Fn(GlobalIndex) -> u64,
        varying: Varying,
        patterns: Patterns,
        points: PointsTo,
    ) -> Flatten<'a> {
        let kernel = &*program.kernel;
        let narrow = program.bodies().any(|body| narrow_shared(body, &points));
        let mut plan = Plan {
            code: Vec::new(),
            locations: Vec::new(),
            classes: Vec::new(),
            origins: Vec::new(),
            loads: Vec::new(),
            stores: Vec::new(),
            atomics: Vec::new(),
            textures: Vec::new(),
            surfaces: Vec::new(),
            shuffles: Vec::new(),
            matrices: Vec::new(),
            matrix_loads: Vec::new(),
            copies: Vec::new(),
            asyncs: Vec::new(),
            barriers: Vec::new(),
            prints: Vec::new(),
            calls: Vec::new(),
            functions: Vec::new(),
            addresses: Vec::new(),
            loops: Vec::new(),
            vectors: AffineVectors::default(),
            footprints: Vec::new(),
            groups: Vec::new(),
            deferred: Vec::new(),
            chains: Vec::new(),
            moves: Vec::new(),
            uniforms: vec![0; BLOCK_INDEX as usize + 3],
            masks: 2,
            lanes32: LANE + 1,
            lanes64: 0,
            by_warp: Vec::new(),
            zero_uniforms: Vec::new(),
            zero32: Vec::new(),
            zero64: Vec::new(),
            zero_masks: Vec::new(),
            effects: points.effects,
            device_globals: Vec::new(),
            narrow,
        };
        for (i, variable) in (0..).map(GlobalIndex).zip(&module.globals) {
            if variable.space == simt_ir::GlobalSpace::Device {
                plan.device_globals.push((i, simt_ir::pointer::allocation(global(i))));
            }
        }
        let file = |i: usize| {
            let held = program.functions.iter().flat_map(|f| f.params.iter().chain(&f.results));
            let uniform = !varying.varying[i] || patterns.of(i).is_some();
            match kernel.registers[i].ty {
                _ if held.into_iter().any(|r| r.0 as usize == i) => None,
                Type::Bool => Some(0),
                _ if uniform => None,
                Type::I32 | Type::F32 => Some(1),
                Type::I64 | Type::F64 | Type::Ptr => Some(2),
            }
        };
        let owners = share(program.bodies(), kernel.registers.len(), &varying.exposed, &file);
        let mut slot_of: Vec<Option<u32>> = vec![None; kernel.registers.len()];
        let mut slots = Vec::with_capacity(kernel.registers.len());
        let mut functions = program.functions.iter().peekable();
        for (i, register) in kernel.registers.iter().enumerate() {
            while functions.next_if(|f| f.registers.start == i as u32).is_some() {
                begin_function(&mut plan);
            }
            let exposed = varying.exposed[i];
            let wide = matches!(register.ty, Type::I64 | Type::F64 | Type::Ptr);
            let (count, zeros) = match register.ty {
                Type::Bool => (&mut plan.masks, &mut plan.zero_masks),
                _ if !varying.varying[i] || patterns.of(i).is_some() => {
                    plan.uniforms.push(0);
                    if exposed {
                        plan.zero_uniforms.push(plan.uniforms.len() as u32 - 1);
                    }
                    slots.push(plan.uniforms.len() as u32 - 1);
                    continue;
                }
                _ if wide => (&mut plan.lanes64, &mut plan.zero64),
                _ => (&mut plan.lanes32, &mut plan.zero32),
            };
            let slot = &mut slot_of[owners[i] as usize];
            slots.push(*slot.get_or_insert_with(|| {
                *count += 1;
                *count - 1
            }));
            if exposed {
                zeros.push(slots[i]);
            }
        }
        functions.for_each(|_| begin_function(&mut plan));
        end_registers(&mut plan, &program.functions);
        Flatten {
            kernel,
            functions: &program.functions,
            inside: None,
            returned: FALSE,
            launch,
            global,
            plan,
            patterns,
            slots,
            varying: varying.varying,
            constants: Map::default(),
            footprints: Map::default(),
            marks: Vec::new(),
            targets: Map::default(),
            enclosing: Vec::new(),
            last: None,
        }
    }

    pub(crate) fn run(mut self) -> Plan {
        let end = self.mark();
        let kernel = self.kernel;
        self.block(&kernel.body, end);
        self.place(end);
        self.emit(Op::Exit, None, Class::None);
        for (number, function) in self.functions.iter().enumerate() {
            self.function(number, function);
        }
        self.resolve();
        self.plan.vectors = self.patterns.vectors;
        self.plan
    }

    /// A function's code. Lanes that return wait at its end, where all that entered go back.
    fn function(&mut self, number: usize, function: &'a Linked) {
        let (entry, masks) = (self.plan.code.len() as u32, self.plan.masks);
        self.inside = Some(number);
        self.last = Some(function.location);
        self.enclosing.clear();
        self.returned = self.slot();
        let end = self.mark();
        self.block(&function.body, end);
        self.place(end);
        self.emit(Op::Back, self.last, Class::Other);
        let plan = &mut self.plan.functions[number];
        plan.entry = entry;
        plan.masks[1] = masks..self.plan.masks;
        plan.zero_masks.push(self.returned);
    }

    /// A uniform slot that holds the constant.
    pub(crate) fn constant(&mut self, bits: u64) -> Src {
        let uniforms = &mut self.plan.uniforms;
        Src::U(*self.constants.entry(bits).or_insert_with(|| {
            uniforms.push(bits);
            uniforms.len() as u32 - 1
        }))
    }

    /// The footprint of an access of that many bytes a lane, if its address has one.
    pub(crate) fn footprint(&mut self, addr: &Addr, bytes: u32) -> u32 {
        let pattern = match (addr.base, addr.index) {
            (Src::U(_), None | Some((Src::U(_), _))) => SAME,
            (Src::U(_), Some((Src::A(_, pattern), kind))) if kind != IndexKind::Wide => u32::from(pattern),
            _ => return NONE,
        };
        if addr.scale >= 1 << 20 {
            return NONE;
        }
        let footprint = Footprint { pattern, scale: addr.scale as u32, bytes };
        let footprints = &mut self.plan.footprints;
        *self.footprints.entry(footprint).or_insert_with(|| {
            footprints.push(footprint);
            footprints.len() as u32 - 1
        })
    }

    pub(crate) fn slot(&mut self) -> u32 {
        self.plan.masks += 1;
        self.plan.masks - 1
    }

    pub(crate) fn emit(&mut self, op: Op, location: Option<Location>, class: Class) {
        self.plan.code.push(op);
        self.plan.locations.push(location);
        self.plan.classes.push(class);
    }

    fn mark(&mut self) -> Mark {
        self.marks.push(NONE);
        self.marks.len() as u32 - 1
    }

    fn place(&mut self, mark: Mark) {
        self.marks[mark as usize] = self.plan.code.len() as u32;
    }

    fn resolve(&mut self) {
        for target in self.plan.code.iter_mut().filter_map(Op::target_mut) {
            *target = self.marks[*target as usize];
        }
    }

    /// Emits a block; `end` is where lanes go once none is left in it. Gives whether control may reach its end.
    fn block(&mut self, block: &'a [Node], end: Mark) -> bool {
        for node in block {
            match node {
                Node::Inst(inst) => {
                    self.last = Some(inst.location);
                    self.inst(inst);
                }
                Node::If { condition, then, otherwise, location } => {
                    self.branch(condition, then, otherwise, *location, end);
                }
                Node::Loop { label, header, condition, body, step, location, .. } => {
                    let parts = [header.as_slice(), body, step];
                    self.repeat(*label, parts, condition.as_ref(), *location, end);
                }
                Node::Scope { label, body } => {
                    let out = self.slot();
                    self.targets.insert(*label, Target { out, again: out });
                    self.emit(Op::ScopeEnter { out }, self.last, Class::None);
                    let after = self.mark();
                    self.enclosing.extend(self.last.map(|l| (out, l)));
                    let depth = self.enclosing.len();
                    self.block(body, after);
                    self.enclosing.truncate(depth.saturating_sub(usize::from(self.last.is_some())));
                    self.place(after);
                    self.emit(Op::Leave { out, target: end }, self.last, Class::None);
                }
                Node::Break(label) => {
                    let out = self.targets[label].out;
                    self.emit(Op::Break { out, target: end }, self.last, Class::None);
                    return false;
                }
                Node::Continue(label) => {
                    let again = self.targets[label].again;
                    self.emit(Op::Continue { again, target: end }, self.last, Class::None);
                    return false;
                }
                Node::Return if self.inside.is_some() => {
                    self.emit(Op::Break { out: self.returned, target: end }, self.last, Class::None);
                    return false;
                }
                Node::Return => {
                    self.emit(Op::Return { target: end }, self.last, Class::None);
                    return false;
                }
            }
        }
        true
    }

    fn branch(&mut self, cond: &Operand, then: &'a [Node], otherwise: &'a [Node], at: Location, end: Mark) {
        let condition = self.mask(cond);
        let other = self.slot();
        let (middle, after) = (self.mark(), self.mark());
        let target = if otherwise.is_empty() { after } else { middle };
        self.emit(Op::If { condition, other, target }, Some(at), Class::Branch);
        self.enclosing.push((other, at));
        self.block(then, target);
        self.place(middle);
        if !otherwise.is_empty() {
            self.emit(Op::Else { other, target: after }, Some(at), Class::None);
            self.block(otherwise, after);
        }
        self.enclosing.pop();
        self.place(after);
        self.emit(Op::EndIf { other, target: end }, Some(at), Class::None);
    }

    fn repeat(
        &mut self,
        label: Label,
        parts: [&'a [Node]; 3],
        cond: Option<&Operand>,
        at: Location,
        end: Mark,
    ) {
        let [header, body, step] = parts;
        let (out, again) = (self.slot(), self.slot());
        self.targets.insert(label, Target { out, again });
        let (head, test, next, back, leave) =
            (self.mark(), self.mark(), self.mark(), self.mark(), self.mark());
        self.emit(Op::LoopEnter { out, again }, Some(at), Class::None);
        self.enclosing.push((out, at));
        self.place(head);
        self.block(header, test);
        self.place(test);
        if let Some(cond) = cond {
            let condition = self.mask(cond);
            self.emit(Op::LoopTest { condition, out, target: leave }, Some(at), Class::Branch);
        }
        self.enclosing.push((again, at));
        self.block(body, next);
        self.enclosing.pop();
        self.place(next);
        self.emit(Op::LoopStep { again, target: leave }, Some(at), Class::None);
        self.block(step, back);
        self.enclosing.pop();
        self.place(back);
        let info = self.plan.loops.len() as u32;
        self.plan.loops.push(LoopInfo { polls: parts.iter().any(|p| polls(p)) });
        self.emit(Op::LoopBack { target: head, info }, Some(at), Class::None);
        self.place(leave);
        self.emit(Op::Leave { out, target: end }, Some(at), Class::None);
    }
}

/// Whether a loop's part waits for what another thread writes.
fn polls(part: &[Node]) -> bool {
    let mut found = false;
    for_each_inst(part, &mut |inst| {
        found |= match &inst.kind {
            InstKind::Atomic { .. } | InstKind::Call { .. } => true,
            InstKind::Load { cache, .. } => *cache == simt_ir::CacheOp::Volatile,
            _ => false,
        }
    });
    found
}

fn narrow_shared(body: &[Node], points: &PointsTo) -> bool {
    let mut narrow = false;
    for_each_inst(body, &mut |inst| {
        if let InstKind::Load { ty, address, .. } | InstKind::Store { ty, address, .. } = &inst.kind {
            narrow |= ty.bytes() < 4 && points.of(&address.base) & (SHARED | UNKNOWN) != 0;
        }
    });
    narrow
}

/// A function's registers begin with the next slots of each file.
fn begin_function(plan: &mut Plan) {
    let (lanes32, lanes64, masks) = (plan.lanes32, plan.lanes64, plan.masks);
    let zeros = |list: &Vec<u32>| vec![list.len() as u32];
    plan.functions.push(FunctionPlan {
        lanes32: lanes32..lanes32,
        lanes64: lanes64..lanes64,
        masks: [masks..masks, 0..0],
        // Until the end is known: how many slots before it start as zero.
        zero32: zeros(&plan.zero32),
        zero64: zeros(&plan.zero64),
        zero_masks: zeros(&plan.zero_masks),
        ..FunctionPlan::default()
    });
}

/// Each function's slots end where the next one's begin; which of them a call zeroes goes from the plan to the function.
fn end_registers(plan: &mut Plan, functions: &[Linked]) {
    let (mut lanes32, mut lanes64, mut masks) = (plan.lanes32, plan.lanes64, plan.masks);
    let take = |all: &mut Vec<u32>, from: &mut Vec<u32>| *from = all.split_off(from[0] as usize);
    for (function, linked) in plan.functions.iter_mut().zip(functions).rev() {
        (function.lanes32.end, lanes32) = (lanes32, function.lanes32.start);
        (function.lanes64.end, lanes64) = (lanes64, function.lanes64.start);
        (function.masks[0].end, masks) = (masks, function.masks[0].start);
        take(&mut plan.zero32, &mut function.zero32);
        take(&mut plan.zero64, &mut function.zero64);
        take(&mut plan.zero_masks, &mut function.zero_masks);
        function.locals = linked.locals.clone();
        function.local_bytes = linked.local_bytes;
        function.stack_bytes = linked.stack_bytes;
        function.location = Some(linked.location);
    }
}
