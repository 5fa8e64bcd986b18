//! `#include`: which headers are known without a text, and where the others are looked for.

use super::{MAX_FILE_BYTES, Preprocessor};
use source::{Diagnostic, Span};
use std::io;
use std::path::{Component, Path, PathBuf};

/// How deep files may include each other.
const MAX_INCLUDES: usize = 64;

/// Headers of CUDA and of the C and C++ standard libraries, without `.h` (both spellings count).
const KNOWN: &[&str] = &[
    // CUDA
    "cuda",
    "cuda_runtime",
    "cuda_runtime_api",
    "cuda_device_runtime_api",
    "device_launch_parameters",
    "device_functions",
    "device_atomic_functions",
    "device_types",
    "driver_types",
    "vector_types",
    "vector_functions",
    "math_constants",
    "math_functions",
    "texture_types",
    "texture_fetch_functions",
    "texture_indirect_functions",
    "surface_types",
    "surface_functions",
    "surface_indirect_functions",
    "channel_descriptor",
    "builtin_types",
    "host_defines",
    "crt/host_defines",
    "sm_30_intrinsics",
    "cooperative_groups",
    "cooperative_groups/reduce",
    "cooperative_groups/scan",
    "cooperative_groups/memcpy_async",
    "cuda_fp16",
    "cuda_fp16.hpp",
    "cuda_bf16",
    "cuda_fp8",
    "mma",
    "cuda_pipeline",
    "cuda_pipeline_primitives",
    "cuda_awbarrier",
    "cuda_profiler_api",
    "cuda_occupancy",
    "cuda_texture_types",
    "cuda_surface_types",
    "curand",
    "curand_kernel",
    "cublas_v2",
    "cublas",
    "cufft",
    "nvtx3/nvToolsExt",
    "nvToolsExt",
    "nvrtc",
    "cuda/pipeline",
    "cuda/barrier",
    "cuda/atomic",
    "cuda/semaphore",
    "cuda/latch",
    "cuda/annotated_ptr",
    "cuda/functional",
    "cuda/std/atomic",
    "cuda/std/array",
    "cuda/std/cstdint",
    "cuda/std/cstddef",
    "cuda/std/limits",
    "cuda/std/type_traits",
    "cuda/std/utility",
    "cuda/std/tuple",
    "cuda/std/cmath",
    "cuda/std/complex",
    "cuda/std/cassert",
    "cub/cub.cuh",
    "thrust/device_vector",
    "thrust/host_vector",
    "thrust/reduce",
    "thrust/sort",
    "thrust/scan",
    "thrust/execution_policy",
    "thrust/copy",
    "thrust/fill",
    "thrust/transform",
    "thrust/functional",
    // C
    "assert",
    "ctype",
    "errno",
    "fenv",
    "float",
    "inttypes",
    "iso646",
    "limits",
    "locale",
    "math",
    "memory",
    "setjmp",
    "signal",
    "stdarg",
    "stdbool",
    "stddef",
    "stdint",
    "stdio",
    "stdlib",
    "string",
    "strings",
    "tgmath",
    "time",
    "wchar",
    "unistd",
    "sys/time",
    "sys/types",
    "sys/stat",
    "getopt",
    "omp",
    "x86intrin",
    "immintrin",
    "malloc",
    "windows",
    // C++
    "algorithm",
    "any",
    "array",
    "atomic",
    "bitset",
    "cassert",
    "cctype",
    "cerrno",
    "cfenv",
    "cfloat",
    "charconv",
    "chrono",
    "cinttypes",
    "climits",
    "clocale",
    "cmath",
    "complex",
    "condition_variable",
    "csignal",
    "cstdarg",
    "cstddef",
    "cstdint",
    "cstdio",
    "cstdlib",
    "cstring",
    "ctime",
    "deque",
    "exception",
    "execution",
    "filesystem",
    "forward_list",
    "fstream",
    "functional",
    "future",
    "initializer_list",
    "iomanip",
    "ios",
    "iosfwd",
    "iostream",
    "istream",
    "iterator",
    "list",
    "map",
    "mutex",
    "new",
    "numeric",
    "optional",
    "ostream",
    "queue",
    "random",
    "ratio",
    "regex",
    "set",
    "span",
    "shared_mutex",
    "sstream",
    "stack",
    "stdexcept",
    "streambuf",
    "string_view",
    "system_error",
    "thread",
    "tuple",
    "type_traits",
    "typeindex",
    "typeinfo",
    "unordered_map",
    "unordered_set",
    "utility",
    "valarray",
    "variant",
    "vector",
    "version",
];

/// Whether a header needs no text here.
pub(crate) fn is_known(name: &str) -> bool {
    let stem = name.strip_suffix(".h").unwrap_or(name);
    KNOWN.contains(&stem) || KNOWN.contains(&name)
}

/// Headers that are written in CUDA C++ themselves: name and text.
const TEXTS: &[(&str, &str)] = &[
    ("cuda_fp16.h", include_str!("../../headers/cuda_fp16.h")),
    ("cuda_bf16.h", include_str!("../../headers/cuda_bf16.h")),
    ("cooperative_groups.h", include_str!("../../headers/cooperative_groups.h")),
    ("cooperative_groups/reduce.h", include_str!("../../headers/cooperative_groups_reduce.h")),
    ("cooperative_groups/scan.h", include_str!("../../headers/cooperative_groups_scan.h")),
    ("cooperative_groups/memcpy_async.h", include_str!("../../headers/cooperative_groups_memcpy_async.h")),
    ("cuda_pipeline.h", include_str!("../../headers/cuda_pipeline.h")),
    ("cuda/scope.h", include_str!("../../headers/cuda_scope.h")),
    ("cuda/barrier", include_str!("../../headers/cuda_barrier.h")),
    ("cuda/pipeline", include_str!("../../headers/cuda_pipeline_class.h")),
];

/// The name and text of a header that is part of this front-end.
fn text(name: &str) -> Option<(&'static str, &'static str)> {
    let name = match name {
        "cuda_fp16.hpp" => "cuda_fp16.h",
        "cuda_pipeline_primitives.h" => "cuda_pipeline.h",
        name => name,
    };
    TEXTS.iter().copied().find(|(own, _)| *own == name)
}

/// Reads a file, refusing what is no ordinary file or too large.
pub(crate) fn load_from_disk(path: &Path) -> io::Result<String> {
    let data = std::fs::metadata(path)?;
    if !data.is_file() {
        return Err(io::ErrorKind::NotFound.into());
    }
    if data.len() > MAX_FILE_BYTES as u64 {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())
}

/// Whether an include names a file by an absolute path or through `..`. Who grades a file of someone else must not find
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

impl Preprocessor<'_> {
    /// Enters the file of an include, or reports why not.
    pub(crate) fn include(&mut self, name: &str, quoted: bool, span: Span) {
        if self.files.len() > MAX_INCLUDES {
            self.report(
                Diagnostic::error("include-too-deep", "files include each other too deeply")
                    .label(span, format!("this is more than {MAX_INCLUDES} files deep"))
                    .help(
                        "a file that includes itself, even through others, needs `#pragma once` at its top",
                    ),
            );
            self.stopped = true;
            return;
        }
        if leaves_folder(name) {
            let title =
                "including a file from outside of the kernel file's folder is not supported by the simulator";
            let diagnostic = Diagnostic::unsupported("include-outside", title)
                .label(span, "")
                .help("put the text into the kernel file, or the file beside it");
            return self.report(diagnostic);
        }
        match self.find(name, quoted) {
            Ok(Some((path, text))) => {
                if !self.once.contains(&path) {
                    let id = self.map.add(path.display().to_string(), text);
                    self.enter_file(id, Some(path), Some(span));
                }
            }
            Ok(None) if text(name).is_some() => self.include_own(name, span),
            Ok(None) if is_known(name) => {}
            Ok(None) => self.report_missing(name, quoted, span),
            Err((path, error)) if error.kind() == io::ErrorKind::FileTooLarge => {
                let title = format!("`{}` is larger than {} MiB", path.display(), MAX_FILE_BYTES >> 20);
                self.report(Diagnostic::error("file-too-large", title).label(span, ""));
            }
            Err((path, error)) => self.report(
                Diagnostic::error(
                    "include-not-readable",
                    format!("cannot read `{}`: {error}", path.display()),
                )
                .label(span, ""),
            ),
        }
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
        is_known(name) || !leaves_folder(name) && matches!(self.find(name, quoted), Ok(Some(_)))
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
            if links_outside(&folder, &path) {
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
        let mut d = Diagnostic::error("include-not-found", format!("there is no header {open}{name}{close}"))
            .label(
                span,
                if quoted { "not beside this file" } else { "not a header of CUDA or C++ known here" },
            );
        if quoted {
            d = d.help("its path counts from the folder of the file that includes it");
        } else if let Some(near) = crate::suggest::nearest(name, KNOWN.iter().copied()) {
            d = d.help(format!("did you mean <{near}>?"));
        } else {
            d = d.help("a file of your own is included with quotes: #include \"file.h\"");
        }
        self.report(d);
    }
}
