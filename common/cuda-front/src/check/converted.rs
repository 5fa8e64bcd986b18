//! Built-in operators on objects of classes that convert to what the operators take.
//!
//! The built-in operators are candidates beside those of the user ([over.match.oper], [over.built]): those of the promoted
//! arithmetic types, pointers and enumerations that the operands have or convert to. The operands of the best one are
//! converted; the operator then sees no class.

use super::Checker;
use super::conversion::Init;
use super::rank::{Rank, better};
use super::ty::{self, QTy, Ty};
use super::value::Value;
use crate::hir;
use cuda_syntax::ast::BinaryOp;
use source::Span;
use std::cmp::Ordering;

/// The operand types of a built-in operator, and how well the operands fit.
pub(super) struct BuiltIn {
    pub(super) types: [Ty; 2],
    pub(super) ranks: [Rank; 2],
}

fn takes_floats(op: BinaryOp) -> bool {
    use hir::BinaryOp::{Add, Div, Mul, Sub};
    matches!(op, BinaryOp::Compare(_) | BinaryOp::Arithmetic(Add | Sub | Mul | Div))
}

impl<'a> Checker<'a> {
    /// The scalar types that a value has or that its class converts to; arithmetic ones promoted.
    fn built_in_types(&mut self, v: &Value) -> Vec<Ty> {
        let mut found: Vec<Ty> = Vec::new();
        let mut add = |t: Ty| {
            let t = if t.is_arithmetic() { t.promoted() } else { t };
            let suits = t.is_arithmetic() || matches!(t, Ty::Pointer(_) | Ty::Enum(_) | Ty::Function(_));
            if suits && !found.contains(&t) {
                found.push(t);
            }
        };
        let mut types = Vec::new();
        match &v.ty.ty {
            Ty::Struct(class) if self.types.class(*class).is_lambda => {
                types.extend(self.invoker(*class, None).map(|(ty, _)| ty));
            }
            Ty::Struct(class) => {
                for f in self.conversion_functions(*class) {
                    let explicit = self.functions.plain(f).is_some_and(|pick| self.is_explicit(&pick));
                    let result = self.functions.func(f).signature.as_ref().and_then(|s| s.result.clone());
                    if let (Some(r), false) = (result, explicit || self.functions.func(f).is_template) {
                        types.push(Ty::decayed(&r.q));
                    }
                }
            }
            _ => types.push(Ty::decayed(&v.ty)),
        }
        for t in types {
            if let Ty::Enum(e) = &t
                && !self.types.enums[e.0 as usize].scoped
            {
                add(self.types.enums[e.0 as usize].underlying.clone());
            }
            add(t);
        }
        found
    }

    /// The operand types of the candidates for a binary operator. The standard has one for every pair of arithmetic types, which makes
    /// some calls ambiguous that compilers take; as g++ does, only types that the operands have or convert to count here.
    fn built_in_pairs(&mut self, op: BinaryOp, l: &Value, r: &Value) -> Vec<[Ty; 2]> {
        let fits = |t: &&Ty| t.is_integral() || (takes_floats(op) && t.is_arithmetic());
        let is_comparison = matches!(op, BinaryOp::Compare(_));
        let mut pairs: Vec<[Ty; 2]> = Vec::new();
        let (left, right) = (self.built_in_types(l), self.built_in_types(r));
        for a in left.iter().filter(fits) {
            pairs.extend(right.iter().filter(fits).map(|b| [a.clone(), b.clone()]));
        }
        let pointers = |list: &[Ty]| list.iter().filter(|t| t.is_pointer()).cloned().collect::<Vec<_>>();
        let mut add = |pair: [Ty; 2]| {
            if !pairs.contains(&pair) {
                pairs.push(pair);
            }
        };
        if matches!(op, BinaryOp::ADD | BinaryOp::SUB) {
            pointers(&left).into_iter().for_each(|p| add([p, ty::LONG]));
        }
        if op == BinaryOp::ADD {
            pointers(&right).into_iter().for_each(|p| add([ty::LONG, p]));
        }
        if op == BinaryOp::SUB || is_comparison {
            left.iter().chain(&right).filter(|t| t.is_pointer()).for_each(|p| add([p.clone(), p.clone()]));
        }
        if is_comparison {
            let other = |t: &&Ty| matches!(t, Ty::Enum(_) | Ty::Function(_));
            left.iter().chain(&right).filter(other).for_each(|p| add([p.clone(), p.clone()]));
        }
        pairs
    }

    /// The best built-in operator for two operands, one of them of a class.
    pub(super) fn built_in(&mut self, op: BinaryOp, l: &Value, r: &Value) -> Option<BuiltIn> {
        let pairs = self.built_in_pairs(op, l, r);
        let mut ranks: Vec<[(Ty, Option<Rank>); 2]> = Vec::new();
        let mut found: Vec<BuiltIn> = Vec::new();
        for types in pairs {
            // Each type occurs in many pairs.
            let rank = |c: &mut Checker<'a>, side: usize, v: &Value| {
                let known =
                    ranks.iter().find(|known| known[side].0 == types[side]).map(|known| known[side].1);
                known.unwrap_or_else(|| c.rank(v, &QTy::plain(types[side].clone())))
            };
            let (a, b) = (rank(self, 0, l), rank(self, 1, r));
            ranks.push([(types[0].clone(), a), (types[1].clone(), b)]);
            if let (Some(a), Some(b)) = (a, b) {
                found.push(BuiltIn { types, ranks: [a, b] });
            }
        }
        let beats = |a: &BuiltIn, b: &BuiltIn| better(&a.ranks, &b.ranks) == Ordering::Less;
        let best =
            (0..found.len()).find(|i| (0..found.len()).all(|j| *i == j || beats(&found[*i], &found[j])))?;
        Some(found.swap_remove(best))
    }

    /// The operands converted to what the operator takes.
    pub(super) fn built_in_operands(&mut self, b: BuiltIn, l: Value, r: Value) -> (Value, Value) {
        let [left, right] = b.types;
        let mut convert = |v: Value, to: Ty| match v.ty.ty {
            Ty::Struct(_) => self.convert(v, &QTy::plain(to), ""),
            _ => v,
        };
        (convert(l, left), convert(r, right))
    }

    /// An operand of a class as the arithmetic value, enumerator or pointer that the built-in operator takes; anything else, and
    /// what does not convert, as it is.
    pub(super) fn as_built_in(&mut self, v: Value, suits: impl Fn(&Ty) -> bool) -> Value {
        if !v.ty.ty.is_struct() {
            return v;
        }
        let types: Vec<Ty> = self.built_in_types(&v).into_iter().filter(|t| suits(t)).collect();
        let mut found: Vec<(Ty, Rank)> = Vec::new();
        for t in types {
            if !found.iter().any(|f| f.0 == t)
                && let Some(rank) = self.rank(&v, &QTy::plain(t.clone()))
            {
                found.push((t, rank));
            }
        }
        let beats = |a: &Rank, b: &Rank| a.compare(b) == Ordering::Less;
        let best =
            (0..found.len()).find(|i| (0..found.len()).all(|j| *i == j || beats(&found[*i].1, &found[j].1)));
        match best {
            Some(best) => self.convert(v, &QTy::plain(found.swap_remove(best).0), ""),
            None => v,
        }
    }

    /// What `switch` chooses by: the integer or enumerator to which an object's class converts ([conv]), anything else as it is.
    pub(super) fn as_selector(&mut self, v: Value) -> Value {
        let Ty::Struct(class) = v.ty.ty else { return v };
        let mut types: Vec<Ty> = Vec::new();
        for f in self.conversion_functions(class) {
            let explicit = self.functions.plain(f).is_some_and(|pick| self.is_explicit(&pick));
            let result = self.functions.func(f).signature.as_ref().and_then(|s| s.result.clone());
            if let Some(t) = result.map(|r| r.q.ty).filter(|t| t.is_integral() || matches!(t, Ty::Enum(_)))
                && !explicit
                && !types.contains(&t)
            {
                types.push(t);
            }
        }
        match types.as_slice() {
            [only] => self.convert(v, &QTy::plain(only.clone()), ""),
            _ => v,
        }
    }

    /// `++x` and the like: the object that `x` gives through a conversion to a reference, or `x` as it is.
    pub(super) fn as_stepped(&mut self, v: Value, span: Span) -> Value {
        let Ty::Struct(class) = v.ty.ty else { return v };
        let mut found: Vec<QTy> = Vec::new();
        for f in self.conversion_functions(class) {
            let result = self.functions.func(f).signature.as_ref().and_then(|s| s.result.clone());
            if let Some(r) = result.filter(|r| r.reference.is_some() && !r.q.is_const && !r.q.ty.is_struct())
            {
                found.push(r.q);
            }
        }
        let [q] = found.as_slice() else { return v };
        let to = super::ty::DeclTy { q: q.clone(), reference: Some(super::ty::Ref::Left) };
        match self.reference_conversion(&v, &to, Init::Copy) {
            Some(by) => Value { span, ..self.converted_by(by, v, q) },
            None => v,
        }
    }
}
