//! Plain C on one core: what the problem costs without a GPU's threads, compiled by the C compiler of this machine.

use crate::problem::{Kernel, Problem, bytes};
use crate::worker::Contestant;
use anyhow::{Context, ensure};
use libloading::{Library, Symbol};
use std::ffi::c_int;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What every function of kernels.c is.
type Function = unsafe extern "C" fn(*const f32, *const f32, *mut f32, c_int);

/// The compiler's options.
const OPTIONS: [&str; 5] = ["-std=c11", "-O3", "-march=native", "-shared", "-fPIC"];

/// Compiles kernels.c into a library in `folder`; gives its path.
pub(crate) fn build(folder: &Path) -> anyhow::Result<PathBuf> {
    let source = folder.join("kernels.c");
    let library = folder.join("libkernels.so");
    std::fs::write(&source, include_str!("../kernels/kernels.c"))?;
    let output = Command::new("cc").args(OPTIONS).arg("-o").arg(&library).arg(&source).output()?;
    ensure!(output.status.success(), "cc: {}", String::from_utf8_lossy(&output.stderr));
    Ok(library)
}

/// The compiler's name and version, if there is one.
pub(crate) fn version() -> Option<String> {
    let output = Command::new("cc").arg("--version").output().ok().filter(|o| o.status.success())?;
    String::from_utf8_lossy(&output.stdout).lines().next().map(|line| format!("{line}, -O3 -march=native"))
}

/// A function of the library and its problem.
pub(crate) struct Plain {
    compiled: Library,
    problem: Problem,
    out: Vec<f32>,
}

impl Plain {
    pub(crate) fn new(problem: Problem, library: &Path) -> anyhow::Result<Plain> {
        // SAFETY: the library is kernels.c, which has no initialisers.
        let compiled = unsafe { Library::new(library) }
            .with_context(|| format!("{} is no library", library.display()))?;
        let out = vec![f32::NAN; problem.n * problem.n];
        Ok(Plain { compiled, problem, out })
    }
}

impl Contestant for Plain {
    fn version(&self) -> String {
        version().unwrap_or_default()
    }

    fn launch(&mut self) -> anyhow::Result<()> {
        let name = match self.problem.kernel {
            Kernel::MatmulTiled | Kernel::MatmulNaive => "matmul",
            other => other.function(),
        };
        // SAFETY: kernels.c defines the function with this signature.
        let function: Symbol<'_, Function> = unsafe { self.compiled.get(name) }?;
        let Problem { a, b, n, .. } = &self.problem;
        // SAFETY: the function reads as many floats of `a` and `b` as its problem of size n has, and writes n * n floats.
        unsafe { function(a.as_ptr(), b.as_ptr(), self.out.as_mut_ptr(), *n as c_int) };
        Ok(())
    }

    fn result(&mut self) -> anyhow::Result<Vec<u8>> {
        Ok(bytes(&self.out))
    }
}
