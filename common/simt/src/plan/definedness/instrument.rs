//! Adds shadows to a kernel and its functions, what computes them, and what checks them.

use crate::plan::definedness::analysis::{BodyIndex, ValueHolder};
use simt_ir::pointer::{SPACE_SHIFT, Space};
use simt_ir::{
    ArgumentIndex, BinaryOp, CompareOp, Constant, Conversion, Dependence, Inst, InstKind, Kernel, Location,
    Node, Operand, Reg, Region, Register, SourceVariable, Type, UnaryOp,
};
use source::hash::{KeyedMap, Map};
use std::collections::BTreeSet;
use std::sync::Arc;

const DEFINED: Operand = Operand::Const(Constant::I32(0));

/// The kernel with shadows for all that needs one.
pub(super) fn instrument(
    kernel: &Kernel,
    needed: &BTreeSet<ValueHolder>,
    variables: &[Arc<SourceVariable>],
) -> Kernel {
    let mut kernel = kernel.clone();
    let signatures: Vec<ShadowSignature> =
        (0..=kernel.functions.len()).map(|body| ShadowSignature::of(&kernel, body, needed)).collect();
    let numbers = variables.iter().zip(1..).collect();
    let input = Instrumentation { needed, numbers, signatures: &signatures };
    kernel.body = input.body(0, std::mem::take(&mut kernel.body), &mut kernel.registers);
    for (function, body) in kernel.functions.iter_mut().zip(1..) {
        function.body = input.body(body, std::mem::take(&mut function.body), &mut function.registers);
        function.params.extend(signatures[body].params.iter().map(|_| Type::I32));
        function.results.extend(signatures[body].results.iter().map(|_| Type::I32));
    }
    kernel
}

/// The parameters and results of a function that have shadows, which come after all others in this order.
struct ShadowSignature {
    /// How many parameters there are without shadows.
    own_params: usize,
    params: Vec<usize>,
    results: Vec<usize>,
}

impl ShadowSignature {
    fn of(kernel: &Kernel, body: BodyIndex, needed: &BTreeSet<ValueHolder>) -> ShadowSignature {
        let function = body.checked_sub(1).and_then(|number| kernel.functions.get(number));
        let (own_params, own_results) = function.map_or((0, 0), |f| (f.params.len(), f.results.len()));
        let has = |holder: ValueHolder| needed.contains(&holder);
        ShadowSignature {
            own_params,
            params: (0..own_params).filter(|number| has(ValueHolder::Param(body, *number))).collect(),
            results: (0..own_results).filter(|number| has(ValueHolder::Result(body, *number))).collect(),
        }
    }
}

/// What all bodies are made from.
struct Instrumentation<'a> {
    needed: &'a BTreeSet<ValueHolder>,
    /// Of each variable, its number from 1.
    numbers: KeyedMap<&'a Arc<SourceVariable>, u32>,
    /// By body.
    signatures: &'a [ShadowSignature],
}

impl Instrumentation<'_> {
    fn body(&self, index: BodyIndex, body: Region, registers: &mut Vec<Register>) -> Region {
        let mut writer = BodyWriter {
            input: self,
            signature: &self.signatures[index],
            registers,
            shadows: Map::default(),
            location: Location(0),
            out: Region::new(),
        };
        for holder in self.needed {
            if let ValueHolder::Register(body, reg) = holder
                && *body == index
            {
                let shadow = writer.new_register(Type::I32);
                writer.shadows.insert(*reg, shadow);
            }
        }
        writer.region(body)
    }
}

/// Writes one body.
struct BodyWriter<'a> {
    input: &'a Instrumentation<'a>,
    signature: &'a ShadowSignature,
    registers: &'a mut Vec<Register>,
    shadows: Map<Reg, Reg>,
    /// Of the node at hand.
    location: Location,
    out: Region,
}

impl BodyWriter<'_> {
    fn new_register(&mut self, ty: Type) -> Reg {
        self.registers.push(Register { ty, name: None });
        Reg(self.registers.len() as u32 - 1)
    }

    fn emit(&mut self, kind: InstKind) {
        self.out.push(Node::Inst(Inst { kind, location: self.location }));
    }

    fn region(&mut self, region: Region) -> Region {
        let outer = std::mem::replace(&mut self.out, Region::with_capacity(region.len()));
        region.into_iter().for_each(|node| self.node(node));
        std::mem::replace(&mut self.out, outer)
    }

    fn node(&mut self, node: Node) {
        let node = match node {
            Node::Inst(inst) => return self.inst(inst),
            Node::If { condition, then, otherwise, location } => {
                self.location = location;
                self.check(condition, false);
                let (then, otherwise) = (self.region(then), self.region(otherwise));
                Node::If { condition, then, otherwise, location }
            }
            Node::Loop { label, header, condition, body, step, unroll, location } => {
                let mut header = self.region(header);
                self.location = location;
                let outer = std::mem::take(&mut self.out);
                condition.iter().for_each(|condition| self.check(*condition, false));
                header.append(&mut self.out);
                self.out = outer;
                let (body, step) = (self.region(body), self.region(step));
                Node::Loop { label, header, condition, body, step, unroll, location }
            }
            Node::Scope { label, body } => Node::Scope { label, body: self.region(body) },
            jump @ (Node::Break(_) | Node::Continue(_) | Node::Return) => jump,
        };
        self.out.push(node);
    }

    /// The shadow of an operand, if it has one.
    fn shadow(&self, operand: Operand) -> Option<Operand> {
        let Operand::Reg(reg) = operand else { return None };
        self.shadows.get(&reg).map(|shadow| Operand::Reg(*shadow))
    }

    /// Diagnoses lanes in which an operand is undefined.
    fn check(&mut self, operand: Operand, stops: bool) {
        if let Some(origin) = self.shadow(operand) {
            self.emit(InstKind::CheckDefined { origin, stops });
        }
    }

    /// A value that is stored has to be defined, but in a local array: that is a copy, as if the array were registers.
    fn check_stored(&mut self, shadow: Operand, base: Operand) {
        let bits = self.new_register(Type::I64);
        self.emit(InstKind::Convert { dst: bits, op: Conversion::PtrToI64, src: base });
        let tag = self.new_register(Type::I64);
        let space_bits = Operand::Const(Constant::I64(SPACE_SHIFT.into()));
        self.emit(InstKind::Binary { dst: tag, op: BinaryOp::ShrU, lhs: bits.into(), rhs: space_bits });
        let local = Operand::Const(Constant::I64(Space::Local as u64));
        let is_local = self.compare(Type::I64, tag.into(), local);
        let origin = self.select(is_local, DEFINED, shadow);
        self.emit(InstKind::CheckDefined { origin, stops: false });
    }

    fn inst(&mut self, mut inst: Inst) {
        self.location = inst.location;
        if let Some(members) = inst.kind.stored_members() {
            let shadows: Option<Vec<Operand>> = members.iter().map(|member| self.shadow(*member)).collect();
            let least = shadows.map(|shadows| self.combined(BinaryOp::MinU, &shadows));
            if let (Some(least), InstKind::Store { address, .. }) = (least, &inst.kind) {
                self.check_stored(least, address.base);
            }
        }
        let mut demands = Vec::new();
        inst.kind.for_each_demand(|operand, stops| demands.push((operand, stops)));
        for (operand, stops) in demands {
            match &inst.kind {
                InstKind::Store { address, .. } if !stops => {
                    if let Some(shadow) = self.shadow(operand) {
                        self.check_stored(shadow, address.base);
                    }
                }
                _ => self.check(operand, stops),
            }
        }
        match &mut inst.kind {
            InstKind::Call { dst, function, args } => {
                let callee = &self.input.signatures[function.index() + 1];
                for (number, dst) in dst.iter().enumerate() {
                    if let Some(shadow) = self.shadows.get(dst).filter(|_| !callee.results.contains(&number))
                    {
                        self.emit(InstKind::Copy { dst: *shadow, src: DEFINED });
                    }
                }
                for number in &callee.params {
                    args.push(self.shadow(args[*number]).unwrap_or(DEFINED));
                }
                for number in &callee.results {
                    let shadow = self.shadows.get(&dst[*number]).copied();
                    let shadow = shadow.unwrap_or_else(|| self.new_register(Type::I32));
                    dst.push(shadow);
                }
            }
            InstKind::Result { values } => {
                for number in &self.signature.results {
                    values.push(self.shadow(values[*number]).unwrap_or(DEFINED));
                }
            }
            kind => {
                let mut written = Vec::new();
                kind.for_each_def(|dst| written.push(*dst));
                written.into_iter().for_each(|dst| self.follow(dst, kind));
            }
        }
        self.out.push(Node::Inst(inst));
    }

    /// Computes the shadow of `dst`, which the instruction is about to write.
    fn follow(&mut self, dst: Reg, kind: &InstKind) {
        let Some(shadow) = self.shadows.get(&dst).copied() else { return };
        let copied = match kind {
            InstKind::Undefined { variable, .. } => {
                Constant::I32(self.input.numbers.get(variable).copied().unwrap_or(0)).into()
            }
            InstKind::Argument { index, .. } => {
                let place = self.signature.params.iter().position(|number| *number == index.index());
                let index = place.map(|place| ArgumentIndex((self.signature.own_params + place) as u32));
                match index {
                    Some(index) => return self.emit(InstKind::Argument { dst: shadow, index }),
                    None => DEFINED,
                }
            }
            InstKind::Shuffle { mode, value, lane, width, members, .. } => match self.shadow(*value) {
                Some(value) => {
                    let (mode, lane, width, members) = (*mode, *lane, *width, *members);
                    return self.emit(InstKind::Shuffle { dst: shadow, mode, value, lane, width, members });
                }
                None => DEFINED,
            },
            kind => self.dependent(dst, kind),
        };
        self.emit(InstKind::Copy { dst: shadow, src: copied });
    }

    /// The shadow of what an instruction computes from its operands.
    fn dependent(&mut self, dst: Reg, kind: &InstKind) -> Operand {
        let ty = self.registers[dst.index()].ty;
        match kind.dependence(ty) {
            None | Some(Dependence::Nothing) => DEFINED,
            Some(Dependence::All) => {
                let mut shadows = Vec::new();
                kind.for_each_use(|operand| shadows.extend(self.shadow(*operand)));
                shadows.dedup();
                self.combined(BinaryOp::MaxU, &shadows)
            }
            Some(Dependence::Chosen { condition, sides }) => {
                let [on_true, on_false] = sides.map(|side| self.shadow(side).unwrap_or(DEFINED));
                let chosen = self.select(condition, on_true, on_false);
                match self.shadow(condition) {
                    Some(shadow) => self.combined(BinaryOp::MaxU, &[shadow, chosen]),
                    None => chosen,
                }
            }
            Some(Dependence::Decided { operands, by_ones }) => self.decided(operands, ty, by_ones),
        }
    }

    /// Of two operands one that is defined and has the deciding value makes the result defined.
    fn decided(&mut self, operands: [Operand; 2], ty: Type, by_ones: bool) -> Operand {
        let shadows: Vec<Operand> = operands.iter().filter_map(|operand| self.shadow(*operand)).collect();
        let mut result = self.combined(BinaryOp::MaxU, &shadows);
        if result == DEFINED {
            return result;
        }
        for operand in operands {
            let shadow = self.shadow(operand);
            if shadow == Some(result) {
                // It alone has a shadow, which says the same.
                continue;
            }
            let decides = match self.decides(operand, ty, by_ones) {
                Operand::Const(Constant::Bool(true)) => return DEFINED,
                Operand::Const(_) => continue,
                decides @ Operand::Reg(_) => decides,
            };
            let then = match shadow {
                Some(shadow) => {
                    let is_defined = self.compare(Type::I32, shadow, DEFINED);
                    self.select(is_defined, DEFINED, result)
                }
                None => DEFINED,
            };
            result = self.select(decides, then, result);
        }
        result
    }

    /// Whether an operand has the value that decides (Bool).
    fn decides(&mut self, operand: Operand, ty: Type, by_ones: bool) -> Operand {
        let deciding = match (ty, by_ones) {
            (Type::I32, true) => Constant::I32(u32::MAX),
            (Type::I64, true) => Constant::I64(u64::MAX),
            (Type::Bool, true) => Constant::Bool(true),
            (Type::I32 | Type::I64 | Type::Bool | Type::F32 | Type::F64 | Type::Ptr, _) => Constant::zero(ty),
        };
        match operand {
            Operand::Const(constant) => Constant::Bool(constant == deciding).into(),
            Operand::Reg(_) if ty == Type::Bool && by_ones => operand,
            Operand::Reg(_) if ty == Type::Bool => {
                let dst = self.new_register(Type::Bool);
                self.emit(InstKind::Unary { dst, op: UnaryOp::Not, src: operand });
                dst.into()
            }
            Operand::Reg(_) => self.compare(ty, operand, deciding.into()),
        }
    }

    fn compare(&mut self, ty: Type, lhs: Operand, rhs: Operand) -> Operand {
        let dst = self.new_register(Type::Bool);
        self.emit(InstKind::Compare { dst, op: CompareOp::Eq, ty, lhs, rhs });
        dst.into()
    }

    fn select(&mut self, condition: Operand, on_true: Operand, on_false: Operand) -> Operand {
        if on_true == on_false {
            return on_true;
        }
        let dst = self.new_register(Type::I32);
        self.emit(InstKind::Select { dst, condition, on_true, on_false });
        dst.into()
    }

    /// The greatest or least of some shadows; of none, that of a defined value.
    fn combined(&mut self, op: BinaryOp, shadows: &[Operand]) -> Operand {
        let Some((first, rest)) = shadows.split_first() else { return DEFINED };
        rest.iter().fold(*first, |lhs, rhs| {
            let dst = self.new_register(Type::I32);
            self.emit(InstKind::Binary { dst, op, lhs, rhs: *rhs });
            dst.into()
        })
    }
}
