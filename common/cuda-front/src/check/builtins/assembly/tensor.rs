//! `ldmatrix`, `movmatrix` and `mma.sync`.

use super::{Done, Instruction, Kind, Operand, Ptx, Refusal};
use crate::check::ty::Ty;
use crate::check::value::Value;
use crate::hir::Intrinsic;
use simt_ir::{MatrixElement, MatrixOp, MatrixProduct, MatrixSum};

impl Ptx<'_, '_> {
    /// Whether the instruction is one of this file, which then is done.
    pub(super) fn tensor(&mut self, i: &Instruction) -> Done<bool> {
        match i.opcode[0].as_str() {
            "ldmatrix" => self.ldmatrix(i)?,
            "movmatrix" => {
                self.count(i, &[2])?;
                let value = self.read(&i.operands[1], Kind::Unsigned(32))?;
                self.results(
                    i,
                    Intrinsic::Matrix(MatrixOp::Transpose),
                    vec![value],
                    (Kind::Unsigned(32), 1),
                )?;
            }
            "mma" => self.mma(i)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The results of a built-in function, to the registers of the first operand.
    fn results(
        &mut self,
        i: &Instruction,
        intrinsic: Intrinsic,
        arguments: Vec<Value>,
        (kind, count): (Kind, usize),
    ) -> Done {
        let parts = self.parts(&i.operands[0], count)?;
        let name = match kind {
            Kind::Float(32) => "float",
            Kind::Float(_) => "double",
            _ => "uint",
        };
        let ty = match count {
            1 => kind.ty(),
            _ => self.c.vector(&format!("{name}{count}")).ok_or_else(|| Refusal::Unsupported(i.name()))?,
        };
        let value = self.built_in(intrinsic, arguments, ty);
        let local = self.keep(value);
        for (n, part) in parts.iter().enumerate() {
            let value = self.component(local, n, count, kind);
            self.write(part, kind, value)?;
        }
        Ok(())
    }

    fn ldmatrix(&mut self, i: &Instruction) -> Done {
        self.count(i, &[2])?;
        let known = ["sync", "aligned", "m8n8", "x1", "x2", "x4", "trans", "shared", "shared::cta", "b16"];
        if !i.opcode[1..].iter().all(|m| known.contains(&m.as_str())) {
            return Err(Refusal::Unsupported(i.name()));
        }
        let count = match () {
            () if i.has("x4") => 4,
            () if i.has("x2") => 2,
            () => 1,
        };
        let shared = i.has("shared") || i.has("shared::cta");
        let pointer = self.address(&i.operands[1], &Kind::Unsigned(8).ty(), shared)?;
        self.results(i, Intrinsic::LoadMatrix(i.has("trans")), vec![pointer], (Kind::Unsigned(32), count))
    }

    fn mma(&mut self, i: &Instruction) -> Done {
        self.count(i, &[4])?;
        let product = shape(i).filter(MatrixProduct::exists).ok_or_else(|| Refusal::Unsupported(i.name()))?;
        let [a, b, d] = product.registers().map(|n| n as usize);
        let factor = if product.a == MatrixElement::F64 { Kind::Float(64) } else { Kind::Unsigned(32) };
        let sum = match product.sum {
            MatrixSum::F32 => Kind::Float(32),
            MatrixSum::F64 => Kind::Float(64),
            MatrixSum::F16 | MatrixSum::I32 => Kind::Unsigned(32),
        };
        let mut arguments = Vec::new();
        for (n, count, kind) in [(1, a, factor), (2, b, factor), (3, d, sum)] {
            for part in self.parts(&i.operands[n], count)? {
                let value = self.read(part, kind)?;
                if let (Ty::Bool, Operand::Name(name)) = (&value.ty.ty, part) {
                    return Err(super::unknown(name));
                }
                arguments.push(value);
            }
        }
        self.results(i, Intrinsic::Matrix(MatrixOp::Product(product)), arguments, (sum, d))
    }
}

/// `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32`.
fn shape(i: &Instruction) -> Option<MatrixProduct> {
    let saturate = i.has("satfinite");
    let parts: Vec<&str> = i.opcode[1..].iter().map(String::as_str).filter(|m| *m != "satfinite").collect();
    let ["sync", "aligned", shape, "row", "col", d, a, b, c] = parts.as_slice() else { return None };
    let (rows, rest) = shape.strip_prefix('m')?.split_once('n')?;
    let (columns, depth) = rest.split_once('k')?;
    let element = |name: &str| {
        Some(match name {
            "f16" => MatrixElement::F16,
            "bf16" => MatrixElement::Bf16,
            "tf32" => MatrixElement::Tf32,
            "f64" => MatrixElement::F64,
            "s8" => MatrixElement::S8,
            "u8" => MatrixElement::U8,
            _ => return None,
        })
    };
    let sum = match *d {
        "f16" => MatrixSum::F16,
        "f32" => MatrixSum::F32,
        "f64" => MatrixSum::F64,
        "s32" => MatrixSum::I32,
        _ => return None,
    };
    (columns == "8" && c == d).then_some(())?;
    Some(MatrixProduct {
        rows: rows.parse().ok()?,
        depth: depth.parse().ok()?,
        a: element(a)?,
        b: element(b)?,
        sum,
        packed: true,
        saturate,
    })
}
