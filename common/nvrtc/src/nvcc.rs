//! `nvcc`: the program, run in a folder of its own.

use crate::{Answer, Request, elf, places, symbol_of};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs};

/// The compiler as a program.
pub struct Nvcc {
    path: PathBuf,
    version: String,
}

impl Nvcc {
    /// The first one found.
    pub fn find() -> Option<Nvcc> {
        let path = places::executable("nvcc")?;
        let output = Command::new(&path).arg("--version").output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        // `Cuda compilation tools, release 13.0, V13.0.88`
        let version = text.split("release ").nth(1)?.split(',').next()?.trim().to_owned();
        Some(Nvcc { path, version })
    }

    /// Name, version and place.
    pub fn describe(&self) -> String {
        format!("nvcc {} ({})", self.version, self.path.display())
    }

    /// Compiles to a cubin, as C++20 (before CUDA 12, C++17) unless the options say otherwise. Instances of templates among the names are made by taking their address.
    ///
    /// # Errors
    /// The program could not be run, or its folder not be written.
    pub fn compile(&self, request: &Request) -> Result<Answer, String> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("warplab-nvcc-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|e| format!("{} cannot be made: {e}", folder.display()))?;
        let answer = self.compile_in(&folder, request);
        // What is left behind in the system's folder for such files costs nothing but its room.
        let _ = fs::remove_dir_all(&folder);
        answer
    }

    fn compile_in(&self, folder: &Path, request: &Request) -> Result<Answer, String> {
        let (source, cubin) = (folder.join("kernel.cu"), folder.join("kernel.cubin"));
        let mut text = format!("#line 1 \"{}\"\n{}\n", request.name, request.text);
        for (i, name) in request.names.iter().enumerate().filter(|(_, n)| n.contains('<')) {
            text.push_str(&format!("static auto warplab_instance_{i} = &{name};\n"));
        }
        fs::write(&source, text).map_err(|e| format!("{} cannot be written: {e}", source.display()))?;
        let mut command = Command::new(&self.path);
        command.arg("-cubin").arg(format!("-arch={}", request.architecture));
        if !request.options.iter().any(|o| o.starts_with("--std") || o.starts_with("-std")) {
            let major = self.version.split('.').next().and_then(|n| n.parse::<u32>().ok());
            command.arg(if major >= Some(12) { "-std=c++20" } else { "-std=c++17" });
        }
        if request.relaxed {
            command.arg("--expt-relaxed-constexpr");
        }
        command.args(request.defines.iter().map(|d| format!("-D{d}")));
        command.args(request.include_dirs.iter().map(|dir| format!("-I{}", dir.display())));
        command.args(&request.options).arg("-o").arg(&cubin).arg(&source);
        let output = command.output().map_err(|e| format!("{} cannot be run: {e}", self.path.display()))?;
        let log =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        let cubin = fs::read(&cubin).unwrap_or_default();
        if !output.status.success() || cubin.is_empty() {
            return Ok(Answer { log, ..Answer::default() });
        }
        let symbols = elf::symbols(&cubin);
        let lowered =
            request.names.iter().map(|name| symbol_of(&symbols, name).unwrap_or_default()).collect();
        Ok(Answer { accepted: true, log, cubin, lowered, ..Answer::default() })
    }
}
