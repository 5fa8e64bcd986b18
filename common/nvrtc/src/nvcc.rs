//! `nvcc`: the program, run in a folder of its own.

use crate::{Answer, Request, elf, places};
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

    /// Compiles to a cubin. Instances of templates among the names are made by taking their address.
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
            command.arg("-std=c++17");
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
        let lowered = request.names.iter().map(|name| lowered(&symbols, name).unwrap_or_default()).collect();
        Ok(Answer { accepted: true, log, cubin, lowered })
    }
}

/// The symbol that a name of C++ has in the object: itself, or mangled by the rules of the Itanium ABI. Of several instances of a
/// template, the one whose integer arguments are those of the name.
fn lowered(symbols: &[String], name: &str) -> Option<String> {
    let name = name.trim_start_matches('&').trim();
    let (base, arguments) = name.split_once('<').unwrap_or((name, ""));
    let base = base.trim().rsplit("::").next()?;
    if let Some(plain) = symbols.iter().find(|s| *s == base) {
        return Some(plain.clone());
    }
    let mangled = format!("{}{base}", base.len());
    let template = !arguments.is_empty();
    let alike = |s: &&String| {
        let Some(at) = s.starts_with("_Z").then(|| s.find(&mangled)).flatten() else { return false };
        let rest = &s[at + mangled.len()..];
        let integers =
            arguments.trim_end_matches('>').split(',').filter_map(|a| a.trim().parse::<i64>().ok());
        let mut tail = rest;
        rest.starts_with('I') == template
            && integers.into_iter().all(|value| {
                let digits = if value < 0 { format!("n{}E", -value) } else { format!("{value}E") };
                match tail.find(&digits) {
                    Some(found) => {
                        tail = &tail[found + digits.len()..];
                        true
                    }
                    None => false,
                }
            })
    };
    symbols.iter().find(alike).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_among_mangled_symbols() {
        let symbols =
            ["_Z3addPfi", "_Z4tileILi16ELi32EEvPf", "_Z4tileILi8ELi32EEvPf", "table", "_ZN2ns3mulEPf"]
                .map(String::from);
        let find = |name| lowered(&symbols, name);
        assert_eq!(find("add").as_deref(), Some("_Z3addPfi"));
        assert_eq!(find("tile<8, 32>").as_deref(), Some("_Z4tileILi8ELi32EEvPf"));
        assert_eq!(find("ns::mul").as_deref(), Some("_ZN2ns3mulEPf"));
        assert_eq!(find("&table").as_deref(), Some("table"));
        assert_eq!(find("tile"), None);
        assert_eq!(find("tile<4,32>"), None);
    }
}
