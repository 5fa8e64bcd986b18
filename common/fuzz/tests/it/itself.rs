//! The fuzzer finds the defects of a target that has some, in processes of their own, and makes inputs smaller.

use std::path::Path;
use std::process::{Command, Output};

fn fuzz(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fuzz")).args(arguments).current_dir(folder).output().expect("it starts")
}

#[test]
fn a_panic_a_hang_and_a_wrong_result_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = "run itself --cases 400 --case-seconds 1 --minimise-seconds 3 --findings found";
    let output = fuzz(&arguments.split(' ').collect::<Vec<_>>(), folder.path());
    let out = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{out}{}", String::from_utf8_lossy(&output.stderr));
    for kind in ["panic: ", "hang: ", "sum: "] {
        assert!(out.contains(kind), "{kind}: {out}");
    }
    let files = fuzz::seeds::files(&folder.path().join("found"));
    let panics: Vec<_> = files.iter().filter(|f| f.to_string_lossy().contains("itself-panic")).collect();
    let [message, input] = panics[..] else { panic!("{files:?}") };
    let texts = [input, message].map(|path| std::fs::read_to_string(path).unwrap());
    let [input, message] =
        if texts[0].contains("meet") { [&texts[1], &texts[0]] } else { [&texts[0], &texts[1]] };
    assert!(message.contains("itself.rs") && message.contains("left and right meet"), "{message}");
    assert!(input.len() <= "left right".len(), "{input}");
}

#[test]
fn a_file_is_made_smaller() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.cu");
    std::fs::write(&path, "int a;\nint left;\nint b = 3;\n\nint c() { right }\n").unwrap();
    let output = fuzz(&["minimise", "itself", "a.cu"], folder.path());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "leftright");
    std::fs::write(&path, "left").unwrap();
    let output = fuzz(&["minimise", "itself", "a.cu"], folder.path());
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn the_cases_of_a_seed_are_the_same() {
    use fuzz::targets::{ALL, named};
    for target in ALL {
        assert_eq!(named(target.name()).map(fuzz::Target::name), Some(target.name()));
        let inputs: Vec<Vec<u8>> =
            fuzz::seeds::corpus(target.name()).into_iter().map(|(_, input)| input).collect();
        let make = |case| {
            let mut random = fuzz::Random::of(7, case);
            target.mutate(random.pick::<Vec<u8>>(&inputs), &inputs, &mut random)
        };
        assert!((0..20).all(|case| make(case) == make(case)));
        assert!((0..20).any(|case| make(case) != make(case + 1)), "{}", target.name());
    }
}
