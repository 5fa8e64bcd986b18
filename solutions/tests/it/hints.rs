//! Hints: every exercise has some, they name what there is, and none of them is the solution.

use harness::{Hints, Lab};
use solutions::{labs, paths};

each_exercise! {
    [there_are_steps_and_a_lesson no_step_has_a_line_of_the_solution names_in_hints_are_known]
    []
}

fn hints(lab: &Lab, name: &str) -> Hints {
    Hints::of(lab.exercise(name).unwrap().hints())
}

fn solution(lab: &Lab, name: &str) -> String {
    std::fs::read_to_string(paths().solution(lab, name)).unwrap()
}

fn there_are_steps_and_a_lesson(lab: Lab, name: &str) {
    let hints = hints(&lab, name);
    assert!((3..=4).contains(&hints.steps.len()), "{} steps", hints.steps.len());
    for (step, place) in hints.steps.iter().zip(["first", "second", "third", "fourth"]) {
        assert!(step.text.len() > 80, "the {place} step, `{}`, says too little", step.title);
        // A step is read beside a report: it fits half a screen.
        assert!(step.text.len() < 1100, "the {place} step, `{}`, is {} long", step.title, step.text.len());
    }
    assert!((60..=200).contains(&hints.learned.len()), "the lesson: {}", hints.learned);
}

/// A text without blanks, and without the quotes of code.
fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && *c != '`').collect()
}

/// The lines of a solution's marked parts that are code, and what they assign.
fn secrets(solution: &str) -> Vec<String> {
    let mut secrets = Vec::new();
    let mut inside = false;
    for line in solution.lines() {
        let text = line.trim();
        if text.starts_with("// BEGIN SOLUTION") || text.starts_with("// END SOLUTION") {
            inside = text.starts_with("// BEGIN");
            continue;
        }
        let code = text.split("//").next().unwrap_or_default();
        if !inside || !code.chars().any(char::is_alphanumeric) {
            continue;
        }
        secrets.push(squeezed(code));
        let assigned = code.split_once(" = ").or_else(|| code.split_once(" += "));
        secrets.extend(assigned.map(|(_, value)| squeezed(value.trim().trim_end_matches(';'))));
    }
    // Zeros, and what is the same in any kernel.
    secrets.retain(|secret| secret.len() > 4 || secret.ends_with(';'));
    secrets
}

fn no_step_has_a_line_of_the_solution(lab: Lab, name: &str) {
    let starter = squeezed(&std::fs::read_to_string(paths().kernel(&lab, name)).unwrap());
    let hints = hints(&lab, name);
    let secrets = secrets(&solution(&lab, name));
    assert!(!secrets.is_empty());
    for secret in secrets.iter().filter(|secret| !starter.contains(secret.as_str())) {
        for step in &hints.steps {
            assert!(!squeezed(step.text).contains(secret), "`{}` gives `{secret}` away", step.title);
        }
        assert!(!squeezed(hints.learned).contains(secret), "the lesson has `{secret}`");
    }
}

/// Words of CUDA C++ that hints explain with, beside those of the solution.
const WORDS: [&str; 11] = [
    "contract",
    "signature",
    "unsigned",
    "int",
    "float",
    "float4",
    "min",
    "max",
    "size_t",
    "ghost",
    "return",
];

/// What stands in quotes of code.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

fn names_in_hints_are_known(lab: Lab, name: &str) {
    let hints = hints(&lab, name);
    let solution = solution(&lab, name);
    let messages = std::fs::read_to_string(paths().root.join("docs/src/messages.md")).unwrap();
    let exercises: Vec<String> = labs()
        .iter()
        .flat_map(|l| l.exercises.iter().map(|e| e.name().to_owned()).collect::<Vec<_>>())
        .collect();
    let gates: Vec<&str> = lab.exercise(name).unwrap().gates().iter().map(|gate| gate.id).collect();
    for step in &hints.steps {
        assert_eq!(step.text.matches('`').count() % 2, 0, "a quote is open in `{}`", step.title);
        for word in quoted(step.text) {
            let is = |extra: char| word.chars().all(|c| c.is_ascii_lowercase() || c == extra);
            let known = if is('-') && word.contains('-') {
                messages.contains(&format!("`{word}`"))
            } else if is('_') {
                let of_the_file =
                    solution.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == word);
                of_the_file
                    || gates.contains(&word)
                    || exercises.iter().any(|e| e == word)
                    || WORDS.contains(&word)
            } else {
                true
            };
            assert!(known, "`{}` names `{word}`, which this exercise does not have", step.title);
        }
        for gate in step.text.split("gate `").skip(1).filter_map(|rest| rest.split('`').next()) {
            assert!(gates.contains(&gate), "the exercise has no gate `{gate}`: {gates:?}");
        }
    }
}
