//! The types of a file: its classes, enumerations and types of functions, with their sizes, layouts and spellings.
//!
//! It does not know how a type is written or found: that is done with names, in `types`.

use super::pointer::FunctionType;
use super::ty::{DeclTy, QTy, Ref, Ty, UNSIZED};
use super::{ClassInfo, EnumInfo};
use crate::hir::{self, IntType, StructId};
use source::hash::Map;
use std::sync::Arc;

/// What is known of types beside [`Ty`].
#[derive(Default)]
pub(super) struct Types<'a> {
    /// Layouts, by [`StructId`].
    pub(super) structs: Vec<hir::Struct>,
    /// As many as `structs`.
    pub(super) classes: Vec<ClassInfo<'a>>,
    pub(super) enums: Vec<EnumInfo>,
    /// CUDA's vector types that were named.
    pub(super) vectors: Map<String, StructId>,
    /// By the index in [`Ty::Function`].
    pub(super) function_types: Vec<FunctionType>,
}

impl<'a> Types<'a> {
    /// Size in bytes; 1 for what has none.
    pub(super) fn size_of(&self, t: &Ty) -> u64 {
        match t {
            Ty::Error | Ty::Void | Ty::Bool => 1,
            Ty::Int(i) => u64::from(i.bits() / 8),
            Ty::Float => 4,
            Ty::Double
            | Ty::NullPtr
            | Ty::Pointer(_)
            | Ty::Texture
            | Ty::Function(_)
            | Ty::Callee(_)
            | Ty::Braces(_) => 8,
            Ty::Enum(e) => self.size_of(&self.enums[e.0 as usize].underlying),
            Ty::Array(_, UNSIZED) => 0,
            Ty::Array(of, n) => self.size_of(of).saturating_mul(*n),
            Ty::Struct(s) => self.layout(*s).bytes,
        }
    }

    /// Alignment in bytes.
    pub(super) fn align_of(&self, t: &Ty) -> u32 {
        match t {
            Ty::Array(of, _) => self.align_of(of),
            Ty::Struct(s) => self.layout(*s).align,
            other => self.size_of(other) as u32,
        }
    }

    /// The typed program's type.
    #[inline]
    pub(super) fn hir_type(&self, t: &Ty) -> hir::Type {
        match t {
            Ty::Error | Ty::Braces(_) => hir::Type::Int(IntType::Int),
            Ty::Void => hir::Type::Void,
            Ty::Bool => hir::Type::Bool,
            Ty::Int(i) => hir::Type::Int(*i),
            Ty::Float => hir::Type::Float,
            Ty::Double => hir::Type::Double,
            Ty::Struct(s) => hir::Type::Struct(*s),
            Ty::Texture => hir::Type::Texture,
            Ty::Function(_) | Ty::Callee(_) => hir::Type::Int(IntType::UnsignedLong),
            Ty::Enum(e) => self.composed_type(&self.enums[e.0 as usize].underlying),
            Ty::NullPtr | Ty::Pointer(_) | Ty::Array(..) => self.composed_type(t),
        }
    }

    pub(super) fn composed_type(&self, t: &Ty) -> hir::Type {
        let pointer = |ty, is_const, is_volatile| {
            hir::Type::Pointer(Arc::new(hir::Pointee { ty, is_const, is_volatile }))
        };
        match t {
            Ty::NullPtr => pointer(hir::Type::Void, false, false),
            Ty::Pointer(to) => to.lowered(|q| pointer(self.hir_type(&q.ty), q.is_const, q.is_volatile)),
            Ty::Array(of, n) => hir::Type::array(self.hir_type(of), if *n == UNSIZED { 0 } else { *n }),
            other => self.hir_type(other),
        }
    }

    /// As C++ spells it.
    pub(super) fn spell(&self, q: &QTy) -> String {
        let quals = format!(
            "{}{}",
            if q.is_const { "const " } else { "" },
            if q.is_volatile { "volatile " } else { "" }
        );
        match &q.ty {
            Ty::Pointer(to) => {
                let inner = self.spell_pointer(to);
                format!("{inner}{}", if q.is_const { " const" } else { "" })
            }
            Ty::Array(..) => {
                let mut dims = String::new();
                let mut at = &q.ty;
                while let Ty::Array(of, n) = at {
                    dims += &if *n == UNSIZED { "[]".to_owned() } else { format!("[{n}]") };
                    at = of;
                }
                format!("{quals}{} {dims}", self.spell_ty(at))
            }
            other => format!("{quals}{}", self.spell_base(other)),
        }
    }

    pub(super) fn spell_pointer(&self, to: &QTy) -> String {
        if let Ty::Array(..) = to.ty {
            let whole = self.spell(to);
            let at = whole.find('[').unwrap_or(whole.len());
            return format!("{}(*){}", &whole[..at], &whole[at..]);
        }
        let inner = self.spell(to);
        let gap = if inner.ends_with('*') { "" } else { " " };
        format!("{inner}{gap}*")
    }

    pub(super) fn spell_base(&self, t: &Ty) -> String {
        match t {
            Ty::Error => "?".to_owned(),
            Ty::Braces(_) => "{…}".to_owned(),
            Ty::Void => "void".to_owned(),
            Ty::Bool => "bool".to_owned(),
            Ty::Int(i) => i.name().to_owned(),
            Ty::Float => "float".to_owned(),
            Ty::Double => "double".to_owned(),
            Ty::NullPtr => "nullptr_t".to_owned(),
            Ty::Enum(e) => self.enums[e.0 as usize].name.clone(),
            Ty::Struct(s) => self.layout(*s).name.clone(),
            Ty::Texture => "cudaTextureObject_t".to_owned(),
            Ty::Function(at) | Ty::Callee(at) => {
                let f = &self.function_types[*at as usize];
                // Functions of functions of functions would take exponentially long names.
                let spell = |d: &DeclTy| match points_to_function(&d.q.ty) {
                    true => "…".to_owned(),
                    false => self.spell_decl(d),
                };
                let parameters: Vec<_> = f.parameters.iter().map(spell).collect();
                let star = if matches!(t, Ty::Function(_)) { "(*)" } else { "" };
                format!("{} {star}({})", spell(&f.result), parameters.join(", "))
            }
            Ty::Pointer(_) | Ty::Array(..) => self.spell_ty(t),
        }
    }

    pub(super) fn spell_ty(&self, t: &Ty) -> String {
        self.spell(&QTy::plain(t.clone()))
    }

    /// A declaration's type as C++ spells it.
    pub(super) fn spell_decl(&self, d: &DeclTy) -> String {
        let base = self.spell(&d.q);
        match (d.reference, &d.q.ty) {
            (None, _) => base,
            (Some(_), Ty::Array(..)) => {
                let at = base.find('[').unwrap_or(base.len());
                format!("{}(&){}", &base[..at], &base[at..])
            }
            (Some(Ref::Left), _) => format!("{base} &"),
            (Some(Ref::Right), _) => format!("{base} &&"),
        }
    }

    pub(super) fn class(&self, s: StructId) -> &ClassInfo<'a> {
        &self.classes[s.0 as usize]
    }

    pub(super) fn layout(&self, s: StructId) -> &hir::Struct {
        &self.structs[s.0 as usize]
    }

    pub(super) fn known_function_type(&mut self, result: DeclTy, mut parameters: Vec<DeclTy>) -> Ty {
        for p in parameters.iter_mut().filter(|p| p.reference.is_none()) {
            p.q.is_const = false;
            p.q.is_volatile = false;
        }
        let same = |f: &FunctionType| f.result == result && f.parameters == parameters;
        let at = match self.function_types.iter().position(same) {
            Some(at) => at,
            None => {
                self.function_types.push(FunctionType { result, parameters, dispatcher: None });
                self.function_types.len() - 1
            }
        };
        Ty::Function(at as u32)
    }
}

/// Whether a type is a pointer to a function, or leads to one.
fn points_to_function(t: &Ty) -> bool {
    match t {
        Ty::Function(_) | Ty::Callee(_) => true,
        Ty::Pointer(to) => points_to_function(&to.ty),
        Ty::Array(of, _) => points_to_function(of),
        _ => false,
    }
}
