//! Bad input, and many files: each has an answer, none a panic.

use crate::support::Project;
use serde_json::Value;

fn check<'a>(report: &'a Value, name: &str) -> &'a Value {
    report["checks"].as_array().unwrap().iter().find(|c| c["name"] == name).expect(name)
}

#[test]
fn wrong_use_says_what_there_is() {
    let project = Project::new();
    project.refused(&["run", "9"], "the labs are 1 (stencil)");
    project.refused(&["run", "1", "nothing"], "its exercises are naive, shared");
    project.refused(&["run", "all", "naive"], "cannot be combined");
    project.refused(&["run", "1", "naive", "--model", "gtx9000"], "known are gtx260");
    project.refused(&["run", "1", "naive", "--seed", "many"], "--seed");
    project.refused(&["run", "1", "naive", "--seed", "-1"], "--seed");
    project.refused(&["run", "1", "naive", "--kernel", "nowhere.cu"], "nowhere.cu does not exist");
    project.refused(&["run", "1", "--kernel", "nowhere.cu"], "cargo lab run LAB EXERCISE --kernel FILE");
    project.refused(&["run", "--solution", "solutions/lab-1-stencil/naive.cu"], "is another file");
    project.refused(&["run"], "LAB");
    project.refused(&["compare", "1", "naive"], "name the lab: `cargo lab compare 1`");
    project.refused(&["compare", "1", "--model", "x"], "there is no device model `x`");
    project.refused(&["reset", "8"], "there is no lab `8`");
    project.refused(&["grade"], "FILE");
    project.refused(&["grade", "kernels", "--exercise", "1"], "LAB/NAME");
    project
        .refused(&["grade", "kernels", "--exercise", "naive"], "cargo lab grade kernels --exercise 1/naive");
    project.refused(&["grade", "kernels", "--model", "x"], "there is no device model `x`");
    project.refused(&["fly"], "fly");
}

#[test]
fn what_a_message_quotes_of_the_command_line_is_spelled_out() {
    let project = Project::new();
    let odd = "\u{202e}1\u{1b}[31m\u{85}";
    let commands: [&[&str]; 14] = [
        &[odd],
        &["run", odd],
        &["run", "1", odd],
        &["run", "1", "--seed", odd],
        &["run", "1", "--model", odd],
        &["run", "1", "--format", odd],
        &["--color", odd],
        &["run", &format!("--{odd}")],
        &["run", "1", &format!("--seed={odd}"), "--color", "always"],
        &["grade", "x.cu", "--shard", odd],
        &["grade", "x.cu", "--format", odd],
        &["autograder", odd, "-o", "x"],
        &["launch", "x.cu", "--kernel", "k", "--block", "1", "--grid", odd],
        &["help", odd],
    ];
    for command in commands {
        let answer = project.lab(command);
        assert_eq!(answer.status, 2, "{command:?}: {}{}", answer.out, answer.err);
        let text = answer.out + &answer.err;
        assert!(
            !text.contains(['\u{202e}', '\u{85}']) && !text.contains("1\u{1b}[31m"),
            "{command:?}: {text:?}"
        );
        assert!(text.contains("\\u{202e}1\\x1b[31m\\u{85}"), "{command:?}: {text}");
    }
}

/// Grades text as lab 1's first exercise.
fn report(project: &Project, bytes: impl AsRef<[u8]>) -> Value {
    project.write("hand-in.cu", bytes);
    let answer = project.lab(&["run", "1", "naive", "--kernel", "hand-in.cu", "--json"]);
    assert_eq!(answer.status, 1, "{}{}", answer.out, answer.err);
    answer.is_calm();
    let mut reports = answer.json_lines();
    assert_eq!(reports.len(), 1);
    let report = reports.remove(0);
    assert_eq!(report["status"], "failed");
    assert_eq!(report["score"], 0);
    report
}

fn message<'a>(report: &'a Value, name: &str) -> &'a str {
    let check = check(report, name);
    assert_eq!(check["status"], "failed", "{name}");
    check["message"].as_str().unwrap()
}

#[test]
fn unreadable_files_fail_with_their_reason() {
    let project = Project::new();
    let empty = report(&project, "");
    assert!(message(&empty, "compiles").contains("is empty"));
    let binary = report(&project, b"int x;\n\xff\xfe");
    assert!(
        message(&binary, "compiles")
            .contains("hand-in.cu:2:1: error[stray-character]: these bytes are not UTF-8")
    );
    let utf_16 = report(&project, b"\xff\xfei\0n\0t\0");
    assert!(message(&utf_16, "compiles").contains("is UTF-16 text: save it as UTF-8"));
    let long = report(&project, " ".repeat(3 << 20));
    assert!(message(&long, "compiles").contains("3145728 bytes"));
}

#[test]
fn files_without_the_expected_kernel_fail_with_its_signature() {
    let project = Project::new();
    let none = report(&project, "__device__ int f() { return 1; }\n");
    assert!(message(&none, "signature").contains("expected `__global__ void"));
    let solution = project.read("solutions/lab-1-stencil/naive.cu");
    let at = solution.find("__global__").unwrap();
    let name = solution[at..].split(['(', ' ']).nth(2).unwrap();
    let other =
        report(&project, format!("#define LOADS_AT_RADIUS_3 1\n__global__ void {name}(int n) {{}}\n"));
    let text = message(&other, "signature");
    assert!(text.contains("found") && text.contains(&format!("{name}(int n)")), "{text}");
    let syntax = report(&project, "__global__ void k(int n) { int x = ; }\n");
    assert!(message(&syntax, "compiles").contains("hand-in.cu:1"), "{syntax}");
}

#[test]
fn deep_and_odd_texts_do_not_bring_the_tool_down() {
    let project = Project::new();
    let deep = format!("int x = {}1{};\n", "(".repeat(100_000), ")".repeat(100_000));
    let blocks = format!("__global__ void k() {}{}\n", "{".repeat(50_000), "}".repeat(50_000));
    let odd =
        ["\0", "#define A A A\nA\n", "#include \"hand-in.cu\"\n", "/*", "\"", "\u{202e}x", "@@@@", "#if 1\n"];
    for text in odd.iter().copied().chain([deep.as_str(), blocks.as_str()]) {
        report(&project, text);
    }
}

#[test]
fn grade_gives_an_object_a_file_in_order_and_goes_on_after_bad_ones() {
    let project = Project::new();
    let good = project.read("solutions/lab-1-stencil/naive.cu");
    project.write("in/ada/lab-1/naive.cu", &good);
    project.write("in/ada/notes.txt", "not a kernel");
    project.write("in/bob/lab-1-naive.cu", "__global__ void k( {");
    project.write("in/cyd/mystery.cu", "int x;\n");
    project.write("in/dan/by-kernel.cu", &good);
    project.write("in/eve/lab-1/naive.cu", b"\xff");
    let answer = project.lab(&["grade", "in", "nowhere.cu", "--ordered"]);
    answer.is_calm();
    assert_eq!(answer.status, 2, "two files could not be graded: {}", answer.err);
    let objects = answer.json_lines();
    let shown: Vec<String> = objects
        .iter()
        .map(|o| {
            let file = o["file"].as_str().unwrap().rsplit("in/").next().unwrap().to_string();
            format!("{file} {} {}", o["status"].as_str().unwrap(), o["exercise"].as_str().unwrap_or("-"))
        })
        .collect();
    let expected = [
        "ada/lab-1/naive.cu passed naive",
        "bob/lab-1-naive.cu failed naive",
        "cyd/mystery.cu error -",
        "dan/by-kernel.cu passed naive",
        "eve/lab-1/naive.cu failed naive",
        "nowhere.cu error -",
    ];
    assert_eq!(shown, expected);
    assert!(objects[2]["help"].as_str().unwrap().contains("--exercise"));
    assert_eq!(objects[0]["score"], 100);
}

#[test]
fn grade_tells_passed_from_failed_by_its_status() {
    let project = Project::new();
    let good = project.read("solutions/lab-1-stencil/naive.cu");
    project.write("mystery.cu", &good);
    let passed = project.lab(&["grade", "mystery.cu", "--exercise", "lab-1/naive"]);
    assert_eq!(passed.status, 0, "{}{}", passed.out, passed.err);
    let failed = project.lab(&["grade", "mystery.cu", "kernels/lab-1-stencil/naive.cu"]);
    assert_eq!(failed.status, 1, "{}{}", failed.out, failed.err);
    assert_eq!(failed.json_lines().len(), 2);
    project.write("nothing/readme.txt", "no kernels");
    project.refused(&["grade", "nothing"], "there is no .cu file");
}

#[test]
fn an_endless_loop_is_a_diagnosis() {
    let project = Project::new();
    let solution = project.read("solutions/lab-1-stencil/naive.cu");
    let begin = solution.find('{').unwrap() + 1;
    let endless =
        format!("{} while (n != -12345) {{ out[0] = 0.0f; }} {}", &solution[..begin], &solution[begin..]);
    project.write("endless.cu", endless);
    let answer = project.lab(&["run", "1", "naive", "--kernel", "endless.cu", "--json"]);
    assert_eq!(answer.status, 1, "{}{}", answer.out, answer.err);
    let report = &answer.json_lines()[0];
    let stopped = report["diagnostics"].as_array().unwrap().iter().any(|d| {
        d["json"]["code"].as_str().unwrap().contains("budget")
            || d["json"]["code"].as_str().unwrap().contains("race")
    });
    assert!(stopped, "{}", report["diagnostics"]);
}

#[test]
fn a_submission_cannot_bring_in_other_files() {
    let project = Project::new();
    let solution = project.path("solutions/lab-1-stencil/naive.cu");
    std::fs::create_dir_all(project.path("in/lab-1")).unwrap();
    let included = |path: &str| {
        project.write("hand-in.cu", format!("#include \"{path}\"\n"));
        let answer = project.lab(&["grade", "hand-in.cu", "--exercise", "lab-1/naive"]);
        assert_eq!(answer.status, 1, "{}{}", answer.out, answer.err);
        answer.json_lines().remove(0)
    };
    project.write("beside.h", "");
    let others = ["solutions/../solutions/lab-1-stencil/naive.cu", "/etc/passwd", "beside.h"];
    for path in others.into_iter().chain(solution.to_str()) {
        let report = included(path);
        assert!(message(&report, "compiles").contains("include-outside"), "{path}: {report}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&solution, project.path("in/lab-1/naive.cu")).unwrap();
        let answer = project.lab(&["grade", "in", "--ordered"]);
        assert_eq!(answer.status, 2);
        assert!(answer.json_lines()[0]["error"].as_str().unwrap().contains("symbolic link"));
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/etc", project.path("etc")).unwrap();
        let report = included("etc/passwd");
        assert!(message(&report, "compiles").contains("include-outside"), "{report}");
    }
}

#[test]
fn a_folder_gives_every_kernel_file_and_nothing_that_is_not_handed_in() {
    let project = Project::new();
    let solution = project.read("solutions/lab-1-stencil/naive.cu");
    for name in [
        "in/ada/lab-1/naive.cu",
        "in/bob/LAB1/NAIVE.CU",
        "in/.git/lab-1/naive.cu",
        "in/__MACOSX/ada/lab-1/naive.cu",
        "in/ada/lab-1/._naive.cu",
        "in/ada/lab-1/naive.cu.bak",
    ] {
        project.write(name, &solution);
    }
    let answer = project.lab(&["grade", "in", "--ordered"]);
    let graded: Vec<_> = answer.json_lines().iter().map(|o| o["file"].as_str().unwrap().to_owned()).collect();
    assert_eq!(graded, ["in/ada/lab-1/naive.cu", "in/bob/LAB1/NAIVE.CU"]);
    assert_eq!(answer.status, 0, "{}", answer.err);
    let told = answer.err.lines().filter(|line| line.contains("skipped")).collect::<Vec<_>>();
    assert_eq!(told.len(), 1, "{}", answer.err);
    assert!(told[0].contains("in/ada/lab-1/naive.cu.bak: skipped"), "{}", answer.err);
}

#[test]
fn a_variable_without_a_value_is_not_clean() {
    let project = Project::new();
    let solution = project.read("solutions/lab-1-stencil/naive.cu");
    assert!(solution.contains("float sum = 0.0f;"));
    project.write("hand-in.cu", solution.replace("float sum = 0.0f;", "float sum;"));
    let answer = project.lab(&["run", "1", "naive", "--kernel", "hand-in.cu", "--json"]);
    let report = answer.json_lines().remove(0);
    assert!(message(&report, "clean").contains("warning[uninitialized-variable]: `sum` is read before"));
    assert_eq!((&report["status"], &report["score"], answer.status), (&"failed".into(), &90.into(), 1));
    // One that has a value on some paths only costs the same, if a thread takes another path.
    let graded = |condition: &str| {
        let text = format!("float sum;\n    if ({condition}) sum = 0.0f;");
        project.write("hand-in.cu", solution.replace("float sum = 0.0f;", &text));
        let answer = project.lab(&["run", "1", "naive", "--kernel", "hand-in.cu", "--json"]);
        answer.json_lines().remove(0)
    };
    let report = graded("i % 7 != 5");
    let clean = message(&report, "clean");
    // Once, though it is so at several sizes.
    assert_eq!(clean.matches("warning[uninitialized-variable]: `sum` is used before").count(), 1, "{clean}");
    assert_eq!(report["score"], 90);
    assert_eq!(graded("i < n")["score"], 100);
}

#[test]
fn a_constant_that_is_no_macro_costs_only_the_comparison() {
    let project = Project::new();
    let solution = project.read("solutions/lab-7-transpose/padded.cu");
    let macros = "#ifndef PAD\n#define PAD 2\n#endif\n";
    assert!(solution.contains(macros));
    project.write("hand-in.cu", solution.replace(macros, "constexpr int PAD = 2;\n"));
    let answer = project.lab(&["run", "7", "padded", "--kernel", "hand-in.cu"]);
    assert_eq!(answer.status, 0, "{}", answer.out);
    assert!(answer.out.contains("does not let `PAD` be chosen"), "{}", answer.out);
    assert!(!answer.out.contains("error["), "{}", answer.out);
}

#[test]
fn a_course_file_sets_the_weights_and_its_mistakes_are_named() {
    let project = Project::new();
    let graded = |course: &str| {
        project.write("course.toml", course);
        project.lab(&["grade", "solutions/lab-1-stencil/naive.cu", "--course", "course.toml"])
    };
    project.write(
        "solutions/lab-1-stencil/naive.cu",
        project
            .read("solutions/lab-1-stencil/naive.cu")
            .replace("LOADS_AT_RADIUS_3 14", "LOADS_AT_RADIUS_3 7"),
    );
    let score = |course: &str| {
        let graded = graded(course);
        let report: serde_json::Value = serde_json::from_str(graded.out.trim()).unwrap();
        report["score"].as_u64().unwrap()
    };
    // One of three gates is missed by all of it: of 40 points, or of those that the course gives.
    assert_eq!(score(""), 86);
    assert_eq!(score("[weights]\ngates = 0"), 99);
    assert_eq!(score("[weights.gate]\nloads_counted = 3"), 76);
    assert_eq!(score("[weights.gate]\n\"lab-1/naive/loads_counted\" = 0"), 99);
    for (course, words) in [
        ("[weights.gate]\nnope = 1", "no exercise has the gate `nope`"),
        ("[weights]\nclean = -1", "the weight of `clean` is -1"),
        ("[weights]\ncorrect = 0", "the weight of `correct` must be above 0"),
        ("[weight]", "unknown field `weight`"),
        ("weights", "TOML"),
    ] {
        let refused = graded(course);
        assert_eq!(refused.status, 2, "{course}: {}", refused.out);
        assert!(refused.err.contains(words) && refused.out.is_empty(), "{course}: {}", refused.err);
    }
}
