//! `#include`: where headers that have a text are looked for, and what is said of those that are not found.

use super::headers::{self, Library, SkippedHeader, is_known, text};
use super::macros::Macro;
use super::{MAX_HEADER_BYTES, Preprocessor};
use crate::word::Word;
use source::{Code, Diagnostic, Includes, Span};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// How deep files may include each other.
const MAX_INCLUDES: usize = 64;

/// Reads a file, refusing what is no ordinary file or too large.
pub(crate) fn load_from_disk(path: &Path) -> io::Result<String> {
    let data = std::fs::metadata(path)?;
    if !data.is_file() {
        return Err(io::ErrorKind::NotFound.into());
    }
    // Some files of the system have no length and yet a text.
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_HEADER_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > MAX_HEADER_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
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
        if headers::is_hip(name) {
            return self.report_hip(name, span);
        }
        let unread = self.options.unread.as_deref() == Some(name);
        let library = if unread { Some(headers::UNKNOWN) } else { headers::library(name) };
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
            // All of the standard library: what has a text of its own here is read, too.
            Ok(None) if name == "bits/stdc++.h" => {
                self.marks |= super::composed::OF_STANDARD;
                ["compare", "concepts"].into_iter().for_each(|own| self.include_own(own, span));
            }
            // Lists need it, in a file that need not name `std`.
            Ok(None) if name == "initializer_list" => self.marks |= super::composed::OF_STANDARD,
            Ok(None) if is_known(name) => {}
            Ok(None) if library.is_some() => {
                library.into_iter().for_each(|library| self.skip_header(name, library, span));
            }
            Ok(None) if self.options.includes != Includes::Anywhere => self.report_outside(name, span),
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

    /// Leaves a library's header out, but reads the texts that stand for parts of it.
    fn skip_header(&mut self, name: &str, library: Library, span: Span) {
        self.skipped.push(SkippedHeader { header: name.to_owned(), origin: library, span });
        for own in headers::brings(library, name) {
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
            if self.enter_file(id, Some(path), Some(span)) {
                self.hide_macros_of_user();
            }
        }
    }

    /// Takes the user's macros away until the header that was just entered ends: `#define N 64` before it changes nothing in it.
    fn hide_macros_of_user(&mut self) {
        let of_user =
            |definition: &Macro| !self.is_given(definition) && !self.map.is_built_in(definition.span.file);
        let names = self.macros.iter().filter(|(_, definition)| of_user(definition));
        let names: Vec<Word> = names.map(|(name, _)| name.clone()).collect();
        let hidden = names.into_iter().filter_map(|name| Some((name.clone(), self.macros.remove(&name)?)));
        let hidden = hidden.collect();
        if let Some(file) = self.files.last_mut() {
            file.hidden = hidden;
        }
    }

    /// Whether an include would be found, for `__has_include`.
    pub(crate) fn has_include(&self, name: &str, quoted: bool) -> bool {
        is_known(name) || headers::library(name).is_some() || matches!(self.find(name, quoted), Ok(Some(_)))
    }

    fn find(&self, name: &str, quoted: bool) -> Result<Option<(PathBuf, String)>, (PathBuf, io::Error)> {
        let mut folders = Vec::new();
        if quoted && let Some(file) = self.files.last() {
            let own = file.path.clone().unwrap_or_else(|| PathBuf::from(self.map.file(file.id).name()));
            folders.push(own.parent().map(Path::to_path_buf).unwrap_or_default());
        }
        folders.extend(self.options.include_dirs.iter().chain(self.options.includes.folders()).cloned());
        for folder in folders {
            let path = folder.join(name);
            if !self.options.includes.allow(&path) {
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

    /// A file that is not where files may be included from, or not there at all: which of the two is not said, because it would tell
    /// what files the computer has.
    fn report_outside(&mut self, name: &str, span: Span) {
        let folders = self.options.includes.folders();
        let (title, help) = match folders.is_empty() {
            true => (
                format!("a graded file has to be complete in itself: it cannot include `{name}`"),
                "copy what you need from it into the kernel file; headers of CUDA such as <cuda_fp16.h> can be included".to_owned(),
            ),
            false => (
                format!("`{name}` is not in a folder that a graded file may include from"),
                "copy what you need from it into the kernel file, or include one of the course's headers".to_owned(),
            ),
        };
        self.report(Diagnostic::new(Code::IncludeOutside, title).label(span, "").help(help));
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
