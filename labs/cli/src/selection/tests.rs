//! Tests every spelling of every exercise in the registry, typos, questions and refusals.

use super::*;
use std::collections::BTreeMap;

/// A project whose only kernel files are those that a test writes.
struct Project {
    folder: tempfile::TempDir,
    labs: Vec<Lab>,
}

impl Project {
    fn new() -> Project {
        let folder = tempfile::tempdir().unwrap();
        let labs = registry::labs();
        for lab in &labs {
            for kind in ["kernels", "solutions", "labs"] {
                std::fs::create_dir_all(folder.path().join(kind).join(lab.folder)).unwrap();
            }
        }
        Project { folder, labs }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().to_path_buf()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// A selector for `lab run WORDS` in a folder of the project.
    fn selector(&self, here: &str, words: &[&str]) -> Selector<'_> {
        let line = ["run"].iter().chain(words).map(|word| (*word).to_owned()).collect();
        let here = lexical(&self.root().join(here));
        Selector {
            labs: &self.labs,
            root: self.root(),
            kernels: self.root().join("kernels"),
            here,
            line,
            asks: false,
        }
    }

    /// Names of the selected exercises, each with its file if it is another one; or the error.
    fn chosen(&self, here: &str, words: &[&str]) -> Result<Vec<String>, Failure> {
        let owned: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let chosen = self.selector(here, words).chosen(&owned)?;
        let name = |c: &Chosen<'_>| match &c.file {
            Some(file) => format!("{} = {}", c.target.name(), file.display()),
            None => c.target.name(),
        };
        Ok(chosen.iter().map(name).collect())
    }

    #[track_caller]
    fn names(&self, here: &str, words: &[&str], expected: &[&str]) {
        let chosen = self.chosen(here, words).unwrap_or_else(|e| panic!("{words:?} in `{here}`: {e}"));
        assert_eq!(chosen, expected, "{words:?} in `{here}`");
    }

    #[track_caller]
    fn refuses(&self, here: &str, words: &[&str], parts: &[&str]) {
        match self.chosen(here, words) {
            Ok(chosen) => panic!("{words:?} in `{here}` is {chosen:?}"),
            Err(failure) => {
                let text = failure.to_string();
                for part in parts {
                    assert!(text.contains(part), "{words:?}: no {part:?} in\n{text}");
                }
            }
        }
    }
}

/// How many labs have an exercise of each name.
fn owners(labs: &[Lab]) -> BTreeMap<String, usize> {
    let mut owners = BTreeMap::new();
    for target in registry::every(labs) {
        *owners.entry(target.exercise.name().to_owned()).or_default() += 1;
    }
    owners
}

/// Everything that a student may write for a lab, as one word.
fn spellings_of(lab: &Lab) -> Vec<String> {
    let (number, folder, topic) = (lab.number, lab.folder, lab.topic());
    vec![
        number.to_string(),
        format!("lab{number}"),
        format!("lab-{number}"),
        format!("lab_{number}"),
        format!("Lab-{number}"),
        folder.to_owned(),
        folder.replace('-', "_"),
        topic.to_owned(),
        topic.to_uppercase(),
        topic.replace('-', "_"),
    ]
}

/// Everything that a student may write for an exercise of a named lab, as one word.
fn spellings_of_exercise(name: &str) -> Vec<String> {
    vec![
        name.to_owned(),
        format!("{name}.cu"),
        name.replace('_', "-"),
        name.to_uppercase(),
        format!("{}.CU", name.replace('_', "-").to_uppercase()),
    ]
}

#[test]
fn every_spelling_of_every_exercise_names_it() {
    let project = Project::new();
    let root = project.root().display().to_string();
    let mut tried = 0;
    for target in registry::every(&project.labs) {
        let (lab, name, full) = (target.lab, target.exercise.name(), target.name());
        let mut try_one = |here: &str, words: &[&str]| {
            project.names(here, words, &[&full]);
            tried += 1;
        };
        for (lab_word, exercise) in spellings_of(lab)
            .iter()
            .flat_map(|l| spellings_of_exercise(name).into_iter().map(move |e| (l, e)))
        {
            try_one("", &[lab_word, &exercise]);
            for separator in ["/", "\\"] {
                try_one("", &[&format!("{lab_word}{separator}{exercise}")]);
            }
        }
        try_one("", &["lab", &lab.number.to_string(), name]);
        let folder = lab.folder;
        let paths = [
            format!("kernels/{folder}/{name}.cu"),
            format!("./kernels/{folder}/{name}.cu"),
            format!("kernels//{folder}/./{name}.cu"),
            format!("kernels/{folder}/{name}"),
            format!("kernels\\{folder}\\{name}.cu"),
            format!(".\\kernels\\{folder}\\{name}.cu"),
            format!("solutions/../kernels/{folder}/{name}.cu"),
            format!("{root}/kernels/{folder}/{name}.cu"),
            format!("{folder}/{name}.cu"),
        ];
        for path in &paths {
            try_one("", &[path]);
        }
        let inside = format!("kernels/{folder}");
        for word in [format!("{name}.cu"), format!("./{name}.cu"), format!(".\\{name}.cu"), name.to_owned()] {
            try_one(&inside, &[&word]);
        }
        try_one("kernels", &[&format!("{folder}/{name}.cu")]);
        try_one("solutions/deep/er", &[&format!("kernels/{folder}/{name}.cu")]);
    }
    assert!(tried > 100 * project.labs.len(), "only {tried} spellings");
}

#[test]
fn a_bare_name_is_enough_where_one_lab_has_it() {
    let project = Project::new();
    for (name, labs) in owners(&project.labs) {
        let all: Vec<String> =
            registry::every(&project.labs).filter(|t| t.exercise.name() == name).map(|t| t.name()).collect();
        for word in spellings_of_exercise(&name) {
            if labs == 1 {
                project.names("", &[&word], &[&all[0]]);
                continue;
            }
            let commands: Vec<String> =
                all.iter().map(|t| format!("\n    cargo lab run {}", t[4..].replace('/', " "))).collect();
            let mut parts = vec!["is an exercise of labs"];
            parts.extend(commands.iter().map(String::as_str));
            project.refuses("", &[&word], &parts);
        }
    }
}

#[test]
fn every_spelling_of_every_lab_names_its_exercises_in_order() {
    let project = Project::new();
    for lab in &project.labs {
        let all: Vec<String> = registry::exercises(lab).map(|t| t.name()).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let folder = lab.folder;
        let mut words = spellings_of(lab);
        words.extend(words.clone().into_iter().map(|word| format!("{word}/")));
        words.extend([
            format!("kernels/{folder}"),
            format!("kernels/{folder}/"),
            format!("./kernels\\{folder}\\"),
        ]);
        for word in &words {
            project.names("", &[word], &all);
        }
        project.names("", &["lab", &lab.number.to_string()], &all);
        for kind in ["kernels", "solutions", "labs"] {
            project.names(&format!("{kind}/{folder}"), &[], &all);
        }
        project.names(&format!("kernels/{folder}"), &["."], &all);
        let labs = project.selector("", &[]).labs(&[lab.number.to_string()]).unwrap();
        assert_eq!(labs.iter().map(|l| l.number).collect::<Vec<_>>(), [lab.number]);
    }
    let every: Vec<String> = registry::every(&project.labs).map(|t| t.name()).collect();
    let every: Vec<&str> = every.iter().map(String::as_str).collect();
    for (here, word) in
        [("", "all"), ("", "ALL"), ("", "kernels/"), ("kernels", "."), ("kernels/lab-1-stencil", "..")]
    {
        project.names(here, &[word], &every);
    }
}

#[test]
fn several_are_named_one_after_the_other() {
    let project = Project::new();
    project.names("", &["1/naive", "7/copy"], &["lab-1/naive", "lab-7/copy"]);
    project.names("", &["1", "shared", "naive"], &["lab-1/shared", "lab-1/naive"]);
    project.names("", &["1", "naive", "7", "shared"], &["lab-1/naive", "lab-7/shared"]);
    project.names("", &["lab", "6", "tiled", "5"], &["lab-6/tiled", "lab-5/cached_halo"]);
    project.names(
        "",
        &["2", "4"],
        &["lab-2/naive", "lab-2/boundary", "lab-4/input_tile", "lab-4/output_tile"],
    );
    project.names("", &["2", "2/naive", "boundary.cu"], &["lab-2/naive", "lab-2/boundary"]);
    project.names("", &["tiled", "copy"], &["lab-6/tiled", "lab-7/copy"]);
    let inside = "kernels/lab-1-stencil";
    project.names(inside, &["naive", "shared.cu", "7/copy"], &["lab-1/naive", "lab-1/shared", "lab-7/copy"]);
    project.names(inside, &["tiled"], &["lab-6/tiled"]);
    project.refuses("", &["all", "naive"], &["`all` cannot be combined with `naive`"]);
    project.refuses("", &["1", "all"], &["`all` cannot be combined with `1`"]);
}

/// Every variant of a name with one letter omitted, doubled or swapped with the next.
fn typos(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut typos = Vec::new();
    for at in (0..letters.len()).filter(|at| letters[*at].is_alphabetic()) {
        let mut less = letters.clone();
        less.remove(at);
        let mut more = letters.clone();
        more.insert(at, letters[at]);
        let mut other = letters.clone();
        other[at] = 'q';
        typos.extend([less, more, other]);
        if at + 1 < letters.len() && letters[at + 1].is_alphabetic() && letters[at] != letters[at + 1] {
            let mut swapped = letters.clone();
            swapped.swap(at, at + 1);
            typos.push(swapped);
        }
    }
    typos.into_iter().map(|letters| letters.into_iter().collect()).collect()
}

#[test]
fn a_slip_in_an_exercise_is_answered_with_the_command_that_was_meant() {
    let project = Project::new();
    let mut tried = 0;
    for target in registry::every(&project.labs) {
        let (number, name) = (target.lab.number.to_string(), target.exercise.name());
        let meant = format!("\n    cargo lab run {number} {name}");
        for typo in typos(name) {
            // Even a typo of `naive_read_row` is not another exercise's name.
            project.refuses("", &[&number, &typo], &["has no exercise", &meant]);
            project.refuses("", &[&format!("{number}/{typo}")], &["has no exercise", &meant]);
            let path = format!("kernels/{}/{typo}.cu", target.lab.folder);
            project.refuses("", &[&path], &["has no exercise", &meant]);
            project.refuses("", &[&typo], &["there is no lab or exercise", &meant]);
            tried += 4;
        }
    }
    assert!(tried > 1000, "only {tried} typos");
}

#[test]
fn a_slip_in_a_lab_is_answered_with_the_command_that_was_meant() {
    let project = Project::new();
    for target in registry::every(&project.labs) {
        let (lab, name) = (target.lab, target.exercise.name());
        for typo in typos(lab.topic()) {
            let meant = format!("\n    cargo lab run {} {name}", lab.topic());
            // Skip topics that are also an exercise's name, such as `cached_halo`.
            if owners(&project.labs).keys().all(|name| harness::hyphenated(name) != lab.topic()) {
                project.refuses("", &[&typo, name], &["there is no lab or exercise", &meant]);
            }
            let meant = format!("\n    cargo lab run {} {name}", lab.number);
            project.refuses("", &[&format!("{typo}/{name}.cu")], &[&meant]);
        }
        for typo in typos(lab.folder).iter().filter(|typo| typo.starts_with(lab.package)) {
            let meant = format!("\n    cargo lab run {} {name}", lab.number);
            project.refuses("", &[&format!("kernels/{typo}/{name}.cu")], &[&meant]);
        }
    }
}

#[test]
fn strangers_are_answered_with_what_there_is() {
    let project = Project::new();
    project.refuses("", &[], &["no lab or exercise is named", "`cargo lab run LAB EXERCISE`"]);
    project.refuses("", &["9"], &["there is no lab `9`", "the labs are 1 (stencil), 2 (convolution)"]);
    project.refuses("", &["lab-9"], &["there is no lab `lab-9`"]);
    project.refuses("", &["banana"], &["there is no lab or exercise `banana`", "or `all`"]);
    project.refuses(
        "",
        &["1", "banana"],
        &["lab-1 has no exercise `banana`", "its exercises are naive, shared"],
    );
    project.refuses("", &["1", "tiled"], &["another lab has it: `cargo lab run 6 tiled`"]);
    project.refuses("", &["my.cu"], &["there is no file `my.cu`"]);
    project.refuses(
        "",
        &["no/such/file.cu"],
        &["there is no file or exercise `no/such/file.cu`", "check the path"],
    );
    project.refuses("", &["solutions"], &["there is no lab or exercise `solutions`"]);
    project.refuses("", &["solutions/"], &["is a folder", "`cargo lab grade solutions/`"]);
    project.refuses("", &["tmp/lab-1-stencil/naive.cu"], &["no file or exercise", "cargo lab run 1 naive"]);
}

#[test]
fn a_command_to_copy_keeps_the_rest_of_the_line() {
    let project = Project::new();
    let copied = |line: &[&str], word: &str| {
        let words: Vec<String> = line.iter().map(|w| (*w).to_owned()).collect();
        let mut selector = project.selector("", &[]);
        selector.line = words;
        selector.one(word).err().map(|e| e.help).unwrap_or_default()
    };
    let help = copied(&["run", "--seed", "7", "naive", "--solution"], "naive");
    assert!(help.contains("\n    cargo lab run --seed 7 1 naive --solution"), "{help}");
    for option in ["--exercise=naive", "--exercise naive"] {
        let line: Vec<&str> = ["grade", "my file.cu"].into_iter().chain(option.split(' ')).collect();
        let help = copied(&line, "naive");
        let expected = format!("\n    cargo lab grade 'my file.cu' {}", option.replace("naive", "1/naive"));
        assert!(help.contains(&expected), "{help}");
    }
}

#[test]
fn a_file_elsewhere_is_identified_as_a_submission_is() {
    let project = Project::new();
    let kernel = project.labs[0].exercise("naive").unwrap().expects().kernels[0].name;
    let text = format!("__global__ void {kernel}(int n) {{}}\n");
    project.write("my.cu", &text);
    project.write("work/ada/lab-7/copy.cu", "int x;");
    project.write("unclear.cu", "int x;");
    project.write("solutions/lab-1-stencil/shared.cu", "int x;");
    project.names("", &["my.cu"], &["lab-1/naive = my.cu"]);
    project.names("work", &["ada/lab-7/copy.cu"], &["lab-7/copy = ada/lab-7/copy.cu"]);
    project.names("work", &["../my.cu", "7/copy"], &["lab-1/naive = ../my.cu", "lab-7/copy"]);
    let solution = "solutions/lab-1-stencil/shared.cu";
    project.names("", &[solution], &[&format!("lab-1/shared = {solution}")]);
    project.refuses(
        "",
        &["unclear.cu"],
        &["cannot tell", "`cargo lab run LAB EXERCISE --kernel unclear.cu`"],
    );
    project.refuses("", &["1", "my.cu"], &["`cargo lab run 1 EXERCISE --kernel my.cu`"]);
    let selector = project.selector("", &["my.cu"]);
    let words = ["my.cu".to_owned()];
    let refused = selector.targets(&words).err().unwrap().to_string();
    assert!(
        refused.contains("my.cu is not the file of an exercise") && refused.contains("run 1 naive"),
        "{refused}"
    );
    assert!(selector.labs(&words).is_err_and(|e| e.what.contains("whole labs")));
}

/// A student may keep the file elsewhere and link to it; it still counts as the exercise's file.
#[cfg(unix)]
#[test]
fn links_are_followed_to_the_folder_and_not_beyond() {
    let project = Project::new();
    project.write("elsewhere/mine.cu", "int x;");
    let link = project.root().join("kernels/lab-1-stencil/naive.cu");
    std::os::unix::fs::symlink(project.root().join("elsewhere/mine.cu"), &link).unwrap();
    project.names("", &["kernels/lab-1-stencil/naive.cu"], &["lab-1/naive"]);
    let other = project.root().join("short");
    std::os::unix::fs::symlink(project.root().join("kernels"), &other).unwrap();
    project.names("", &["short/lab-7-transpose/copy.cu"], &["lab-7/copy"]);
}
