//! Compiles a CUDA C++ file on a device, finds kernels in it, and formats its messages.

use device::{CompileOptions, Device, DeviceError, KernelFile, KernelInfo, Messages, ProgramInfo};
use harness::report::{Style, more_information};
use source::Failure;
use source::{Diagnostic, Severity, Verdict, render};

/// Outcome of compiling a file or launching a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// No error.
    Ok,
    /// The device refused or stopped the launch, because the kernel made an error.
    Diagnosed,
    /// The file has errors.
    Rejected,
    /// The program may be correct; the simulator does not support it.
    Unsupported,
}

impl Outcome {
    /// The outcome that follows from the errors. `wrong` is the outcome of a wrong program: `Rejected` for a
    /// compilation, `Diagnosed` for a launch.
    pub fn of(diagnostics: &[Diagnostic], wrong: Outcome) -> Outcome {
        let errors = || diagnostics.iter().filter(|d| d.severity == Severity::Error);
        match errors().next() {
            None => Outcome::Ok,
            Some(_) if errors().all(|d| d.verdict == Verdict::Unsupported) => Outcome::Unsupported,
            Some(_) => wrong,
        }
    }
}

/// Compile options for macros in the form of `-D` and for the kernels in `requests`.
///
/// # Errors
/// Says which macro has an invalid name.
pub fn compile_options(defines: &[String], requests: &[String]) -> Result<CompileOptions, Failure> {
    Ok(CompileOptions {
        defines: defines.iter().map(|d| define(d)).collect::<Result<_, _>>()?,
        // Only names with template arguments need an instance.
        instantiate: requests.iter().filter(|r| r.contains('<')).cloned().collect(),
        ..CompileOptions::default()
    })
}

/// Compiles a file. The inner `Err` holds the errors in the file's text.
///
/// # Errors
/// Says that no template fits a requested instance, or that the device failed.
pub fn compile(
    device: &mut dyn Device,
    file: &KernelFile,
    options: &CompileOptions,
) -> Result<Result<ProgramInfo, Messages>, Failure> {
    let name = &file.name;
    match device.compile(file, options) {
        Ok(program) => Ok(Ok(program)),
        Err(DeviceError::Compile(messages)) => match request_error(&messages) {
            Some(title) => Err(Failure::new(
                format!("--kernel: {title}"),
                source::worded(format!("`cargo lab compile {name}` lists the kernels; "), String::new())
                    + "a template is named with its arguments, such as 'tile<16,32>'",
            )),
            None => Ok(Err(messages)),
        },
        Err(other) => Err(Failure::new(format!("{name}: {other}"), "report it with the kernel file")),
    }
}

/// The title of the first error if the errors are about the request (`--kernel`) and not about the file: then no error has a place in the
/// text.
fn request_error(messages: &Messages) -> Option<&str> {
    let errors = || messages.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let about_request = |d: &&Diagnostic| d.verdict == Verdict::Program && d.labels.is_empty();
    errors().find(about_request).filter(|_| errors().all(|d| about_request(&d))).map(|d| d.title.as_str())
}

/// Parses a macro: `NAME=VALUE`, or `NAME`, which means `NAME=1`.
fn define(text: &str) -> Result<(String, String), Failure> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(letter) || name.starts_with(|c: char| c.is_ascii_digit()) {
        let what = format!("-D {text}: `{name}` is not the name of a macro");
        return Err(Failure::new(what, "write -D NAME or -D NAME=VALUE"));
    }
    Ok((name.to_string(), value.to_string()))
}

/// Parses sizes such as `16`, `16,8` or `16,8,1`; missing axes are 1.
///
/// # Errors
/// Says which form was expected.
pub fn dimensions(option: &str, text: &str) -> Result<[u32; 3], Failure> {
    let parts: Option<Vec<u32>> = text.split(',').map(|p| p.trim().parse().ok()).collect();
    match parts.as_deref() {
        Some([x]) => Ok([*x, 1, 1]),
        Some([x, y]) => Ok([*x, *y, 1]),
        Some([x, y, z]) => Ok([*x, *y, *z]),
        _ => Err(Failure::new(
            format!("{option} {text}: expected one to three whole numbers below 2^32"),
            format!("write {option} X, {option} X,Y or {option} X,Y,Z, such as {option} 16,16"),
        )),
    }
}

/// Finds a kernel by name, ignoring blanks in template arguments.
///
/// # Errors
/// Lists the kernels of the file.
pub fn kernel<'p>(program: &'p ProgramInfo, name: &str) -> Result<&'p KernelInfo, Failure> {
    let plain = |text: &str| text.split_whitespace().collect::<String>();
    let base = |text: &str| plain(text.split('<').next().unwrap_or_default());
    let exact = program.kernels.iter().find(|k| plain(&k.name) == plain(name));
    // Template arguments may be written differently (`2*8` for `16`) or be omitted. Then take the instance with the
    // same base name, if there is exactly one.
    let mut alike = program.kernels.iter().filter(|k| k.name.contains('<') && base(&k.name) == base(name));
    let alike = alike.next().filter(|_| name.contains('<') && alike.next().is_none());
    exact.or(alike).ok_or_else(|| {
        let names: Vec<String> = program.kernels.iter().map(|k| format!("`{}`", k.name)).collect();
        let there = if names.is_empty() { "none".to_string() } else { names.join(", ") };
        let near = source::did_you_mean(name, program.kernels.iter().map(|k| k.name.as_str()));
        Failure::new(
            format!("--kernel: there is no kernel `{name}`{near}; the file has {there}"),
            "a template is named with its arguments, such as 'tile<16,32>'",
        )
    })
}

/// Finds the kernel with this name, or without a name the file's only kernel.
///
/// # Errors
/// Lists the kernels of the file, or says that it has none.
pub(crate) fn chosen<'p>(program: &'p ProgramInfo, name: Option<&str>) -> Result<&'p KernelInfo, Failure> {
    match (name, &program.kernels[..]) {
        (Some(name), _) => kernel(program, name),
        (None, [only]) => Ok(only),
        (None, []) => Err(Failure::new(
            "the file has no kernel that could be launched",
            "write `__global__` before a function; a template needs its arguments, such as --kernel 'tile<16,32>'",
        )),
        (None, several) => {
            let names: Vec<String> = several.iter().map(|k| format!("`{}`", k.name)).collect();
            Err(Failure::new(
                format!("the file has {} kernels: {}", several.len(), names.join(", ")),
                format!("say which one, such as --kernel '{}'", several[0].name),
            ))
        }
    }
}

/// Diagnostics as JSON.
pub fn json(messages: &Messages) -> serde_json::Value {
    messages
        .diagnostics
        .iter()
        .map(|d| serde_json::json!(report::Diagnostic::of(&messages.sources, d)))
        .collect()
}

/// Formats diagnostics with source lines, each followed by an empty line, and says where the codes are explained.
pub fn text(messages: &Messages, style: Style) -> String {
    let mut out = String::new();
    for diagnostic in &messages.diagnostics {
        out.push_str(&render::full_within(&messages.sources, diagnostic, style.color, style.width));
        out.push_str("\n\n");
    }
    let codes = messages.diagnostics.iter().map(|d| d.code.as_str());
    if let Some(line) = more_information(codes) {
        out.push_str(&format!("{line}\n\n"));
    }
    out
}
