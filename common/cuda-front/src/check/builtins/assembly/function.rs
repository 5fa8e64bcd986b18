//! Most instructions are functions of `headers/ptx.h`, whose names and types say which operands they take.

use super::{Done, Instruction, Kind, Operand, Ptx, Refusal};
use crate::check::ids::ScopeId;
use crate::check::resolve::Pick;
use crate::check::scopes::{Entry, Found, Symbol};
use crate::check::template::TArgSource;
use crate::check::ty::{DeclTy, QTy, Ty};
use crate::check::value::Value;
use crate::check::{FuncIdx, Source, TArg};
use crate::hir::{Const, ExprKind, IntType, UnaryOp};
use cuda_syntax::ast::{FunctionBody, TemplateParameter};
use cuda_syntax::preprocess::composed;
use source::words;

/// Modifiers that change neither values nor counters here: `.approx`, `.full` and `.ftz` compute what the exact instruction does, as the
/// math functions of CUDA do, and `.rn` is what all do.
const NEUTRAL: &[&str] = words!("rn ftz approx full L2::64B L2::128B L2::256B");

/// State spaces.
const SPACES: &[&str] = words!("shared shared::cta global");

/// What the name of a template's parameter begins with if it is an operand that must be a constant.
const CONSTANT_OPERAND: &str = "operand_";

/// A function and the operands that are its results and its arguments.
struct Chosen<'a, 'i> {
    pick: Pick<'a>,
    results: Vec<&'i Operand>,
    arguments: Vec<&'i Operand>,
}

impl<'a> Ptx<'_, 'a> {
    /// Performs an instruction that is a function.
    pub(super) fn function(&mut self, i: &Instruction) -> Done {
        let types = i.opcode.iter().rposition(|m| Kind::named(m).is_none()).map_or(1, |last| last + 1);
        let (words, types) = i.opcode.split_at(types);
        let is_space = |m: &String| SPACES.contains(&m.as_str());
        let has_address = i.operands.iter().any(|operand| matches!(operand, Operand::Memory(..)));
        let is_left_out = |m: &String| NEUTRAL.contains(&m.as_str()) || has_address && is_space(m);
        let mut name =
            format!("i_{}", words.iter().filter(|m| !is_left_out(m)).cloned().collect::<Vec<_>>().join("_"));
        match i.operands.as_slice() {
            [Operand::Vector(_), _] => name.push_str("_split"),
            [_, Operand::Vector(_)] => name.push_str("_join"),
            _ => {}
        }
        let unsupported = || Refusal::Unsupported(i.name());
        let scope = self.c.scopes.namespace_named(composed::PTX).ok_or_else(unsupported)?;
        let list = self.c.scopes.functions_in(scope, name.as_str());
        let types: Option<Vec<TArg>> = types.iter().map(|m| self.type_of(scope, Kind::named(m)?)).collect();
        let types = types.ok_or_else(unsupported)?;
        let operands: Vec<&Operand> = i.operands.iter().flat_map(Operand::parts).collect();
        let mut why = unsupported();
        for f in list {
            match self.fitting(f, &types, &operands) {
                Ok(chosen) => {
                    let spaces: Vec<bool> =
                        words.iter().filter(|m| is_space(m)).map(|m| m.starts_with("shared")).collect();
                    return self.performed(chosen, &spaces);
                }
                Err(refusal @ Refusal::Wrong(_)) => why = refusal,
                Err(Refusal::Unsupported(_)) => return Err(unsupported()),
                Err(Refusal::Told) => {}
            }
        }
        Err(why)
    }

    /// The value of a special register.
    pub(super) fn special(&mut self, name: &str) -> Option<Value> {
        let scope = self.c.scopes.namespace_named(composed::PTX)?;
        let name = format!("register_{}", name.trim_start_matches('%').replace('.', "_"));
        let pick = self.c.functions.plain(*self.c.scopes.functions_in(scope, name.as_str()).first()?)?;
        Some(self.c.call_function(pick, Vec::new(), None, self.span))
    }

    /// The type of a kind, as a template argument.
    fn type_of(&self, scope: ScopeId, kind: Kind) -> Option<TArg> {
        let half = match kind {
            Kind::Float(16) => "f16",
            Kind::Brain => "bf16",
            Kind::Pair(true) => "f16x2",
            Kind::Pair(false) => "bf16x2",
            _ => return Some(TArg::Type(DeclTy { q: QTy::plain(kind.ty()), reference: None })),
        };
        match self.c.scopes.lookup_in(scope, half) {
            Found::Entry(Entry { symbol: Symbol::Type(ty), .. }) => Some(TArg::Type(ty)),
            _ => None,
        }
    }

    /// A function with these types and operands: `Told` if it takes other types, and `Unsupported` if it is declared only.
    fn fitting<'i>(&mut self, f: FuncIdx, types: &[TArg], operands: &[&'i Operand]) -> Done<Chosen<'a, 'i>> {
        let mut given: Vec<_> = types.iter().cloned().map(TArgSource::Known).collect();
        let mut constants = Vec::new();
        for parameter in self.c.functions.own_template(f) {
            let TemplateParameter::Value { name: Some(name), .. } = parameter else { continue };
            let Some(number) = name.text.strip_prefix(CONSTANT_OPERAND).and_then(|n| n.parse().ok()) else {
                continue;
            };
            let operand = *operands.get::<usize>(number).ok_or(Refusal::Told)?;
            let value = self.constant(operand, "a constant is needed (`\"n\"`)")?;
            given.push(TArgSource::Known(TArg::Value(Const::Int(value, IntType::Int))));
            constants.push(number);
        }
        let pick = match given.is_empty() {
            true => self.c.functions.plain(f),
            false => self.c.deduced(f, &given, &[]),
        };
        let pick = pick.ok_or(Refusal::Told)?;
        let left = operands.iter().enumerate().filter(|(n, _)| !constants.contains(n)).map(|(_, o)| *o);
        let mut left: Vec<&Operand> = left.collect();
        let results = match pick.signature.result.as_ref().map(|result| &result.q.ty) {
            None | Some(Ty::Void) => 0,
            Some(ty) => self.fields(ty).map_or(1, |(_, fields)| fields.len()),
        };
        let parameters = pick.signature.parameters.len();
        if left.len() != results + parameters {
            let (n, wanted) = (operands.len(), results + parameters + constants.len());
            return Err(Refusal::Wrong(format!("{n} operands where it takes {wanted}")));
        }
        if matches!(self.c.functions.func(f).source, Source::Function(ast) if matches!(ast.body, FunctionBody::Declared))
        {
            return Err(Refusal::Unsupported(String::new()));
        }
        let arguments = left.split_off(results);
        Ok(Chosen { pick, results: left, arguments })
    }

    /// The structure and the kinds of its fields, if a type is one: a half has one, two words have two.
    fn fields(&self, ty: &Ty) -> Option<(Ty, Vec<Kind>)> {
        let Ty::Struct(id) = ty else { return None };
        Some((ty.clone(), self.c.types.class(*id).fields.iter().filter_map(|f| Kind::of(&f.q.ty)).collect()))
    }

    /// Calls a function; `spaces` says of each address whether it is one in shared memory.
    fn performed(&mut self, chosen: Chosen<'a, '_>, spaces: &[bool]) -> Done {
        let Chosen { pick, results, arguments } = chosen;
        let (signature, mut spaces) = (pick.signature.clone(), spaces.iter().copied());
        let mut values = Vec::new();
        for (operand, parameter) in arguments.into_iter().zip(&signature.parameters) {
            let ty = &parameter.ty.q.ty;
            values.push(match (ty, self.fields(ty)) {
                (Ty::Pointer(to), _) => self.address(operand, &to.ty, spaces.next().unwrap_or(false))?,
                (_, Some((ty, kinds))) => {
                    let bits = self.read(operand, kinds[0])?;
                    let bits = self.c.plain_expr(bits);
                    self.c.types.make(ExprKind::Struct(vec![bits]), ty, self.span)
                }
                _ => self.read(operand, Kind::of(ty).ok_or(Refusal::Told)?)?,
            });
        }
        let value = self.c.call_function(pick, values, None, self.span);
        if value.is_error() {
            return Err(Refusal::Told);
        }
        if results.is_empty() {
            self.evaluated(value);
            return Ok(());
        }
        let ty = value.ty.ty.clone();
        let Some((_, kinds)) = self.fields(&ty) else {
            let kind = Kind::of(&ty).ok_or(Refusal::Told)?;
            let Operand::Both(first, second) = results[0] else { return self.write(results[0], kind, value) };
            if kind != Kind::Predicate {
                return Err(Refusal::Unsupported("a predicate beside a result".to_owned()));
            }
            let kept = self.keep(value);
            let value = self.load(kept);
            self.write(first, kind, value)?;
            let value = self.load(kept);
            let opposite = self.unary(UnaryOp::Not, value);
            return self.write(second, kind, opposite);
        };
        let local = self.keep(value);
        for (n, (operand, kind)) in results.into_iter().zip(kinds).enumerate() {
            let part = self.field(local, n, kind);
            self.write(operand, kind, part)?;
        }
        Ok(())
    }
}
