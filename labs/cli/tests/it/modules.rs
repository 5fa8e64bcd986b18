//! The simulator's modules: no circles among their files, and one meaning for each type name.
//!
//! The test reads the dependencies of a file from its paths that start with `crate::` or `super::`, and follows
//! re-exports to the defining file. It does not see method calls: a file that only calls a method does not name the
//! method's file.

use fuzz::seeds::{files, root};
use std::collections::{BTreeMap, BTreeSet};

/// A module path from the crate's root.
type Module = Vec<String>;
/// The modules that each module uses.
type Arrows = BTreeMap<Module, BTreeSet<Module>>;

/// The crates whose modules have no circles, and whose type names are different from one another's.
const CRATES: [&str; 3] = ["simt-ir", "simt-opt", "simt"];

/// Tokenizes a file without comments, string literals and code under `#[cfg(test)]`: names, `::`, and single
/// characters.
fn tokens(text: &str) -> Vec<String> {
    let text = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut tokens = Vec::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default();
        let mut rest = line.char_indices().peekable();
        let mut quoted = false;
        while let Some((at, c)) = rest.next() {
            match c {
                '\\' if quoted => _ = rest.next(),
                '"' => quoted = !quoted,
                _ if quoted || c.is_whitespace() => {}
                ':' if line[at..].starts_with("::") => {
                    rest.next();
                    tokens.push("::".to_owned());
                }
                c if c.is_alphanumeric() || c == '_' => {
                    let end = line[at..]
                        .find(|c: char| !c.is_alphanumeric() && c != '_')
                        .map_or(line.len(), |n| at + n);
                    while rest.peek().is_some_and(|(next, _)| *next < end) {
                        rest.next();
                    }
                    tokens.push(line[at..end].to_owned());
                }
                c => tokens.push(c.to_string()),
            }
        }
    }
    tokens
}

/// All paths that start at token `at`, with lists in braces expanded, and the index of the token after them.
fn paths(tokens: &[String], mut at: usize) -> (Vec<Vec<String>>, usize) {
    let mut prefix = Vec::new();
    loop {
        match tokens.get(at).map(String::as_str) {
            Some("{") => {
                let mut all = Vec::new();
                at += 1;
                while at < tokens.len() && tokens[at] != "}" {
                    let (tails, next) = paths(tokens, at);
                    all.extend(tails.into_iter().map(|tail| [prefix.clone(), tail].concat()));
                    // `as other`, and the comma.
                    at = next.max(at + 1);
                    while tokens.get(at).is_some_and(|t| t != "}" && t != ",") {
                        at += 1;
                    }
                    at += usize::from(tokens.get(at).is_some_and(|t| t == ","));
                }
                return (all, at + 1);
            }
            Some(name) if name == "*" || name.chars().all(|c| c.is_alphanumeric() || c == '_') => {
                prefix.push(name.to_owned());
                at += 1;
                if tokens.get(at).is_none_or(|t| t != "::") {
                    return (vec![prefix], at);
                }
                at += 1;
            }
            _ => return (vec![prefix], at),
        }
    }
}

/// The modules of one crate.
struct Modules {
    /// Tokens of each module's file.
    text: BTreeMap<Vec<String>, Vec<String>>,
    /// Names that each module re-exports, with their paths.
    handed_on: BTreeMap<Vec<String>, Vec<(String, Vec<String>)>>,
}

impl Modules {
    fn of(name: &str) -> Modules {
        let source = root().join("common").join(name).join("src");
        let mut text = BTreeMap::new();
        for file in files(&source).into_iter().filter(|path| path.extension().is_some_and(|e| e == "rs")) {
            let mut path: Vec<String> = file
                .strip_prefix(&source)
                .unwrap()
                .with_extension("")
                .iter()
                .map(|part| part.to_str().unwrap().to_owned())
                .collect();
            path.retain(|part| part != "mod" && part != "lib");
            if path.iter().any(|part| part == "tests") {
                continue;
            }
            text.insert(path, tokens(&std::fs::read_to_string(file).unwrap()));
        }
        let mut modules = Modules { text, handed_on: BTreeMap::new() };
        for (module, tokens) in &modules.text {
            let mut names = Vec::new();
            for at in (0..tokens.len()).filter(|at| tokens[*at] == "use") {
                if at > 0 && (tokens[at - 1] == "pub" || tokens[at - 1] == ")") {
                    let all = paths(tokens, at + 1).0;
                    names.extend(
                        all.into_iter()
                            .filter_map(|path| Some((path.last()?.clone(), modules.absolute(module, path)))),
                    );
                }
            }
            modules.handed_on.insert(module.clone(), names);
        }
        modules
    }

    /// Converts a path in a file to a path from the crate's root.
    fn absolute(&self, module: &[String], path: Vec<String>) -> Vec<String> {
        match path.first().map(String::as_str) {
            Some("crate") => path[1..].to_vec(),
            Some("self") => [module, &path[1..]].concat(),
            Some("super") => {
                let up = path.iter().take_while(|part| *part == "super").count();
                [&module[..module.len().saturating_sub(up)], &path[up..]].concat()
            }
            _ => [module, &path[..]].concat(),
        }
    }

    /// The module that defines the item at a path from the root.
    fn definer(&self, path: &[String]) -> Vec<String> {
        let mut path = path.to_vec();
        for _ in 0..8 {
            let known = (0..=path.len()).rev().find(|n| self.text.contains_key(&path[..*n])).unwrap_or(0);
            let (module, rest) = path.split_at(known);
            let Some(name) = rest.first() else { return module.to_vec() };
            let handed_on = &self.handed_on[module];
            if let Some((_, to)) = handed_on.iter().find(|(handed, _)| handed == name) {
                path = [to, &rest[1..]].concat();
                continue;
            }
            let all_of =
                handed_on.iter().filter(|(handed, _)| handed == "*").map(|(_, to)| &to[..to.len() - 1]);
            match all_of.into_iter().find(|from| self.defines(from, name)) {
                Some(from) => path = [from, rest].concat(),
                None => return module.to_vec(),
            }
        }
        path
    }

    fn defines(&self, module: &[String], name: &str) -> bool {
        let keyword =
            |word: &str| ["struct", "enum", "trait", "type", "fn", "const", "static", "mod"].contains(&word);
        self.text
            .get(module)
            .is_some_and(|tokens| tokens.windows(2).any(|pair| keyword(&pair[0]) && pair[1] == name))
    }

    /// The modules that a module uses. Names that it only re-exports do not count.
    fn uses(&self, module: &Vec<String>) -> BTreeSet<Vec<String>> {
        let tokens = &self.text[module];
        let mut used = BTreeSet::new();
        let own: BTreeSet<_> = self
            .text
            .keys()
            .filter(|other| other.len() == module.len() + 1 && other.starts_with(module))
            .map(|other| other.last().unwrap().as_str())
            .collect();
        for at in 0..tokens.len() {
            let begins = match tokens[at].as_str() {
                "crate" | "super" | "self" => tokens.get(at + 1).is_some_and(|t| t == "::"),
                name => own.contains(name) && tokens.get(at + 1).is_some_and(|t| t == "::"),
            };
            let inside = at > 0 && tokens[at - 1] == "::";
            let statement = tokens[..at].iter().rposition(|t| t == ";" || t == "}").map_or(0, |n| n + 1);
            let is_handed_on = tokens[statement..at].first().is_some_and(|t| t == "pub")
                && tokens[statement..at].iter().any(|t| t == "use");
            if begins && !inside && !is_handed_on {
                let all = paths(tokens, at).0;
                used.extend(all.into_iter().map(|path| self.definer(&self.absolute(module, path))));
            }
        }
        used.remove(module);
        used
    }
}

/// All modules reachable from `from` by dependencies.
fn reached(from: &Module, arrows: &Arrows) -> BTreeSet<Module> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(at) = open.pop() {
        for next in arrows.get(at).into_iter().flatten() {
            if found.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    found
}

/// The cycles: groups of modules that all reach each other.
fn circles(arrows: &Arrows) -> Vec<String> {
    let reached: BTreeMap<_, _> = arrows.keys().map(|from| (from, reached(from, arrows))).collect();
    let circle = |from: &Module| {
        reached[from]
            .iter()
            .filter(|to| reached.get(to).is_some_and(|back| back.contains(from)))
            .map(|to| to.join("::"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let all: BTreeSet<_> = arrows.keys().map(circle).filter(|circle| !circle.is_empty()).collect();
    all.into_iter().collect()
}

#[test]
fn files_of_the_simulator_have_no_circles() {
    let mut found = Vec::new();
    for name in CRATES {
        let modules = Modules::of(name);
        let arrows: Arrows =
            modules.text.keys().map(|module| (module.clone(), modules.uses(module))).collect();
        let count: usize = arrows.values().map(BTreeSet::len).sum();
        assert!(
            count >= modules.text.len() / 2,
            "{name}: only {count} uses were found, so the search is broken"
        );
        found.extend(circles(&arrows).into_iter().map(|circle| format!("{name}: {circle}")));
    }
    assert_eq!(found, [""; 0], "files that use each other");
}

#[test]
fn folders_of_the_simulator_have_no_circles() {
    let modules = Modules::of("simt");
    let mut arrows: Arrows = BTreeMap::new();
    for module in modules.text.keys().filter(|module| !module.is_empty()) {
        let folder = |module: &Vec<String>| module[..1.min(module.len())].to_vec();
        let used =
            modules.uses(module).iter().map(folder).filter(|to| *to != folder(module)).collect::<Vec<_>>();
        arrows.entry(folder(module)).or_default().extend(used);
    }
    assert_eq!(circles(&arrows), [""; 0], "folders that use each other");
}

#[test]
fn a_type_name_of_the_simulator_means_one_thing() {
    let mut defined: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in CRATES {
        for (module, tokens) in Modules::of(name).text {
            for pair in tokens.windows(2).filter(|pair| {
                matches!(pair[0].as_str(), "struct" | "enum" | "trait")
                    && pair[1].starts_with(char::is_uppercase)
            }) {
                let place = format!("{name}::{}", module.join("::"));
                defined.entry(pair[1].clone()).or_default().push(place);
            }
        }
    }
    let ambiguous: Vec<_> = defined.into_iter().filter(|(_, places)| places.len() > 1).collect();
    assert!(ambiguous.is_empty(), "these names have several meanings: {ambiguous:#?}");
}

/// Files and folders named on the architecture page exist, relative to the project's root, or for the simulator to
/// its source folder.
#[test]
fn the_architecture_page_names_files_that_exist() {
    let page = std::fs::read_to_string(root().join("docs/src/architecture.md")).unwrap();
    let names = page
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|name| name.contains('/') && !name.contains([' ', '<', '=', '>', ':']));
    let folders =
        ["", "common", "common/simt/src", "common/cuda-syntax/src", "common/cuda-front/src", "docs/src"]
            .map(|folder| root().join(folder));
    let names: Vec<_> = names.collect();
    assert!(names.len() > 60, "only {} paths were found, so the search is broken", names.len());
    let missing: Vec<_> =
        names.iter().filter(|name| !folders.iter().any(|folder| folder.join(name).exists())).collect();
    assert!(missing.is_empty(), "the architecture page names what is not there: {missing:?}");
}

/// The parts of the checker's knowledge depend on each other in one direction, and on none of the checker's rules.
#[test]
fn parts_of_the_checker_do_not_know_it() {
    let parts: Module = ["check", "state"].map(str::to_owned).to_vec();
    let modules = Modules::of("cuda-front");
    let arrows: Arrows = modules
        .text
        .keys()
        .filter(|module| module.starts_with(&parts) && **module != parts)
        .map(|module| (module.clone(), modules.uses(module)))
        .collect();
    assert!(arrows.len() > 8, "only {} parts were found", arrows.len());
    assert_eq!(circles(&arrows), [""; 0], "parts that use each other");
    // Constant values, and the names that are not supported, which are no rules.
    let others = ["check::consteval", "check::builtins::unsupported"];
    let outside: BTreeSet<_> = arrows
        .values()
        .flatten()
        .filter(|used| used.first().is_some_and(|first| first == "check") && !used.starts_with(&parts))
        .map(|used| used.join("::"))
        .filter(|used| !others.contains(&used.as_str()))
        .collect();
    assert_eq!(outside, BTreeSet::new(), "rules that parts use");
}
