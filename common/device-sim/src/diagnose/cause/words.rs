//! Causes in words.

use super::{Cause, Found, Indexed, Term};
use crate::diagnose::Case;
use crate::diagnose::bounds::Outside;
use crate::diagnose::memory::quoted;
use simt::Space;
use simt_ir::{Axis, BinaryOp, Location, Reg, Special};
use std::rc::Rc;

/// Maximum bytes of the source that a sentence may quote.
const MAX_QUOTED: usize = 60;

impl Case<'_> {
    /// The source at a location, where a sentence may quote it.
    fn quoted_source(&self, location: Location) -> Option<String> {
        let text = self.sources?.text(self.span(Some(location))?);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        (!text.is_empty() && text.len() <= MAX_QUOTED).then_some(text)
    }

    fn line_of(&self, location: Location) -> Option<u32> {
        Some(self.sources?.position(self.span(Some(location))?).line)
    }

    /// The integer parameter, or number, that is the array's length.
    fn length(&self, elements: i128) -> String {
        let parameters = self.launch.map_or(&[][..], |launch| &launch.integers);
        let named = parameters.iter().find(|(_, value)| i128::from(*value) == elements && elements > 1);
        named.map_or_else(|| elements.to_string(), |(name, _)| name.clone())
    }

    /// What a message says of a cause.
    pub(in crate::diagnose) fn cause_in_words(
        &self,
        cause: &Cause,
        outside: &Outside<'_>,
        element: i64,
    ) -> Option<String> {
        let array = quoted(outside.target);
        let elements: i128 = (outside.target.bytes / element.max(1) as u64).into();
        let source = |location: &Location| self.quoted_source(*location);
        Some(match cause {
            Cause::Overflow { op, location, exact, signed } => {
                let text = source(location)?;
                let ty = if *signed { "int" } else { "unsigned int" };
                let advice = match op {
                    BinaryOp::Mul | BinaryOp::Add => format!(", as in `(long long){text}`"),
                    _ => String::new(),
                };
                format!(
                    "`{text}` is {exact} in this thread, which does not fit in a 32-bit `{ty}` and wraps around: \
                     compute it in 64 bits{advice}"
                )
            }
            Cause::UnsignedWrap { location, exact } => {
                let text = source(location)?;
                format!(
                    "`{text}` is unsigned, so {exact} wraps around to a large number: convert to `int` before the \
                     subtraction, and access nothing where the index is negative"
                )
            }
            Cause::NegativeRemainder { location, value } => {
                let text = source(location)?;
                format!(
                    "`{text}` is negative in this thread: the remainder of a negative number ({value}) is negative \
                     or 0 in C++; add the divisor and take the remainder again, as in `(i % n + n) % n`"
                )
            }
            Cause::Subtracted { location, lhs, rhs } => {
                let text = source(location)?;
                match outside.target.space {
                    Space::Shared => format!(
                        "`{text}` is {lhs} - {rhs} in this thread: the index into a tile with a halo needs the halo's \
                         offset added, or these elements another source"
                    ),
                    _ => format!(
                        "`{text}` is {lhs} - {rhs} in this thread: there is nothing before the first element, so test \
                         `>= 0` before the access"
                    ),
                }
            }
            Cause::Inclusive { condition, tested, of_loop } => {
                let text = source(condition)?;
                let (tested, value, cure) = (&tested.text, tested.value, strict(&text));
                let does = match (of_loop, leaves_by(&text)) {
                    (true, _) => "lets the loop continue until",
                    (false, false) => "still holds where",
                    (false, true) => "is not yet true where",
                };
                format!("`{text}` {does} `{tested}` is {value}, one too far{cure}")
            }
            Cause::RowLength { index, row, factor, length, column } => format!(
                "`{index}` multiplies `{row}` by {}, but the conditions on the way here allow `{column}` only below \
                 {}: multiply `{row}` by `{}`, the length of a row of {array}",
                valued(factor),
                valued(length),
                length.text
            ),
            Cause::Limit { condition, tested, limit, value, elements, of_loop } => {
                let text = source(condition)?;
                let does =
                    if *of_loop { "lets the loop continue while" } else { "lets the access happen while" };
                let shown = match *limit == value.to_string() {
                    true => String::new(),
                    false => format!(" (`{limit}` is {value})"),
                };
                let tested_text = &tested.text;
                format!(
                    "`{text}`{shown} {does} `{tested_text}` is {}, but only values below {elements} lead to an element \
                     of {array}",
                    tested.value
                )
            }
            Cause::LoopStart { variable, value } => {
                format!("the loop begins with `{variable}` at {value}, but {array} has {elements} elements")
            }
            Cause::TestsPart { condition, tested, value, index } => {
                let text = source(condition)?;
                format!(
                    "`{text}` tests `{tested}`, which is {value}, but the index is `{}`, which is {}: no \
                     condition tests whether that is too large",
                    index.text, index.value
                )
            }
            Cause::GuardEnds { guard } => {
                let (text, line) = (source(guard)?, self.line_of(*guard)?);
                format!(
                    "the guard `{text}` in line {line} ends before this access, and is false in this thread: put the \
                     access inside it, with braces around all that it guards"
                )
            }
            Cause::NoGuard { index, limit, words } => {
                let fixed = outside.target.space != Space::Global;
                let begins =
                    format!("{} in this thread, and no condition tests whether that is too large", is(index));
                match limit {
                    _ if fixed => format!("{begins}: {array} has {elements} elements"),
                    Some(limit) => {
                        format!("{begins}: access the element only `if ({} < {limit})`", index.text)
                    }
                    None => {
                        format!("{begins}: access the element only if `{}` is less than {words}", index.text)
                    }
                }
            }
            Cause::PartOfVector { condition: _, index, scale, elements: count } => {
                let first = if *scale == 1 { index.clone() } else { format!("{scale} * {}", grouped(index)) };
                format!(
                    "it accesses {count} elements at once: do so only `if ({first} + {} < {})`, and access the \
                     remaining ones one by one",
                    count - 1,
                    self.length(elements)
                )
            }
            Cause::FromMemory { location, value } => {
                let text = source(location)?;
                format!(
                    "the index depends on `{text}`, which was read from memory and is {value} here: is what is stored \
                     there a valid index of {array}?"
                )
            }
            Cause::Uniform { index } => match index.text == index.value.to_string() {
                true => format!(
                    "the index is {} in every thread, but {array} has {elements} elements",
                    index.value
                ),
                false => {
                    format!("`{}` is {} here, but {array} has {elements} elements", index.text, index.value)
                }
            },
        })
    }
}

/// Whether a comparison with its limit outside is that of a condition to leave by: without `=`.
fn leaves_by(text: &str) -> bool {
    !text.contains("<=") && !text.contains(">=")
}

/// What a comparison that goes one too far has to be.
fn strict(text: &str) -> &'static str {
    let text = text.replace("->", "");
    match ["<=", ">=", "<", ">"].into_iter().find(|operator| text.contains(operator)) {
        Some("<=") => ": use `<` instead of `<=`",
        Some(">=") => ": use `>` instead of `>=`",
        Some(">") => ": use `>=` instead of `>`",
        Some("<") => ": use `<=` instead of `<`",
        _ => "",
    }
}

/// A value that is given, by name and number.
fn is(value: &Indexed) -> String {
    format!("`{}` is {}", value.text, value.value)
}

/// A name with its number in parentheses, unless it is one.
fn valued(value: &Indexed) -> String {
    match value.text == value.value.to_string() {
        true => value.text.clone(),
        false => format!("`{}` ({})", value.text, value.value),
    }
}

fn grouped(text: &str) -> String {
    let simple = text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    if simple { text.to_owned() } else { format!("({text})") }
}

impl Found<'_> {
    pub(super) fn register_name(&self, reg: Reg) -> Option<String> {
        self.registers.get(reg.index())?.name.as_ref().map(|name| name.to_string())
    }

    /// A value as the source writes it.
    pub(super) fn text(&self, term: &Rc<Term>) -> Option<String> {
        match &**term {
            Term::Named(name, _) => Some(name.to_string()),
            Term::Integer { value, .. } => Some(value.to_string()),
            Term::Parameter(index) => Some(self.case.kernel?.params.get(index.index())?.name.clone()),
            Term::Special(special) => special_name(*special),
            Term::Converted(_, inner) => self.text(inner),
            Term::Binary { location, .. } | Term::Loaded(location, _) => self.case.quoted_source(*location),
            _ => None,
        }
    }
}

fn special_name(special: Special) -> Option<String> {
    let (name, axis) = match special {
        Special::ThreadIdx(axis) => ("threadIdx", axis),
        Special::BlockIdx(axis) => ("blockIdx", axis),
        Special::BlockDim(axis) => ("blockDim", axis),
        Special::GridDim(axis) => ("gridDim", axis),
        Special::LaneId | Special::ActiveMask | Special::Cooperative => return None,
    };
    let axis = match axis {
        Axis::X => "x",
        Axis::Y => "y",
        Axis::Z => "z",
    };
    Some(format!("{name}.{axis}"))
}
