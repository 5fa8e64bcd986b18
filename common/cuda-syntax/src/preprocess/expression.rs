//! The integer expressions of `#if`: 64 bits, unsigned where an operand is.

use super::token::{PpKind, PpToken, TokenKind};
use super::{cook, literal};
use crate::ast::BinaryOp;
use crate::operation::IntType;
use crate::text;

/// How deep parentheses and prefix operators may nest.
const MAX_DEPTH: usize = 200;

/// A value of the preprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) bits: u64,
    pub(crate) unsigned: bool,
}

impl Value {
    fn signed(value: i64) -> Value {
        Value { bits: value as u64, unsigned: false }
    }

    fn is_true(self) -> bool {
        self.bits != 0
    }
}

/// Evaluates an expression whose macros are expanded. `names_are_zero`: a name that is left counts as 0, as in `#if`;
/// otherwise it is an error. The error says what is wrong, and at which token (by index).
pub(crate) fn evaluate(tokens: &[PpToken], names_are_zero: bool) -> Result<Value, (usize, String)> {
    let mut parser = Evaluator { tokens, pos: 0, depth: 0, names_are_zero };
    let value = parser.conditional(true)?;
    if parser.pos < tokens.len() {
        return parser.fail(format!("`{}` does not belong here", tokens[parser.pos].text));
    }
    Ok(value)
}

struct Evaluator<'a> {
    tokens: &'a [PpToken],
    pos: usize,
    depth: usize,
    names_are_zero: bool,
}

type Evaluated = Result<Value, (usize, String)>;

impl Evaluator<'_> {
    fn fail<T>(&self, message: impl Into<String>) -> Result<T, (usize, String)> {
        Err((self.pos, message.into()))
    }

    fn punct(&self) -> Option<&'static str> {
        let token = self.tokens.get(self.pos)?;
        match cook(token.kind, &token.text) {
            TokenKind::Punct(p) => Some(p),
            _ => None,
        }
    }

    fn eat(&mut self, punct: &str) -> bool {
        let found = self.punct() == Some(punct);
        self.pos += usize::from(found);
        found
    }

    /// `live`: whether the value matters; division by zero is fine where it does not.
    fn conditional(&mut self, live: bool) -> Evaluated {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fail("the expression is nested too deeply");
        }
        let condition = self.binary(0, live)?;
        let mut value = condition;
        if self.eat("?") {
            let then = self.conditional(live && condition.is_true())?;
            if !self.eat(":") {
                return self.fail("expected `:` of `? :`");
            }
            let otherwise = self.conditional(live && !condition.is_true())?;
            value = if condition.is_true() { then } else { otherwise };
            value.unsigned = then.unsigned || otherwise.unsigned;
        }
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, least: u8, live: bool) -> Evaluated {
        let mut left = self.unary(live)?;
        while let Some(op) = self.punct() {
            let Some((_, power)) = BinaryOp::spelled(op).filter(|(_, power)| *power > least) else { break };
            self.pos += 1;
            let matters = match op {
                "&&" => live && left.is_true(),
                "||" => live && !left.is_true(),
                _ => live,
            };
            let at = self.pos;
            let right = self.binary(power, matters)?;
            left = apply(op, left, right, live).map_err(|message| (at, message))?;
        }
        Ok(left)
    }

    fn unary(&mut self, live: bool) -> Evaluated {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fail("the expression is nested too deeply");
        }
        let value = match self.punct() {
            Some("!") => {
                self.pos += 1;
                Value::signed(i64::from(!self.unary(live)?.is_true()))
            }
            Some("-") => {
                self.pos += 1;
                let v = self.unary(live)?;
                Value { bits: v.bits.wrapping_neg(), ..v }
            }
            Some("~") => {
                self.pos += 1;
                let v = self.unary(live)?;
                Value { bits: !v.bits, ..v }
            }
            Some("+") => {
                self.pos += 1;
                self.unary(live)?
            }
            Some("(") => {
                self.pos += 1;
                let value = self.conditional(live)?;
                if !self.eat(")") {
                    return self.fail("expected `)`");
                }
                value
            }
            _ => self.primary()?,
        };
        self.depth -= 1;
        Ok(value)
    }

    fn primary(&mut self) -> Evaluated {
        let Some(token) = self.tokens.get(self.pos) else { return self.fail("expected a value") };
        let value = match token.kind {
            PpKind::Number => match literal::number(&token.text) {
                TokenKind::Int { value, ty } => Value { bits: value, unsigned: !ty.is_signed() },
                TokenKind::BadNumber(why) => return self.fail(&*why),
                TokenKind::SuffixedNumber(number) => return self.fail(&*number.why),
                _ => return self.fail(format!("`{}` is not an integer", token.text)),
            },
            PpKind::Char => match text::character(&token.text) {
                TokenKind::Char(code, IntType::Char) => Value::signed(i64::from(code as i8)),
                TokenKind::Char(code, ty) if ty.is_signed() => Value::signed(i64::from(code as i32)),
                TokenKind::Char(code, _) => Value::signed(i64::from(code)),
                TokenKind::Int { value, .. } => Value { bits: value, unsigned: false },
                TokenKind::BadNumber(why) => return self.fail(&*why),
                _ => return self.fail("expected a character"),
            },
            PpKind::Ident if &*token.text == "true" => Value::signed(1),
            PpKind::Ident if &*token.text == "false" => Value::signed(0),
            PpKind::Ident if self.names_are_zero => Value::signed(0),
            _ => return self.fail(format!("expected a value, found `{}`", token.text)),
        };
        self.pos += 1;
        Ok(value)
    }
}

fn apply(op: &str, a: Value, b: Value, live: bool) -> Result<Value, String> {
    let unsigned = a.unsigned || b.unsigned;
    let (x, y) = (a.bits, b.bits);
    let truth = |t: bool| Ok(Value::signed(i64::from(t)));
    let less = |p: u64, q: u64| if unsigned { p < q } else { (p as i64) < (q as i64) };
    let bits = match op {
        "||" => return truth(a.is_true() || b.is_true()),
        "&&" => return truth(a.is_true() && b.is_true()),
        "==" => return truth(x == y),
        "!=" => return truth(x != y),
        "<" => return truth(less(x, y)),
        ">" => return truth(less(y, x)),
        "<=" => return truth(!less(y, x)),
        ">=" => return truth(!less(x, y)),
        "|" => x | y,
        "^" => x ^ y,
        "&" => x & y,
        "+" => x.wrapping_add(y),
        "-" => x.wrapping_sub(y),
        "*" => x.wrapping_mul(y),
        "<<" => return Ok(Value { bits: x.wrapping_shl(y as u32), unsigned: a.unsigned }),
        ">>" if a.unsigned => return Ok(Value { bits: x.wrapping_shr(y as u32), unsigned: true }),
        ">>" => return Ok(Value::signed((x as i64).wrapping_shr(y as u32))),
        "/" | "%" if y == 0 && !live => 0,
        "/" | "%" if y == 0 => return Err("division by zero".into()),
        "/" if unsigned => x / y,
        "%" if unsigned => x % y,
        "/" => (x as i64).wrapping_div(y as i64) as u64,
        _ => (x as i64).wrapping_rem(y as i64) as u64,
    };
    Ok(Value { bits, unsigned })
}
