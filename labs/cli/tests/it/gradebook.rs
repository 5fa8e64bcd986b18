//! Tests `gradebook` and `merge` with results of `grade`, and checks these results against the published schema.

#[path = "../../../../solutions/tests/it/json_schema.rs"]
mod json_schema;

use crate::support::{Project, solution};
use json_schema::{errors, published, strict};
use serde_json::Value;

const COURSE: &str = "title = 'GPUs'\npaths = ['in/{student}/{file}.cu']\n[exercise.'lab-7/copy']\npoints = 40\n\
    [exercise.'lab-7/shared']\n[roster]\nfile = 'roster.csv'\n[lms]\ntotal = 'Labs'\n";

/// A project with results of two students, one of whom has files that cannot be graded; a third student has none.
fn graded() -> Project {
    let project = Project::new();
    let copy = solution("lab-7-transpose/copy.cu");
    project.write("in/Ada Lovelace/copy.cu", format!("// Ada Lovelace <ada@example.org>\n{copy}"));
    project.write("in/Bob Noyce/copy.cu", "__global__ void transpose() { </script> }\n");
    project.write("in/Bob Noyce/shared.cu", "");
    project.write("in/Bob Noyce/draft.cu", "x\n");
    project.write(
        "roster.csv",
        "id,name,email\ns1,Ada Lovelace,ada@example.org\ns2,Bob Noyce,\ns3,Grace Hopper,\n",
    );
    project.write("course.toml", COURSE);
    let answer = project.lab(&["grade", "in"]);
    assert_eq!(answer.status, 2, "{}", answer.err);
    project.write("grades.jsonl", answer.out);
    project
}

fn arguments<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["gradebook", "grades.jsonl", "--course", "course.toml"], more].concat()
}

#[test]
fn results_become_grades_pages_and_tables() {
    let project = graded();
    let answer = project.lab(&arguments(&["--pages", "pages"]));
    answer.is_calm();
    assert_eq!(answer.status, 0, "{}", answer.err);
    assert!(answer.err.contains("4 pages are in pages"), "{}", answer.err);
    let rows: Vec<Vec<&str>> = answer.out.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(rows.contains(&vec!["Ada", "Lovelace", "40", "28.6", "1", "0", "1", "0", "0"]), "{}", answer.out);
    assert!(rows.contains(&vec!["Bob", "Noyce", "0", "*", "0.0", "0", "1", "0", "1", "0"]), "{}", answer.out);
    let ada = project.read("pages/student-ada-lovelace.html");
    assert!(ada.contains("// Ada Lovelace &lt;ada@example.org&gt;") && !ada.contains("Noyce"));
    let bob = project.read("pages/student-bob-noyce.html");
    assert!(bob.contains("Provisional") && !bob.contains("</script>"));
    assert!(project.read("pages/index.html").contains("student-grace-hopper.html"));
    let canvas = project.lab(&arguments(&["--format", "canvas", "--out", "canvas.csv"]));
    assert_eq!((canvas.status, canvas.out.as_str()), (0, ""));
    assert!(project.read("canvas.csv").contains("Ada Lovelace,,s1,,,40,0,40\r\n"));
    let json = project.lab(&arguments(&["--format", "json"]));
    let object: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(object["students"].as_array().map(Vec::len), Some(3));
}

#[test]
fn without_names_there_are_none() {
    let project = graded();
    let run = arguments(&["--format", "csv", "--anonymise", "salt", "--pages", "pages"]);
    let first = project.lab(&run);
    assert_eq!(first.status, 0, "{}", first.err);
    assert_eq!(project.lab(&run).out, first.out, "the same salt gives the same names");
    let mut all = first.out.clone();
    for entry in std::fs::read_dir(project.path("pages")).unwrap() {
        let path = entry.unwrap().path();
        all.push_str(&path.file_name().unwrap().to_string_lossy());
        all.push_str(&std::fs::read_to_string(path).unwrap());
    }
    let all = all.to_lowercase();
    for name in ["lovelace", "noyce", "hopper", "ada@", project.read("salt").trim()] {
        assert!(!all.contains(name), "{name}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(project.path("salt")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    project.refused(&arguments(&["--anonymise", "course.toml"]), "this is not a salt");
    project.refused(&arguments(&["--anonymise", "salt", "--format", "moodle"]), "leaves no names");
}

#[test]
fn wrong_files_are_refused() {
    let project = Project::new();
    project.write("grades.jsonl", "{}\n");
    project.refused(&arguments(&[]), "course.toml: cannot be read");
    project.write("course.toml", "title = 'x'\n");
    project.refused(&arguments(&[]), "`paths` is missing");
    project.write("course.toml", "\n[exercise.'lab-9/x']\n");
    project.refused(&arguments(&[]), "course.toml: line 2: there is no exercise `lab-9/x`");
    project.write("course.toml", COURSE);
    project.refused(&arguments(&[]), "roster.csv: cannot be read");
    project.write("roster.csv", "number,who\n1,Ada\n");
    project.refused(&arguments(&[]), "roster.csv: line 1: there is neither a column `id` nor `name`");
    project.write("roster.csv", "id,name\n1,Ada\n");
    project
        .refused(&arguments(&[]), "grades.jsonl:1: this is not an object of `lab grade`: it has no `schema`");
    project.write("course.toml", format!("{COURSE}[[exception]]\nstudent = 'Bob'\nexcused = true\n"));
    project.write("none.jsonl", "");
    project.refused(
        &["gradebook", "none.jsonl", "--course", "course.toml"],
        "course.toml: line 11: there is no student `Bob` on the roster\n  11 | student = 'Bob'",
    );
    std::fs::remove_file(project.path("none.jsonl")).unwrap();
    project.refused(&["gradebook", "none.jsonl", "--course", "course.toml"], "none.jsonl: cannot be read");
    project.refused(&["gradebook", ".", "--course", "course.toml"], "is a folder");
    // The course file of `grade` is the same.
    project.write("course.toml", "title = 'x'\n[weights]\ngates = 1\n[late]\ndays = 1\n");
    project.refused(&["grade", "kernels", "--course", "course.toml"], "unknown field `days`");
}

/// The lines of a run with the indices that shards give them.
fn shard(project: &Project, name: &str, indices: &[u64]) -> Vec<String> {
    let text = project.read("grades.jsonl");
    let lines = text.lines().zip(0..).filter(|(_, index)| indices.contains(index)).map(|(line, index)| {
        let mut object: Value = serde_json::from_str(line).unwrap();
        object["index"] = index.into();
        object.to_string()
    });
    let lines: Vec<String> = lines.collect();
    project.write(name, lines.iter().map(|line| format!("{line}\n")).collect::<String>());
    lines
}

#[test]
fn shards_are_merged_and_what_is_missing_is_named() {
    let project = graded();
    let all = shard(&project, "all", &[0, 1, 2, 3]).join("\n") + "\n";
    shard(&project, "a", &[1, 3]);
    shard(&project, "b", &[0, 2]);
    let merged = project.lab(&["merge", "a", "b", "--count", "4"]);
    assert_eq!((merged.status, merged.out.as_str()), (0, all.as_str()), "{}", merged.err);
    let merged = project.lab(&["merge", "a", "b", "-o", "merged.jsonl"]);
    assert_eq!((merged.status, merged.out.as_str(), project.read("merged.jsonl")), (0, "", all));
    project.refused(&["merge", "a", "a"], "a:1 and a:1 both have index 1");
    project.refused(&["merge", "a"], "no line has index 0, 2");
    project.refused(&["merge", "a", "b", "--count", "6"], "no line has index 4 to 5");
    project.refused(&["merge", "a", "b", "-o", "none/x/../.."], "cannot be written");
    assert!(project.lab(&["merge", "a", "b", "-o", "a"]).status == 0, "a shard may be replaced");
}

/// Every object of `grade` conforms to the schema.
#[test]
fn objects_follow_the_published_schema() {
    let project = graded();
    let schema = strict();
    let text = project.read("grades.jsonl");
    for line in text.lines() {
        let wrong = errors(&schema, &serde_json::from_str(line).unwrap());
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
    assert_eq!(text.matches("\"status\":\"error\"").count(), 2);
    // An error lacks a field.
    let mut object: Value =
        serde_json::from_str(text.lines().find(|line| line.contains("\"status\":\"error\"")).unwrap())
            .unwrap();
    object.as_object_mut().unwrap().remove("help");
    assert!(!errors(&published(), &object).is_empty());
}

/// Moodle takes `NAME_NUMBER_assignsubmission_file_/FILE`; a student without such a folder has no place in the archive.
#[cfg(target_os = "linux")]
#[test]
fn feedback_goes_to_the_folders_that_moodle_gave() {
    let project = Project::new();
    let copy = solution("lab-7-transpose/copy.cu");
    project.write("in/Ada Lovelace_123_assignsubmission_file_/copy.cu", &copy);
    project.write("in/Zoë Ünal_77_assignsubmission_file_/copy.cu.txt", &copy);
    project.write("in/Bob Noyce/copy.cu", &copy);
    let paths = "paths = ['in/{student}_{number}_assignsubmission_file_/{file}.cu', 'in/{student}_{number}_assignsubmission_file_/{file}.cu.txt', \
        'in/{student}/{file}.cu']\n[exercise.'lab-7/copy']\n";
    project.write("course.toml", paths);
    project.write("grades.jsonl", project.lab(&["grade", "in"]).out);
    let answer = project.lab(&arguments(&["--feedback", "f.zip"]));
    assert_eq!(answer.status, 0, "{}", answer.err);
    assert!(answer.err.contains("2 feedback files are in f.zip"), "{}", answer.err);
    assert!(answer.err.contains("no feedback: Bob Noyce"), "{}", answer.err);
    let mut unpack = std::process::Command::new("python3");
    unpack.args(["-m", "zipfile", "-e", "f.zip", "f"]).current_dir(project.root());
    assert!(unpack.status().unwrap().success());
    let page = |folder: &str| project.read(&format!("f/{folder}_assignsubmission_file_/feedback.html"));
    assert!(page("Ada Lovelace_123").contains("Ada Lovelace"));
    assert!(page("Zoë Ünal_77").contains("rename it to `copy.cu`"));
    project.refused(&arguments(&["--feedback", "f.zip", "--anonymise", "salt"]), "--anonymise");
    project.write("grades.jsonl", project.lab(&["grade", "in/Bob Noyce"]).out);
    project.refused(&arguments(&["--feedback", "f.zip"]), "Moodle");
}
