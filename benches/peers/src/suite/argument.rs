//! Arguments as a manifest writes them:
//!
//! | text | what it is |
//! |---|---|
//! | `i32 = n - 1`, `f32 = 2.5` | a number |
//! | `f32[n * n] = random:1` | an array that is read |
//! | `out f32[n]` | an array that is written |
//! | `inout f32[n] = zeros` | an array that is changed; it begins with this content at each launch |
//! | `constant NAME f32[9] = ones` | an array in constant memory, `NAME` in CUDA C++ and a parameter in OpenCL C |
//! | `local f32[256]` | dynamic shared memory, `extern __shared__` in CUDA C++ and a parameter in OpenCL C |

use super::expression::{Sizes, evaluate};
use super::fill::Fill;
use super::values::{Element, Values};
use crate::task::{self, Scalar};
use anyhow::{Context, bail, ensure};

/// An argument.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Argument {
    Scalar(Scalar),
    Array {
        role: Role,
        element: Element,
        length: usize,
        fill: Fill,
    },
    /// Bytes of shared memory.
    Local(usize),
}

/// What a kernel does with an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Input,
    Output,
    Changed,
    /// In constant memory, by this name.
    Constant(String),
}

/// Most bytes of an array.
const MAX_BYTES: usize = 1 << 30;

impl Argument {
    /// The argument that `text` says.
    pub(crate) fn parse(text: &str, sizes: &Sizes) -> anyhow::Result<Argument> {
        let (declared, content) = match text.split_once('=') {
            Some((declared, content)) => (declared.trim(), Some(content.trim())),
            None => (text.trim(), None),
        };
        let Some((words, length)) = declared.strip_suffix(']').and_then(|d| d.split_once('[')) else {
            let value = content.with_context(|| "a number needs a value, as in `i32 = n`")?;
            return scalar(declared, value, sizes).map(Argument::Scalar);
        };
        let words: Vec<&str> = words.split_whitespace().collect();
        let element = Element::named(words.last().context("its type is missing")?)?;
        let length = usize::try_from(evaluate(length, sizes)?).context("its length is negative")?;
        let bytes = length.checked_mul(element.bytes()).filter(|bytes| *bytes <= MAX_BYTES);
        let bytes = bytes.with_context(|| format!("it has more than {MAX_BYTES} bytes"))?;
        let role = match words[..] {
            [_] => Role::Input,
            ["inout", _] => Role::Changed,
            ["constant", name, _] => Role::Constant(name.into()),
            ["out" | "local", _] => {
                ensure!(content.is_none(), "it begins with no content");
                if words[0] == "local" {
                    return Ok(Argument::Local(bytes));
                }
                let fill = Fill::Number(0.0);
                return Ok(Argument::Array { role: Role::Output, element, length, fill });
            }
            _ => bail!("expected TYPE[LENGTH] after nothing, `out`, `inout`, `constant NAME` or `local`"),
        };
        let fill = Fill::parse(content.context("its content is missing, as in `= zeros`")?, sizes)?;
        Ok(Argument::Array { role, element, length, fill })
    }

    /// The elements that an array begins with, if it has any.
    pub(crate) fn values(&self) -> anyhow::Result<Option<Values>> {
        match self {
            Argument::Scalar(_) | Argument::Local(_) | Argument::Array { role: Role::Output, .. } => Ok(None),
            Argument::Array { element, length, fill, .. } => fill.values(*element, *length).map(Some),
        }
    }

    /// What a contestant gets.
    pub(crate) fn task_argument(&self) -> anyhow::Result<task::Argument> {
        let bytes = || anyhow::Ok(self.values()?.map_or_else(Vec::new, |values| values.to_bytes()));
        Ok(match self {
            Argument::Scalar(value) => task::Argument::Scalar(*value),
            Argument::Local(bytes) => task::Argument::Local(*bytes),
            Argument::Array { role: Role::Output, element, length, .. } => {
                task::Argument::Output(element.bytes() * length)
            }
            Argument::Array { role: Role::Input, .. } => task::Argument::Input(bytes()?),
            Argument::Array { role: Role::Changed, .. } => task::Argument::Changed(bytes()?),
            Argument::Array { role: Role::Constant(name), .. } => {
                task::Argument::Constant(name.clone(), bytes()?)
            }
        })
    }
}

fn scalar(kind: &str, text: &str, sizes: &Sizes) -> anyhow::Result<Scalar> {
    let whole = || evaluate(text, sizes);
    let wide = || format!("`{text}` is not in the range of {kind}");
    // A float may also be one of the sizes.
    let float = || text.parse().or_else(|_| whole().map(|value| value as f64));
    Ok(match kind {
        "i32" => Scalar::I32(whole()?.try_into().with_context(wide)?),
        "u32" => Scalar::U32(whole()?.try_into().with_context(wide)?),
        "i64" => Scalar::I64(whole()?),
        "u64" => Scalar::U64(whole()?.try_into().with_context(wide)?),
        "f32" => Scalar::F32(float()? as f32),
        "f64" => Scalar::F64(float()?),
        _ => bail!("`{kind}` is not a type of numbers; expected i32, u32, i64, u64, f32 or f64"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> anyhow::Result<Argument> {
        Argument::parse(text, &Sizes::from([("n".into(), 4)]))
    }

    #[test]
    fn arguments_of_every_kind() {
        for (text, expected) in [
            ("i32 = n - 1", task::Argument::Scalar(Scalar::I32(3))),
            ("f32 = 2.5", task::Argument::Scalar(Scalar::F32(2.5))),
            ("f64 = n", task::Argument::Scalar(Scalar::F64(4.0))),
            ("u8[n] = ramp", task::Argument::Input(vec![0, 1, 2, 3])),
            ("out f32[n * n]", task::Argument::Output(64)),
            ("inout u8[2] = ones", task::Argument::Changed(vec![1, 1])),
            ("constant TABLE u8[3] = 7", task::Argument::Constant("TABLE".into(), vec![7, 7, 7])),
            ("local f64[n]", task::Argument::Local(32)),
        ] {
            assert_eq!(parse(text).unwrap().task_argument().unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_argument_is_refused() {
        for (text, message) in [
            ("n", "a number needs a value"),
            ("i31 = 5", "`i31` is not a type of numbers"),
            ("u32 = 0 - 1", "is not in the range of u32"),
            ("f31[n] = ones", "there is no type `f31`"),
            ("f32[n]", "its content is missing"),
            ("out f32[n] = ones", "it begins with no content"),
            ("f32[0 - n] = ones", "its length is negative"),
            ("f32[1000000000] = ones", "it has more than"),
            ("in out f32[n] = ones", "expected TYPE[LENGTH]"),
        ] {
            let error = format!("{:#}", parse(text).unwrap_err());
            assert!(error.contains(message), "{text}: {error}");
        }
    }
}
