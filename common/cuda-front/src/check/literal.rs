//! Literals with a suffix of the program's own: calls of literal operators ([lex.ext]).

use super::scopes::{Entry, Found, Symbol};
use super::template::TArgSource;
use super::ty::{self, QTy, Ty};
use super::value::Value;
use super::{Checker, FuncIdx, TArg};
use crate::hir::{Const, ExprKind, IntType};
use cuda_syntax::Text;
use cuda_syntax::ast::{self, ExprKind as E};
use source::{Code, Span};

impl<'a> Checker<'a> {
    /// `12_km`: the operator that takes the value; for a number also the one that takes its spelling, as a string or as
    /// template arguments.
    pub(super) fn own_literal(&mut self, literal: &'a ast::OwnLiteral, span: Span) -> Value {
        let Ok((found, _)) = self.lookup_value_path(&literal.operator) else { return Value::error(span) };
        let list = match found {
            Found::Entry(Entry { symbol: Symbol::Functions(list), .. }) => list,
            _ => Vec::new(),
        };
        let value = self.expr_rvalue(&literal.literal);
        if value.is_error() {
            return value;
        }
        let length = match &literal.literal.kind {
            E::Str(text) => Some(text.units.len() as i64),
            _ => None,
        };
        let mut values = match &literal.literal.kind {
            E::Int { value, .. } => {
                let n = Const::Int(*value as i64, IntType::UnsignedLongLong);
                vec![self.types.make_const(n, ty::ULLONG, span)]
            }
            E::Float { .. } => vec![self.convert(value, &QTy::plain(Ty::Double), "")],
            _ => vec![value],
        };
        if let Some(length) = length {
            let t = IntType::UnsignedLong;
            values.push(self.types.make_const(Const::Int(length, t), Ty::Int(t), span));
        }
        let mut fitting = self.literal_operators(&list, &values);
        if let (true, Some(spelling)) = (fitting.is_empty(), &literal.spelling) {
            let text = Ty::pointer(QTy::constant(Ty::Int(IntType::Char)));
            values = vec![self.types.make(ExprKind::Str(Text::narrow(spelling)), text, span)];
            fitting = self.literal_operators(&list, &values);
            let character =
                |byte: u8| TArgSource::Known(TArg::Value(Const::Int(i64::from(byte), IntType::Char)));
            let characters: Vec<_> = spelling.bytes().map(character).collect();
            if fitting.is_empty()
                && let Some(pick) = list.iter().find_map(|f| self.deduced(*f, &characters, &[]))
            {
                return self.call_function(pick, Vec::new(), None, span);
            }
        }
        let name = &literal.operator.last.name.text;
        if fitting.is_empty() {
            if list.iter().any(|f| self.functions.func(*f).is_template) {
                self.sink.unsupported("this template of a literal operator", span);
            } else {
                let title = format!("there is no `{name}` for this literal");
                self.sink.wrong(Code::UndeclaredName, title, span);
            }
            return Value::error(span);
        }
        match self.resolve(name, &fitting, &[], &values, None, span) {
            Some(pick) => self.call_function(pick, values, None, span),
            None => Value::error(span),
        }
    }

    /// The operators whose parameters have exactly the types of these values.
    fn literal_operators(&self, list: &[FuncIdx], values: &[Value]) -> Vec<FuncIdx> {
        let takes = |f: &FuncIdx| {
            self.functions.func(*f).signature.as_ref().is_some_and(|signature| {
                signature.parameters.len() == values.len()
                    && signature.parameters.iter().zip(values).all(|(p, v)| p.ty.q.ty == v.ty.ty)
            })
        };
        list.iter().copied().filter(takes).collect()
    }
}
