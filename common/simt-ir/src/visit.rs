//! What an instruction reads and writes: the one place where each instruction's operands are listed, for passes,
//! analyses and checks that treat all instructions alike.

use crate::{Address, Inst, InstKind, Node, Operand, Reg, TextureFetch};

/// Writes the visitors of an instruction twice, for shared and for exclusive references.
macro_rules! visitors {
    ($uses:ident, $defs:ident, $address:ident, $fetch:ident, $($mutability:tt)?) => {
        impl InstKind {
            /// Calls `f` with each operand that the instruction reads, in the order of its fields.
            pub fn $uses(&$($mutability)? self, mut f: impl FnMut(&$($mutability)? Operand)) {
                match self {
                    InstKind::Copy { src, .. } | InstKind::Unary { src, .. } | InstKind::Convert { src, .. } => f(src),
                    InstKind::Binary { lhs, rhs, .. } | InstKind::Compare { lhs, rhs, .. } => {
                        f(lhs);
                        f(rhs);
                    }
                    InstKind::Fma { a, b, c, .. } => {
                        f(a);
                        f(b);
                        f(c);
                    }
                    InstKind::Select { condition, on_true, on_false, .. } => {
                        f(condition);
                        f(on_true);
                        f(on_false);
                    }
                    InstKind::Math { args, .. }
                    | InstKind::Print { args, .. }
                    | InstKind::Matrix { args, .. }
                    | InstKind::Async { args, .. }
                    | InstKind::Call { args, .. }
                    | InstKind::Result { values: args } => {
                        for arg in args {
                            f(arg);
                        }
                    }
                    InstKind::Special { .. }
                    | InstKind::Param { .. }
                    | InstKind::Argument { .. }
                    | InstKind::AddressOf { .. }
                    | InstKind::Barrier { reduce: None }
                    | InstKind::GridBarrier
                    | InstKind::Fence
                    | InstKind::Clock { .. }
                    | InstKind::Trap => {}
                    InstKind::Offset { address, .. }
                    | InstKind::Load { address, .. }
                    | InstKind::LoadMatrix { address, .. } => $address(address, f),
                    InstKind::AsyncCopy { to, from, used, .. } => {
                        f(used);
                        $address(to, &mut f);
                        $address(from, f);
                    }
                    InstKind::Store { src, address, .. } => {
                        for value in src {
                            f(value);
                        }
                        $address(address, f);
                    }
                    InstKind::Atomic { address, value, compare, .. } => {
                        f(value);
                        if let Some(compare) = compare {
                            f(compare);
                        }
                        $address(address, f);
                    }
                    InstKind::Texture { texture, fetch, .. } => {
                        f(texture);
                        $fetch(fetch, f);
                    }
                    InstKind::Surface { surface, shape, at, .. } => {
                        f(surface);
                        for operand in &$($mutability)? at[..shape.integers()] {
                            f(operand);
                        }
                    }
                    InstKind::Shuffle { value, lane, width, members, .. } => {
                        f(value);
                        f(lane);
                        f(width);
                        f(members);
                    }
                    InstKind::Vote { predicate, members, .. } => {
                        f(predicate);
                        f(members);
                    }
                    InstKind::Barrier { reduce: Some(reduce) } => f(&$($mutability)? reduce.predicate),
                    InstKind::WarpBarrier { members } => f(members),
                    InstKind::Assert { condition, .. } | InstKind::HasValue { condition, .. } => f(condition),
                    InstKind::BadCall { pointer } => f(pointer),
                }
            }

            /// Calls `f` with each register that the instruction writes.
            pub fn $defs(&$($mutability)? self, mut f: impl FnMut(&$($mutability)? Reg)) {
                match self {
                    InstKind::Copy { dst, .. }
                    | InstKind::Unary { dst, .. }
                    | InstKind::Binary { dst, .. }
                    | InstKind::Fma { dst, .. }
                    | InstKind::Compare { dst, .. }
                    | InstKind::Select { dst, .. }
                    | InstKind::Convert { dst, .. }
                    | InstKind::Math { dst, .. }
                    | InstKind::Special { dst, .. }
                    | InstKind::Param { dst, .. }
                    | InstKind::Argument { dst, .. }
                    | InstKind::AddressOf { dst, .. }
                    | InstKind::Offset { dst, .. }
                    | InstKind::Shuffle { dst, .. }
                    | InstKind::Vote { dst, .. }
                    | InstKind::Clock { dst } => f(dst),
                    InstKind::Load { dst, .. }
                    | InstKind::Texture { dst, .. }
                    | InstKind::Matrix { dst, .. }
                    | InstKind::LoadMatrix { dst, .. }
                    | InstKind::Call { dst, .. } => {
                        for reg in dst {
                            f(reg);
                        }
                    }
                    InstKind::Surface { dst, inside, .. } => {
                        f(dst);
                        f(inside);
                    }
                    InstKind::Atomic { dst, .. } | InstKind::Async { dst, .. } => {
                        if let Some(dst) = dst {
                            f(dst);
                        }
                    }
                    InstKind::Barrier { reduce } => {
                        if let Some(reduce) = reduce {
                            f(&$($mutability)? reduce.dst);
                        }
                    }
                    InstKind::Store { .. }
                    | InstKind::AsyncCopy { .. }
                    | InstKind::GridBarrier
                    | InstKind::WarpBarrier { .. }
                    | InstKind::Fence
                    | InstKind::Assert { .. }
                    | InstKind::HasValue { .. }
                    | InstKind::Print { .. }
                    | InstKind::Result { .. }
                    | InstKind::BadCall { .. }
                    | InstKind::Trap => {}
                }
            }
        }

        fn $address(address: &$($mutability)? Address, mut f: impl FnMut(&$($mutability)? Operand)) {
            f(&$($mutability)? address.base);
            if let Some(index) = &$($mutability)? address.index {
                f(&$($mutability)? index.value);
            }
        }

        fn $fetch(fetch: &$($mutability)? TextureFetch, mut f: impl FnMut(&$($mutability)? Operand)) {
            match fetch {
                TextureFetch::Element { x } => f(x),
                TextureFetch::Sample { shape, at, layer } => {
                    for operand in &$($mutability)? at[..shape.coordinates()] {
                        f(operand);
                    }
                    if shape.has_integer() {
                        f(layer);
                    }
                }
            }
        }
    };
}

visitors!(for_each_use, for_each_def, address_uses, fetch_uses,);
visitors!(for_each_use_mut, for_each_def_mut, address_uses_mut, fetch_uses_mut, mut);

/// Calls `f` with each instruction of `block`, in textual order, however deep.
pub fn for_each_inst(block: &[Node], f: &mut impl FnMut(&Inst)) {
    for node in block {
        match node {
            Node::Inst(inst) => f(inst),
            Node::If { then, otherwise, .. } => {
                for_each_inst(then, f);
                for_each_inst(otherwise, f);
            }
            Node::Loop { header, body, step, .. } => {
                for_each_inst(header, f);
                for_each_inst(body, f);
                for_each_inst(step, f);
            }
            Node::Scope { body, .. } => for_each_inst(body, f),
            Node::Break(_) | Node::Continue(_) | Node::Return => {}
        }
    }
}
