//! Scalar replacement of aggregates: a local array that is only accessed at constant offsets becomes one register per
//! element, as with nvcc (Muchnick, *Advanced Compiler Design and Implementation*, 12.2).
//!
//! All accesses must be of one type, of whole elements and inside the array, and its address must not escape. Any other
//! array stays in local memory and is counted as such.

use crate::reg_set::RegSet;
use crate::region::{for_each_node_mut, replace_nodes};
use crate::undefined;
use simt_ir::{
    AccessOrder, Address, Constant, Conversion, ElementType, Inst, InstKind, Kernel, LocalIndex, Location,
    Node, Operand, Reg, Region, SourceVariable, Type, VariableRef, for_each_inst, pointer,
};
use smallvec::SmallVec;
use std::sync::Arc;

/// Replaces arrays by registers; returns whether there were any.
pub(crate) fn replace_aggregates(kernel: &mut Kernel, ssa: &RegSet) -> bool {
    let mut uses = ArrayUses::of(kernel, ssa);
    let mut scalars = vec![None; kernel.locals.len()];
    for (number, scalars) in scalars.iter_mut().enumerate() {
        if let (Some(ty), false) = (uses.element[number], uses.refused[number]) {
            let name = Some(kernel.locals[number].name.as_str().into());
            let mut elements = std::mem::take(&mut uses.accessed[number]);
            elements.sort_unstable();
            elements.dedup();
            let one = |element| (element, kernel.add_register(ty.register(), name.clone()));
            *scalars = Some(Scalars { ty, elements: elements.into_iter().map(one).collect() });
        }
    }
    // An array that is never accessed needs no memory either.
    let removed: Vec<bool> = (0..kernel.locals.len())
        .map(|n| scalars[n].is_some() || (uses.element[n].is_none() && !uses.refused[n]))
        .collect();
    if !removed.contains(&true) {
        return false;
    }
    let mut body = unwritten(kernel, &scalars);
    let mut rest = std::mem::take(&mut kernel.body);
    Rewriter { kernel, pointee: uses.pointee, scalars, removed: &removed }.region(&mut rest);
    body.append(&mut rest);
    kernel.body = body;
    remove_arrays(kernel, &removed);
    undefined::remove_unseen(kernel);
    true
}

/// What the registers of arrays hold at the start, where nothing has written the arrays.
fn unwritten(kernel: &Kernel, scalars: &[Option<Scalars>]) -> Region {
    let mut out = Region::new();
    for (array, scalars) in kernel.locals.iter().zip(scalars) {
        let Some(Scalars { ty, elements }) = scalars else { continue };
        for (number, dst) in elements {
            let name = array.elements.name_at(&array.name, u64::from(*number) * u64::from(ty.bytes()));
            let name = name.unwrap_or_else(|| array.name.clone());
            if name.contains('#') {
                // A unit of bit-fields, each of which has a value or not.
                continue;
            }
            let variable = Arc::new(SourceVariable { name: name.into(), declared: array.location });
            let kind = InstKind::Undefined { dst: *dst, variable };
            out.push(Node::Inst(Inst { kind, location: array.location }));
        }
    }
    out
}

/// What replaces an array.
#[derive(Clone)]
struct Scalars {
    /// The type of its elements.
    ty: ElementType,
    /// The elements that are accessed, in order, and a register for each. An array may have very many more.
    elements: Vec<(u32, Reg)>,
}

/// How the local arrays are used.
struct ArrayUses {
    /// For each register, the array whose first byte it points to.
    pointee: Vec<Option<LocalIndex>>,
    /// For each array, the type of its accesses.
    element: Vec<Option<ElementType>>,
    /// For each array, its elements that are accessed, some more than once.
    accessed: Vec<Vec<u32>>,
    /// For each array, whether it must stay in memory.
    refused: Vec<bool>,
}

impl ArrayUses {
    fn of(kernel: &Kernel, ssa: &RegSet) -> ArrayUses {
        let count = kernel.locals.len();
        let mut uses = ArrayUses {
            pointee: vec![None; kernel.registers.len()],
            element: vec![None; count],
            accessed: vec![Vec::new(); count],
            refused: vec![false; count],
        };
        for_each_inst(&kernel.body, &mut |inst| {
            if let InstKind::AddressOf { dst, variable: VariableRef::Local(number) } = inst.kind {
                if ssa.contains(dst) {
                    uses.pointee[dst.index()] = Some(number);
                } else {
                    uses.refused[number.index()] = true;
                }
            }
        });
        for_each_inst(&kernel.body, &mut |inst| uses.inst(kernel, &inst.kind));
        uses
    }

    fn array(&self, operand: Operand) -> Option<LocalIndex> {
        match operand {
            Operand::Reg(reg) => self.pointee[reg.index()],
            Operand::Const(_) => None,
        }
    }

    fn inst(&mut self, kernel: &Kernel, kind: &InstKind) {
        let access = match kind {
            InstKind::Load { dst, ty, address, order: AccessOrder::Weak, .. } => {
                Some((*ty, dst.len(), address))
            }
            InstKind::Store { src, ty, address, order: AccessOrder::Weak, .. } => {
                Some((*ty, src.len(), address))
            }
            _ => None,
        };
        let accessed = access.and_then(|(ty, width, address)| {
            let number = self.array(address.base)?;
            if self.fits(kernel, number, ty, width, address) {
                // Inside the array, whose size is a `u32`.
                let first = address.offset as u32 / ty.bytes();
                self.accessed[number.index()].extend(first..first + width as u32);
            } else {
                self.refused[number.index()] = true;
            }
            Some(number)
        });
        // Any other use of the address lets it escape. The base of an access is its last operand but the index.
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

    /// Whether an access is of whole elements, inside the array, aligned, at a constant offset, and of the type of all
    /// others.
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

struct Rewriter<'k> {
    kernel: &'k mut Kernel,
    /// See [`ArrayUses::pointee`].
    pointee: Vec<Option<LocalIndex>>,
    /// For each array, what replaces it, if anything does.
    scalars: Vec<Option<Scalars>>,
    /// For each array, whether it is removed.
    removed: &'k [bool],
}

impl Rewriter<'_> {
    fn region(&mut self, nodes: &mut Region) {
        let mut replacements = Vec::new();
        for (position, node) in nodes.iter_mut().enumerate() {
            if let Node::Inst(inst) = node {
                replacements.extend(self.inst(inst).map(|region| (position, region)));
            } else {
                node.regions_mut().for_each(|region| self.region(region));
            }
        }
        replace_nodes(nodes, replacements);
    }

    /// Turns an access into a copy in place, or returns what replaces the instruction.
    fn inst(&mut self, inst: &mut Inst) -> Option<Region> {
        let location = inst.location;
        let mut out = match &inst.kind {
            InstKind::AddressOf { variable: VariableRef::Local(number), .. } => {
                return self.removed[number.index()].then(Region::new);
            }
            InstKind::Load { dst, address, .. } => {
                let (_, regs) = accessed(&self.pointee, &self.scalars, address, dst.len())?;
                let copies = dst.iter().zip(regs).map(|(dst, (_, src))| copy(*dst, (*src).into(), location));
                copies.collect()
            }
            InstKind::Store { src, address, .. } => {
                let (ty, regs) = accessed(&self.pointee, &self.scalars, address, src.len())?;
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

/// The element type, and the elements with their registers, that an access goes to.
fn accessed<'s>(
    pointee: &[Option<LocalIndex>],
    scalars: &'s [Option<Scalars>],
    address: &Address,
    width: usize,
) -> Option<(ElementType, &'s [(u32, Reg)])> {
    let Operand::Reg(base) = address.base else { return None };
    let array = pointee.get(base.index()).copied().flatten()?;
    let Scalars { ty, elements } = scalars[array.index()].as_ref()?;
    let first = address.offset as u32 / ty.bytes();
    let position = elements.binary_search_by_key(&first, |(element, _)| *element).ok()?;
    Some((*ty, &elements[position..position + width]))
}

/// Nodes that replace one, usually one.
type Replacement = SmallVec<[Node; 1]>;

/// Copies to the registers of an array, truncated and extended as a store and a load would.
fn store(
    kernel: &mut Kernel,
    src: &[Operand],
    regs: &[(u32, Reg)],
    ty: ElementType,
    location: Location,
) -> Replacement {
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
    let mut out = Replacement::new();
    for ((_, dst), src) in regs.iter().zip(src) {
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

/// Removes arrays from the kernel's list, and closes the gaps in the thread's segment.
fn remove_arrays(kernel: &mut Kernel, removed: &[bool]) {
    let mut numbers = Vec::with_capacity(removed.len());
    let mut next = 0;
    for removed in removed {
        numbers.push(LocalIndex(next));
        next += u32::from(!removed);
    }
    let mut position = 0;
    kernel.locals.retain(|_| {
        position += 1;
        !removed[position - 1]
    });
    let mut offset = 0u32;
    for array in &mut kernel.locals {
        array.offset = offset;
        // 16 bytes is the widest access, so alignment is preserved.
        offset = (offset + array.bytes).next_multiple_of(16);
    }
    for_each_node_mut(&mut kernel.body, &mut |node| {
        if let Node::Inst(inst) = node
            && let InstKind::AddressOf { variable: VariableRef::Local(number), .. } = &mut inst.kind
        {
            *number = numbers[number.index()];
        }
    });
}
