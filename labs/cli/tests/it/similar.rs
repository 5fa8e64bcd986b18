//! `lab similar`: copies are found in every disguise that keeps their expressions, and independent solutions are not.

use crate::support::Project;
use serde_json::Value;
use std::path::Path;

/// Writes the right kernels of the bank that are texts of their own, one student each; returns their number.
fn write_bank(project: &Project) -> usize {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let mut count = 0;
    for entry in std::fs::read_dir(root.join("solutions/bank")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let (lab, exercise) = (&name[..5], &name[6..]);
        let bank: toml::Table = std::fs::read_to_string(&path).unwrap().parse().unwrap();
        for kernel in bank["right"].as_array().unwrap() {
            if let Some(text) = kernel.get("text") {
                let student = format!("{name}-{}", kernel["name"].as_str().unwrap());
                project.write(
                    &format!("submissions/{student}/{lab}/{exercise}.cu"),
                    text.as_str().unwrap().as_bytes(),
                );
                count += 1;
            }
        }
    }
    count
}

fn pairs(project: &Project, arguments: &[&str]) -> Vec<Value> {
    let answer = project.lab(&[&["similar", "--json"], arguments].concat());
    assert_eq!(answer.status, 0, "{}", answer.err);
    let all: Value = serde_json::from_str(&answer.out).unwrap();
    all["pairs"].as_array().unwrap().clone()
}

/// Whether a pair consists of files of these two students.
fn is_of(pair: &Value, students: [&str; 2]) -> bool {
    let has = |student: &str| {
        let files = pair["files"].as_array().unwrap();
        files.iter().any(|f| f["file"].as_str().unwrap().contains(&format!("/{student}/")))
    };
    has(students[0]) && has(students[1])
}

/// A copy with other names, comments and layout.
fn disguised(text: &str) -> String {
    let comments = regex::Regex::new("//[^\n]*").unwrap();
    let names = regex::Regex::new(
        r"\b(sum|row|column|tx|ty|start|first|source|i|j|p|x|y|t|tile|window)\b(?:[^.x]|$)",
    );
    let text = comments.replace_all(text, "");
    let text = names.unwrap().replace_all(&text, "my_$0");
    // Members keep their names.
    let text = text.replace(".my_", ".");
    let lines = text.lines().map(|line| match line.trim_start().starts_with('#') || line.ends_with('\\') {
        true => format!("{line}\n"),
        false => format!("   {}\n/* {} */ ", line.trim().replace(" + ", "\n+  "), line.len()),
    });
    lines.collect()
}

#[test]
fn independent_solutions_are_not_alike() {
    let project = Project::new();
    assert!(write_bank(&project) >= 40);
    let pairs = pairs(&project, &["submissions"]);
    assert!(pairs.len() <= 1, "{pairs:#?}");
}

#[test]
fn a_copy_with_other_names_comments_and_layout_is_the_same() {
    let project = Project::new();
    write_bank(&project);
    let mut expected = Vec::new();
    for lab in labs::all() {
        for exercise in &lab.exercises {
            let file = format!("{}/{}.cu", lab.folder, exercise.name());
            let text = project.read(&format!("solutions/{file}"));
            project.write(&format!("submissions/ada/{file}"), &text);
            project.write(&format!("submissions/eve/{file}"), disguised(&text));
            expected.push(format!("{}/{}", lab.package, exercise.name()));
        }
    }
    let pairs = pairs(&project, &["submissions", "--min", "100"]);
    // A solution of two statements says nothing.
    expected.retain(|exercise| exercise != "lab-7/copy");
    for exercise in expected {
        let is_found = |pair: &&Value| pair["exercise"] == exercise.as_str() && is_of(pair, ["ada", "eve"]);
        assert!(pairs.iter().any(|pair| is_found(&pair)), "{exercise}");
    }
}

#[test]
fn moved_declarations_split_loops_and_extracted_functions_do_not_hide_a_copy() {
    for (exercise, copy) in
        [("lab-6-tiled-matmul/tiled", "moved-and-split"), ("lab-1-stencil/shared", "helper-extracted")]
    {
        let project = Project::new();
        write_bank(&project);
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/similar/{copy}.cu"));
        let original = project.read(&format!("solutions/{exercise}.cu"));
        project.write(&format!("submissions/ada/{exercise}.cu"), &original);
        project.write(&format!("submissions/eve/{exercise}.cu"), std::fs::read(file).unwrap());
        let pairs = pairs(&project, &["submissions"]);
        let pair = pairs.iter().find(|pair| is_of(pair, ["ada", "eve"])).expect(copy);
        // The lines are those of the student's part.
        for file in pair["files"].as_array().unwrap() {
            let lines = file["lines"].as_array().unwrap();
            let text = project.read(file["file"].as_str().unwrap());
            let marked: String = lines
                .iter()
                .flat_map(|range| {
                    let [first, last] = [0, 1].map(|at| range[at].as_u64().unwrap() as usize);
                    text.lines().skip(first - 1).take(last + 1 - first)
                })
                .collect();
            assert!(marked.contains("+=") && !marked.contains("#define"), "{marked}");
        }
    }
}

#[test]
fn starters_are_not_alike_and_what_is_not_compared_is_named() {
    let project = Project::new();
    for student in ["ada", "eve"] {
        let starter = project.read("kernels/lab-6-tiled-matmul/tiled.cu");
        project.write(&format!("submissions/{student}/lab-6/tiled.cu"), starter);
    }
    project.write("submissions/bob/lab-6/tiled.cu", [0; 9]);
    project.write("submissions/bob/unknown.cu", "int x;");
    let answer = project.lab(&["similar", "submissions"]);
    assert_eq!((answer.status, answer.out.as_str()), (0, ""));
    assert!(answer.err.contains("tiled.cu: not compared"), "{}", answer.err);
    assert!(answer.err.contains("unknown.cu: not compared: cannot tell which exercise"), "{}", answer.err);
    assert!(answer.err.contains("0 pairs with a likeness of at least 70 % among 2 files"), "{}", answer.err);
    project.refused(&["similar", "none"], "none");
}
