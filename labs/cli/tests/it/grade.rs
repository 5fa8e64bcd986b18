//! `grade`: every file gets one object, independent of the other files; a run can be interrupted, continued and
//! divided into shards.

use crate::support::{Answer, Project};
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;

/// Submissions for lab 1's smallest exercises: wrong (the starter), correct (the reference), not CUDA, and a link.
fn submissions(project: &Project) -> usize {
    let place = |student: &str, text: &str| {
        project.write(&format!("submissions/{student}/lab-1/adjacent_difference.cu"), text);
    };
    let starter = project.read("kernels/lab-1-stencil/adjacent_difference.cu");
    let solution = project.read("solutions/lab-1-stencil/adjacent_difference.cu");
    place("ada", &solution);
    place("bob", &starter);
    place("cy", "this is not CUDA");
    place("dan", &solution.replace("BLOCK 256", "BLOCK 128"));
    place("eve", &format!("{solution}\n// by eve\n"));
    5
}

fn set(text: &str) -> BTreeSet<String> {
    text.lines().map(str::to_owned).collect()
}

fn index(line: &Value) -> u64 {
    line["index"].as_u64().unwrap()
}

#[test]
fn every_file_has_an_object_with_its_place() {
    let project = Project::new();
    let count = submissions(&project);
    let run = project.lab(&["grade", "submissions"]);
    assert_eq!(run.status, 1, "{}", run.err);
    let mut all = run.json_lines();
    all.sort_by_key(index);
    let files: Vec<_> = all.iter().map(|l| l["file"].as_str().unwrap().split('/').nth(1).unwrap()).collect();
    assert_eq!(files, ["ada", "bob", "cy", "dan", "eve"]);
    assert_eq!(all.iter().map(index).collect::<Vec<_>>(), (0..count as u64).collect::<Vec<_>>());
    let scores: Vec<_> = all.iter().map(|l| (l["status"].as_str().unwrap(), l["score"].as_u64())).collect();
    assert_eq!(scores[..3], [("passed", Some(100)), ("failed", Some(0)), ("failed", Some(0))]);
    assert_eq!(scores[4], ("passed", Some(100)));
    // `--ordered` keeps the order of the files, whichever finishes first.
    let ordered = project.lab(&["grade", "submissions", "--ordered", "--jobs", "3"]);
    assert_eq!(ordered.json_lines(), all);
    // One job at a time also keeps the order.
    assert_eq!(project.lab(&["grade", "submissions", "--jobs", "1"]).json_lines(), all);
}

#[test]
fn shards_share_out_a_run() {
    let project = Project::new();
    submissions(&project);
    let all = set(&project.lab(&["grade", "submissions"]).out);
    let mut parts = BTreeSet::new();
    for shard in ["1/3", "2/3", "3/3"] {
        let part = set(&project.lab(&["grade", "submissions", "--shard", shard]).out);
        assert!(part.is_disjoint(&parts) && !part.is_empty());
        parts.extend(part);
    }
    assert_eq!(parts, all);
    let wrong = project.lab(&["grade", "submissions", "--shard", "4/3"]);
    assert!(wrong.status == 2 && wrong.err.contains("3/8"), "{}", wrong.err);
}

#[test]
fn a_run_that_was_interrupted_is_continued() {
    let project = Project::new();
    let count = submissions(&project);
    let file = project.path("grades.jsonl");
    let grade =
        |more: &[&str]| project.lab(&[&["grade", "submissions", "-o", "grades.jsonl"], more].concat());
    grade(&["--ordered"]);
    let whole = std::fs::read_to_string(&file).unwrap();
    let ordered: Vec<Value> = whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(ordered.iter().map(index).collect::<Vec<_>>(), (0..count as u64).collect::<Vec<_>>());

    // Truncate within the third line; the rest is missing.
    let third = whole.match_indices('\n').nth(2).unwrap().0;
    std::fs::write(&file, &whole[..third - 20]).unwrap();
    let resumed = grade(&["--resume", "--ordered"]);
    assert!(resumed.err.contains("2 of 5 results are there already"), "{}", resumed.err);
    assert!(resumed.err.contains("3 of 5 passed"), "{}", resumed.err);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), whole);

    // A changed file, other options and a missing result cause a new grading.
    project.write(
        "submissions/bob/lab-1/adjacent_difference.cu",
        project.read("submissions/ada/lab-1/adjacent_difference.cu"),
    );
    let resumed = grade(&["--resume"]);
    assert!(
        resumed.err.contains("4 of 5 results") && resumed.err.contains("4 of 5 passed"),
        "{}",
        resumed.err
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), count);
    let resumed = grade(&["--resume", "--seed", "2"]);
    assert!(!resumed.err.contains("already"), "{}", resumed.err);
    let alone = project.lab(&["grade", "submissions", "--resume"]);
    assert!(alone.status == 2 && alone.err.contains("--output"), "{}", alone.err);
}

#[test]
#[cfg(unix)]
fn two_runs_do_not_write_to_one_file() {
    let project = Project::new();
    submissions(&project);
    let whole = "what another run has written\n";
    project.write("grades.jsonl", whole);
    let other = std::fs::File::options().append(true).open(project.path("grades.jsonl")).unwrap();
    other.lock().unwrap();
    for more in [&["--resume"][..], &["--ordered"], &["--format", "csv"], &[]] {
        let arguments = [&["grade", "submissions", "-o", "grades.jsonl"], more].concat();
        project.refused(&arguments, "another run is writing to it");
        assert_eq!(project.read("grades.jsonl"), whole);
    }
    drop(other);
    let run = project.lab(&["grade", "submissions", "-o", "grades.jsonl", "--ordered"]);
    assert_eq!((run.status, project.read("grades.jsonl").lines().count()), (1, 5), "{}", run.err);
}

#[test]
#[cfg(unix)]
fn results_go_to_devices_and_pipes() {
    let project = Project::new();
    submissions(&project);
    let ada = "submissions/ada";
    let usual = project.lab(&["grade", ada]).out;
    assert_eq!(project.lab(&["grade", ada, "-o", "/dev/stdout"]).out, usual);
    let null = std::fs::File::options().write(true).open("/dev/null").unwrap();
    null.lock().unwrap();
    assert_eq!(project.lab(&["grade", ada, "-o", "/dev/null"]).status, 0);
    drop(null);
    // Devices and folders cannot be continued: they have no end or no results.
    for device in ["/dev/stdout", "/dev/zero", "/dev/full", "."] {
        project.refused(&["grade", ada, "-o", device, "--resume"], "cannot be continued");
    }
    let full = project.lab(&["grade", ada, "-o", "/dev/full"]);
    assert!(full.status == 2 && full.err.contains("could be written"), "{}", full.err);
}

#[test]
fn an_error_is_no_verdict() {
    let project = Project::new();
    submissions(&project);
    let run = project.lab(&[
        "grade",
        "nothing.cu",
        "submissions/ada",
        "submissions/cy/lab-1/adjacent_difference.cu",
    ]);
    assert_eq!(run.status, 2);
    let all = run.json_lines();
    let error = all.iter().find(|l| l["status"] == "error").unwrap();
    assert!(error["score"].is_null() && error["error"].as_str().unwrap().contains("nothing.cu"), "{error}");
    assert_eq!(error["schema"], harness::SCHEMA);
    assert_eq!(all.iter().filter(|l| l["status"] == "passed").count(), 1);
}

/// A submission with a wrong name, a damaged archive or a link gets no grade, but an object that says what to do. Without
/// the object it would be missing, and count 0.
#[test]
fn files_that_are_not_graded_are_named() {
    let project = Project::new();
    let solution = project.read("solutions/lab-1-stencil/adjacent_difference.cu");
    for (name, text) in [
        ("ada/adjacent_difference.cu.txt", solution.as_str()),
        ("bob/adjacent_difference.cu ", &solution),
        ("cy/adjacent_difference.cuh", &solution),
        ("dan/adjacent_difference.cpp", &solution),
        ("eve/adjacent_difference", &solution),
        ("fay/kernels.hpp", "__global__ void k() {}"),
        ("gus/all.zip", "x"),
        ("hal/lab-1.tar.gz", "x"),
        ("ida/lab-1.7z", "x"),
        // None of these files is a submission: texts, host code, and copies beside a graded file.
        ("kim/report.pdf", "x"),
        ("kim/README.txt", "x"),
        ("kim/main.cpp", "int main() {}"),
        ("kim/adjacent_difference.cu", &solution),
        ("kim/adjacent_difference.cu~", &solution),
        ("kim/adjacent_difference.txt", "x"),
    ] {
        project.write(&format!("in/{name}"), text);
    }
    let mut expected = vec![
        "ada: `adjacent_difference.cu.txt` is not a `.cu` file; rename it to `adjacent_difference.cu`",
        "bob: `adjacent_difference.cu ` is not a `.cu` file; rename it to `adjacent_difference.cu`",
        "cy: `adjacent_difference.cuh` is not a `.cu` file; rename it to `adjacent_difference.cu`",
        "dan: `adjacent_difference.cpp` is not a `.cu` file; rename it to `adjacent_difference.cu`",
        "eve: `adjacent_difference` is not a `.cu` file; rename it to `adjacent_difference.cu`",
        "fay: `kernels.hpp` is not a `.cu` file; rename it to `kernels.cu`",
        "gus: `all.zip` cannot be unpacked: it is not a zip archive; hand in a new archive, or the files themselves",
        "hal: `lab-1.tar.gz` cannot be unpacked: it is damaged; hand in a new archive, or the files themselves",
        "ida: `lab-1.7z` is an archive; unpack it, and hand in its files",
    ];
    #[cfg(unix)]
    {
        let solutions = project.path("solutions/lab-1-stencil");
        std::fs::create_dir(project.path("in/jo")).unwrap();
        std::os::unix::fs::symlink(&solutions, project.path("in/jo/lab-1")).unwrap();
        std::os::unix::fs::symlink(&solutions, project.path("in/lea")).unwrap();
        expected.push("jo: `lab-1` is a symbolic link; hand in the files themselves");
        expected.push("lea: `lea` is a symbolic link; hand in the files themselves");
    }
    let run = project.lab(&["grade", "in", "--ordered"]);
    assert_eq!(run.status, 2, "{}", run.err);
    let (errors, graded): (Vec<Value>, _) =
        run.json_lines().into_iter().partition(|l| l["status"] == "error");
    assert_eq!(graded.len(), 1, "{graded:?}");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let told: Vec<String> = errors
        .iter()
        .map(|l| format!("{}: {}", text(&l["file"]).split('/').nth(1).unwrap(), text(&l["error"])))
        .collect();
    assert_eq!(told, expected);
    assert!(errors.iter().all(|l| l["score"].is_null()));
    let exercises = errors.iter().filter(|l| l["exercise"] == "adjacent_difference").count();
    assert_eq!(exercises, 5, "an archive may have any");
    let list = project.lab(&["grade", "in", "--list"]);
    let files = |lines: Vec<Value>| lines.iter().map(|l| text(&l["file"])).collect::<Vec<_>>();
    let listed: Vec<String> = list.json_lines().iter().map(text).collect();
    assert_eq!(listed, files(run.json_lines()));
    // In the row of the student and the exercise, and in no total.
    project.write("grades.jsonl", &run.out);
    project.write(
        "course.toml",
        "paths = ['in/{student}/**/{file}.cu']\n[exercise.'lab-1/adjacent_difference']\n[lms]\ntotal = 'T'\n",
    );
    let book = |format: &str| {
        project.lab(&["gradebook", "grades.jsonl", "--course", "course.toml", "--format", format]).out
    };
    let (csv, moodle) = (book("csv"), book("moodle"));
    for told in &expected {
        let (student, reason) = told.split_once(": ").unwrap();
        let row = csv.lines().find(|row| row.starts_with(&format!("{student},"))).unwrap();
        assert!(row.contains(&format!("not graded: {reason}")) && row.contains(",yes,"), "{csv}");
        assert!(moodle.contains(&format!("{student},{student},,,,\r\n")), "{moodle}");
    }
    assert!(csv.contains("kim,kim,,100,100,100,no,100,,\r\n"), "{csv}");
}

/// Runs the program in a shell that sets resource limits first.
#[cfg(unix)]
fn limited(project: &Project, limits: &str, args: &str) -> Answer {
    let script = format!("{limits}; exec {} {args}", env!("CARGO_BIN_EXE_lab"));
    Answer::of(Command::new("/bin/sh").args(["-c", &script]).current_dir(project.root()).output().unwrap())
}

#[test]
#[cfg(unix)]
fn scarce_files_cost_no_grade() {
    let project = Project::new();
    submissions(&project);
    let usual: BTreeSet<_> = set(&project.lab(&["grade", "submissions"]).out);
    // From hardly enough for one worker to enough for all.
    for files in [9, 10, 11, 12, 14, 16] {
        let run = limited(&project, &format!("ulimit -n {files}"), "grade submissions --jobs 4");
        for line in run.out.lines() {
            let object: Value = serde_json::from_str(line).unwrap();
            assert!(
                usual.contains(line) || object["status"] == "error" && object["score"].is_null(),
                "{line}"
            );
        }
        assert!(
            run.out.is_empty() && run.status == 2 || run.json_lines().len() == 5,
            "{files}: {}{}",
            run.out,
            run.err
        );
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_worker_that_the_system_stops_costs_no_other_grade() {
    let project = Project::new();
    submissions(&project);
    // Little memory for all that the report's size needs.
    let run = project.lab(&["grade", "submissions", "--memory-limit", "64"]);
    let all = run.json_lines();
    assert_eq!(all.len(), 5);
    assert!(all.iter().all(|l| l["status"] != "error" || l["score"].is_null()));
    assert_eq!(all.iter().find(|l| l["index"] == 2).unwrap()["status"], "failed");
}

#[test]
fn hidden_tests_are_reported_apart() {
    let project = Project::new();
    submissions(&project);
    project
        .write("hidden.toml", "seeds = [7]\n[[size]]\nexercise = \"lab-1/adjacent_difference\"\nn = 777\n");
    // A kernel that is correct except at the hidden size.
    let solution = project.read("solutions/lab-1-stencil/adjacent_difference.cu");
    let wrong = solution.replace(
        "out[i] = element[threadIdx.x] - before;",
        "out[i] = element[threadIdx.x] - before + (n == 777);",
    );
    assert_ne!(wrong, solution);
    project.write("submissions/eve/lab-1/adjacent_difference.cu", wrong);
    let run = project.lab(&["grade", "submissions", "--hidden", "hidden.toml", "--ordered"]);
    let all = run.json_lines();
    let hidden = |at: usize| &all[at]["hidden"];
    assert_eq!((&hidden(0)["passed"], &hidden(1)["passed"]), (&true.into(), &false.into()));
    assert_eq!((&all[4]["status"], &all[4]["score"]), (&"passed".into(), &100.into()));
    assert_eq!(
        (&hidden(4)["passed"], &hidden(4)["runs"][0]["failed"][0]["name"]),
        (&false.into(), &"correct_n777".into())
    );
    assert_eq!(hidden(4)["runs"][0]["seed"], 7);
    project.write("hidden.toml", "[[size]]\nexercise = \"lab-1/adjacent_difference\"\nm = 777\n");
    project.refused(&["grade", "submissions", "--hidden", "hidden.toml"], "sizes are n");
}

#[test]
fn other_formats_have_every_file_once() {
    let project = Project::new();
    let count = submissions(&project);
    let text = |format: &str| project.lab(&["grade", "submissions", "--format", format]).out;
    assert_eq!(text("csv").lines().count(), 1 + count);
    let junit = text("junit");
    let document = roxmltree::Document::parse(&junit).unwrap();
    assert_eq!(document.descendants().filter(|node| node.has_tag_name("testsuite")).count(), count);
    let gradescope: Value = serde_json::from_str(&text("gradescope")).unwrap();
    assert_eq!(gradescope["score"], 100);
    let autolab = text("autolab");
    let scores: Value = serde_json::from_str(autolab.lines().last().unwrap()).unwrap();
    assert!(scores["scores"].is_object(), "{scores}");
    project.refused(&["grade", "submissions", "--format", "xml"], "jsonl, csv, junit");
    let resumed = ["grade", "submissions", "--format", "csv", "-o", "x.csv", "--resume"];
    project.refused(&resumed, "cannot be continued");
}
