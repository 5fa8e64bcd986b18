//! `lab explain`: every name of the labs has an entry, words are found however they are spelled, and reports point to it.

use crate::support::{Answer, Project};
use harness::glossary::Glossary;
use std::collections::BTreeSet;

fn at_80_columns(project: &Project, arguments: &[&str]) -> Answer {
    Answer::of(project.command(arguments).env("COLUMNS", "80").output().unwrap())
}

#[test]
fn each_gate_of_each_exercise_has_an_entry_and_no_other_gate_has() {
    let labs = labs::all();
    let exercises = labs.iter().flat_map(|lab| &lab.exercises);
    let gates: BTreeSet<&str> = exercises.flat_map(|e| e.gates()).map(|gate| gate.id).collect();
    assert!(gates.len() > 15, "only {gates:?}");
    let glossary = Glossary::new();
    let explained = glossary.entries().iter().filter(|entry| entry.group == "Gates").map(|entry| entry.name);
    assert_eq!(explained.collect::<BTreeSet<_>>(), gates);
}

#[test]
fn each_check_of_each_exercise_has_an_entry() {
    let glossary = Glossary::new();
    for lab in labs::all() {
        for exercise in &lab.exercises {
            for check in harness::grade::check_names(&**exercise, 1) {
                let entry = glossary.find(&check).unwrap_or_else(|| panic!("no entry for the check {check}"));
                assert!(["Checks", "Gates"].contains(&entry.group), "{check} leads to {}", entry.name);
            }
        }
    }
}

#[test]
fn a_code_is_explained_with_an_example_and_a_page() {
    let project = Project::new();
    let answer = at_80_columns(&project, &["explain", "shared-memory-race"]);
    assert_eq!(answer.status, 0, "{}", answer.err);
    for part in [
        "error[shared-memory-race]: Two threads of a block use the same bytes of shared\nmemory, and no barrier orders them\n\n",
        "\n    __syncthreads();                // right\n",
        "\nSee also: data race, barrier, warp, global-memory-race\n",
        "\nIn the book: Messages, docs/src/messages.md#shared-memory-race\n",
    ] {
        assert!(answer.out.contains(part), "{part:?} is missing in\n{}", answer.out);
    }
    answer.is_calm();
}

#[test]
fn spelling_does_not_matter() {
    let project = Project::new();
    let of = |words: &[&str]| project.lab(&[&["explain"], words].concat()).out;
    let expected = of(&["sectors/request"]);
    assert!(expected.starts_with("sectors/request\n"), "{expected}");
    for words in [&["sectors", "per", "request"][..], &["Sectors/Requests"], &["load_sectors_per_request"]] {
        assert_eq!(of(words), expected, "{words:?}");
    }
    assert_eq!(of(&["error[shared-memory-race]"]), of(&["Shared", "memory", "RACE"]));
    assert_eq!(of(&["correct_33x17"]), of(&["correct_SIZE"]));
    assert_eq!(of(&["16-way"]), of(&["conflict_degree"]));
}

#[test]
fn several_words_are_one_entry_or_one_each() {
    let project = Project::new();
    let one = project.lab(&["explain", "bank", "conflict"]).out;
    assert!(one.starts_with("bank conflict\n"), "{one}");
    let two = project.lab(&["explain", "warp", "out-of-bounds"]).out;
    assert!(two.starts_with("warp\n") && two.contains("\n\nerror[out-of-bounds]: "), "{two}");
}

#[test]
fn a_gate_says_which_exercises_ask_for_it() {
    let project = Project::new();
    let out = project.lab(&["explain", "gate_no_bank_conflicts"]).out;
    assert!(
        out.contains(
            "Exercises with this gate\n  lab-6/register_tiled: avoid bank conflicts (conflicts: at most "
        ),
        "{out}"
    );
    assert!(out.contains("\n  lab-7/padded: store and load each element of the tiles once"), "{out}");
    let json = project.lab(&["explain", "no_bank_conflicts", "--json"]);
    let object: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    let asked = object["entries"][0]["asked_of"].as_array().unwrap();
    assert!(asked.iter().any(|asks| asks["exercise"] == "lab-7/padded"), "{asked:?}");
}

#[test]
fn unknown_words_get_near_ones() {
    let project = Project::new();
    project.refused(&["explain", "wavefornt"], "there is no entry `wavefornt`");
    project.refused(&["explain", "wavefornt"], "did you mean `wavefront`");
    project.refused(&["explain", "out_of_bound_s"], "did you mean `out-of-bounds`");
    project.refused(&["explain", "warp", "wavefornt"], "there is no entry `wavefornt`");
    project.refused(&["explain", "xylophone"], "`cargo lab explain` lists all entries");
    project.refused(&["explain", ""], "there is no entry ``");
}

#[test]
fn all_entries_are_listed_by_group_and_in_json() {
    let project = Project::new();
    let out = at_80_columns(&project, &["explain"]).out;
    for group in
        ["The machine", "Memory", "Checks", "Gates", "Counters", "When a kernel runs", "From the GPU"]
    {
        assert!(out.lines().any(|line| line == group), "{group} is missing in\n{out}");
    }
    let widest = out.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(widest <= 80, "a line has {widest} columns");
    let json = at_80_columns(&project, &["explain", "--json"]);
    let object: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    let entries = object["entries"].as_array().unwrap();
    assert_eq!(entries.len(), Glossary::new().entries().len());
    let race = entries.iter().find(|entry| entry["name"] == "same-value").unwrap();
    assert_eq!(race["kinds"], serde_json::json!([{ "severity": "warning", "verdict": "program" }]));
    assert_eq!(race["pages"][0]["path"], "docs/src/races.md#same-value");
}

#[test]
fn reports_and_messages_point_to_it_once() {
    let project = Project::new();
    let hint = "`cargo lab explain out-of-bounds`";
    let kernel = project.read("solutions/lab-1-stencil/naive.cu").replace("if (i >= n)", "if (i > n)");
    project.write("wrong.cu", kernel);
    let report = project.lab(&["run", "1", "naive", "--kernel", "wrong.cu"]).out;
    assert_eq!(report.matches(hint).count(), 1, "{report}");
    project.write("k.cu", "__global__ void k(float *x) { x[threadIdx.x] = 1; }\n");
    let launch = ["launch", "k.cu", "--kernel", "k", "--grid", "1", "--block", "8", "--arg", "f32[4]=ones"];
    let launched = project.lab(&launch).out;
    assert_eq!(launched.matches(hint).count(), 1, "{launched}");
    let passed = project.lab(&["run", "1", "naive", "--solution"]).out;
    assert!(!passed.contains("cargo lab explain"), "{passed}");
}
