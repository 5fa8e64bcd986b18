//! `#include`: where headers that have a text are looked for, and what is said of those that are not found.

use super::headers::{self, Library, SkippedHeader, is_known, text};
use super::{MAX_HEADER_BYTES, Preprocessor};
use source::{Code, Diagnostic, Span};
use std::io;
use std::path::{Component, Path, PathBuf};

/// How deep files may include each other.
const MAX_INCLUDES: usize = 64;

/// Reads a file, refusing what is no ordinary file or too large.
pub(crate) fn load_from_disk(path: &Path) -> io::Result<String> {
    let data = std::fs::metadata(path)?;
    if !data.is_file() {
        return Err(io::ErrorKind::NotFound.into());
    }
    if data.len() > MAX_HEADER_BYTES as u64 {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())
}

/// Whether an include names a file by an absolute path or through `..`. A grader must not find
/// the text of other files in the messages, nor another's solution in the kernel.
fn leaves_folder(name: &str) -> bool {
    let is_inside = |c: Component<'_>| matches!(c, Component::Normal(_) | Component::CurDir);
    !Path::new(name).components().all(is_inside)
}

/// Whether a path below a folder is a symbolic link out of it.
fn links_outside(folder: &Path, path: &Path) -> bool {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    match (folder.canonicalize(), path.canonicalize()) {
        (Ok(folder), Ok(path)) => !path.starts_with(folder),
        _ => false,
    }
}

/// What a file is known by however the path to it is written.
pub(crate) fn identity(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

impl Preprocessor<'_> {
    /// Enters the file of an include, or reports why not.
    pub(crate) fn include(&mut self, name: &str, quoted: bool, span: Span) {
        if self.files.len() > MAX_INCLUDES {
            self.report(
                Diagnostic::new(Code::IncludeTooDeep, "files include each other too deeply")
                    .label(span, format!("this is more than {MAX_INCLUDES} files deep"))
                    .help(
                        "a file that includes itself, even through others, needs `#pragma once` at its top",
                    ),
            );
            self.stopped = true;
            return;
        }
        if self.options.confined && leaves_folder(name) {
            let title = "a graded file cannot include a file from outside its folder";
            let diagnostic = Diagnostic::new(Code::IncludeOutside, title)
                .label(span, "")
                .help("copy the text into the kernel file, or put the file next to it");
            return self.report(diagnostic);
        }
        if headers::is_hip(name) {
            return self.report_hip(name, span);
        }
        let library = headers::library(name);
        if let Some(library) = library.filter(|l| !l.namespaces.is_empty() || !quoted) {
            return self.skip_header(name, library, span);
        }
        match self.find(name, quoted) {
            Ok(Some((path, text))) => {
                if !self.once.contains(&identity(&path)) {
                    let id = self.map.add(path.display().to_string(), text);
                    self.enter_file(id, Some(path), Some(span));
                }
            }
            Ok(None) if text(name).is_some() => self.include_own(name, span),
            Ok(None) if is_known(name) => {}
            Ok(None) if library.is_some() => {
                library.into_iter().for_each(|library| self.skip_header(name, library, span));
            }
            Ok(None) => self.report_missing(name, quoted, span),
            Err((path, error)) if error.kind() == io::ErrorKind::FileTooLarge => {
                let title = format!("`{}` is larger than {} MiB", path.display(), MAX_HEADER_BYTES >> 20);
                self.report(Diagnostic::new(Code::FileTooLarge, title).label(span, ""));
            }
            Err((path, error)) => self.report(
                Diagnostic::new(
                    Code::IncludeNotReadable,
                    format!("cannot read `{}`: {error}", path.display()),
                )
                .label(span, ""),
            ),
        }
    }

    /// Leaves a library's header out, but reads what it includes of CUDA's own.
    fn skip_header(&mut self, name: &str, library: Library, span: Span) {
        self.skipped.push(SkippedHeader { header: name.to_owned(), origin: library, span });
        for own in headers::brings(library) {
            self.include_own(own, span);
        }
    }

    fn report_hip(&mut self, name: &str, span: Span) {
        let title = format!("<{name}> is a header of AMD's HIP, and this is not a CUDA file");
        self.report(
            Diagnostic::new(Code::HipFile, title)
                .label(span, "CUDA has no such header")
                .help("use the CUDA version of this file, which includes <cuda_runtime.h>"),
        );
    }

    /// A header whose text is part of this front-end, read once.
    fn include_own(&mut self, name: &str, span: Span) {
        let Some((name, text)) = text(name) else { return };
        let path = PathBuf::from(format!("<{name}>"));
        if self.once.insert(path.clone()) {
            let id = self.map.add(path.display().to_string(), text.to_owned());
            self.enter_file(id, Some(path), Some(span));
        }
    }

    /// Whether an include would be found, for `__has_include`.
    pub(crate) fn has_include(&self, name: &str, quoted: bool) -> bool {
        let reachable = !self.options.confined || !leaves_folder(name);
        is_known(name)
            || headers::library(name).is_some()
            || reachable && matches!(self.find(name, quoted), Ok(Some(_)))
    }

    fn find(&self, name: &str, quoted: bool) -> Result<Option<(PathBuf, String)>, (PathBuf, io::Error)> {
        let mut folders = Vec::new();
        if quoted && let Some(file) = self.files.last() {
            let own = file.path.clone().unwrap_or_else(|| PathBuf::from(self.map.file(file.id).name()));
            folders.push(own.parent().map(Path::to_path_buf).unwrap_or_default());
        }
        folders.extend(self.options.include_dirs.iter().cloned());
        for folder in folders {
            let path = folder.join(name);
            if self.options.confined && links_outside(&folder, &path) {
                continue;
            }
            match (self.options.loader)(&path) {
                Ok(text) => return Ok(Some((path, text))),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) if error.kind() == io::ErrorKind::NotADirectory => {}
                Err(error) => return Err((path, error)),
            }
        }
        Ok(None)
    }

    fn report_missing(&mut self, name: &str, quoted: bool, span: Span) {
        let (open, close) = if quoted { ('"', '"') } else { ('<', '>') };
        let mut d = Diagnostic::new(Code::IncludeNotFound, format!("there is no header {open}{name}{close}"))
            .label(
                span,
                if quoted { "not next to this file" } else { "not a header of CUDA or C++ known here" },
            );
        if quoted {
            d = d.help(
                "its path is relative to the folder of the file that includes it; put the file there; `cargo \
            lab compile` and `launch` take another folder as `-I DIR`",
            );
        } else if let Some(near) = source::nearest(name, headers::names()) {
            d = d.help(format!("did you mean <{near}>?"));
        } else {
            d = d.help(
                "a file of your own is included with quotes, #include \"file.h\", or found by `-I DIR`",
            );
        }
        self.report(d);
    }
}
