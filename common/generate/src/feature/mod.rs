//! Small programs that each use one feature of C++ and store integers, so that a compiler can fold them to constants.
//!
//! A program is a function of a list of numbers, like those of [`crate::grammar`]. It has no undefined behaviour, but it may be
//! ill-formed: several specialisations or functions may fit equally well. A compiler's answer decides what is right.

mod aggregate;
mod convert;
mod flow;
mod layout;
mod lifetime;
mod literal;
mod lookup;
mod overload;
mod special;
mod unevaluated;

use crate::grammar::Choices;
use std::fmt::Write as _;

pub use lookup::LOOKUPS;

/// Numbers that a program stores, at most.
pub const VALUES: usize = 24;

/// A program of one feature: declarations, and statements that call `put` for each value.
#[derive(Clone, Debug, Default)]
pub struct Case {
    declarations: String,
    body: String,
    count: usize,
}

impl Case {
    /// How many values the program stores.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The program within a namespace of its own, with a function `run` that stores the values from `o[0]` on.
    pub fn text(&self, namespace: &str) -> String {
        let Case { declarations, body, .. } = self;
        format!(
            "namespace {namespace} {{\n{PRELUDE}{declarations}__device__ void run(volatile long long *o) {{\n{body}}}\n}}\n"
        )
    }

    fn declare(&mut self, text: impl AsRef<str>) {
        writeln!(self.declarations, "{}", text.as_ref()).expect("a string takes all");
    }

    fn state(&mut self, text: impl AsRef<str>) {
        writeln!(self.body, "  {}", text.as_ref()).expect("a string takes all");
    }

    /// Stores the value of an expression.
    fn put(&mut self, value: impl AsRef<str>) {
        if self.count < VALUES {
            self.state(format!("o[{}] = (long long)({});", self.count, value.as_ref()));
            self.count += 1;
        }
    }
}

/// The types that `id` tells apart, by their place in this list.
const TYPES: [&str; 40] = [
    "int",
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "bool",
    "float",
    "double",
    "void",
    "wchar_t",
    "char16_t",
    "char32_t",
    "const int",
    "volatile int",
    "const char",
    "int *",
    "const int *",
    "int *const",
    "const char *",
    "int &",
    "const int &",
    "int &&",
    "const int &&",
    "int **",
    "int[3]",
    "const int[3]",
    "int[]",
    "void()",
    "int(int)",
    "int (*)(int)",
    "void *",
    "volatile float",
    "float &",
    "decltype(nullptr)",
];

/// `bool` and the integers that every standard has.
const INTEGERS: [&str; 12] = [
    "bool",
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
];

/// Compares types, without a header.
const PRELUDE: &str = "template <class T, class U> constexpr bool same = false;\n\
    template <class T> constexpr bool same<T, T> = true;\n";

/// An expression for the place of a type in [`TYPES`].
fn id_of(ty: &str) -> String {
    format!("id<{ty}>")
}

impl Case {
    /// Declares the variable template that [`id_of`] uses.
    fn declare_id(&mut self) {
        self.declare("template <class T> constexpr int id = 99;");
        for (n, ty) in TYPES.iter().enumerate() {
            self.declare(format!("template <> constexpr int id<{ty}> = {n};"));
        }
    }
}

/// A feature, and what writes its programs.
pub type Feature = (&'static str, fn(&mut Choices<'_>, &mut Case));

/// The features, with a name for each.
pub const FEATURES: [Feature; 24] = [
    ("specialisation by type", special::types),
    ("specialisation by several arguments", special::lists),
    ("specialisation by pack", special::packs),
    ("function template ordering", overload::templates),
    ("overload ranking", overload::ranking),
    ("layout", layout::layout),
    ("bit fields", layout::bit_fields),
    ("packed layout", layout::packed),
    ("character literals", literal::characters),
    ("string literals", literal::strings),
    ("numbers", literal::numbers),
    ("arithmetic conversions", convert::arithmetic),
    ("conversions", convert::narrowing),
    ("enumerations", convert::enumerations),
    ("constant evaluation", flow::constants),
    ("static members and default arguments", flow::defaults),
    ("if constexpr and folds", flow::folds),
    ("switch and goto", flow::jumps),
    ("lambdas", lifetime::lambdas),
    ("destructors", lifetime::destructors),
    ("references and temporaries", lifetime::references),
    ("unevaluated operands", unevaluated::operands),
    ("structured bindings", aggregate::bindings),
    ("aggregates", aggregate::aggregates),
];

/// A program of a feature.
pub fn case(feature: &Feature, numbers: &[u32]) -> Case {
    let mut case = Case::default();
    feature.1(&mut Choices::new(numbers), &mut case);
    case
}
