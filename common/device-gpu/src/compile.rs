//! Compiles a kernel file to machine code with CUDA's own compiler, and turns that compiler's messages into
//! diagnostics.

use crate::cache;
use ::device::{CompileOptions, DeviceError, Includes, KernelFile, Messages, ProgramInfo};
use nvrtc::{Answer, Compiler, Nvcc, Request};
use source::{Code, Diagnostic, Severity, SourceMap, Span, Verdict};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The compiler's name for a compute capability, such as `sm_86`. From 9.0 on it has the suffix `a` (`sm_90a`), which
/// allows architecture-specific features; a cubin runs only on its own architecture anyway.
pub fn architecture((major, minor): (u32, u32)) -> String {
    let own = if major >= 9 { "a" } else { "" };
    format!("sm_{major}{minor}{own}")
}

/// Whether NVRTC or `nvcc` was found. Without one of them no kernel can run on a GPU.
pub fn has_compiler() -> bool {
    compiler().is_some()
}

/// The compiler. The first call searches for it.
pub(crate) fn compiler() -> Option<&'static Compiler> {
    static FOUND: OnceLock<Option<Compiler>> = OnceLock::new();
    FOUND.get_or_init(Compiler::find).as_ref()
}

/// A request for the machine code of all kernels and variables of a file.
fn request(file: &KernelFile, options: &CompileOptions, info: &ProgramInfo, architecture: &str) -> Request {
    let kernels = info.kernels.iter().map(|k| k.name.clone());
    let symbols = info.symbols.iter().map(|s| format!("&{}", s.name));
    Request {
        name: file.name.clone(),
        text: file.text.clone(),
        architecture: architecture.to_owned(),
        defines: options.defines.iter().map(|(name, value)| format!("{name}={value}")).collect(),
        include_dirs: include_dirs(file, options),
        relaxed: true,
        options: vec!["--generate-line-info".into(), "--ptxas-options=-v".into()],
        names: kernels.chain(symbols).collect(),
    }
}

/// The folders that `#include` searches: first the folder of the file, if includes may come from anywhere. The
/// front-end has already refused files that may not be included.
fn include_dirs(file: &KernelFile, options: &CompileOptions) -> Vec<PathBuf> {
    let own = match options.includes {
        Includes::Anywhere => Path::new(&file.name).parent().filter(|folder| folder.is_dir()),
        Includes::Only(_) => None,
    };
    let others = options.include_dirs.iter().chain(options.includes.folders()).cloned();
    own.map(Path::to_owned).into_iter().chain(others).collect()
}

/// Compiles a file that the front-end has accepted, or takes the machine code from the cache.
///
/// # Errors
/// [`DeviceError::Compile`] with the compiler's errors; [`DeviceError::Use`] if there is no compiler or it cannot
/// run.
pub(crate) fn build(
    file: &KernelFile,
    options: &CompileOptions,
    info: &ProgramInfo,
    architecture: &str,
) -> Result<Answer, DeviceError> {
    let compiler = compiler().ok_or_else(|| DeviceError::Use(source::spelled(NO_COMPILER)))?;
    let request = request(file, options, info, architecture);
    let included = info.warnings.sources.files().map(|(_, file)| file.text());
    let described = [format!("{request:?}"), compiler.describe()];
    let parts: Vec<&str> = described.iter().map(String::as_str).chain(included).collect();
    let key = cache::key(&parts);
    if let Some(kept) = cache::get(&key) {
        return Ok(kept);
    }
    let mut answer = compiler.compile(&request).map_err(DeviceError::Use)?;
    let mut by = compiler.describe();
    if !answer.accepted && matches!(compiler, Compiler::Nvrtc(_)) {
        // NVRTC cannot compile host code that uses the run-time library, but `nvcc` can.
        if let Some((nvcc, second)) =
            Nvcc::find().and_then(|n| Some((n.describe(), n.compile(&request).ok()?)))
        {
            (by, answer) = (nvcc, second);
        }
    }
    if !answer.accepted {
        return Err(DeviceError::Compile(refused(file, &answer.log, &by)));
    }
    cache::put(&key, &answer);
    Ok(answer)
}

/// Checks that CUDA's compiler and the front-end agree on the size of every kernel parameter. The driver copies as
/// many bytes per argument as the compiler says, so a difference would make it read past the argument.
///
/// # Errors
/// [`DeviceError::Use`] that names the kernel whose parameters differ.
pub(crate) fn agrees(info: &ProgramInfo, answer: &Answer) -> Result<(), DeviceError> {
    for (kernel, lowered) in info.kernels.iter().zip(&answer.lowered) {
        let Some(sizes) = nvrtc::parameter_sizes(&answer.cubin, lowered) else { continue };
        let known: Vec<u64> = kernel.arguments.iter().map(|a| a.bytes).collect();
        if sizes != known {
            return Err(DeviceError::Use(format!(
                "the parameters of `{}` have {known:?} bytes for this project's front-end and {sizes:?} for CUDA's compiler, so it \
                 cannot be launched on the GPU: report it with the file, and run it with `--on sim`",
                kernel.name
            )));
        }
    }
    Ok(())
}

const NO_COMPILER: &str = "there is a GPU, but no CUDA compiler to generate code for it: install the CUDA Toolkit, or \
    `pip install nvidia-cuda-nvrtc` and set NVRTC_LIBRARY to its libnvrtc; `cargo lab doctor` says what was found";

/// Whether the front-end has no error but that it does not support something.
pub(crate) fn is_unsupported(messages: &Messages) -> bool {
    let mut errors = messages.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    errors.all(|d| d.verdict == Verdict::Unsupported)
}

/// What the front-end does not support, as notes: the file runs on the GPU all the same, without its checks.
pub(crate) fn as_notes(mut messages: Messages) -> Messages {
    for d in messages.diagnostics.iter_mut().filter(|d| d.severity == Severity::Error) {
        d.severity = Severity::Note;
        d.notes.push(
            "CUDA's own compiler compiles the file for the GPU, where nothing is checked as it runs"
                .to_owned(),
        );
    }
    messages
}

/// A note if CUDA's compiler accepts a file that the front-end refused; `None` if both refuse it or there is no
/// compiler.
pub(crate) fn second_opinion(
    file: &KernelFile,
    options: &CompileOptions,
    architecture: &str,
) -> Option<Diagnostic> {
    let compiler = compiler()?;
    let empty = ProgramInfo {
        id: ::device::ProgramId(0),
        kernels: Vec::new(),
        constants: Vec::new(),
        symbols: Vec::new(),
        host_functions: Vec::new(),
        launches: Vec::new(),
        warnings: Messages::default(),
    };
    // Use the strict rules of the language: `relaxed` is only for files that the front-end has accepted.
    let request = Request { relaxed: false, ..request(file, options, &empty, architecture) };
    let answer = compiler.compile(&request).ok()?;
    let title = "CUDA's own compiler accepts this file";
    answer.accepted.then(|| {
        Diagnostic::new(Code::CompilersDisagree, title)
            .note(format!("{} compiled it for {architecture}", compiler.describe()))
            .help("the message above is this project's front-end; report it with the file if you think it is wrong")
    })
}

/// Turns the log of CUDA's compiler into diagnostics, for a file that the front-end accepted.
fn refused(file: &KernelFile, log: &str, compiler: &str) -> Messages {
    let mut sources = SourceMap::new();
    let id = sources.add(&file.name, &file.text);
    let span = |line: u32| -> Option<Span> {
        let whole = sources.file(id).text();
        let text = whole.split('\n').nth(line.checked_sub(1)? as usize)?;
        let start = text.as_ptr() as usize - whole.as_ptr() as usize;
        let blank = text.len() - text.trim_start().len();
        Some(Span { file: id, start: (start + blank) as u32, end: (start + text.trim_end().len()) as u32 })
    };
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for message in nvrtc::messages(log).into_iter().filter(|m| m.is_error) {
        let no_curand = message.text.contains("open source file \"curand");
        let mut diagnostic = Diagnostic::new(Code::NvccError, message.text);
        if no_curand {
            diagnostic = diagnostic.help(
                "on a GPU, cuRAND's header comes from CUDA: install the CUDA Toolkit, or `pip install nvidia-curand` beside NVRTC",
            );
        }
        let here = message.line.filter(|_| message.file == file.name).and_then(span);
        diagnostics.push(match (here, message.line) {
            (Some(span), _) => diagnostic.label(span, ""),
            (None, Some(line)) => diagnostic.note(format!("at line {line} of {}", message.file)),
            (None, None) => diagnostic,
        });
    }
    if diagnostics.is_empty() {
        diagnostics
            .push(Diagnostic::new(Code::NvccError, "CUDA's compiler rejected the file").note(log.trim()));
    }
    if let Some(first) = diagnostics.first_mut() {
        first.notes.push(format!("{compiler} says so; this project's front-end accepts the file"));
    }
    Messages { sources: Arc::new(sources), diagnostics }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn architectures_from_hopper_on_have_their_own_features() {
        assert_eq!(architecture((7, 5)), "sm_75");
        assert_eq!(architecture((8, 9)), "sm_89");
        assert_eq!(architecture((9, 0)), "sm_90a");
        assert_eq!(architecture((12, 0)), "sm_120a");
    }

    #[test]
    fn the_compilers_errors_point_into_the_text() {
        let file = KernelFile { name: "k.cu".into(), text: "int a;\n  b = 1;\n".into() };
        let log = "k.cu(2): error: this declaration has no storage class\nother.h(7): error: no\n";
        let messages = refused(&file, log, "NVRTC 12.9");
        let [first, second] = &messages.diagnostics[..] else { panic!("{messages:?}") };
        assert_eq!(messages.sources.text(first.span().unwrap()), "b = 1;");
        assert!(first.notes[0].contains("NVRTC 12.9"), "{first:?}");
        assert!(second.span().is_none() && second.notes[0].contains("line 7 of other.h"), "{second:?}");
        let log = "k.cu(1): catastrophic error: could not open source file \"curand_kernel.h\" (no directories in search list)\n";
        let missing = refused(&file, log, "NVRTC 13.0");
        assert!(missing.diagnostics[0].help[0].contains("nvidia-curand"), "{missing:?}");
        let silent = refused(&file, "ptxas fatal: no", "nvcc 13.0");
        assert!(silent.diagnostics[0].notes[0].contains("ptxas fatal"), "{silent:?}");
    }
}
