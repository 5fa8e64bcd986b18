//! Surfaces: the address of an element, then an ordinary access, which is left out where it reads zero outside.

use super::builder::{Lowerer, Target, Value};
use super::layout;
use super::place::InMemory;
use crate::hir::{Expr, Type};
use simt_ir::{BoundaryMode, CacheOp, Constant, InstKind, Node, Operand, SurfacePlace, TextureShape};

impl Lowerer<'_> {
    /// Address of an access of `bytes`, and whether it is inside.
    fn surface(
        &mut self,
        (shape, boundary): (TextureShape, BoundaryMode),
        args: &[Expr],
        bytes: u64,
    ) -> (Operand, Operand) {
        let args = self.arguments(args);
        let place = |i: usize| args.get(1 + i).copied().unwrap_or(Constant::I32(0).into());
        let (dst, inside) = (self.temporary(simt_ir::Type::Ptr), self.temporary(simt_ir::Type::Bool));
        self.emit(InstKind::Surface {
            dst,
            inside,
            surface: args[0],
            place: SurfacePlace { shape, at: [0, 1, 2].map(place) },
            bytes: bytes as u32,
            boundary,
        });
        (dst.into(), inside.into())
    }

    /// `surf2Dread<T>(surface, x, y)`.
    pub(super) fn surface_read(
        &mut self,
        shape: TextureShape,
        boundary: BoundaryMode,
        args: &[Expr],
        ty: &Type,
    ) -> Value {
        let bytes = layout::size_of(self.program, ty);
        let (pointer, inside) = self.surface((shape, boundary), args, bytes);
        let memory = InMemory::at(pointer);
        if boundary != BoundaryMode::Zero {
            return self.load_from(&memory, ty, CacheOp::Surface);
        }
        let result = self.variables("", &layout::leaves(self.program, ty));
        let zeros = self.zeros(ty);
        self.copy_all(&result, &zeros);
        self.when(inside, |s| {
            let value = s.load_from(&memory, ty, CacheOp::Surface);
            s.copy_all(&result, &value);
        });
        result.into_iter().map(Operand::Reg).collect()
    }

    /// `surf2Dwrite(value, surface, x, y)`.
    pub(super) fn surface_write(
        &mut self,
        shape: TextureShape,
        boundary: BoundaryMode,
        args: &[Expr],
    ) -> Value {
        let ty = args[0].ty.clone();
        let value = self.expr(&args[0]);
        let bytes = layout::size_of(self.program, &ty);
        let (pointer, inside) = self.surface((shape, boundary), &args[1..], bytes);
        let target = Target::Memory(InMemory::at(pointer));
        if boundary == BoundaryMode::Zero {
            self.when(inside, |s| s.store(&target, &ty, &value));
        } else {
            self.store(&target, &ty, &value);
        }
        Value::new()
    }

    fn when(&mut self, condition: Operand, f: impl FnOnce(&mut Self)) {
        let then = self.nested(f);
        let location = self.location;
        self.push(Node::If { condition, then, otherwise: Vec::new(), location });
    }
}
