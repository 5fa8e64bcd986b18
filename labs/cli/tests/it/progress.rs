//! Tests hints and the user's saved progress.

use crate::support::Project;
use serde_json::Value;

const NAIVE: &str = "lab-1-stencil/naive.cu";
const FILE: &str = ".warplab-progress.json";

fn record(project: &Project, exercise: &str) -> Value {
    let file: Value = serde_json::from_str(&project.read(FILE)).unwrap();
    file["exercises"][exercise].clone()
}

#[test]
fn each_call_shows_one_hint_more() {
    let project = Project::new();
    let shown = |arguments: &[&str]| {
        let answer = project.lab(arguments);
        assert_eq!(answer.status, 0, "{}", answer.err);
        answer.is_calm();
        let steps: Vec<usize> =
            (1..=4).filter(|i| answer.out.contains(&format!("hint {i} of 4: "))).collect();
        (steps.len(), answer.out)
    };
    project.refused(&["hint", "1", "naive", "--again"], "no hint of lab-1/naive was shown yet");
    for step in 1..=4 {
        let (steps, text) = shown(&["hint", "1", "naive"]);
        assert_eq!(steps, step, "{text}");
        assert_eq!(text.contains("The next one: `cargo lab hint 1 naive`"), step < 4, "{text}");
        assert_eq!(shown(&["hint", "1", "naive", "--again"]).0, step);
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }
    assert_eq!(shown(&["hint", "1", "naive"]).0, 4);
    assert_eq!(record(&project, "lab-1/naive")["hints"], 4);
    assert_eq!(shown(&["hint", "tiled-matmul", "tiled", "--all"]).0, 4);
    project.solve(NAIVE);
    assert_eq!(project.lab(&["run", "1", "naive"]).status, 0);
    let (steps, text) = shown(&["hint"]);
    assert!(steps == 1 && text.starts_with("lab-1 shared: "), "that of the first that is not solved: {text}");
    assert!(shown(&["hint", "7"]).1.starts_with("lab-7 copy: "));
    project.refused(&["hint", "1", "nave"], "lab-1 has no exercise `nave`");
}

#[test]
fn the_first_pass_is_told_once() {
    let project = Project::new();
    let run = || project.lab(&["run", "1", "naive"]).out;
    assert!(!run().contains("Solved"));
    assert!(!project.path(FILE).exists(), "a starter is not a try");
    project.lab(&["hint", "1", "naive"]);
    project.write(&format!("kernels/{NAIVE}"), "int unfinished;");
    run();
    run();
    assert_eq!(record(&project, "lab-1/naive")["tries"], 1, "the same text is one try");
    project.solve(NAIVE);
    let first = run();
    assert!(first.contains("\nSolved lab-1/naive with 100 points, at try 2 and with 1 hint.\n"), "{first}");
    assert!(
        first.contains("Next: edit kernels/lab-1-stencil/shared.cu, then `cargo lab run 1 shared`."),
        "{first}"
    );
    assert!(!run().contains("Solved"));
    let naive = record(&project, "lab-1/naive");
    assert_eq!((&naive["tries"], &naive["best_score"]), (&2.into(), &100.into()));
    assert!(naive["solved"].as_u64() >= naive["first_try"].as_u64());
    let overview = project.lab(&[]).out;
    assert!(
        overview
            .contains("[#........................]  1 of 25 exercises solved, 100 of 2500 points, 1 hint."),
        "{overview}"
    );
    assert!(overview.contains("`cargo lab hint 1 shared`"), "{overview}");
}

#[test]
fn the_last_exercise_of_a_lab_and_of_all_have_a_line_of_their_own() {
    let project = Project::new();
    project.solve("lab-5-cached-halo/cached_halo.cu");
    let lab = project.lab(&["run", "5"]).out;
    assert!(lab.contains("Lab 5 is done. `cargo lab compare 5`") && lab.contains("Next: edit"), "{lab}");
    let text = project.read(FILE).replace("\"solved\": ", "\"when\": ");
    let mut file: Value = serde_json::from_str(&text).unwrap();
    let exercises = file["exercises"].as_object_mut().unwrap();
    let solutions = std::fs::read_dir(project.path("solutions")).unwrap().map(|e| e.unwrap().path());
    for folder in solutions.filter(|path| path.join("..").join("lab-1-stencil").exists()) {
        let lab: String = folder.file_name().unwrap().to_string_lossy().chars().take(5).collect();
        for kernel in std::fs::read_dir(&folder).into_iter().flatten() {
            let name = kernel.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned();
            let solved = serde_json::json!({ "solved": 1 });
            exercises.entry(format!("{lab}/{name}")).or_insert(solved);
        }
    }
    project.write(FILE, file.to_string());
    let all = project.lab(&["run", "5"]).out;
    assert!(all.contains("All 25 exercises are solved.") && !all.contains("Next: edit"), "{all}");
}

#[test]
fn nothing_is_recorded_of_other_kernels_and_nothing_is_told_in_json() {
    let project = Project::new();
    let file = format!("kernels/{NAIVE}");
    for arguments in [
        &["run", "1", "naive", "--solution"][..],
        &["run", "1", "naive", "--kernel", "solutions/lab-1-stencil/naive.cu"],
        &["grade", "solutions/lab-1-stencil/naive.cu"],
        &["compare", "5", "--solution"],
    ] {
        assert_eq!(project.lab(arguments).status, 0, "{arguments:?}");
        assert!(!project.path(FILE).exists(), "{arguments:?}");
    }
    project.solve(NAIVE);
    assert_eq!(project.lab(&["grade", &file]).status, 0);
    assert!(!project.path(FILE).exists(), "an instructor grades the kernels of others");
    let json = project.lab(&["run", "1", "naive", "--json"]);
    assert_eq!(json.json_lines().len(), 1, "{}", json.out);
    assert!(record(&project, "lab-1/naive")["solved"].is_u64());
    // Without counters, gates are not judged.
    project.solve("lab-7-transpose/copy.cu");
    assert_eq!(project.lab(&["run", "7", "copy", "--model", "gtx260"]).status, 0);
    assert!(record(&project, "lab-7/copy")["solved"].is_null());
}

#[test]
fn a_damaged_file_is_moved_aside_and_unknown_fields_stay() {
    let project = Project::new();
    project.write(FILE, b"\xff not json");
    assert_eq!(project.lab(&[]).status, 0);
    assert_eq!(project.lab(&["hint", "1", "naive"]).status, 0);
    assert_eq!(std::fs::read(project.path(&format!("{FILE}.bak"))).unwrap(), b"\xff not json");
    assert_eq!(record(&project, "lab-1/naive")["hints"], 1);
    project.write(
        FILE,
        r#"{"schema": 7, "from": "later", "exercises": {"lab-1/naive": {"hints": "x", "stars": 3}}}"#,
    );
    assert_eq!(project.lab(&["hint", "1", "naive"]).status, 0);
    let naive = record(&project, "lab-1/naive");
    assert_eq!((&naive["hints"], &naive["stars"]), (&1.into(), &3.into()));
    assert!(project.read(FILE).contains("\"from\": \"later\""));
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_to_costs_only_a_warning() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::new();
    let set = |mode| std::fs::set_permissions(project.root(), std::fs::Permissions::from_mode(mode)).unwrap();
    set(0o555);
    if std::fs::write(project.path("probe"), "").is_ok() {
        // The superuser can write everywhere.
        set(0o755);
        return;
    }
    let answer = project.lab(&["hint", "1", "naive"]);
    set(0o755);
    assert_eq!(answer.status, 0, "{}", answer.err);
    assert!(
        answer.out.contains("hint 1 of 4") && answer.err.contains("your progress is not kept"),
        "{}",
        answer.err
    );
}
