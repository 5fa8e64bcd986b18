//! Names on the command line: the program's own, those of labs and exercises, and what shells complete.
//! Every spelling is tried in the unit tests of `selection`; here, that each command takes them.

use crate::support::{Answer, Project};
use std::process::Command;

const STARTER: &str = "kernels/lab-1-stencil/naive.cu is already the starter\n";

/// Runs the program in a folder of the project.
fn inside(project: &Project, folder: &str, arguments: &[&str]) -> Answer {
    let mut command = project.command(arguments);
    Answer::of(command.current_dir(project.path(folder)).output().unwrap())
}

#[test]
fn commands_take_an_exercise_however_it_is_written() {
    let project = Project::new();
    let path = project.path("kernels/lab-1-stencil/naive.cu");
    for words in [
        &["1", "naive"][..],
        &["Lab_1", "NAIVE.cu"],
        &["lab", "1", "naive"],
        &["stencil/naive"],
        &["kernels/lab-1-stencil/naive.cu"],
        &[path.to_str().unwrap()],
        &[r".\kernels\lab-1-stencil\naive.cu"],
    ] {
        let answer = project.lab(&[&["reset"], words].concat());
        assert_eq!((answer.out.as_str(), answer.status), (STARTER, 0), "{words:?}: {}", answer.err);
    }
    let answer = inside(&project, "kernels/lab-1-stencil", &["reset", "naive.cu"]);
    assert_eq!(answer.out, STARTER, "{}", answer.err);
    let answer = inside(&project, "kernels/lab-1-stencil", &["reset"]);
    assert!(answer.out.starts_with(STARTER) && answer.out.lines().count() == 5, "{}", answer.out);
    let two = project.lab(&["run", "2/boundary", "5", "--solution", "--json"]);
    let names: Vec<_> = two.json_lines().iter().map(|o| o["exercise"].as_str().unwrap().to_owned()).collect();
    assert_eq!(names, ["boundary", "cached_halo"], "{}", two.err);
    let profile = project.lab(&["profile", "transpose/copy", "--solution", "--on", "sim"]);
    assert!(profile.out.starts_with("lab-7/copy"), "{}{}", profile.out, profile.err);
    let compare = project.lab(&["compare", "kernels/lab-5-cached-halo/", "--solution"]);
    assert!(compare.status == 0 && compare.out.contains("cached_halo"), "{}{}", compare.out, compare.err);
}

#[test]
fn a_file_elsewhere_is_run_as_the_exercise_that_it_is_for() {
    let project = Project::new();
    project.write("my.cu", project.read("solutions/lab-1-stencil/naive.cu"));
    let answer = project.lab(&["run", "my.cu", "--json"]);
    let report = &answer.json_lines()[0];
    assert_eq!((&report["lab"], &report["exercise"]), (&"lab-1".into(), &"naive".into()), "{}", answer.err);
    assert_eq!((&report["file"], answer.status), (&"my.cu".into(), 0));
    project.refused(&["reset", "my.cu"], "name the exercise: `cargo lab reset 1 naive`");
    project.refused(&["run", "1", "my.cu"], "--kernel my.cu");
}

#[test]
fn a_name_of_several_labs_is_an_error_with_commands_to_copy() {
    let project = Project::new();
    let help = "name the lab too:\n    cargo lab run 1 naive --solution\n    cargo lab run 2 naive --solution\n    cargo lab run 6 naive --solution\n";
    project.refused(&["run", "naive", "--solution"], help);
    project
        .refused(&["run", "stencl", "naive"], "did you mean `stencil`?\n    cargo lab run stencil naive\n");
    project.refused(&["run", "1", "naive", "--model", "gtx262"], "`gtx262` (did you mean `gtx260`?)");
    project.refused(&["comapre", "1"], "'compare'");
    project.refused(&["run", "1", "--on", "boht"], "'both'");
}

/// Runs the program as installed, without Cargo.
fn installed(project: &Project, arguments: &[&str]) -> Answer {
    let mut command = project.command(arguments);
    Answer::of(command.env_remove("CARGO").env_remove("CARGO_PKG_NAME").output().unwrap())
}

#[test]
fn an_installed_program_calls_itself_lab() {
    let project = Project::new();
    let endless = "__global__ void k(int *p) { for (;;) atomicAdd(p, 1); }\n";
    project.write("k.cu", endless);
    let launch = "launch k.cu --kernel k --grid 1 --block 1 --arg i32[1]=zeros --budget 1000 --on sim";
    let mut answers =
        vec![installed(&project, &[]), installed(&project, &["--help"]), installed(&project, &["doctor"])];
    answers.push(installed(&project, &launch.split(' ').collect::<Vec<_>>()));
    for wrong in
        [&["run"][..], &["run", "naive"], &["launch", "k.cu", "--kernel", "j", "--grid", "1", "--block", "1"]]
    {
        answers.push(installed(&project, wrong));
    }
    for command in subcommands(&project) {
        answers.push(installed(&project, &[&command, "--help"]));
    }
    for answer in &answers {
        let text = format!("{}{}", answer.out, answer.err);
        assert!(!text.contains("cargo lab"), "{text}");
    }
    assert!(answers[0].out.contains("then `lab run 1 naive`."), "{}", answers[0].out);
    assert!(
        answers[1].out.contains("\n  lab compare 7 ") && answers[1].out.contains("Usage: lab "),
        "{}",
        answers[1].out
    );
    assert!(answers[3].out.contains("of `lab launch` sets"), "{}", answers[3].out);
    assert!(answers[5].err.contains("\n    lab run 1 naive\n"), "{}", answers[5].err);
    // The help must not suggest a shell function that calls itself.
    assert!(!installed(&project, &["completions", "--help"]).out.contains("lab()"));
    let cargo = project.lab(&launch.split(' ').collect::<Vec<_>>());
    assert_eq!(cargo.out.replace("cargo lab", "lab").lines().last(), answers[3].out.lines().last());
    assert!(cargo.out.contains("of `cargo lab launch` sets"), "{}", cargo.out);
}

/// The commands that the help lists.
fn subcommands(project: &Project) -> Vec<String> {
    let help = project.lab(&["--help"]).out;
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = list.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names: Vec<String> = names.filter(|n| !n.is_empty() && *n != "help").map(str::to_owned).collect();
    assert!(names.len() > 12, "{names:?}");
    names
}

/// What the program answers to a shell's script for the last of the words.
fn offered(project: &Project, folder: &str, shell: &str, words: &[&str]) -> Vec<String> {
    let mut command = project.command(&[&["--", "lab"], words].concat());
    command.env("LAB_COMPLETE", shell).env("_CLAP_COMPLETE_INDEX", words.len().to_string());
    let answer =
        Answer::of(command.env("_CLAP_IFS", "\n").current_dir(project.path(folder)).output().unwrap());
    assert_eq!((answer.status, answer.err.as_str()), (0, ""), "{shell} {words:?}");
    // Zsh and fish also get descriptions.
    answer.out.lines().map(|line| line.split([':', '\t']).next().unwrap().to_owned()).collect()
}

#[test]
fn every_shell_completes_commands_labs_exercises_and_models() {
    let project = Project::new();
    let commands = subcommands(&project);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let answer = project.lab(&["completions", shell]);
        assert_eq!(answer.status, 0, "{shell}: {}", answer.err);
        assert!(answer.out.contains("LAB_COMPLETE"), "{shell}: {}", answer.out);
        let all = offered(&project, ".", shell, &[""]);
        assert!(commands.iter().all(|command| all.contains(command)), "{shell}: {all:?}");
        assert_eq!(offered(&project, ".", shell, &["run", "1", "na"]), ["naive"], "{shell}");
    }
    project.refused(&["completions", "bsh"], "'bash'");
}

#[test]
fn completions_depend_on_the_words_before() {
    let project = Project::new();
    let offered = |words: &str| offered(&project, ".", "bash", &words.split(' ').collect::<Vec<_>>());
    let lab_2 = ["naive", "boundary"];
    for words in
        ["run 2 ", "run lab 2 ", "run --seed 1 convolution ", "hint 1 naive 2 ", "watch 2 --model gtx260 "]
    {
        let words = offered(words);
        let exercises: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
        assert_eq!(exercises, lab_2);
    }
    let all = offered("run ");
    assert!(["lab-1", "all", "lab-1/naive"].iter().all(|word| all.contains(&word.to_string())), "{all:?}");
    assert_eq!(offered("run 7/naive_read_r"), ["7/naive_read_rows"]);
    assert_eq!(offered("run kernels/lab-2-convolution/n"), ["kernels/lab-2-convolution/naive.cu"]);
    assert_eq!(offered("compare conv"), ["convolution"]);
    assert_eq!(offered("explain out"), ["out-of-bounds"]);
    assert_eq!(offered("explain bank con"), ["conflict"]);
    assert_eq!(offered("run 1 --model gtx"), ["gtx260", "gtx980"]);
    assert_eq!(offered("grade --format grades"), ["gradescope"]);
    assert!(offered("onc").is_empty(), "a hidden command");
    let here = self::offered(&project, "kernels/lab-1-stencil", "bash", &["run", "sh"]);
    assert_eq!(here, ["shared"]);
}

/// Asks Bash itself for completions.
#[cfg(unix)]
#[test]
fn bash_completes_a_target() {
    let project = Project::new();
    project.write("lab.bash", project.lab(&["completions", "bash"]).out);
    let complete = |words: &str| {
        let script = format!(
            "source lab.bash; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _clap_complete_lab lab \"${{COMP_WORDS[-1]}}\" \"${{COMP_WORDS[-2]}}\"; echo \"${{COMPREPLY[*]}}\""
        );
        let output =
            Command::new("bash").args(["--norc", "-c", &script]).current_dir(project.root()).output();
        output.ok().map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    // Skip the test without Bash.
    let Some(answer) = complete("lab run lab-7/naive") else { return };
    assert_eq!(answer, "lab-7/naive_read_rows lab-7/naive_read_columns\n");
    assert_eq!(complete("lab comp").unwrap(), "compare compile completions\n");
    assert_eq!(complete("lab run 1 na").unwrap(), "naive\n");
}

#[test]
fn there_is_a_manual_page_for_the_program_and_for_each_command() {
    let project = Project::new();
    let page = project.lab(&["man"]);
    assert!(page.out.contains(".TH lab 1") && page.out.contains("lab compare 7"), "{}{}", page.out, page.err);
    let answer = project.lab(&["man", "--out", "pages/man1"]);
    assert_eq!(answer.status, 0, "{}", answer.err);
    for command in subcommands(&project) {
        let page = project.read(&format!("pages/man1/lab-{command}.1"));
        assert!(page.contains("SYNOPSIS") && !page.contains("cargo lab"), "{page}");
    }
    project.refused(&["man", "--out", "kernels/lab-1-stencil/naive.cu"], "cannot be written");
}

/// In a checkout, too: only Cargo needs a compiler there.
#[test]
fn an_installed_program_needs_no_rust() {
    let project = Project::new();
    let doctor = |is_installed: bool| {
        let mut command = project.command(&["doctor"]);
        if is_installed {
            command.env_remove("CARGO").env_remove("CARGO_PKG_NAME");
        }
        Answer::of(command.env("PATH", project.path("kernels")).output().unwrap())
    };
    assert_eq!(doctor(false).status, 1, "{}", doctor(false).out);
    assert_eq!(doctor(true).status, 0, "{}", doctor(true).out);
}
