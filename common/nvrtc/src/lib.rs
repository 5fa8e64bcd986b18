//! CUDA's own compilers, looked up when the program runs: NVRTC, the compiler as a library, and `nvcc`.
//!
//! Neither needs a GPU, and nothing of them is needed to build this project. [`Compiler::find`] takes NVRTC where there is one
//! and otherwise `nvcc`; [`Compiler::compile`] makes a cubin for one architecture. A cubin, because PTX that is newer than the
//! driver is refused by it.
//!
//! NVRTC has no standard headers; [`HEADERS`] stands in for what kernels include of them: integer types, mathematical functions,
//! `std::min`, `std::max`, `std::numeric_limits`, type traits, pairs and tuples. It takes no host code that uses the
//! run-time library (`cudaMalloc`, `<<<>>>`): files that have some are for `nvcc`.

mod elf;
mod headers;
mod library;
mod nvcc;
mod places;
mod symbols;

pub use elf::{parameter_sizes, symbols, variables};
pub use headers::HEADERS;
pub use library::Nvrtc;
pub use nvcc::Nvcc;
pub use places::executable;
pub use symbols::symbol_of;

use std::path::PathBuf;

/// What is to be compiled, and how.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// What messages call the file.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The architecture, as `sm_90a`.
    pub architecture: String,
    /// Macros, as `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Folders for `#include`.
    pub include_dirs: Vec<PathBuf>,
    /// Whether functions without `__device__` may be called from device code where the front-end allows it: those of the standard library
    /// that are `constexpr`. For `nvcc` this is `--expt-relaxed-constexpr`. NVRTC knows no host functions and refuses a file that
    /// has any, as one that computes the size of an array; with this they are functions of the device.
    pub relaxed: bool,
    /// Options as the compiler spells them, besides those that follow from the other fields.
    pub options: Vec<String>,
    /// Kernels and, with `&` before, variables whose names in the cubin are wanted; instances of templates are made. Names that
    /// the compiler does not know are no errors.
    pub names: Vec<String>,
}

/// What a compiler says of a request.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Whether it takes the program.
    pub accepted: bool,
    /// Its messages, those of `ptxas` too.
    pub log: String,
    /// The machine code; empty if the program was refused.
    pub cubin: Vec<u8>,
    /// The PTX, if the architecture is a virtual one (`compute_90`), for which there is no machine code. `nvcc` gives none.
    pub ptx: String,
    /// The name in the cubin of each of [`Request::names`]; empty where there is none.
    pub lowered: Vec<String>,
}

/// One of CUDA's compilers.
pub enum Compiler {
    /// The library.
    Nvrtc(Nvrtc),
    /// The program.
    Nvcc(Nvcc),
}

impl Compiler {
    /// NVRTC where there is one, otherwise `nvcc`.
    pub fn find() -> Option<Compiler> {
        Nvrtc::find().map(Compiler::Nvrtc).or_else(|| Nvcc::find().map(Compiler::Nvcc))
    }

    /// Name, version and place, as `NVRTC 13.0 (/usr/…/libnvrtc.so.13)`.
    pub fn describe(&self) -> String {
        match self {
            Compiler::Nvrtc(nvrtc) => nvrtc.describe(),
            Compiler::Nvcc(nvcc) => nvcc.describe(),
        }
    }

    /// Compiles.
    ///
    /// # Errors
    /// Why the compiler could not be used at all; a program that it refuses is an [`Answer`].
    pub fn compile(&self, request: &Request) -> Result<Answer, String> {
        match self {
            Compiler::Nvrtc(nvrtc) => nvrtc.compile(request),
            Compiler::Nvcc(nvcc) => nvcc.compile(request),
        }
    }
}

/// A message of a compiler: `FILE(LINE): error: TEXT`, or `FILE(LINE): error #NUMBER: TEXT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The file, as the compiler calls it.
    pub file: String,
    /// 1-based line; `None` at the end of the text.
    pub line: Option<u32>,
    /// Whether it is an error; else a warning.
    pub is_error: bool,
    /// What it says, the first line of it.
    pub text: String,
}

/// The messages of a log, in order. Lines that are none, as `ptxas info`, are left out.
pub fn messages(log: &str) -> Vec<Message> {
    log.lines().filter_map(message).collect()
}

fn message(line: &str) -> Option<Message> {
    let words = [(": error", true), (": catastrophic error", true), (": warning", false)];
    let (at, word, is_error) =
        words.iter().filter_map(|(w, e)| line.find(w).map(|at| (at, *w, *e))).min_by_key(|(at, ..)| *at)?;
    let (place, rest) = (&line[..at], &line[at + word.len()..]);
    // `: error: TEXT`, `: warning #177-D: TEXT`.
    let text = rest.split_once(": ").filter(|(number, _)| number.len() < 12)?.1.trim().to_owned();
    let (file, number) = match place.strip_suffix(')').and_then(|p| p.rsplit_once('(')) {
        Some((file, line)) => (file.to_owned(), line.parse().ok()),
        None => (String::new(), None),
    };
    Some(Message { file, line: number, is_error, text })
}

/// What `ptxas` says of one kernel in a log that was asked for with `--ptxas-options=-v`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// The kernel's name in the cubin.
    pub kernel: String,
    /// 32-bit registers of a thread.
    pub registers: u32,
    /// Bytes of a thread's stack frame.
    pub stack: u32,
    /// Bytes of spilled registers that are stored.
    pub spill_stores: u32,
    /// Bytes of spilled registers that are loaded.
    pub spill_loads: u32,
}

/// What `ptxas` says of each kernel.
pub fn resources(log: &str) -> Vec<Resources> {
    let mut found: Vec<Resources> = Vec::new();
    let number_before = |line: &str, what: &str| -> Option<u32> {
        line[..line.find(what)?].split_whitespace().next_back()?.parse().ok()
    };
    for line in log.lines() {
        if let Some((_, name)) = line.split_once("Compiling entry function '") {
            let kernel = name.split('\'').next().unwrap_or_default().to_owned();
            found.push(Resources { kernel, ..Resources::default() });
        }
        let Some(last) = found.last_mut() else { continue };
        let fields = [
            (" registers", &mut last.registers),
            (" bytes stack frame", &mut last.stack),
            (" bytes spill stores", &mut last.spill_stores),
            (" bytes spill loads", &mut last.spill_loads),
        ];
        for (what, field) in fields {
            if let Some(value) = number_before(line, what) {
                *field = value;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_with_file_and_line() {
        let log = "a/b (1).cu(12): error: identifier \"x\" is undefined\n      y = x;\n\n\
                   a.cu(7): warning #177-D: variable \"z\" was declared: unused\nptxas info    : 0 bytes gmem\n\
                   At end of source: error: expected a \"}\"\n1 error detected\n";
        let found = messages(log);
        assert_eq!(found.len(), 3, "{found:?}");
        assert_eq!(
            (found[0].file.as_str(), found[0].line, found[0].is_error),
            ("a/b (1).cu", Some(12), true)
        );
        assert_eq!(found[0].text, "identifier \"x\" is undefined");
        assert_eq!((found[1].line, found[1].is_error), (Some(7), false));
        assert_eq!(found[1].text, "variable \"z\" was declared: unused");
        assert_eq!((found[2].line, found[2].is_error), (None, true));
    }

    #[test]
    fn registers_and_spills_are_read_by_kernel() {
        let log = "ptxas info    : 0 bytes gmem\nptxas info    : Compiling entry function '_Z3addPf' for 'sm_90'\n\
                   ptxas info    : Function properties for _Z3addPf\n    8 bytes stack frame, 4 bytes spill stores, \
                   12 bytes spill loads\nptxas info    : Used 10 registers, used 0 barriers\n";
        let expected = Resources {
            kernel: "_Z3addPf".into(),
            registers: 10,
            stack: 8,
            spill_stores: 4,
            spill_loads: 12,
        };
        assert_eq!(resources(log), [expected]);
    }
}
