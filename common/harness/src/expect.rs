//! The definitions that a kernel file must have, and the message about what is missing.

use device::{Element, KernelInfo, ParameterKind, ProgramInfo};
use source::bounded;
use std::fmt::Write;
use std::ops::RangeInclusive;

/// The definitions that a kernel file must have.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// Kernels that are launched.
    pub kernels: Vec<ExpectedKernel>,
    /// Integer constants at file scope.
    pub constants: Vec<ExpectedConstant>,
    /// `__constant__` arrays that the host sets.
    pub symbols: Vec<ExpectedSymbol>,
}

/// A kernel that is launched.
#[derive(Clone, Debug)]
pub struct ExpectedKernel {
    /// Its name.
    pub name: &'static str,
    /// Its parameters in order.
    pub parameters: Vec<Parameter>,
}

/// A parameter of an [`ExpectedKernel`]. The name appears only in messages: a student may choose another.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The name in messages.
    pub name: &'static str,
    /// The type in C++.
    pub spelling: &'static str,
    /// The required kind.
    pub kind: ParameterKind,
}

/// An integer constant (`constexpr int`, `#define` …), such as a tile size.
#[derive(Clone, Debug)]
pub struct ExpectedConstant {
    /// Its name, such as `TILE`.
    pub name: &'static str,
    /// Values that the launch can work with.
    pub range: RangeInclusive<i64>,
    /// Its purpose.
    pub meaning: &'static str,
}

/// A `__constant__` array.
#[derive(Clone, Debug)]
pub struct ExpectedSymbol {
    /// Its name.
    pub name: &'static str,
    /// Its declaration in C++, for messages.
    pub spelling: &'static str,
    /// Minimum size in bytes.
    pub bytes: u64,
}

impl Parameter {
    /// `const float *name`.
    pub const fn input(name: &'static str) -> Parameter {
        let kind = ParameterKind::Pointer { element: Some(Element::F32), read_only: true };
        Parameter { name, spelling: "const float *", kind }
    }

    /// `float *name`.
    pub const fn output(name: &'static str) -> Parameter {
        let kind = ParameterKind::Pointer { element: Some(Element::F32), read_only: false };
        Parameter { name, spelling: "float *", kind }
    }

    /// `int name`.
    pub const fn int(name: &'static str) -> Parameter {
        Parameter { name, spelling: "int", kind: ParameterKind::Scalar(Element::I32) }
    }

    /// `float name`.
    pub const fn float(name: &'static str) -> Parameter {
        Parameter { name, spelling: "float", kind: ParameterKind::Scalar(Element::F32) }
    }

    /// `cudaTextureObject_t name`.
    pub const fn texture(name: &'static str) -> Parameter {
        Parameter { name, spelling: "cudaTextureObject_t", kind: ParameterKind::Texture }
    }

    fn accepts(&self, kind: ParameterKind) -> bool {
        match (self.kind, kind) {
            // An input may be a pointer without `const`, but an output cannot be a pointer to `const`.
            (
                ParameterKind::Pointer { element: want, read_only },
                ParameterKind::Pointer { element, read_only: found },
            ) => want == element && (read_only || !found),
            // `cudaTextureObject_t` is another name for `unsigned long long`.
            (ParameterKind::Texture, ParameterKind::Scalar(Element::I64)) => true,
            (want, found) => want == found,
        }
    }
}

impl Expected {
    /// Expects one kernel and nothing else.
    pub fn kernel(name: &'static str, parameters: impl Into<Vec<Parameter>>) -> Expected {
        Expected::default().and_kernel(name, parameters)
    }

    /// Adds another kernel.
    pub fn and_kernel(mut self, name: &'static str, parameters: impl Into<Vec<Parameter>>) -> Expected {
        self.kernels.push(ExpectedKernel { name, parameters: parameters.into() });
        self
    }

    /// Adds a constant.
    pub fn constant(
        mut self,
        name: &'static str,
        range: RangeInclusive<i64>,
        meaning: &'static str,
    ) -> Expected {
        self.constants.push(ExpectedConstant { name, range, meaning });
        self
    }

    /// Adds a `__constant__` array of at least `bytes` bytes.
    pub fn symbol(mut self, name: &'static str, spelling: &'static str, bytes: u64) -> Expected {
        self.symbols.push(ExpectedSymbol { name, spelling, bytes });
        self
    }

    /// Checks that the file has every definition.
    ///
    /// # Errors
    /// One paragraph per fault, with what was expected and found.
    pub fn check(&self, program: &ProgramInfo) -> Result<(), String> {
        let mut faults = Vec::new();
        faults.extend(self.kernels.iter().filter_map(|k| kernel_fault(k, program)));
        faults.extend(self.constants.iter().filter_map(|c| constant_fault(c, &self.constants, program)));
        faults.extend(self.symbols.iter().filter_map(|s| symbol_fault(s, program)));
        if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
    }
}

impl ExpectedKernel {
    /// The parameter's declaration in C++.
    pub fn spelling(&self) -> String {
        spelling(self.name, self.parameters.iter().map(|p| (p.spelling, p.name)))
    }
}

fn spelling<'a>(name: &str, parameters: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut text = format!("__global__ void {name}(");
    for (i, (ty, name)) in parameters.enumerate() {
        let comma = if i > 0 { ", " } else { "" };
        let blank = if ty.ends_with('*') || name.is_empty() { "" } else { " " };
        let _ = write!(text, "{comma}{ty}{blank}{name}");
    }
    text.push(')');
    text
}

fn found_spelling(kernel: &KernelInfo) -> String {
    let parameters = kernel.parameters.iter().map(|p| (p.spelling.as_str(), p.name.as_str()));
    bounded(spelling(&kernel.name, parameters))
}

fn kernel_fault(expected: &ExpectedKernel, program: &ProgramInfo) -> Option<String> {
    let Some(kernel) = program.kernel(expected.name) else {
        let names: Vec<&str> = program.kernels.iter().map(|k| k.name.as_str()).collect();
        let found = match names.as_slice() {
            [] => "found no kernel in the file: one begins with `__global__ void`".to_owned(),
            names => format!("found {}", quoted(names)),
        };
        return Some(format!(
            "kernel `{}` is missing: expected `{}`, {found}{}",
            expected.name,
            expected.spelling(),
            near(expected.name, &names)
        ));
    };
    let same = kernel.parameters.len() == expected.parameters.len();
    let wrong = expected.parameters.iter().zip(&kernel.parameters).position(|(e, f)| !e.accepts(f.kind));
    let swapped = out_of_place(expected, kernel);
    if same && wrong.is_none() && swapped.is_none() {
        return None;
    }
    let place = match wrong {
        _ if !same => {
            format!("it has {} parameters instead of {}", kernel.parameters.len(), expected.parameters.len())
        }
        Some(i) => format!(
            "parameter {} is `{}` instead of `{}`",
            i + 1,
            bounded(kernel.parameters[i].spelling.clone()),
            expected.parameters[i].spelling
        ),
        None => swapped.unwrap_or_default(),
    };
    Some(format!(
        "kernel `{}` (line {}) has a different signature: {place}\n  expected `{}`\n  found    `{}`",
        expected.name,
        kernel.line,
        expected.spelling(),
        found_spelling(kernel)
    ))
}

/// Finds parameters with a fitting type in the wrong position: the launch passes another expected parameter there.
fn out_of_place(expected: &ExpectedKernel, kernel: &KernelInfo) -> Option<String> {
    let names = || expected.parameters.iter().map(|p| p.name);
    let mut pairs = names().zip(&kernel.parameters).enumerate();
    let (place, (name, found)) = pairs.find(|(_, (name, found))| {
        let is_there = kernel.parameters.iter().any(|p| p.name == *name);
        is_there && *name != found.name && names().any(|other| other == found.name)
    })?;
    Some(format!("parameter {} is `{}`, but the launch passes `{name}` there", place + 1, found.name))
}

/// The fault of a constant; `all` are the constants that the exercise expects.
fn constant_fault(
    expected: &ExpectedConstant,
    all: &[ExpectedConstant],
    program: &ProgramInfo,
) -> Option<String> {
    let ExpectedConstant { name, range, meaning } = expected;
    let (low, high) = (range.start(), range.end());
    match program.integer(name) {
        Some(value) if range.contains(&value) => None,
        Some(value) => {
            Some(format!("constant `{name}` ({meaning}) is {value}: expected a value from {low} to {high}"))
        }
        None => {
            let as_number = program.constants.iter().any(|c| c.name == *name);
            let wrong = if as_number { "not an integer" } else { "missing or not a number" };
            // Other expected constants are not misspellings of this one.
            let names = program.constants.iter().map(|c| c.name.as_str());
            let names: Vec<&str> = names.filter(|n| all.iter().all(|e| e.name != *n)).collect();
            Some(format!(
                "constant `{name}` ({meaning}) is {wrong}: expected one at file scope from {low} to {high}, \
                 as `#define {name} {}`{}",
                [256, 16].into_iter().find(|n| range.contains(n)).unwrap_or(*low),
                near(name, &names)
            ))
        }
    }
}

fn symbol_fault(expected: &ExpectedSymbol, program: &ProgramInfo) -> Option<String> {
    let ExpectedSymbol { name, spelling, bytes } = expected;
    match program.symbol(name) {
        Some(found) if !found.is_constant => Some(format!(
            "`{name}` is not in constant memory: expected `{spelling}`, found a `__device__` variable"
        )),
        Some(found) if found.bytes < *bytes => Some(format!(
            "`{name}` is too small: expected `{spelling}` ({bytes} bytes or more), found {} bytes",
            found.bytes
        )),
        Some(_) => None,
        None => {
            let names: Vec<&str> = program.symbols.iter().map(|s| s.name.as_str()).collect();
            Some(format!("constant array `{name}` is missing: expected `{spelling}`{}", near(name, &names)))
        }
    }
}

/// A list of names, cut to the space of a message.
fn quoted(names: &[&str]) -> String {
    bounded(names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", "))
}

/// A question that suggests the most similar name, if one is similar enough.
pub(crate) fn near(name: &str, found: &[&str]) -> String {
    source::nearest(name, found.iter().copied())
        .map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_of_long_names_are_cut() {
        assert_eq!(quoted(&["copy", "tiled"]), "`copy`, `tiled`");
        let long = "x".repeat(300_000);
        assert!(quoted(&[&long, &long]).len() < 2000);
    }

    #[test]
    fn a_texture_object_may_be_an_unsigned_long_long() {
        let texture = Parameter::texture("image");
        assert!(texture.accepts(ParameterKind::Texture));
        assert!(texture.accepts(ParameterKind::Scalar(Element::I64)));
        assert!(!texture.accepts(ParameterKind::Scalar(Element::I32)));
        assert!(!Parameter::int("n").accepts(ParameterKind::Texture));
    }
}
