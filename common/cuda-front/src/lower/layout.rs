//! Types as the IR sees them: sizes, the scalars that an aggregate is made of, and the accesses that move them.

use crate::hir::{Array, Program, StructId, Type};
use simt_ir::ElementType;
use smallvec::SmallVec;

/// A scalar in an aggregate.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Leaf {
    /// How it is named after its object: empty, `.x`, `.v[3]`.
    pub path: String,
    /// Its type in memory.
    pub memory: ElementType,
    /// Byte offset in the aggregate.
    pub offset: u64,
}

impl Leaf {
    /// Whether it is a unit of bit-fields.
    pub(super) fn is_bits(&self) -> bool {
        self.path.contains('#')
    }

    /// [`Leaf::path`] as messages show it: a half is a number.
    pub(super) fn name(&self) -> &str {
        self.path.strip_suffix(".__x").unwrap_or(&self.path)
    }
}

/// The scalars of a value, which is mostly one.
pub(super) type Leaves = SmallVec<[Leaf; 1]>;

/// The most scalars that a value may consist of.
pub(super) const MAX_LEAVES: u64 = 1024;

/// The memory type of a scalar type; `None` for void and aggregates.
pub(super) fn memory(ty: &Type) -> Option<ElementType> {
    Some(match ty {
        Type::Void | Type::Array(..) | Type::Struct(_) => return None,
        Type::Bool => ElementType::Bool,
        Type::Int(int) => match (int.bits(), int.is_signed()) {
            (8, true) => ElementType::S8,
            (8, false) => ElementType::U8,
            (16, true) => ElementType::S16,
            (16, false) => ElementType::U16,
            (32, _) => ElementType::I32,
            _ => ElementType::I64,
        },
        Type::Float => ElementType::F32,
        Type::Double => ElementType::F64,
        Type::Pointer(_) => ElementType::Ptr,
        Type::Texture => ElementType::I64,
    })
}

/// The register type of a scalar type; `I32` for what has no value.
pub(super) fn register(ty: &Type) -> simt_ir::Type {
    memory(ty).map_or(simt_ir::Type::I32, ElementType::register)
}

/// Whether integers of the type have a sign; false for what is no integer.
pub(super) fn is_signed(ty: &Type) -> bool {
    matches!(ty, Type::Int(int) if int.is_signed())
}

/// Size in bytes; 1 for void, as pointer arithmetic on `void *` counts.
pub(crate) fn size_of(program: &Program, ty: &Type) -> u64 {
    ty.bytes(&program.structs)
}

/// Alignment in bytes.
pub(super) fn align_of(program: &Program, ty: &Type) -> u32 {
    match ty {
        Type::Array(a) => align_of(program, &a.of),
        Type::Struct(id) => program.structs[id.0 as usize].align.max(1),
        scalar => memory(scalar).map_or(1, ElementType::bytes),
    }
}

/// How many leaves a value of the type has.
#[inline]
pub(super) fn leaf_count(program: &Program, ty: &Type) -> u64 {
    match ty {
        Type::Void => 0,
        Type::Array(a) => array_leaf_count(program, a),
        Type::Struct(id) => struct_leaf_count(program, *id),
        _ => 1,
    }
}

/// By itself, because what calls itself is never inlined, and most types are scalars.
fn array_leaf_count(program: &Program, array: &Array) -> u64 {
    leaf_count(program, &array.of).saturating_mul(array.count)
}

fn struct_leaf_count(program: &Program, StructId(id): StructId) -> u64 {
    let layout = &program.structs[id as usize];
    if layout.is_union {
        return layout.bytes / u64::from(union_unit(layout.align).bytes());
    }
    layout.fields.iter().fold(0, |sum, f| leaf_count(program, &f.ty).saturating_add(sum))
}

/// The leaves of a value, in memory order.
pub(super) fn leaves(program: &Program, ty: &Type) -> Leaves {
    let mut all = Leaves::new();
    if leaf_count(program, ty) <= MAX_LEAVES {
        collect(program, ty, 0, &mut String::new(), &mut all);
    }
    all
}

fn collect(program: &Program, ty: &Type, offset: u64, path: &mut String, all: &mut Leaves) {
    let length = path.len();
    match ty {
        Type::Void => {}
        Type::Array(a) => {
            for i in 0..a.count {
                path.push_str(&format!("[{i}]"));
                collect(program, &a.of, offset + i * size_of(program, &a.of), path, all);
                path.truncate(length);
            }
        }
        Type::Struct(id) => {
            let layout = &program.structs[id.0 as usize];
            if layout.is_union {
                let memory = union_unit(layout.align);
                let unit = u64::from(memory.bytes());
                let parts = (0..layout.bytes / unit).map(|i| Leaf {
                    path: path.clone(),
                    memory,
                    offset: offset + i * unit,
                });
                all.extend(parts);
                return;
            }
            for field in &layout.fields {
                if !field.name.is_empty() {
                    path.push('.');
                    path.push_str(&field.name);
                }
                collect(program, &field.ty, offset + field.offset, path, all);
                path.truncate(length);
            }
        }
        scalar => {
            let memory = memory(scalar).expect("every other type is a scalar");
            all.push(Leaf { path: path.clone(), memory, offset });
        }
    }
}

/// A union's value is its bytes, in units of its alignment.
fn union_unit(align: u32) -> ElementType {
    match align {
        0 | 1 => ElementType::U8,
        2 => ElementType::U16,
        4 => ElementType::I32,
        _ => ElementType::I64,
    }
}

/// The range of a field's leaves among those of its struct.
pub(super) fn field_leaves(program: &Program, id: StructId, field: u32) -> std::ops::Range<usize> {
    let fields = &program.structs[id.0 as usize].fields;
    let count = |index: usize| leaf_count(program, &fields[index].ty) as usize;
    let start: usize = (0..field as usize).map(count).sum();
    start..start + count(field as usize)
}

/// Whether an object of the type must be in memory, whatever is done with it: it has elements to index or overlapping fields.
pub(super) fn needs_memory(program: &Program, ty: &Type) -> bool {
    match ty {
        Type::Array(..) => true,
        Type::Struct(id) => {
            let layout = &program.structs[id.0 as usize];
            layout.is_union || layout.fields.iter().any(|f| needs_memory(program, &f.ty))
        }
        _ => false,
    }
}

/// How many of the `leaves` one access moves, starting with the first: 4, 2 or 1. Neighbours of one type move together
/// as far as the object's alignment guarantees it, 16 bytes at most ("size and alignment requirement", CUDA C++
/// Programming Guide, device memory accesses): `float4` is one access, `float3` three.
pub(super) fn access_width(leaves: &[Leaf], align: u32) -> usize {
    let first = &leaves[0];
    let bytes = u64::from(first.memory.bytes());
    let fits = |width: usize| {
        let total = bytes * width as u64;
        leaves.len() >= width
            && total <= 16
            && u64::from(align).is_multiple_of(total)
            && first.offset.is_multiple_of(total)
            && (0..width).all(|i| {
                leaves[i].memory == first.memory && leaves[i].offset == first.offset + i as u64 * bytes
            })
    };
    [4, 2].into_iter().find(|width| fits(*width)).unwrap_or(1)
}

/// The scalar that a type consists of: itself, or a vector's component.
pub(super) fn element(program: &Program, ty: &Type) -> Option<ElementType> {
    match ty {
        Type::Struct(id) => {
            let layout = &program.structs[id.0 as usize];
            let first = layout.fields.first().filter(|_| layout.is_vector)?;
            memory(&first.ty)
        }
        other => memory(other),
    }
}

/// Whether that is the name of a number of 16 bits that the headers make of a struct.
pub(super) fn is_half(name: &str) -> bool {
    matches!(name, "__half" | "__nv_bfloat16")
}

/// A type as C++ spells it.
pub(super) fn spell(program: &Program, ty: &Type) -> String {
    match ty {
        Type::Void => "void".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Int(int) => int.name().to_owned(),
        Type::Float => "float".to_owned(),
        Type::Double => "double".to_owned(),
        Type::Pointer(to) => {
            let qualifier = if to.is_const { "const " } else { "" };
            format!("{qualifier}{} *", spell(program, &to.ty))
        }
        Type::Array(a) => format!("{}[{}]", spell(program, &a.of), a.count),
        Type::Struct(id) => program.structs[id.0 as usize].name.clone(),
        Type::Texture => "cudaTextureObject_t".to_owned(),
    }
}
