//! If standard output is closed or fails, losing results is an error in every command.

use crate::support::{Answer, Project};
use std::process::{Command, Stdio};

/// A project with results, and command lines that print results.
fn printing() -> (Project, Vec<&'static str>) {
    let project = Project::new();
    project.solve("lab-1-stencil/adjacent_difference.cu");
    project.write("saxpy.cu", "__global__ void one(int *p) { *p = 1; }\n");
    let grades = project.lab(&["grade", "kernels/lab-1-stencil/adjacent_difference.cu"]);
    assert_eq!(grades.status, 0, "{}", grades.err);
    project.write("grades.jsonl", grades.out);
    project.write("course.toml", "paths = ['{student}/lab-1-stencil/{file}.cu']\n");
    let commands = vec![
        "grade kernels/lab-1-stencil/adjacent_difference.cu",
        "grade kernels/lab-1-stencil/adjacent_difference.cu --format csv",
        "gradebook grades.jsonl --course course.toml",
        "gradebook grades.jsonl --course course.toml --format json",
        "gradebook grades.jsonl --course course.toml --format moodle",
        "merge grades.jsonl",
        "run 1 adjacent_difference --json",
        "run 1 adjacent_difference --format concise",
        "compile saxpy.cu --json",
        "launch saxpy.cu --kernel one --grid 1 --block 1 --arg i32[1]=zeros --json",
        "models --json",
        "doctor --json",
        "man",
        "completions bash",
        "similar kernels solutions --json",
        "grade --help",
        "--version",
    ];
    (project, commands)
}

/// Runs the program in a shell, with `rest` after the command.
fn shell(project: &Project, command: &str, rest: &str) -> Answer {
    let mut shell = Command::new("/bin/sh");
    let script = format!("exec \"$LAB\" {command} {rest}");
    shell.args(["-c", &script]).current_dir(project.root()).env("LAB_DEVICE", "sim");
    Answer::of(shell.env("LAB", env!("CARGO_BIN_EXE_lab")).stdin(Stdio::null()).output().unwrap())
}

#[test]
#[cfg(target_os = "linux")]
fn results_that_cannot_be_written_are_an_error() {
    let (project, commands) = printing();
    for command in commands {
        for output in [">&-", ">/dev/full", "1</dev/null"] {
            let answer = shell(&project, command, output);
            answer.is_calm();
            assert_eq!(answer.status, 2, "{command} {output}: {}", answer.err);
            assert!(answer.err.contains("written: "), "{command} {output}: {}", answer.err);
        }
        // A requested `/dev/null` is not an error, however it is opened.
        for output in [">/dev/null", "1<>/dev/null"] {
            let answer = shell(&project, command, output);
            assert_eq!(answer.status, 0, "{command} {output}: {}", answer.err);
        }
        if ["man", "completions bash", "grade --help", "--version"].contains(&command) {
            continue;
        }
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let words: Vec<&str> = command.split(' ').collect();
        let closed = Answer::of(
            project
                .command(&words)
                .stdout(writer)
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
                .wait_with_output()
                .unwrap(),
        );
        assert_eq!(closed.status, 2, "{command} into a closed pipe: {}", closed.err);
        assert!(closed.err.contains("written: "), "{command} into a closed pipe: {}", closed.err);
    }
    // Nothing is printed here, so nothing is lost.
    let apart = shell(&project, "grade kernels/lab-1-stencil/adjacent_difference.cu -o new.jsonl", ">&-");
    assert_eq!((apart.status, project.read("new.jsonl").lines().count()), (0, 1), "{}", apart.err);
}

/// For text output, a reader such as `head` may close the pipe early.
#[test]
#[cfg(unix)]
fn the_reader_of_a_text_may_go_away() {
    let project = Project::new();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = project.command(&["models"]).stdout(writer).status().unwrap();
    assert_eq!(status.code(), Some(0));
}

/// What a kernel prints is shown of the first size that is wrong, also where the launch is stopped, with a limit, in text and JSON.
#[test]
fn what_a_kernel_prints_is_shown() {
    let project = Project::new();
    let right = project.read("solutions/lab-1-stencil/naive.cu");
    let prints = |print: &str| {
        right.replace("    float sum = 0.0f;\n", &format!("    float sum = 0.0f;\n    {print}\n"))
    };
    let report = |text: &str, more: &[&str]| {
        project.write("k.cu", text);
        let shown = project.lab(&[&["run", "1", "naive", "--kernel", "k.cu"], more].concat()).out;
        let json = project.lab(&[&["run", "1", "naive", "--kernel", "k.cu", "--json"], more].concat());
        (shown, json.json_lines()[0].clone())
    };
    let one = "if (i == 0) printf(\"i %d n %d\\n\", i, n);";

    let (shown, json) = report(&prints(one).replace("out[i] = sum;", "out[i] = sum + 1.0f;"), &[]);
    assert!(shown.contains("\nThe kernel printed at n1_r1\ni 0 n 1\n"), "{shown}");
    assert_eq!((&json["printed"], &json["printed_at"]), (&"i 0 n 1\n".into(), &"n1_r1".into()));
    assert_eq!(json["printed_is_cut"], false);

    let stopped = prints("if (i == 0) printf(\"\\x1b[2J%d\\n\", i); out[n + 1000] = 1.0f;");
    let (shown, json) = report(&stopped, &[]);
    assert!(shown.contains("\nThe kernel printed at n1_r1\n\\x1b[2J0\n"), "{shown}");
    assert_eq!(json["printed"], "\u{1b}[2J0\n");

    // The kernel is right: of the size of the report.
    let (shown, json) = report(&prints("if (i < 30) printf(\"%d\\n\", i);"), &[]);
    let lines: String = (0..20).map(|i| format!("{i}\n")).collect();
    assert!(shown.contains(&format!("\nThe kernel printed at n2097152_r3\n{lines}… and more")), "{shown}");
    assert_eq!((&json["printed"], &json["printed_is_cut"]), (&lines.into(), &true.into()));
    let (_, json) = report(&prints("if (i < 30) printf(\"%0200d\", i);"), &[]);
    assert_eq!((json["printed"].as_str().unwrap().len(), &json["printed_is_cut"]), (2048, &true.into()));

    project.write("course.toml", "printf = false\n");
    let (shown, json) = report(&prints(one), &["--course", "course.toml"]);
    assert!(!shown.contains("The kernel printed"), "{shown}");
    assert_eq!((&json["printed"], &json["printed_at"]), (&"".into(), &serde_json::Value::Null));
}
