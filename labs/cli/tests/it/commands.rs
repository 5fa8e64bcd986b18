//! Runs every command on a new project: checks its output, changed files and exit status.

use crate::support::Project;

const NAIVE: &str = "lab-1-stencil/naive.cu";

#[test]
fn the_overview_names_the_next_step_and_what_is_solved() {
    let project = Project::new();
    let count = labs::all().iter().map(|lab| lab.exercises.len()).sum::<usize>();
    let fresh = project.lab(&[]);
    assert_eq!(fresh.status, 0, "{}", fresh.err);
    fresh.is_calm();
    assert!(fresh.out.contains(&format!("0 of {count} exercises solved")), "{}", fresh.out);
    assert!(
        fresh.out.contains("Next: edit kernels/lab-1-stencil/naive.cu, then `cargo lab run 1 naive`."),
        "{}",
        fresh.out
    );
    project.solve(NAIVE);
    let solved = project.lab(&[]);
    assert!(solved.out.contains(&format!("1 of {count} exercises solved")), "{}", solved.out);
    assert!(solved.out.contains("Next: edit kernels/lab-1-stencil/shared.cu"), "{}", solved.out);
    std::fs::remove_file(project.path("kernels/lab-1-stencil/shared.cu")).unwrap();
    let missing = project.lab(&[]);
    assert!(missing.out.contains("`cargo lab reset 1 shared` restores it"), "{}", missing.out);
}

#[test]
fn the_overview_takes_a_kept_grade_and_survives_a_damaged_one() {
    let project = Project::new();
    project.solve(NAIVE);
    let first = project.lab(&[]);
    assert!(first.out.contains("✓ naive"), "{}", first.out);
    let kept: Vec<_> =
        std::fs::read_dir(project.path("target/lab")).unwrap().map(|e| e.unwrap().path()).collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    std::fs::write(&kept[0], r#"{"passed":false,"score":42,"failed_check":"marker"}"#).unwrap();
    assert!(
        project.lab(&[]).out.contains("42 points    fails `marker`: Stencil"),
        "the kept grade is not used"
    );
    std::fs::write(&kept[0], "not json").unwrap();
    assert_eq!(project.lab(&[]).out, first.out);
    project.write("kernels/lab-1-stencil/naive.cu", "int changed;");
    assert!(project.lab(&[]).out.contains("✗ naive"), "a changed file has another grade");
}

#[test]
fn run_fails_on_a_starter_and_passes_on_its_solution() {
    let project = Project::new();
    let starter = project.lab(&["run", "1", "naive"]);
    assert_eq!(starter.status, 1, "{}{}", starter.out, starter.err);
    assert!(starter.out.contains("naive"), "{}", starter.out);
    starter.is_calm();
    let solution = project.lab(&["run", "stencil", "naive.cu", "--solution"]);
    assert_eq!(solution.status, 0, "{}{}", solution.out, solution.err);
    let other = project.lab(&["run", "lab-1", "naive", "--kernel", "solutions/lab-1-stencil/naive.cu"]);
    assert_eq!(other.status, 0, "{}{}", other.out, other.err);
    let but_the_step = |text: &str| text.rsplit_once("Next: ").unwrap().0.to_string();
    assert_eq!(but_the_step(&other.out), but_the_step(&solution.out));
    assert!(other.out.ends_with("Next: `cargo lab run 1 shared`\n"), "{}", other.out);
    assert!(solution.out.ends_with("Next: your own kernel: `cargo lab run 1 naive`\n"), "{}", solution.out);
}

#[test]
fn run_works_from_a_folder_inside_the_project() {
    let project = Project::new();
    let mut command = project.command(&["run", "1", "naive", "--kernel", "naive.cu"]);
    command.current_dir(project.path("solutions/lab-1-stencil"));
    assert!(command.status().unwrap().success());
}

#[test]
fn run_prints_one_json_object_a_line() {
    let project = Project::new();
    let answer =
        project.lab(&["run", "1", "naive", "--solution", "--json", "--seed", "7", "--model", "a100"]);
    assert_eq!(answer.status, 0, "{}", answer.err);
    let [report] = &answer.json_lines()[..] else { panic!("{}", answer.out) };
    assert_eq!(report["lab"], "lab-1");
    assert_eq!(report["exercise"], "naive");
    assert_eq!(report["status"], "passed");
    assert_eq!(report["score"], 100);
    assert_eq!(report["seed"], 7);
    assert_eq!(report["metrics"]["time"]["kind"], "modelled");
    assert_eq!(report["metrics"]["time"]["model"], "a100");
    assert!(report["counters"]["global_load_requests"].as_u64().unwrap() > 0);
    assert!(report["checks"].as_array().unwrap().iter().all(|c| c["status"] == "passed"));
}

#[test]
fn compare_shows_every_kernel_and_the_host() {
    let project = Project::new();
    let answer = project.lab(&["compare", "2", "--solution"]);
    assert_eq!(answer.status, 0, "{}{}", answer.out, answer.err);
    for part in ["host", "naive", "boundary", "modelled", "measured"] {
        assert!(answer.out.contains(part), "{part} is missing in\n{}", answer.out);
    }
    // The legend has the columns that are shown, and no others.
    for (column, legend) in [("ways", "ways: "), ("speed-up/line", "speed-up/line: "), ("s/st", "s/st: ")] {
        let heads =
            answer.out.lines().filter(|line| line.contains(" kernel ") || line.starts_with("  kernel"));
        let is_shown = heads.into_iter().any(|line| line.split_whitespace().any(|word| word == column));
        assert_eq!(is_shown, answer.out.contains(legend), "{column} in\n{}", answer.out);
    }
    assert_eq!(project.lab(&["compare", "2"]).status, 1, "starters fail");
}

#[test]
fn a_table_of_names_only_is_left_out() {
    let project = Project::new();
    let wrong = project.read("solutions/lab-2-convolution/naive.cu").replace("= sum;", "= sum + 1;");
    project.write("kernels/lab-2-convolution/naive.cu", wrong);
    let answer = project.lab(&["compare", "2"]);
    assert!(answer.out.contains("FAILED") && !answer.out.contains("Against the bound"), "{}", answer.out);
    assert!(!answer.out.contains("s/ld"), "{}", answer.out);
}

#[test]
fn host_code_of_a_graded_file_is_named_in_every_format() {
    let project = Project::new();
    let main = "int main() { return cudaMaloc(0) }\n";
    let path = "kernels/lab-1-stencil/naive.cu";
    let solution = project.read("solutions/lab-1-stencil/naive.cu");
    for text in [solution.clone(), solution.replace("out[i] = sum;", "out[i] = sum + 1;")] {
        project.write(path, format!("{text}{main}"));
        let run = |more: &[&str]| project.lab(&[&["run", "1", "naive"][..], more].concat()).out;
        for format in [&[][..], &["-v"], &["--json"], &["--format", "concise"], &["--format", "sarif"]] {
            let out = run(format);
            assert!(out.contains("host code is not checked: `main`"), "{format:?}: {out}");
        }
    }
    project.write(path, solution);
    let out = project.lab(&["run", "1", "naive", "--json"]).out;
    assert!(!out.contains("host code"), "{out}");
}

#[test]
fn reset_keeps_every_version_of_the_file() {
    let project = Project::new();
    let starter = project.read("kernels/lab-1-stencil/naive.cu");
    let versions = ["mine, first", "mine, second", "mine, third"];
    for version in versions {
        project.write("kernels/lab-1-stencil/naive.cu", version);
        let answer = project.lab(&["reset", "1", "naive", "--yes"]);
        assert_eq!(answer.status, 0, "{}", answer.err);
        assert!(answer.out.contains("your file is now kernels/lab-1-stencil/naive.cu.bak"), "{}", answer.out);
        assert_eq!(project.read("kernels/lab-1-stencil/naive.cu"), starter);
    }
    let kept = ["naive.cu.bak", "naive.cu.bak.2", "naive.cu.bak.3"];
    for (name, version) in kept.iter().zip(versions) {
        assert_eq!(project.read(&format!("kernels/lab-1-stencil/{name}")), version);
    }
    let again = project.lab(&["reset", "1", "naive", "--yes"]);
    assert!(again.out.contains("is already the starter"), "{}", again.out);
}

#[test]
fn a_starter_with_other_line_ends_is_the_starter() {
    let project = Project::new();
    let kernel = format!("kernels/{NAIVE}");
    let windows = format!("\u{feff}{}", project.read(&kernel).replace('\n', "\r\n"));
    project.write(&kernel, &windows);
    let overview = project.lab(&[]);
    assert!(overview.out.contains("0 of 25 exercises solved"), "{}", overview.out);
    assert!(!overview.out.contains('✗'), "it counts as not started: {}", overview.out);
    let reset = project.lab(&["reset", "1", "naive", "--yes"]);
    assert!(reset.out.contains("is already the starter"), "{}", reset.out);
    assert_eq!(project.lab(&["starters", "--check"]).status, 0);
    let run = project.lab(&["run", "1", "naive"]);
    assert!(run.out.contains("this is the starter"), "{}", run.out);
    assert_eq!(project.read(&kernel), windows, "no command changes the file");
}

#[test]
fn a_grade_is_kept_whatever_the_line_ends() {
    let project = Project::new();
    project.solve(NAIVE);
    let first = project.lab(&[]);
    let kernel = format!("kernels/{NAIVE}");
    project.write(&kernel, project.read(&kernel).replace('\n', "\r\n"));
    assert_eq!(project.lab(&[]).out, first.out);
    assert_eq!(std::fs::read_dir(project.path("target/lab")).unwrap().count(), 1);
}

#[test]
fn reset_without_a_terminal_asks_for_yes_and_changes_nothing() {
    let project = Project::new();
    project.write("kernels/lab-1-stencil/naive.cu", "mine");
    project.refused(&["reset", "1", "naive"], "--yes");
    assert_eq!(project.read("kernels/lab-1-stencil/naive.cu"), "mine");
    std::fs::remove_file(project.path("kernels/lab-1-stencil/naive.cu")).unwrap();
    let answer = project.lab(&["reset", "1", "naive"]);
    assert!(answer.out.contains("is restored"), "nothing is replaced, so nothing is asked: {}", answer.err);
}

#[test]
fn starters_are_checked_and_written_from_the_solutions() {
    let project = Project::new();
    assert_eq!(project.lab(&["starters", "--check"]).status, 0);
    project.write("kernels/lab-1-stencil/naive.cu", "mine");
    let check = project.lab(&["starters", "--check"]);
    assert_eq!(check.status, 1);
    assert!(
        check.out.contains("kernels/lab-1-stencil/naive.cu differs from what its solution says"),
        "{}",
        check.out
    );
    assert_eq!(project.read("kernels/lab-1-stencil/naive.cu"), "mine", "a check changes nothing");
    assert_eq!(project.lab(&["starters"]).status, 0);
    assert_eq!(project.lab(&["starters", "--check"]).status, 0);
    assert_eq!(project.read("kernels/lab-1-stencil/naive.cu.bak"), "mine");
}

#[test]
fn doctor_says_what_is_there_and_what_kernels_run_on() {
    let project = Project::new();
    let answer = project.lab(&["doctor"]);
    assert_eq!(answer.status, 0, "{}", answer.out);
    for part in ["Rust", "simulator", "nvcc", "ncu", "compute-sanitizer", "NVRTC", "GPU driver"] {
        assert!(answer.out.contains(part), "{part} is missing in\n{}", answer.out);
    }
    assert!(answer.out.contains("--on sim"), "{}", answer.out);
    let json: serde_json::Value = serde_json::from_str(&project.lab(&["doctor", "--json"]).out).unwrap();
    assert_eq!(json["healthy"], true);
    let without_gpu = json["gpu"].is_null();
    assert_eq!(json["default_device"], if without_gpu { "sim" } else { "both" });
    assert!(json["findings"].as_array().unwrap().iter().any(|f| f["name"] == "nvcc"));
}

#[test]
fn models_have_numbers_and_sources() {
    let project = Project::new();
    let text = project.lab(&["models"]);
    assert_eq!(text.status, 0);
    let json: serde_json::Value = serde_json::from_str(&project.lab(&["models", "--json"]).out).unwrap();
    let models = json.as_array().unwrap();
    for name in ["gtx260", "gtx980", "t4", "rtx4090", "a100", "h100", "h200"] {
        assert!(text.out.contains(name), "{name} is missing in\n{}", text.out);
        let model = models.iter().find(|m| m["name"] == name).expect(name);
        assert!(!model["sources"].as_object().unwrap().is_empty(), "{name}");
    }
}

#[test]
fn every_command_explains_itself_with_examples() {
    let project = Project::new();
    let commands =
        ["run", "watch", "hint", "compare", "grade", "compile", "launch", "explain", "reset", "starters"];
    for command in commands {
        let answer = project.lab(&[command, "--help"]);
        assert_eq!(answer.status, 0);
        assert!(answer.out.contains("Examples:") && answer.out.contains("cargo lab"), "{}", answer.out);
    }
    for command in ["doctor", "models"] {
        assert_eq!(project.lab(&[command, "--help"]).status, 0);
    }
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let project = Project::new();
    for arguments in [&[][..], &["models"], &["doctor"], &["run", "1", "naive", "--solution"]] {
        let mut command = project.command(arguments);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(!err.contains("panicked") && !err.contains("roken pipe"), "{arguments:?}: {err}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {err}");
    }
}

#[test]
fn a_gpu_that_is_not_there_is_an_error_that_says_what_to_do() {
    let project = Project::new();
    if project.lab(&["doctor", "--json"]).out.contains("\"default_device\": \"both\"") {
        return;
    }
    for on in ["gpu", "both"] {
        let answer = project.lab(&["run", "1", "naive", "--solution", "--on", on]);
        assert_eq!(answer.status, 2, "{}{}", answer.out, answer.err);
        assert!(answer.err.contains("driver") && answer.err.contains("cargo lab doctor"), "{}", answer.err);
    }
    let unknown = project.lab(&["run", "1", "naive", "--on", "tpu"]);
    assert_eq!(unknown.status, 2, "{}", unknown.err);
    assert!(unknown.err.contains("both"), "{}", unknown.err);
    let simulated = project.lab(&["run", "1", "naive", "--solution", "--on", "sim"]);
    assert_eq!(simulated.status, 0, "{}", simulated.err);
}

#[test]
fn profile_shows_the_simulators_counters_and_needs_a_gpu_for_others() {
    let project = Project::new();
    let answer = project.lab(&["profile", "7", "shared", "--solution", "--on", "sim"]);
    assert_eq!(answer.status, 0, "{}", answer.err);
    assert!(
        answer.out.contains("shared load wavefronts") && answer.out.contains("1048576"),
        "{}",
        answer.out
    );
    assert!(!answer.out.contains("GPU (ncu)"), "{}", answer.out);
    assert!(answer.out.contains("GPU not profiled: `--on sim`"), "{}", answer.out);
    if project.lab(&["doctor", "--json"]).out.contains("\"default_device\": \"both\"") {
        return;
    }
    for command in [&["profile", "7", "shared", "--on", "gpu"][..], &["sanitize", "7", "shared"]] {
        let answer = project.lab(command);
        assert_eq!(answer.status, 2, "{}{}", answer.out, answer.err);
        assert!(answer.err.contains("needs a GPU"), "{}", answer.err);
    }
}

#[test]
fn compile_shows_what_ptxas_says_or_how_to_get_it() {
    let project = Project::new();
    let answer = project.lab(&["compile", "solutions/lab-7-transpose/copy.cu", "--ptxas"]);
    if answer.status == 2 {
        assert!(answer.err.contains("no CUDA compiler"), "{}", answer.err);
        return;
    }
    assert_eq!(answer.status, 0, "{}", answer.err);
    assert!(answer.out.contains("registers, 0 bytes of stack, 0 bytes of spills"), "{}", answer.out);
}

#[test]
fn run_best_proves_the_kernel_at_the_limit_and_says_which_lab_has_none() {
    let project = Project::new();
    let best = project.lab(&["run", "7", "--best", "--on", "sim"]);
    assert_eq!(best.status, 0, "{}{}", best.out, best.err);
    assert!(best.out.contains("lab-7-transpose/best.cu"), "{}", best.out);
    let none = project.lab(&["run", "5", "--best", "--on", "sim"]);
    assert_eq!(none.status, 2, "{}", none.out);
    assert!(none.err.contains("no best kernel") && none.err.contains("lab 4's"), "{}", none.err);
    assert_eq!(project.lab(&["run", "7", "shared", "--best"]).status, 2, "it is one kernel a lab");
}

#[test]
fn tune_without_a_card_says_what_is_missing_and_keeps_nothing() {
    if backend::probe().is_ok() {
        return;
    }
    let project = Project::new();
    let data = project.path("data");
    let output = project.command(&["tune", "7"]).env("WARPLAB_DATA", &data).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("measuring on a card") && text.contains("cargo lab doctor"), "{text}");
    assert!(!data.exists());
}

#[test]
fn help_of_help_is_help() {
    let project = Project::new();
    let help = project.lab(&["help"]);
    for words in [["help", "--help"], ["help", "-h"]] {
        let answer = project.lab(&words);
        assert_eq!((answer.status, &answer.out), (0, &help.out), "{}", answer.err);
    }
}
