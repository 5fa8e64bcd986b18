//! What compiling a file may cost.
//!
//! A short text can ask for endless work: macros, templates and calls that use each other many times over, constants that a loop
//! computes. So each stage charges what it does to the [`Budget`] of the compilation, under the kind of work that it is, and a file that has
//! spent the budget of one kind is refused with the place where that happened. Nothing here looks at a clock: the same file is
//! judged the same way on every computer.
//!
//! Limits are at least 20 times what any kernel file of the project needs, which the test `cost::needs` compares; the most is needed by
//! `benches/gpu/bench.cu`, with 108 835 tokens and 68 904 checks. Only of nodes it has a quarter of the limit, because a file that
//! instantiates a hundred kernels is unlike what a student hands in, and of steps of the optimiser the best kernel of lab 4 takes more than a quarter.
//!
//! Limits of a single thing, such as how deep expressions may nest, are where that thing is; what adds up over a file is here.

use source::{Code, Diagnostic, Span};
use std::cell::Cell;

/// A kind of work, or of what takes memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// Tokens that the preprocessor reads or makes; long spellings count more.
    Tokens,
    /// Tokens that the parser reads, each time that it does.
    Syntax,
    /// Expressions, statements, types and names that the checker looks at, in each instance of a template again, and candidates
    /// that it compares.
    Checks,
    /// Instances of templates.
    Instances,
    /// Bytes of the names of types and functions, as messages spell them, and of the arguments of templates.
    Names,
    /// Steps of constant evaluation, and scalars of the constants that it makes or copies.
    Evaluation,
    /// Bytes of variables in device memory.
    DeviceMemory,
    /// Instructions and other parts of kernels before they are optimised, in all kernels together.
    Nodes,
    /// Steps of the optimiser for the kernel that takes most (see `simt_opt`).
    Optimisation,
}

/// The number of kinds.
const KINDS: usize = Cost::Optimisation as usize + 1;

impl Cost {
    /// Every kind.
    pub const ALL: [Cost; KINDS] = [
        Cost::Tokens,
        Cost::Syntax,
        Cost::Checks,
        Cost::Instances,
        Cost::Names,
        Cost::Evaluation,
        Cost::DeviceMemory,
        Cost::Nodes,
        Cost::Optimisation,
    ];

    /// How much of it a compilation may have, unless it is given less.
    pub fn limit(self) -> u64 {
        match self {
            Cost::Tokens => 2_400_000,
            Cost::Syntax => 4_000_000,
            Cost::Checks => 2_500_000,
            Cost::Instances => 20_000,
            Cost::Names => 16 << 20,
            Cost::Evaluation => 4_000_000,
            Cost::DeviceMemory => 256 << 20,
            Cost::Nodes => 400_000,
            Cost::Optimisation => 24_000_000,
        }
    }

    /// What a message says that there is too much of, and what to do.
    fn words(self) -> (Code, &'static str, &'static str) {
        match self {
            Cost::Tokens => (
                Code::ExpansionLimit,
                "macros and includes expand to more than N tokens",
                "look for macros that use each other many times over",
            ),
            Cost::Syntax => (
                Code::TooComplex,
                "this file is too complex to be parsed: more than N tokens are read, some of them again and again",
                "unbalanced `<` or deeply nested parentheses are the usual reason",
            ),
            Cost::Checks => (
                Code::TooComplex,
                "this file is too complex to be checked: checking its names and types takes more than N steps",
                "look for templates that use each other many times over, and for many overloads of one name",
            ),
            Cost::Instances => (
                Code::TooComplex,
                "this file needs more than N instances of templates",
                "look for templates that use each other many times over",
            ),
            Cost::Names => (
                Code::TooComplex,
                "the names of this file's types take more than N bytes",
                "look for templates whose arguments are instances of each other",
            ),
            Cost::Evaluation => (
                Code::TooComplex,
                "the constants of this file take more than N steps to evaluate",
                "compute large tables on the host, and copy them to the device",
            ),
            Cost::DeviceMemory => (
                Code::ArrayTooLarge,
                "the variables of this file take more than N bytes of device memory, which the simulator does not support yet",
                "allocate large arrays on the host, and pass a pointer to the kernel",
            ),
            Cost::Nodes => (
                Code::KernelTooLong,
                "the kernels of this file have more than N instructions in all: this is not supported by the simulator yet",
                "device functions are inlined: make fewer nested calls, or call them in loops",
            ),
            Cost::Optimisation => (
                Code::KernelTooLong,
                "optimising this kernel takes more than N steps: this is not supported by the simulator yet",
                "nest fewer loops around long code, unroll less of it, or divide the kernel",
            ),
        }
    }
}

/// How much of each kind a compilation may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits([u64; KINDS]);

impl Default for Limits {
    fn default() -> Limits {
        Limits(Cost::ALL.map(Cost::limit))
    }
}

impl Limits {
    /// A fraction of each limit. Tests of what happens there reach it sooner.
    pub fn divided(by: u64) -> Limits {
        Limits(Cost::ALL.map(|cost| cost.limit() / by.max(1)))
    }
}

/// What a compilation may spend, and what it has spent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    limits: Limits,
    spent: [Cell<u64>; KINDS],
}

impl Budget {
    /// With these limits.
    pub fn within(limits: &Limits) -> Budget {
        Budget { limits: limits.clone(), ..Budget::default() }
    }

    /// How much of that kind the compilation may have.
    pub fn limit(&self, cost: Cost) -> u64 {
        self.limits.0[cost as usize]
    }

    /// Spends an amount; whether the budget had it. What was spent beyond the limit is remembered all the same.
    #[must_use]
    pub fn charge(&self, cost: Cost, amount: u64) -> bool {
        let spent = &self.spent[cost as usize];
        spent.set(spent.get().saturating_add(amount));
        spent.get() <= self.limit(cost)
    }

    /// Records what one of several spends, each of which has the limit to itself.
    pub fn record(&self, cost: Cost, amount: u64) {
        let spent = &self.spent[cost as usize];
        spent.set(spent.get().max(amount));
    }

    /// What was spent so far.
    pub fn spent(&self, cost: Cost) -> u64 {
        self.spent[cost as usize].get()
    }

    /// What may still be spent.
    pub fn left(&self, cost: Cost) -> u64 {
        self.limit(cost).saturating_sub(self.spent(cost))
    }

    /// Whether more was spent than there is.
    pub fn is_exceeded(&self, cost: Cost) -> bool {
        self.spent(cost) > self.limit(cost)
    }
}

/// What is said where the budget of a kind is spent.
pub fn refusal(cost: Cost, span: Span) -> Diagnostic {
    let (code, title, help) = cost.words();
    let diagnostic = Diagnostic::new(code, title.replace('N', &cost.limit().to_string()));
    let diagnostic = match cost {
        Cost::DeviceMemory => diagnostic.with_kind(source::Kind::Unsupported),
        _ => diagnostic,
    };
    diagnostic.label(span, "the limit was reached here").help(help)
}
