//! How good an implicit conversion sequence is ([over.ics.rank]): what overload resolution compares.
//!
//! Two sequences may be of equal worth without being the same: those through different functions of the user, for
//! instance. So there is [`Rank::compare`], and no order of all ranks.

use super::ids::FuncIdx;
use super::ty::{QTy, Ref, Ty};
use super::types::Types;
use std::cmp::Ordering;

/// How good a standard conversion is; smaller is better.
pub(crate) type Standard = u8;
pub(crate) const EXACT: Standard = 0;
/// Only qualifiers are added to what a pointer points to.
pub(crate) const QUALIFIED: Standard = 1;
pub(crate) const PROMOTION: Standard = 2;
pub(crate) const CONVERSION: Standard = 3;
/// A pointer to `void *`: worse than to a base.
pub(crate) const TO_VOID: Standard = 110;
/// A pointer to `bool`: worse than other conversions.
pub(crate) const TO_BOOL: Standard = 111;

/// To the base that many classes up, and whether a qualifier is added: the nearer base is better.
pub(crate) const fn to_base(up: usize, qualified: bool) -> Standard {
    let up = if up < 50 { up as Standard } else { 50 };
    CONVERSION + 2 * up - !qualified as Standard
}

/// The function of a user-defined conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum User {
    Function(FuncIdx),
    /// A braced list, the constructor of `dim3`, or several functions that are equally good.
    Other,
}

/// How a parameter that is a reference is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Binding {
    is_const: bool,
    is_volatile: bool,
    /// The kind of the reference, if the argument is an rvalue: that decides only there.
    of_rvalue: Option<Ref>,
}

/// An implicit conversion sequence, as far as others are compared with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rank {
    user: Option<User>,
    /// A braced list that makes a `std::initializer_list`, which is better than one that makes anything else.
    is_list: bool,
    /// The standard conversion, after that of the user if there is one.
    standard: Standard,
    binding: Option<Binding>,
}

impl Rank {
    pub(crate) const EXACT: Rank = Rank::standard(EXACT);

    pub(crate) const fn standard(standard: Standard) -> Rank {
        Rank { user: None, is_list: false, standard, binding: None }
    }

    /// Through a function of the user, then by a standard conversion.
    pub(crate) fn user(user: User, standard: Standard) -> Rank {
        Rank { user: Some(user), is_list: false, standard, binding: None }
    }

    /// The same for a parameter that is a reference to `to`.
    pub(crate) fn bound(self, to: &QTy, of_rvalue: Option<Ref>) -> Rank {
        let binding = Binding { is_const: to.is_const, is_volatile: to.is_volatile, of_rvalue };
        Rank { binding: Some(binding), ..self }
    }

    /// The same of a braced list that makes a `std::initializer_list` of what it is a rank of.
    pub(crate) fn of_list(self) -> Rank {
        Rank { is_list: true, ..self }
    }

    /// Whether a function of the user takes part.
    pub(crate) fn is_user(&self) -> bool {
        self.user.is_some()
    }

    /// `Less` if this one is better.
    pub(crate) fn compare(&self, other: &Rank) -> Ordering {
        let by_user = match (self.user, other.user) {
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            _ if self.is_list != other.is_list => return other.is_list.cmp(&self.is_list),
            (Some(a), Some(b)) if a != b => return Ordering::Equal,
            _ => Ordering::Equal,
        };
        by_user.then(self.standard.cmp(&other.standard)).then_with(|| match (self.binding, other.binding) {
            (Some(a), Some(b)) => a.compare(b),
            _ => Ordering::Equal,
        })
    }
}

impl Binding {
    fn compare(self, other: Binding) -> Ordering {
        match (self.of_rvalue, other.of_rvalue) {
            (Some(Ref::Right), Some(Ref::Left)) => return Ordering::Less,
            (Some(Ref::Left), Some(Ref::Right)) => return Ordering::Greater,
            _ => {}
        }
        let adds = |a: Binding, b: Binding| (a.is_const && !b.is_const) || (a.is_volatile && !b.is_volatile);
        match (adds(self, other), adds(other, self)) {
            (false, true) => Ordering::Less,
            (true, false) => Ordering::Greater,
            _ => Ordering::Equal,
        }
    }
}

/// Whether the first list of ranks is better than the second: nowhere worse, and somewhere better.
pub(crate) fn better(a: &[Rank], b: &[Rank]) -> Ordering {
    let orders = || a.iter().zip(b).map(|(x, y)| x.compare(y));
    let less = orders().any(|o| o == Ordering::Less);
    let greater = orders().any(|o| o == Ordering::Greater);
    match (less, greater) {
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        _ => Ordering::Equal,
    }
}

impl<'a> Types<'a> {
    /// The standard conversion between two types, or `None` if there is none.
    pub(crate) fn rank_types(&self, from: &Ty, to: &Ty) -> Option<Standard> {
        if from == to {
            return Some(EXACT);
        }
        match (from, to) {
            (Ty::Enum(e), _) => self.rank_enum(e.0, to),
            (Ty::Texture, Ty::Int(_)) | (Ty::Int(_), Ty::Texture) => Some(CONVERSION),
            (Ty::Double, _) | (Ty::Float, _) if to.is_arithmetic() => {
                Some(if *from == Ty::Float && *to == Ty::Double { PROMOTION } else { CONVERSION })
            }
            (Ty::Bool | Ty::Int(_), _) if to.is_arithmetic() => {
                Some(if from.promoted() == *to { PROMOTION } else { CONVERSION })
            }
            (Ty::NullPtr, Ty::Pointer(_) | Ty::Function(_)) => Some(CONVERSION),
            (Ty::Pointer(_) | Ty::Function(_), Ty::Bool) => Some(TO_BOOL),
            (Ty::Pointer(a), Ty::Pointer(b)) => self.rank_pointers(a, b),
            (Ty::Struct(a), Ty::Struct(b)) => self.base_path(*a, *b).map(|path| to_base(path.len(), false)),
            _ => None,
        }
    }

    pub(crate) fn rank_enum(&self, e: u32, to: &Ty) -> Option<Standard> {
        let info = &self.enums[e as usize];
        if info.scoped || !to.is_arithmetic() {
            return None;
        }
        Some(if info.underlying.promoted() == *to { PROMOTION } else { CONVERSION })
    }

    pub(crate) fn rank_pointers(&self, from: &QTy, to: &QTy) -> Option<Standard> {
        if (from.is_const && !to.is_const) || (from.is_volatile && !to.is_volatile) {
            return None;
        }
        if from.ty == to.ty {
            return Some(QUALIFIED);
        }
        match (&from.ty, &to.ty) {
            (_, Ty::Void) => Some(TO_VOID),
            (Ty::Struct(a), Ty::Struct(b)) => {
                self.base_path(*a, *b).map(|path| to_base(path.len(), from.is_const != to.is_const))
            }
            // `T **` to `T * const *` and deeper: qualifiers may only be added where all outer levels are const.
            (Ty::Pointer(a), Ty::Pointer(b)) if to.is_const => self.rank_pointers(a, b).map(|_| QUALIFIED),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::ty::INT;

    #[test]
    fn conversions_through_different_functions_are_equally_good() {
        let (f, g) = (User::Function(FuncIdx(1)), User::Function(FuncIdx(2)));
        let (exact, converted) = (Rank::user(f, EXACT), Rank::user(g, CONVERSION));
        assert_eq!(exact.compare(&converted), Ordering::Equal);
        assert_eq!(exact.compare(&Rank::user(f, CONVERSION)), Ordering::Less);
        assert_eq!(exact.compare(&Rank::standard(TO_BOOL)), Ordering::Greater);
    }

    #[test]
    fn references_are_compared_with_references_only() {
        let (plain, constant) = (QTy::plain(INT), QTy::constant(INT));
        let (a, b) = (Rank::EXACT.bound(&plain, None), Rank::EXACT.bound(&constant, None));
        assert_eq!(a.compare(&b), Ordering::Less);
        assert_eq!(b.compare(&Rank::EXACT), Ordering::Equal);
        let right = Rank::EXACT.bound(&plain, Some(Ref::Right));
        assert_eq!(right.compare(&Rank::EXACT.bound(&constant, Some(Ref::Left))), Ordering::Less);
    }

    #[test]
    fn one_argument_worse_is_no_better_function() {
        let (a, b) = (Rank::standard(PROMOTION), Rank::standard(CONVERSION));
        assert_eq!(better(&[a, b], &[b, b]), Ordering::Less);
        assert_eq!(better(&[a, b], &[b, a]), Ordering::Equal);
        assert_eq!(better(&[b, b], &[b, a]), Ordering::Greater);
    }
}
