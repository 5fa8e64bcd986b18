//! Places: addresses, loads and stores.

use super::builder::{Lowerer, Target, Value};
use super::{layout, visit};
use crate::hir::{Const, Expr, ExprKind, LocalId, Place, PlaceKind, Storage, Type};
use simt_ir::{
    AccessOrder, Address, BinaryOp, CacheOp, Constant, Conversion, GlobalIndex, Index, IndexKind, InstKind,
    ObjectPart, Operand, RegList, UnaryOp, VariableRef,
};
use source::Span;

/// An object in memory.
#[derive(Clone, Debug)]
pub(super) struct InMemory {
    /// Where it is.
    pub address: Address,
    /// Whether it is part of a variable of less than 2 GiB, so that a row and a column can be one 32-bit index.
    small: bool,
    /// How strong accesses are.
    pub order: AccessOrder,
    /// Whether it is a unit of bit-fields.
    is_bits: bool,
}

impl InMemory {
    pub(super) fn plain(address: Address) -> InMemory {
        InMemory { address, small: false, order: AccessOrder::Weak, is_bits: false }
    }

    pub(super) fn at(base: Operand) -> InMemory {
        InMemory::plain(Address { base, index: None, offset: 0 })
    }

    pub(super) fn strong(base: Operand, order: AccessOrder) -> InMemory {
        InMemory::at(base).ordered(order)
    }

    pub(super) fn ordered(self, order: AccessOrder) -> InMemory {
        InMemory { order, ..self }
    }

    /// What a reference refers to that came as an address.
    pub(super) fn reference(address: Operand, volatile: bool) -> InMemory {
        InMemory::at(address).if_volatile(volatile)
    }

    fn if_volatile(self, volatile: bool) -> InMemory {
        InMemory { order: if volatile { AccessOrder::Volatile } else { self.order }, ..self }
    }
}

impl Lowerer<'_> {
    /// Finds an object; with `memory`, it is wanted by address.
    pub(super) fn place(&mut self, place: &Place, memory: bool) -> Target {
        let target = match &place.kind {
            PlaceKind::Local(local) => self.local(*local),
            PlaceKind::Global(global) => {
                self.in_memory(VariableRef::Global(GlobalIndex(global.0)), &place.ty)
            }
            PlaceKind::Deref(pointer) => Target::Memory(InMemory::plain(self.address(pointer))),
            PlaceKind::Index { base, index } => {
                let mut base = self.place_in_memory(base);
                let scale = layout::size_of(self.program, &place.ty);
                base.address = self.add_index(base.address, index, scale, false, base.small);
                Target::Memory(base)
            }
            PlaceKind::Field { base, field } => self.field(base, *field, memory),
            PlaceKind::After { first, place } => {
                self.effect(first);
                self.place(place, memory)
            }
            PlaceKind::Temporary(value) => {
                let leaves = self.expr(value);
                let memory = memory || layout::needs_memory(self.program, &place.ty);
                let target = self.fresh("", &place.ty, memory, 0, place.span);
                self.at(place.span, |s| s.store(&target, &place.ty, &leaves));
                target
            }
        };
        match target {
            Target::Memory(memory) => Target::Memory(memory.if_volatile(place.is_volatile)),
            registers @ Target::Registers(_) => registers,
        }
    }

    fn field(&mut self, base: &Place, field: u32, memory: bool) -> Target {
        let object = self.place(base, memory);
        let Type::Struct(id) = base.ty else { return object };
        match object {
            Target::Registers(registers) => {
                let range = layout::field_leaves(self.program, id, field);
                Target::Registers(registers.get(range).unwrap_or_default().into())
            }
            Target::Memory(mut memory) => {
                let field = &self.program.structs[id.0 as usize].fields[field as usize];
                memory.address.offset = memory.address.offset.wrapping_add(field.offset as i64);
                memory.is_bits = field.is_unit();
                Target::Memory(memory)
            }
        }
    }

    /// A place that is known to be in memory. (One that is not would be a fault of the scan: its value is copied there,
    /// which keeps the program valid.)
    pub(super) fn place_in_memory(&mut self, place: &Place) -> InMemory {
        match self.place(place, true) {
            Target::Memory(memory) => memory,
            Target::Registers(registers) => {
                let value: Value = registers.into_iter().map(Operand::Reg).collect();
                let copy = self.fresh("", &place.ty, true, 0, place.span);
                self.store(&copy, &place.ty, &value);
                match copy {
                    Target::Memory(memory) => memory,
                    Target::Registers(_) => InMemory::at(Constant::Ptr(0).into()),
                }
            }
        }
    }

    fn in_memory(&mut self, variable: VariableRef, ty: &Type) -> Target {
        let small = layout::size_of(self.program, ty) < 1 << 31;
        let base = self.address_of(variable);
        Target::Memory(InMemory { small, ..InMemory::at(base) })
    }

    /// Where a local of the function at hand is; its life begins here if it has not yet.
    pub(super) fn local(&mut self, id: LocalId) -> Target {
        if let Some(target) = &self.frame.locals[id.0 as usize] {
            return target.clone();
        }
        let local = &self.function().locals[id.0 as usize];
        let target = match local.storage {
            Storage::Shared | Storage::FileShared | Storage::DynamicShared => {
                let number = self.shared[&(self.frame.function, id)];
                self.in_memory(VariableRef::Shared(number), &local.ty)
            }
            Storage::Automatic => {
                let memory = self.scans[self.frame.function.0 as usize].in_memory[id.0 as usize];
                self.fresh(&local.name, &local.ty, memory, local.align, local.span)
            }
        };
        let target = match target {
            Target::Memory(memory) => Target::Memory(memory.if_volatile(local.is_volatile)),
            registers @ Target::Registers(_) => registers,
        };
        self.frame.locals[id.0 as usize] = Some(target.clone());
        target
    }

    /// A new object of the thread's own.
    pub(super) fn fresh(&mut self, name: &str, ty: &Type, memory: bool, align: u32, span: Span) -> Target {
        if memory {
            let array = self.local_array(name, ty, align, span);
            return self.in_memory(array, ty);
        }
        let leaves = layout::leaves(self.program, ty);
        Target::Registers(self.variables(name, &leaves))
    }

    /// The address as it is now: later code may change the variables it was computed from.
    pub(super) fn pin(&mut self, target: Target) -> Target {
        match target {
            Target::Registers(_) => target,
            Target::Memory(mut memory) => {
                memory.address = self.pin_address(memory.address);
                Target::Memory(memory)
            }
        }
    }

    /// Where a pointer points, with as much as possible left to the access itself.
    pub(super) fn address(&mut self, pointer: &Expr) -> Address {
        match &pointer.kind {
            ExprKind::AddressOf(place) => self.place_in_memory(place).address,
            ExprKind::PointerAdd { pointer: base, count, negative } => {
                let address = self.address(base);
                let address =
                    if visit::writes_variables(count) { self.pin_address(address) } else { address };
                let scale = self.pointee_size(&pointer.ty);
                self.at(pointer.span, |s| s.add_index(address, count, scale, *negative, false))
            }
            ExprKind::Convert { operand } | ExprKind::Bits { operand }
                if matches!((&operand.ty, &pointer.ty), (Type::Pointer(_), Type::Pointer(_))) =>
            {
                self.address(operand)
            }
            _ => Address { base: self.scalar(pointer), index: None, offset: 0 },
        }
    }

    fn pin_address(&mut self, mut address: Address) -> Address {
        address.base = self.snapshot(address.base);
        if let Some(index) = &mut address.index {
            index.value = self.snapshot(index.value);
        }
        address
    }

    /// Bytes between elements of a pointer.
    pub(super) fn pointee_size(&self, ty: &Type) -> u64 {
        match ty {
            Type::Pointer(to) => layout::size_of(self.program, &to.ty),
            _ => 1,
        }
    }

    /// The address as one pointer.
    pub(super) fn pointer(&mut self, address: Address) -> Operand {
        if address.index.is_none() && address.offset == 0 {
            return address.base;
        }
        self.computed(simt_ir::Type::Ptr, |dst| InstKind::Offset { dst, address })
    }

    /// `address + count·scale` (or minus), in bytes. `small`: see [`InMemory::small`].
    pub(super) fn add_index(
        &mut self,
        mut address: Address,
        count: &Expr,
        scale: u64,
        negative: bool,
        small: bool,
    ) -> Address {
        let count = widened(count);
        if let ExprKind::Const(Const::Int(value, _)) = count.kind {
            let bytes = value.wrapping_mul(scale as i64);
            let bytes = if negative { bytes.wrapping_neg() } else { bytes };
            address.offset = address.offset.wrapping_add(bytes);
            return address;
        }
        let address = if visit::writes_variables(count) { self.pin_address(address) } else { address };
        let index = self.index(count, scale, negative);
        match address.index {
            None => Address { index: Some(index), ..address },
            Some(outer) => match self.joined(outer, index, small) {
                Some(index) => Address { index: Some(index), ..address },
                None => {
                    let base = self.pointer(Address { offset: 0, ..address });
                    Address { base, index: Some(index), offset: address.offset }
                }
            },
        }
    }

    fn index(&mut self, count: &Expr, scale: u64, negative: bool) -> Index {
        let ty = layout::register(&count.ty);
        let mut value = self.scalar(count);
        let mut kind = match (&count.ty, ty) {
            (_, simt_ir::Type::I64) => IndexKind::Wide,
            (Type::Int(int), _) if int.bits() == 32 && !int.is_signed() => IndexKind::Unsigned32,
            _ => IndexKind::Signed32,
        };
        if ty == simt_ir::Type::Bool {
            value = self.conversion(Conversion::BoolToI32, value);
        }
        let scale = u32::try_from(scale).ok();
        if scale.is_none() || negative && kind == IndexKind::Unsigned32 {
            value = match kind {
                IndexKind::Signed32 => self.conversion(Conversion::SignExtend, value),
                IndexKind::Unsigned32 => self.conversion(Conversion::ZeroExtend, value),
                IndexKind::Wide => value,
            };
            kind = IndexKind::Wide;
        }
        if negative {
            value = self.unary(UnaryOp::Neg, self.type_of(value), value);
        }
        Index { value, kind, scale: scale.unwrap_or(u32::MAX) }
    }

    /// A row and a column of one small array as one 32-bit index: `row·(elements a row) + column`.
    fn joined(&mut self, outer: Index, inner: Index, small: bool) -> Option<Index> {
        let narrow = outer.kind != IndexKind::Wide && inner.kind != IndexKind::Wide;
        if !small || !narrow || inner.scale == 0 || !outer.scale.is_multiple_of(inner.scale) {
            return None;
        }
        let i32 = simt_ir::Type::I32;
        let factor = Constant::I32(outer.scale / inner.scale);
        let row = self.binary(BinaryOp::Mul, i32, outer.value, factor.into());
        let value = self.binary(BinaryOp::Add, i32, row, inner.value);
        let unsigned = outer.kind == IndexKind::Unsigned32 && inner.kind == IndexKind::Unsigned32;
        let kind = if unsigned { IndexKind::Unsigned32 } else { IndexKind::Signed32 };
        Some(Index { value, kind, scale: inner.scale })
    }

    /// The value of an object.
    pub(super) fn load(&mut self, target: &Target, ty: &Type) -> Value {
        match target {
            Target::Registers(registers) => registers.iter().map(|r| Operand::Reg(*r)).collect(),
            Target::Memory(memory) => self.load_from(memory, ty, CacheOp::Default),
        }
    }

    /// What an access to an object of so many scalars moves. `memcpy` moves parts of objects: what they are it does not know.
    fn part(&self, memory: &InMemory, scalars: usize) -> ObjectPart {
        let function = self.function();
        let copies = function.name == "memcpy" && self.program.headers.contains(&function.span.file);
        match scalars {
            _ if memory.is_bits => ObjectPart::Bits,
            0 | 1 if !copies => ObjectPart::Whole,
            _ => ObjectPart::Member,
        }
    }

    /// Loads a value, as few accesses as its alignment allows.
    pub(super) fn load_from(&mut self, memory: &InMemory, ty: &Type, cache: CacheOp) -> Value {
        let InMemory { address, order, .. } = *memory;
        let leaves = layout::leaves(self.program, ty);
        let align = layout::align_of(self.program, ty);
        let part = self.part(memory, leaves.len());
        let mut value = Value::with_capacity(leaves.len());
        while value.len() < leaves.len() {
            let rest = &leaves[value.len()..];
            let count = layout::access_width(rest, align);
            let memory = rest[0].memory;
            let dst: RegList = (0..count).map(|_| self.temporary(memory.register())).collect();
            value.extend(dst.iter().map(|r| Operand::Reg(*r)));
            let offset = address.offset.wrapping_add(rest[0].offset as i64);
            let address = Address { offset, ..address };
            self.emit(InstKind::Load { dst, ty: memory, address, order, cache, part });
        }
        value
    }

    /// Gives an object its value.
    pub(super) fn store(&mut self, target: &Target, ty: &Type, value: &[Operand]) {
        let memory = match target {
            Target::Registers(registers) => return self.copy_all(registers, value),
            Target::Memory(memory) => memory,
        };
        let leaves = layout::leaves(self.program, ty);
        let align = layout::align_of(self.program, ty);
        let part = self.part(memory, leaves.len());
        let mut done = 0;
        while done < leaves.len().min(value.len()) {
            let rest = &leaves[done..];
            let count = layout::access_width(rest, align);
            let src = value[done..(done + count).min(value.len())].into();
            let offset = memory.address.offset.wrapping_add(rest[0].offset as i64);
            let address = Address { offset, ..memory.address };
            self.emit(InstKind::Store { src, ty: rest[0].memory, address, order: memory.order, part });
            done += count;
        }
    }

    /// A place in memory, moved by so many bytes.
    pub(super) fn moved(target: &Target, bytes: u64) -> Target {
        match target {
            Target::Registers(registers) => Target::Registers(registers.clone()),
            Target::Memory(memory) => {
                let mut memory = memory.clone();
                memory.address.offset = memory.address.offset.wrapping_add(bytes as i64);
                Target::Memory(memory)
            }
        }
    }
}

/// An index without its conversion from 32 to 64 bits, which an access does for itself.
fn widened(count: &Expr) -> &Expr {
    let ExprKind::Convert { operand } = &count.kind else { return count };
    match (&operand.ty, &count.ty) {
        (Type::Int(from), Type::Int(to)) if from.bits() <= 32 && to.bits() == 64 => operand,
        _ => count,
    }
}
