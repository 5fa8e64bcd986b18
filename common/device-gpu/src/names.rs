//! The kernels and variables in a cubin, with their mangled names.
//!
//! CUDA's compiler drops variables that no kernel uses, and mangles names. A missing name becomes an error only when
//! a caller asks for it.

use ::device::ProgramInfo;
use std::collections::HashMap;

/// Maps source names to names in the cubin.
pub(crate) struct Names {
    kernels: HashMap<String, String>,
    variables: HashMap<String, String>,
    /// Every variable in device memory, including `static` variables of functions and variables of headers.
    changeable: Vec<String>,
    prints: bool,
}

impl Names {
    /// `lowered`: the compiler's mangled names, first of the kernels and then of the variables of `info`; empty
    /// strings for names that it does not know.
    pub(crate) fn of(info: &ProgramInfo, lowered: &[String], cubin: &[u8]) -> Names {
        let kernels = info.kernels.iter().map(|k| k.name.as_str());
        let variables = info.symbols.iter().map(|s| s.name.as_str());
        let (of_kernels, of_variables) = lowered.split_at(lowered.len().min(info.kernels.len()));
        let symbols = nvrtc::symbols(cubin);
        Names {
            kernels: found(kernels, of_kernels, &symbols),
            variables: found(variables, of_variables, &symbols),
            changeable: nvrtc::variables(cubin),
            prints: symbols.iter().any(|s| s == "vprintf"),
        }
    }

    /// A kernel's name in the cubin; `None` if it is not there.
    pub(crate) fn kernel(&self, name: &str) -> Option<&str> {
        self.kernels.get(name).map(String::as_str)
    }

    /// A variable's name in the cubin; `None` if it is not there.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// Cubin names of the variables that kernels may change.
    pub(crate) fn changeable(&self) -> impl Iterator<Item = &str> {
        self.changeable.iter().map(String::as_str)
    }

    /// Whether a kernel may call `printf`.
    pub(crate) fn prints(&self) -> bool {
        self.prints
    }
}

/// Finds the symbol of each name: the mangled name that the compiler reported, otherwise a symbol that demangles to
/// the name. If names repeat, the first one counts, as in the simulator. If the cubin's symbols cannot be read, the
/// compiler's answer is used unchecked.
fn found<'n>(
    names: impl Iterator<Item = &'n str>,
    lowered: &[String],
    symbols: &[String],
) -> HashMap<String, String> {
    let mut found = HashMap::new();
    for (at, name) in names.enumerate() {
        let said = lowered.get(at).filter(|l| !l.is_empty());
        let said = said.filter(|l| symbols.is_empty() || symbols.contains(l));
        if let Some(symbol) = said.cloned().or_else(|| nvrtc::symbol_of(symbols, name)) {
            found.entry(name.to_owned()).or_insert(symbol);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(names: &[&str], lowered: &[&str], symbols: &[&str]) -> Vec<Option<String>> {
        let owned = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        let found = found(names.iter().copied(), &owned(lowered), &owned(symbols));
        names.iter().map(|n| found.get(*n).cloned()).collect()
    }

    #[test]
    fn what_the_compiler_left_out_has_no_name() {
        let names = ["used", "unused", "ns::inner", "n"];
        let lowered = ["used", "unused", "_ZN2ns5innerE", ""];
        let symbols = ["used", "_ZN2ns5innerE", "_ZZ7countervE1n", "$str"];
        let expected = [Some("used"), None, Some("_ZN2ns5innerE"), Some("_ZZ7countervE1n")];
        assert_eq!(resolved(&names, &lowered, &symbols), expected.map(|e| e.map(str::to_owned)));
    }

    #[test]
    fn without_symbols_the_compiler_is_believed() {
        assert_eq!(resolved(&["a", "b"], &["_Z1a", ""], &[]), [Some("_Z1a".to_owned()), None]);
    }

    #[test]
    fn of_equal_names_the_first_counts() {
        let found = found(
            ["n", "n"].into_iter(),
            &["n".into(), "_ZZ1kvE1n".into()],
            &["n".into(), "_ZZ1kvE1n".into()],
        );
        assert_eq!(found["n"], "n");
    }
}
