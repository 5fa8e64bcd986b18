//! The types of a file: its classes, enumerations and types of functions, with their sizes, layouts and spellings.
//!
//! It does not know how a type is written or found: that is done with names, in `written`.

use super::ids::{FuncIdx, ScopeId, TArg};
use super::ty::{DeclTy, QTy, Ref, Ty, UNSIZED};
use crate::hir::{self, FunctionId, IntType, StructId};
use cuda_syntax::{Word, ast};
use smallvec::{SmallVec, smallvec};
use source::hash::Map;
use source::{Diagnostic, Span};
use std::sync::Arc;

/// The hidden field of a class with virtual functions.
pub(crate) const TABLE: &str = "table of virtual functions";

/// What is known of types beside [`Ty`].
#[derive(Default)]
pub(crate) struct Types<'a> {
    /// Layouts, by [`StructId`].
    pub(crate) structs: Vec<hir::Struct>,
    /// As many as `structs`.
    pub(crate) classes: Vec<ClassInfo<'a>>,
    pub(crate) enums: Vec<EnumInfo>,
    /// CUDA's vector types that were named.
    pub(crate) vectors: Map<String, StructId>,
    /// The class of a lambda, by its place in the file and the scope in which it stands.
    pub(crate) closures: Map<(Span, ScopeId), StructId>,
    /// `ulonglong2`, once an integer of 128 bits was named: what the typed program has for one.
    pub(crate) wide: Option<StructId>,
    /// By the index in [`Ty::Function`].
    pub(crate) function_types: Vec<FunctionType>,
}

/// What the checker knows of a class beside [`hir::Struct`].
#[derive(Default)]
pub(crate) struct ClassInfo<'a> {
    pub(crate) scope: ScopeId,
    pub(crate) bases: Vec<StructId>,
    /// One for each of [`hir::Struct::fields`].
    pub(crate) fields: Vec<FieldInfo<'a>>,
    pub(crate) bit_fields: Vec<BitField<'a>>,
    pub(crate) constructors: Vec<FuncIdx>,
    /// The bases whose constructors make this class too (`using B::B;`).
    pub(crate) inherits: Vec<StructId>,
    pub(crate) destructor: Option<FuncIdx>,
    /// Functions and classes that may name what is private.
    pub(crate) friends: Vec<Word>,
    /// Members that are neither functions nor fields, if not everybody may name them; and what `using` declarations name.
    pub(crate) hidden: Map<Word, ast::Access>,
    pub(crate) complete: bool,
    /// Whether it or one of its bases has virtual functions.
    pub(crate) is_polymorphic: bool,
    pub(crate) is_final: bool,
    /// A pure virtual function that makes it abstract.
    pub(crate) pure: Option<FuncIdx>,
    /// Whether one of its bases is not known: what it inherits is not known then.
    pub(crate) has_unknown_base: bool,
    /// What is wrong with it, said where device code uses it: a class of the host may have anything in it.
    pub(crate) faults: Vec<Diagnostic>,
    pub(crate) is_lambda: bool,
    /// Bytes without the padding at the end that a derived class may use.
    pub(crate) data_bytes: u64,
    /// Its members with those of its members.
    pub(crate) parts: usize,
    /// Element type and count of a vector type.
    pub(crate) vector: Option<(Ty, u32)>,
    /// The class template and the arguments that it is an instance of.
    pub(crate) template: Option<(usize, Vec<TArg>)>,
    /// The text of the template (or its specialisation) that it is an instance of.
    pub(crate) pattern: Option<&'a ast::Class>,
}

impl ClassInfo<'_> {
    /// One of which no more is known than its scope.
    pub(crate) fn new(scope: ScopeId) -> Self {
        ClassInfo { scope, data_bytes: u64::MAX, ..ClassInfo::default() }
    }
}

pub(crate) struct FieldInfo<'a> {
    pub(crate) q: QTy,
    pub(crate) default: Option<&'a ast::Initializer>,
    pub(crate) span: Span,
    /// It is a pointer that stands for what it points to (a reference member, a capture by reference).
    pub(crate) is_reference: bool,
    /// Alignment asked for by `alignas`, in bytes; 0 for the type's own.
    pub(crate) align: u32,
    pub(crate) access: ast::Access,
    pub(crate) is_mutable: bool,
}

impl FieldInfo<'_> {
    /// A member that anybody may name, of which no more is said than its type.
    pub(crate) fn public(q: QTy) -> Self {
        FieldInfo {
            q,
            default: None,
            span: Span::default(),
            is_reference: false,
            align: 0,
            access: ast::Access::Public,
            is_mutable: false,
        }
    }
}

pub(crate) struct EnumInfo {
    pub(crate) name: String,
    pub(crate) underlying: Ty,
    pub(crate) scoped: bool,
    pub(crate) scope: ScopeId,
}

/// A type of functions.
#[derive(Clone)]
pub(crate) struct FunctionType {
    pub(crate) result: DeclTy,
    pub(crate) parameters: Vec<DeclTy>,
    /// The function that calls the one of a number.
    pub(crate) dispatcher: Option<FunctionId>,
}

/// A part of a unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// The unit, among the class's fields.
    pub(crate) unit: u32,
    /// Its lowest bit there.
    pub(crate) shift: u32,
    /// How many bits.
    pub(crate) width: u32,
    /// Which bit of the bit-field is its lowest.
    pub(crate) at: u32,
}

/// A bit-field of a class.
#[derive(Clone, Debug)]
pub(crate) struct BitField<'a> {
    /// Empty for padding.
    pub(crate) name: String,
    pub(crate) q: QTy,
    pub(crate) width: u32,
    /// What it is where nothing else is said.
    pub(crate) default: Option<&'a ast::Initializer>,
    /// How many of the class's other fields come before it.
    pub(crate) before: usize,
    pub(crate) pieces: Vec<Piece>,
}

/// Fields that lead from an object to a part of it, one in the other.
pub(crate) type Steps = SmallVec<[u32; 4]>;

impl<'a> Types<'a> {
    /// Size in bytes; 1 for what has none.
    pub(crate) fn size_of(&self, t: &Ty) -> u64 {
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
            | Ty::Overloads(_)
            | Ty::Braces(_) => 8,
            Ty::Enum(e) => self.size_of(&self.enums[e.0 as usize].underlying),
            Ty::Array(_, UNSIZED) => 0,
            Ty::Array(of, n) => self.size_of(of).saturating_mul(*n),
            Ty::Struct(s) => self.layout(*s).bytes,
        }
    }

    /// Alignment in bytes.
    pub(crate) fn align_of(&self, t: &Ty) -> u32 {
        match t {
            Ty::Array(of, _) => self.align_of(of),
            Ty::Struct(s) => self.layout(*s).align,
            other => self.size_of(other) as u32,
        }
    }

    /// The typed program's type.
    #[inline]
    pub(crate) fn hir_type(&self, t: &Ty) -> hir::Type {
        match t {
            Ty::Error | Ty::Braces(_) | Ty::Overloads(_) => hir::Type::Int(IntType::Int),
            Ty::Void => hir::Type::Void,
            Ty::Bool => hir::Type::Bool,
            Ty::Int(i) if t.is_wide() => self.wide.map_or(hir::Type::Int(*i), hir::Type::Struct),
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

    pub(crate) fn composed_type(&self, t: &Ty) -> hir::Type {
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
    pub(crate) fn spell(&self, q: &QTy) -> String {
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

    pub(crate) fn spell_pointer(&self, to: &QTy) -> String {
        if let Ty::Array(..) = to.ty {
            let whole = self.spell(to);
            let at = whole.find('[').unwrap_or(whole.len());
            return format!("{}(*){}", &whole[..at], &whole[at..]);
        }
        let inner = self.spell(to);
        let gap = if inner.ends_with('*') { "" } else { " " };
        format!("{inner}{gap}*")
    }

    pub(crate) fn spell_base(&self, t: &Ty) -> String {
        match t {
            Ty::Error => "?".to_owned(),
            Ty::Braces(_) => "{…}".to_owned(),
            Ty::Overloads(_) => "one of several functions".to_owned(),
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

    pub(crate) fn spell_ty(&self, t: &Ty) -> String {
        self.spell(&QTy::plain(t.clone()))
    }

    /// A declaration's type as C++ spells it.
    pub(crate) fn spell_decl(&self, d: &DeclTy) -> String {
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

    pub(crate) fn class(&self, s: StructId) -> &ClassInfo<'a> {
        &self.classes[s.0 as usize]
    }

    pub(crate) fn layout(&self, s: StructId) -> &hir::Struct {
        &self.structs[s.0 as usize]
    }

    pub(crate) fn known_function_type(&mut self, result: DeclTy, mut parameters: Vec<DeclTy>) -> Ty {
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

    /// The fields that lead to the class of a bit-field, and which of it.
    pub(crate) fn bit_path(&self, class: StructId, name: &str) -> Option<(Steps, usize)> {
        if let Some(i) = self.class(class).bit_fields.iter().position(|b| b.name == name) {
            return Some((Steps::new(), i));
        }
        self.layout(class).fields.iter().enumerate().filter(|(_, f)| f.name.is_empty()).find_map(|(i, _)| {
            let Ty::Struct(inner) = self.class(class).fields[i].q.ty else { return None };
            let (mut rest, found) = self.bit_path(inner, name)?;
            rest.insert(0, i as u32);
            Some((rest, found))
        })
    }

    /// The bit-fields that begin in a unit, which is field `i` of the class.
    pub(crate) fn bit_fields_of(&self, s: StructId, i: u32) -> Vec<BitField<'a>> {
        let begins = |b: &&BitField<'a>| b.pieces.first().is_some_and(|p| p.unit == i);
        self.class(s).bit_fields.iter().filter(begins).cloned().collect()
    }

    /// Offsets, size and alignment of a class with bit-fields; makes their units.
    pub(crate) fn lay_out_bits(&mut self, id: StructId, align: u32) {
        let shapes = self.shapes(id);
        let fields = std::mem::take(&mut self.classes[id.0 as usize].fields);
        let layout = std::mem::take(&mut self.structs[id.0 as usize].fields);
        let is_union = self.structs[id.0 as usize].is_union;
        let mut bits = std::mem::take(&mut self.classes[id.0 as usize].bit_fields);
        let (mut end, mut whole, mut last) = (0u64, align, 0u64);
        // For each bit-field its first bit; for each other field its offset in bytes.
        let (mut firsts, mut offsets) = (Vec::new(), Vec::new());
        for i in 0..=fields.len() {
            for b in bits.iter().filter(|b| b.before == i) {
                let size = self.size_of(&b.q.ty) * 8;
                let start = if is_union { 0 } else { end };
                let crosses = b.width == 0 || start / size != (start + u64::from(b.width) - 1) / size;
                let first = if crosses { start.next_multiple_of(size) } else { start };
                if !b.name.is_empty() {
                    whole = whole.max(self.align_of(&b.q.ty));
                }
                firsts.push(first);
                end = first + u64::from(b.width);
                last = last.max(end);
            }
            let Some((size, align)) = shapes.get(i).copied() else { break };
            whole = whole.max(align);
            let start = if is_union { 0 } else { end.div_ceil(8).next_multiple_of(u64::from(align)) };
            offsets.push(start);
            end = if size == 0 { end } else { (start + size) * 8 };
            last = last.max(end);
        }
        let bytes = last.div_ceil(8).max(1).next_multiple_of(u64::from(whole));
        let (mut new_fields, mut new_layout) = (Vec::new(), Vec::new());
        let mut fields = fields.into_iter().zip(layout);
        for i in 0..=offsets.len() {
            let run: Vec<usize> = (0..bits.len()).filter(|b| bits[*b].before == i).collect();
            let limit = offsets.get(i).copied().filter(|_| !is_union).unwrap_or(bytes);
            let runs = if is_union { run.into_iter().map(|b| vec![b]).collect() } else { vec![run] };
            for run in runs {
                let named = || run.iter().filter(|b| bits[**b].width > 0);
                let Some(start) = named().map(|b| firsts[*b] / 8).min() else { continue };
                let stop = named()
                    .map(|b| (firsts[*b] + u64::from(bits[*b].width)).div_ceil(8))
                    .max()
                    .unwrap_or(start);
                let mut at = start;
                while at < stop {
                    let fits =
                        |u: u64| at.is_multiple_of(u) && at + u <= limit && (u == 1 || at + u / 2 < stop);
                    let unit = [8, 4, 2].into_iter().find(|u| fits(*u)).unwrap_or(1);
                    let number = new_fields.len() as u32;
                    let ty = Ty::Int(unit_type(unit));
                    let name = format!("#bits{number}");
                    new_layout.push(hir::Field { name, ty: self.hir_type(&ty), offset: at });
                    let mut unit_default = None;
                    for b in &run {
                        let (lo, hi) = (firsts[*b], firsts[*b] + u64::from(bits[*b].width));
                        let (from, to) = (lo.max(at * 8), hi.min((at + unit) * 8));
                        if from < to {
                            let shift = (from - at * 8) as u32;
                            let (width, at) = ((to - from) as u32, (from - lo) as u32);
                            bits[*b].pieces.push(Piece { unit: number, shift, width, at });
                            unit_default = unit_default.or(bits[*b].default);
                        }
                    }
                    new_fields.push(FieldInfo { default: unit_default, ..FieldInfo::public(ty.into()) });
                    at += unit;
                }
            }
            if let Some((info, mut field)) = fields.next() {
                field.offset = offsets[i];
                new_fields.push(info);
                new_layout.push(field);
            }
        }
        bits.retain(|b| !b.name.is_empty());
        self.classes[id.0 as usize].fields = new_fields;
        self.classes[id.0 as usize].bit_fields = bits;
        let layout = &mut self.structs[id.0 as usize];
        layout.fields = new_layout;
        layout.align = whole;
        layout.bytes = bytes;
        self.classes[id.0 as usize].data_bytes = last.div_ceil(8);
    }

    /// The fields that lead from a class to one of its bases (empty if they are the same).
    pub(crate) fn base_path(&self, from: StructId, to: StructId) -> Option<Steps> {
        if from == to {
            return Some(Steps::new());
        }
        self.class(from).bases.iter().enumerate().find_map(|(i, base)| {
            let mut rest = self.base_path(*base, to)?;
            rest.insert(0, i as u32);
            Some(rest)
        })
    }

    /// Where the base that `path` leads to is in an object, in bytes.
    pub(crate) fn base_offset(&self, class: StructId, path: &[u32]) -> u64 {
        let (mut at, mut offset) = (class, 0u64);
        for field in path {
            offset += self.layout(at).fields[*field as usize].offset;
            at = self.class(at).bases[*field as usize];
        }
        offset
    }

    pub(crate) fn reference_compatible(&self, from: &Ty, to: &Ty) -> bool {
        match (from, to) {
            (Ty::Struct(a), Ty::Struct(b)) => self.base_path(*a, *b).is_some(),
            _ => from == to,
        }
    }

    /// The members of a class itself, without its bases, in order.
    pub(crate) fn members(&self, class: StructId) -> Vec<u32> {
        let bases = self.class(class).bases.len() as u32;
        (bases..self.class(class).fields.len() as u32).collect()
    }

    /// The fields that lead to a member, through base classes and unnamed members.
    pub(crate) fn field_path(&self, class: StructId, name: &str) -> Option<Steps> {
        if name.is_empty() {
            return None;
        }
        let fields = &self.layout(class).fields;
        if let Some(i) = fields.iter().position(|f| f.name == name) {
            return Some(smallvec![i as u32]);
        }
        fields.iter().enumerate().filter(|(_, f)| f.name.is_empty()).find_map(|(i, _)| {
            let Ty::Struct(inner) = self.class(class).fields[i].q.ty else { return None };
            let mut rest = self.field_path(inner, name)?;
            rest.insert(0, i as u32);
            Some(rest)
        })
    }

    /// Whether the objects of a class have a member of that name, a bit-field or any other.
    pub(crate) fn has_field(&self, class: StructId, name: &str) -> bool {
        self.field_path(class, name).is_some() || self.bit_path(class, name).is_some()
    }

    /// Whether it is a class without members, of which there is no value that could be missing.
    pub(crate) fn is_empty_class(&self, ty: &Ty) -> bool {
        matches!(ty, Ty::Struct(s) if self.layout(*s).fields.is_empty())
    }

    /// The bytes and the alignment of each base and member. What follows a base may lie in its padding, and an empty one takes no room.
    pub(crate) fn shapes(&self, id: StructId) -> Vec<(u64, u32)> {
        let class = self.class(id);
        let bases = class.bases.iter().map(|b| Some(*b)).chain(std::iter::repeat(None));
        let shape = |(f, base): (&FieldInfo<'a>, Option<StructId>)| {
            let empty = base.is_some_and(|b| self.layout(b).fields.is_empty());
            let size = if empty { 0 } else { self.size_of(&f.q.ty) };
            let size = base.map_or(size, |b| size.min(self.class(b).data_bytes));
            (size, self.align_of(&f.q.ty).max(f.align))
        };
        class.fields.iter().zip(bases).map(shape).collect()
    }

    /// The field that lies at the beginning of the class whatever is declared before it: the table, or the first base that has one.
    pub(crate) fn first_field(&self, id: StructId) -> Option<usize> {
        if !self.class(id).is_polymorphic {
            return None;
        }
        let base = self.class(id).bases.iter().position(|b| self.class(*b).is_polymorphic);
        base.or_else(|| self.table_field(id).map(|f| f as usize))
    }

    pub(crate) fn table_field(&self, id: StructId) -> Option<u32> {
        self.layout(id).fields.iter().position(|f| f.name == TABLE).map(|i| i as u32)
    }

    /// Whether it is the hidden field of the class.
    pub(crate) fn is_table(&self, class: StructId, field: usize) -> bool {
        self.layout(class).fields[field].name == TABLE
    }

    /// The ways from a class to the hidden fields in it and its bases.
    pub(crate) fn table_paths(&self, class: StructId) -> Vec<Steps> {
        if self.table_field(class).is_some() {
            return vec![Steps::new()];
        }
        let mut found = Vec::new();
        for (i, base) in
            self.class(class).bases.iter().enumerate().filter(|(_, b)| self.class(**b).is_polymorphic)
        {
            found.extend(self.table_paths(*base).into_iter().map(|mut path| {
                path.insert(0, i as u32);
                path
            }));
        }
        found
    }

    pub(crate) fn has_unknown_base(&self, class: StructId) -> bool {
        let class = self.class(class);
        class.has_unknown_base || class.bases.iter().any(|b| self.has_unknown_base(*b))
    }

    /// Whether a list may make an object of the class member by member.
    pub(crate) fn is_aggregate(&self, class: StructId) -> bool {
        let class = self.class(class);
        !class.is_polymorphic && class.fields.iter().all(|f| f.access == ast::Access::Public)
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

/// The unsigned integer of so many bytes, at most 8.
fn unit_type(bytes: u64) -> IntType {
    match bytes {
        1 => IntType::UnsignedChar,
        2 => IntType::UnsignedShort,
        4 => IntType::UnsignedInt,
        _ => IntType::UnsignedLongLong,
    }
}
