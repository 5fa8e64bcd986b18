//! Any bytes as a kernel file: reading, compiling, optimising, and showing every message in every format.

use crate::{Finding, Random, Target, mutate, seeds};
use cuda_front::{Compilation, Options};
use source::render::sarif::{self, Rule, Tool};
use source::text::{printable, printable_colored};
use source::{Code, Diagnostic, SourceMap, Span, render};

/// Any bytes as a kernel file.
#[derive(Clone, Copy, Debug)]
pub struct Compile;

/// The name that messages call the file by.
const NAME: &str = "fuzz.cu";

impl Target for Compile {
    fn name(&self) -> &'static str {
        "compile"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        seeds::programs(&[seeds::ACCEPTED, seeds::REFUSED, seeds::WAITING].concat())
    }

    fn mutate(&self, input: &[u8], donors: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
        match random.below(5) {
            0 => mutate::any(input, donors, random),
            _ => mutate::program(input, donors, random),
        }
    }

    fn run(&self, input: &[u8]) -> Result<(), Finding> {
        let Some(text) = read(input)? else { return Ok(()) };
        let eager = cuda_front::compile(NAME, &text, &Options::default());
        messages(&eager.sources, &eager.diagnostics)?;
        let again = cuda_front::compile(NAME, &text, &Options::default());
        if eager.diagnostics != again.diagnostics {
            return Err(Finding::new("not deterministic", "compiled twice, with other messages"));
        }
        let printed =
            |compilation: &Compilation| compilation.module.as_ref().map(|module| module.to_string());
        let expected = printed(&eager);
        if expected != printed(&again) {
            return Err(Finding::new("not deterministic", "compiled twice, to other code"));
        }
        lazily(&text, &eager)
    }
}

/// The text of the bytes as grading reads them from a file; none if the file is refused.
fn read(input: &[u8]) -> Result<Option<String>, Finding> {
    let file =
        tempfile::NamedTempFile::new().and_then(|file| std::fs::write(file.path(), input).map(|()| file));
    let file = file.map_err(|e| Finding::new("no temporary file", e.to_string()))?;
    match harness::read_kernel_file(file.path(), NAME) {
        Ok(file) => Ok(Some(file.text)),
        Err(message) => is_plain(&message, "why the file is refused").map(|()| None),
    }
}

/// What must hold of messages: each lies in its text, and can be shown in every format.
pub(super) fn messages(sources: &SourceMap, diagnostics: &[Diagnostic]) -> Result<(), Finding> {
    for diagnostic in diagnostics {
        if diagnostic.code == Code::InternalError {
            return Err(Finding::new("internal error", diagnostic.notes.join("\n")));
        }
        diagnostic.labels.iter().try_for_each(|label| lies_in_text(sources, label.span, diagnostic))?;
        is_plain(&render::full(sources, diagnostic, false), "a message")?;
        is_plain(
            &render::full_within(sources, diagnostic, false, source::text::MIN_WIDTH),
            "a narrow message",
        )?;
        let colored = render::full(sources, diagnostic, true);
        if printable_colored(&colored) != colored {
            return Err(Finding::new("control characters", format!("in a coloured message: {colored:?}")));
        }
        let line = render::concise(sources, diagnostic);
        is_plain(&line, "a message of one line")?;
        is_one_line(&line, "a message of one line")?;
        is_one_line(
            &serde_json::json!(report::Diagnostic::of(sources, diagnostic)).to_string(),
            "a message as JSON",
        )?;
    }
    let findings: Vec<_> = diagnostics.iter().map(|d| source::Finding::of(sources, d)).collect();
    let rule = |code: &str| Rule { description: code.to_owned(), help_uri: None };
    let log = sarif::log(&Tool { name: "fuzz", version: "0" }, &findings, rule);
    is_one_line(&log.to_string(), "messages as SARIF")
}

fn lies_in_text(sources: &SourceMap, span: Span, diagnostic: &Diagnostic) -> Result<(), Finding> {
    let file = sources.files().find(|(id, _)| *id == span.file).map(|(_, file)| file);
    let is_in = file.is_some_and(|file| file.text().get(span.start as usize..span.end as usize).is_some());
    if is_in {
        return Ok(());
    }
    Err(Finding::new(
        "outside the text",
        format!("`{}` is marked at {span:?}: {}", diagnostic.code, diagnostic.title),
    ))
}

/// Whether the text is one line, as a program that reads line by line expects. What is not ASCII may be in JSON as it is.
fn is_one_line(text: &str, what: &str) -> Result<(), Finding> {
    match text.contains(|c: char| c.is_ascii_control() && !matches!(c, '\t' | '\u{7f}')) {
        true => Err(Finding::new("not one line", format!("{what}: {text:?}"))),
        false => Ok(()),
    }
}

/// Whether a terminal shows the text as it is.
pub(super) fn is_plain(text: &str, what: &str) -> Result<(), Finding> {
    match printable(text) == text {
        true => Ok(()),
        false => Err(Finding::new("control characters", format!("in {what}: {text:?}"))),
    }
}

/// Kernels that are prepared when they are needed are the same as those of a file that is compiled at once.
fn lazily(text: &str, eager: &Compilation) -> Result<(), Finding> {
    let differs = |what: String| Err(Finding::new("lazily, something else", what));
    let options = Options { lazily: true, ..Options::default() };
    let mut lazy = cuda_front::compile(NAME, text, &options);
    let Some(module) = &mut lazy.module else {
        return match &eager.module {
            None => Ok(()),
            Some(_) => differs(format!("it is refused: {:?}", lazy.diagnostics)),
        };
    };
    let Some(expected) = &eager.module else {
        // What only lowering finds is found when a kernel is prepared.
        let errors =
            (0..module.kernels.len()).any(|n| cuda_front::prepare(module, &mut lazy.later, n).is_err());
        return if errors { Ok(()) } else { differs("it is accepted".to_owned()) };
    };
    for kernel in 0..module.kernels.len() {
        if let Err(diagnostics) = cuda_front::prepare(module, &mut lazy.later, kernel) {
            messages(&lazy.sources, &diagnostics)?;
            return differs(format!("kernel {kernel} is refused: {diagnostics:?}"));
        }
    }
    let bodies = |module: &simt_ir::Module| {
        let kernels = module.kernels.iter();
        kernels
            .map(|kernel| (kernel.name.clone(), kernel.registers.len(), kernel.local_bytes()))
            .collect::<Vec<_>>()
    };
    if bodies(expected) != bodies(module) {
        return differs(format!("{:?} instead of {:?}", bodies(module), bodies(expected)));
    }
    Ok(())
}
