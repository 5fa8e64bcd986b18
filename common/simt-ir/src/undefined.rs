//! What instructions do with undefined values; the crate's page says what those are.

use crate::{Address, BinaryOp, InstKind, Kernel, ObjectPart, Operand, SourceVariable, Type, for_each_inst};
use source::hash::KeyedSet;
use std::sync::Arc;

/// How the result of a computation depends on operands that may be undefined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Dependence {
    /// It is undefined if any of its operands is.
    All,
    /// It does not depend on its operands.
    Nothing,
    /// It is undefined if the condition is, or otherwise the side that is chosen.
    Chosen {
        /// Bool.
        condition: Operand,
        /// The sides, for true and for false.
        sides: [Operand; 2],
    },
    /// It is defined if one of the operands is defined and has that value, all bits ones or zeros.
    Decided {
        /// The operands.
        operands: [Operand; 2],
        /// Whether all of its bits are ones.
        by_ones: bool,
    },
}

impl InstKind {
    /// Calls `f` with each operand that has to be defined, and with whether the launch stops if it is not, in the order in which
    /// they are looked at.
    pub fn for_each_demand(&self, mut f: impl FnMut(Operand, bool)) {
        let address = |address: &Address, f: &mut dyn FnMut(Operand, bool)| {
            f(address.base, true);
            if let Some(index) = address.index {
                f(index.value, true);
            }
        };
        match self {
            InstKind::Store { src, address: to, part, .. } => {
                if *part == ObjectPart::Whole {
                    src.iter().for_each(|src| f(*src, false));
                }
                address(to, &mut f);
            }
            InstKind::Load { address: from, .. } | InstKind::LoadMatrix { address: from, .. } => {
                address(from, &mut f);
            }
            InstKind::Atomic { value, compare, address: at, .. } => {
                f(*value, false);
                compare.iter().for_each(|compare| f(*compare, false));
                address(at, &mut f);
            }
            InstKind::AsyncCopy { used, to, from, .. } => {
                f(*used, false);
                address(to, &mut f);
                address(from, &mut f);
            }
            InstKind::Binary { op, rhs, .. } => {
                if op.divides() {
                    f(*rhs, true);
                }
            }
            InstKind::Shuffle { lane, width, members, .. } => {
                [lane, width, members].into_iter().for_each(|operand| f(*operand, false));
            }
            // What is given on is followed, and asked for where it is used.
            InstKind::Call { .. } | InstKind::Result { .. } | InstKind::CheckDefined { .. } => {}
            kind if kind.is_pure() => {}
            kind => kind.for_each_use(|operand| f(*operand, false)),
        }
    }

    /// The values of a vector of members that is stored, one of which at least has to be defined.
    pub fn stored_members(&self) -> Option<&[Operand]> {
        match self {
            InstKind::Store { src, part: ObjectPart::Member, .. } if src.len() > 1 => Some(src),
            _ => None,
        }
    }

    /// How the one result of an instruction that only computes depends on its operands; `None` for all others. `ty`: the
    /// result's type.
    pub fn dependence(&self, ty: Type) -> Option<Dependence> {
        let is_integer = matches!(ty, Type::I32 | Type::I64);
        if let InstKind::Binary { op, lhs, rhs, .. } = self {
            let (operands, same) = ([*lhs, *rhs], lhs == rhs);
            return Some(match op {
                BinaryOp::Sub | BinaryOp::Xor if same && is_integer => Dependence::Nothing,
                BinaryOp::And | BinaryOp::Mul if is_integer || ty == Type::Bool => {
                    Dependence::Decided { operands, by_ones: false }
                }
                BinaryOp::Or => Dependence::Decided { operands, by_ones: true },
                _ => Dependence::All,
            });
        }
        if let InstKind::Compare { ty, lhs, rhs, .. } = self {
            let is_float = matches!(ty, Type::F32 | Type::F64);
            return Some(if lhs == rhs && !is_float { Dependence::Nothing } else { Dependence::All });
        }
        if let InstKind::Select { condition, on_true, on_false, .. } = self {
            return Some(Dependence::Chosen { condition: *condition, sides: [*on_true, *on_false] });
        }
        let is_given = matches!(self, InstKind::Undefined { .. } | InstKind::Argument { .. });
        (self.is_pure() && !is_given).then_some(Dependence::All)
    }
}

impl Kernel {
    /// The variables of which [`InstKind::Undefined`] makes values, each once, in textual order, those of functions last.
    pub fn undefined_variables(&self) -> Vec<Arc<SourceVariable>> {
        let (mut all, mut known) = (Vec::new(), KeyedSet::default());
        for body in self.bodies() {
            for_each_inst(body, &mut |inst| {
                if let InstKind::Undefined { variable, .. } = &inst.kind
                    && known.insert(variable.clone())
                {
                    all.push(variable.clone());
                }
            });
        }
        all
    }
}
