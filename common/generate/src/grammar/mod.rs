//! Programs of CUDA C++ out of a grammar: right ones by construction, and wrong ones with one known kind of mistake.
//!
//! A program is a function of a list of numbers: each choice takes the next one, and where the list has ended every choice
//! is the first, which is the simplest and ends. Each statement has a line of its own, so that the line of an error says
//! something. Right programs also run: indices are masked, divisors odd, loops bounded, and floats are multiplied with
//! powers of two only, so that contraction to a fused operation changes no result.

mod declare;
mod express;
mod mistake;
pub mod mutate;
mod state;
mod types;

use state::Variable;
use types::{Num, Ty};

/// The next choice, and the next, out of a list of numbers.
#[derive(Debug)]
pub struct Choices<'a> {
    numbers: &'a [u32],
    at: usize,
}

impl<'a> Choices<'a> {
    /// The choices of a list.
    pub fn new(numbers: &'a [u32]) -> Self {
        Choices { numbers, at: 0 }
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        let number = self.numbers.get(self.at).copied().unwrap_or(0) as usize;
        self.at += 1;
        number % bound.max(1)
    }

    /// One of a list that is not empty.
    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    /// True in `percent` of a hundred choices; false when the list has ended.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) >= 100 - percent
    }
}

/// A program, and what is wrong with it.
#[derive(Clone, Debug)]
pub struct Program {
    /// The text.
    pub text: String,
    /// The kind of mistake, if one was wanted.
    pub mistake: Option<&'static str>,
    /// Whether one thread after the other can run it, without warps and textures.
    pub plain: bool,
}

/// Elements of the kernel's buffers.
pub const LENGTH: usize = 16;

/// Writes a program; `wrong` asks for one with a mistake.
pub fn program(numbers: &[u32], wrong: bool) -> Program {
    let mut w = state::Writer::new(Choices::new(numbers));
    if wrong {
        let at_file_scope = w.c.chance(30);
        let statements = w.c.below(12);
        w.countdown = if at_file_scope { None } else { Some(statements) };
        w.file_mistake = at_file_scope;
    }
    w.header();
    w.declarations();
    w.kernel();
    Program { text: w.text, mistake: w.made, plain: w.plain }
}
