//! Local arrays that are only ever accessed at constant places become a register an element, as with nvcc; any other
//! stays in local memory and is counted as such.

use crate::registers::{BitSet, replace_nodes};
use simt_ir::{
    Address, CacheOp, Constant, Conversion, ElementType, Inst, InstKind, Kernel, LocalIndex, Location, Node,
    Operand, Reg, Region, Type, VariableRef, for_each_inst, pointer,
};
use smallvec::SmallVec;

/// Promotes what can be; says whether anything was.
pub(crate) fn promote_locals(kernel: &mut Kernel, single: &BitSet) -> bool {
    let uses = Uses::of(kernel, single);
    let mut elements: Elements = vec![None; kernel.locals.len()];
    for (number, plan) in elements.iter_mut().enumerate() {
        if let (Some(ty), false) = (uses.element[number], uses.refused[number]) {
            let name = Some(kernel.locals[number].name.as_str().into());
            let count = kernel.locals[number].bytes / ty.bytes();
            let regs = (0..count).map(|_| kernel.add_register(ty.register(), name.clone())).collect();
            *plan = Some((ty, regs));
        }
    }
    // An array that is never accessed needs no memory either.
    let gone: Vec<bool> = (0..kernel.locals.len())
        .map(|n| elements[n].is_some() || (uses.element[n].is_none() && !uses.refused[n]))
        .collect();
    if !gone.contains(&true) {
        return false;
    }
    let mut body = std::mem::take(&mut kernel.body);
    Rewrite { kernel, origin: uses.origin, elements, gone: &gone }.block(&mut body);
    kernel.body = body;
    renumber(kernel, &gone);
    true
}

/// How each local array is used.
struct Uses {
    /// The array whose first byte a register holds.
    origin: Vec<Option<LocalIndex>>,
    /// The type of all accesses so far.
    element: Vec<Option<ElementType>>,
    refused: Vec<bool>,
}

impl Uses {
    fn of(kernel: &Kernel, single: &BitSet) -> Uses {
        let count = kernel.locals.len();
        let mut uses = Uses {
            origin: vec![None; kernel.registers.len()],
            element: vec![None; count],
            refused: vec![false; count],
        };
        for_each_inst(&kernel.body, &mut |inst| {
            if let InstKind::AddressOf { dst, variable: VariableRef::Local(number) } = inst.kind {
                uses.find_origin(dst, number, single);
            }
        });
        crate::registers::for_each_node(&kernel.body, &mut |node| {
            if let Node::Inst(inst) = node {
                uses.inst(kernel, &inst.kind);
            }
        });
        uses
    }

    fn find_origin(&mut self, dst: Reg, number: LocalIndex, single: &BitSet) {
        if single.contains(dst) {
            self.origin[dst.index()] = Some(number);
        } else {
            self.refused[number.index()] = true;
        }
    }

    fn array(&self, operand: Operand) -> Option<LocalIndex> {
        match operand {
            Operand::Reg(reg) => self.origin[reg.index()],
            Operand::Const(_) => None,
        }
    }

    fn inst(&mut self, kernel: &Kernel, kind: &InstKind) {
        let access = match kind {
            InstKind::Load { dst, ty, address, cache } if *cache != CacheOp::Volatile => {
                Some((*ty, dst.len(), address))
            }
            InstKind::Store { src, ty, address, volatile: false } => Some((*ty, src.len(), address)),
            _ => None,
        };
        let accessed = access.and_then(|(ty, width, address)| {
            let number = self.array(address.base)?;
            if !self.fits(kernel, number, ty, width, address) {
                self.refused[number.index()] = true;
            }
            Some(number)
        });
        // Any other look at the address lets it escape; the base of an access is its last operand but the index.
        let mut bases = u32::from(accessed.is_some());
        let mut escaped = Vec::new();
        kind.for_each_use(|operand| match (operand, bases) {
            (Operand::Const(Constant::Ptr(value)), _) if pointer::space(*value) == pointer::Space::Local => {
                escaped.push(LocalIndex(pointer::allocation(*value)));
            }
            (operand, _) => {
                if let Some(number) = self.array(*operand) {
                    let is_base = access.is_some_and(|(.., address)| address.base == *operand) && bases > 0;
                    if !is_base || is_stored(kind, *operand) {
                        escaped.push(number);
                    }
                    bases -= u32::from(is_base);
                }
            }
        });
        for number in escaped {
            if let Some(refused) = self.refused.get_mut(number.index()) {
                *refused = true;
            }
        }
    }

    /// Whether an access is of whole elements, inside, aligned, at a constant place, of the type of all others.
    fn fits(
        &mut self,
        kernel: &Kernel,
        number: LocalIndex,
        ty: ElementType,
        width: usize,
        address: &Address,
    ) -> bool {
        let array = &kernel.locals[number.index()];
        let bytes = i64::from(ty.bytes()) * width as i64;
        let element = self.element[number.index()].get_or_insert(ty);
        *element == ty
            && address.index.is_none()
            && address.offset >= 0
            && address.offset.checked_add(bytes).is_some_and(|end| end <= i64::from(array.bytes))
            && address.offset % i64::from(ty.bytes()) == 0
            && (address.offset + i64::from(array.offset)) % bytes == 0
            && array.bytes.is_multiple_of(ty.bytes())
    }
}

/// Whether a store writes the operand to memory.
fn is_stored(kind: &InstKind, operand: Operand) -> bool {
    matches!(kind, InstKind::Store { src, .. } if src.contains(&operand))
}

struct Rewrite<'k> {
    kernel: &'k mut Kernel,
    origin: Vec<Option<LocalIndex>>,
    elements: Elements,
    gone: &'k [bool],
}

impl Rewrite<'_> {
    fn block(&mut self, nodes: &mut Region) {
        let mut replaced = Vec::new();
        for (place, node) in nodes.iter_mut().enumerate() {
            match node {
                Node::Inst(inst) => {
                    if let Some(new) = self.inst(inst) {
                        replaced.push((place, new));
                    }
                }
                Node::If { then, otherwise, .. } => {
                    self.block(then);
                    self.block(otherwise);
                }
                Node::Loop { header, body, step, .. } => {
                    self.block(header);
                    self.block(body);
                    self.block(step);
                }
                Node::Scope { body, .. } => self.block(body),
                Node::Break(_) | Node::Continue(_) | Node::Return => {}
            }
        }
        replace_nodes(nodes, replaced);
    }

    /// Makes a copy of an access; what replaces it if it is not one.
    fn inst(&mut self, inst: &mut Inst) -> Option<Region> {
        let location = inst.location;
        let mut out = match &inst.kind {
            InstKind::AddressOf { variable: VariableRef::Local(number), .. } => {
                return self.gone[number.index()].then(Region::new);
            }
            InstKind::Load { dst, address, .. } => {
                let (_, regs) = accessed(&self.origin, &self.elements, address, dst.len())?;
                let copies = dst.iter().zip(regs).map(|(dst, src)| copy(*dst, (*src).into(), location));
                copies.collect()
            }
            InstKind::Store { src, address, .. } => {
                let (ty, regs) = accessed(&self.origin, &self.elements, address, src.len())?;
                store(self.kernel, src, regs, ty, location)
            }
            _ => return None,
        };
        if out.len() == 1
            && let Some(Node::Inst(only)) = out.pop()
        {
            *inst = only;
            return None;
        }
        Some(out.into_vec())
    }
}

/// What becomes of the arrays: the type of their elements and a register for each, if they are promoted.
type Elements = Vec<Option<(ElementType, Vec<Reg>)>>;

/// The registers that an access goes to.
fn accessed<'e>(
    origin: &[Option<LocalIndex>],
    elements: &'e Elements,
    address: &Address,
    width: usize,
) -> Option<(ElementType, &'e [Reg])> {
    let Operand::Reg(base) = address.base else { return None };
    let array = origin.get(base.index()).copied().flatten()?;
    let (ty, regs) = elements[array.index()].as_ref()?;
    let first = address.offset as usize / ty.bytes() as usize;
    Some((*ty, &regs[first..first + width]))
}

/// Nodes that replace one, mostly one.
type Few = SmallVec<[Node; 1]>;

fn store(kernel: &mut Kernel, src: &[Operand], regs: &[Reg], ty: ElementType, location: Location) -> Few {
    let narrow = match ty {
        ElementType::S8 => Some(Conversion::Sign8),
        ElementType::U8 => Some(Conversion::Zero8),
        ElementType::S16 => Some(Conversion::Sign16),
        ElementType::U16 => Some(Conversion::Zero16),
        ElementType::Bool
        | ElementType::I32
        | ElementType::I64
        | ElementType::F32
        | ElementType::F64
        | ElementType::Ptr => None,
    };
    let mut out = Few::new();
    for (dst, src) in regs.iter().zip(src) {
        let mut src = *src;
        if let Some(op) = narrow {
            let dst = kernel.add_register(Type::I32, None);
            out.push(Node::Inst(Inst { kind: InstKind::Convert { dst, op, src }, location }));
            src = dst.into();
        }
        out.push(copy(*dst, src, location));
    }
    out
}

fn copy(dst: Reg, src: Operand, location: Location) -> Node {
    Node::Inst(Inst { kind: InstKind::Copy { dst, src }, location })
}

/// Takes the arrays out of the kernel's list and closes the gaps in the thread's segment.
fn renumber(kernel: &mut Kernel, gone: &[bool]) {
    let mut numbers = Vec::with_capacity(gone.len());
    let mut next = 0;
    for gone in gone {
        numbers.push(LocalIndex(next));
        next += u32::from(!gone);
    }
    let mut position = 0;
    kernel.locals.retain(|_| {
        position += 1;
        !gone[position - 1]
    });
    let mut offset = 0u32;
    for array in &mut kernel.locals {
        array.offset = offset;
        // 16 bytes is the widest access, so what was aligned stays so.
        offset = (offset + array.bytes).next_multiple_of(16);
    }
    rename_objects(&mut kernel.body, &numbers);
}

fn rename_objects(block: &mut Region, numbers: &[LocalIndex]) {
    for node in block {
        match node {
            Node::Inst(inst) => {
                if let InstKind::AddressOf { variable: VariableRef::Local(number), .. } = &mut inst.kind {
                    *number = numbers[number.index()];
                }
            }
            Node::If { then, otherwise, .. } => {
                rename_objects(then, numbers);
                rename_objects(otherwise, numbers);
            }
            Node::Loop { header, body, step, .. } => {
                rename_objects(header, numbers);
                rename_objects(body, numbers);
                rename_objects(step, numbers);
            }
            Node::Scope { body, .. } => rename_objects(body, numbers),
            Node::Break(_) | Node::Continue(_) | Node::Return => {}
        }
    }
}
