//! Tests the formats of `run`, `compile` and `launch`, colours, and kernels' output with terminal escape sequences.

use crate::support::Project;
use serde_json::Value;

const RACE: &str = "__global__ void k(float *out) {\n    __shared__ float s[64];\n    s[threadIdx.x] = 1.0f + threadIdx.x;\n    \
                    out[threadIdx.x] = s[63 - threadIdx.x];\n}\n";
const LAUNCH: [&str; 10] =
    ["launch", "my k.cu", "--kernel", "k", "--grid", "1", "--block", "64", "--arg", "f32[64]=zeros"];

fn project() -> Project {
    let project = Project::new();
    project.write("my k.cu", RACE);
    project.write("docs/src/messages.md", "");
    project.write("broken.cu", "__global__ void k(float *out) { out[0] = yy; }\n");
    project
}

fn with<'a>(command: &[&'a str], options: &[&'a str]) -> Vec<&'a str> {
    [command, options].concat()
}

/// Checks the required parts of the SARIF schema; returns the results.
fn results(log: &Value) -> Vec<Value> {
    assert_eq!(log["version"], "2.1.0");
    let [run] = log["runs"].as_array().unwrap().as_slice() else { panic!("one run: {log}") };
    let driver = &run["tool"]["driver"];
    assert!(driver["name"].is_string() && driver["version"].is_string());
    let rules = driver["rules"].as_array().unwrap();
    for rule in rules {
        assert!(!rule["shortDescription"]["text"].as_str().unwrap().is_empty(), "{rule}");
        assert!(rule["helpUri"].as_str().unwrap().contains("://"), "an absolute URI: {rule}");
    }
    let results = run["results"].as_array().unwrap().clone();
    for result in &results {
        let rule = &rules[result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()), "{result}");
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let places = |name: &str| result[name].as_array().cloned().unwrap_or_default();
        for place in places("locations").iter().chain(&places("relatedLocations")) {
            let at = &place["physicalLocation"];
            let uri = at["artifactLocation"]["uri"].as_str().unwrap();
            assert!(!uri.contains(' ') && !uri.contains('\\'), "{uri}");
            for field in ["startLine", "startColumn", "endLine", "endColumn"] {
                assert!(at["region"][field].as_u64().unwrap() >= 1, "{place}");
            }
        }
    }
    results
}

#[test]
fn concise_is_a_line_per_finding_and_a_verdict() {
    let project = project();
    let race = project.lab(&with(&LAUNCH, &["--format", "concise"]));
    assert_eq!(race.status, 1, "{}", race.err);
    let lines: Vec<&str> = race.out.lines().collect();
    assert!(lines[0].starts_with("my k.cu:4:24: error[shared-memory-race]: "), "{}", race.out);
    assert_eq!(
        lines.last(),
        Some(&"k of my k.cu, grid 1x1x1, block 64x1x1: was stopped: see the message above")
    );
    let broken = project.lab(&["compile", "broken.cu", "--format", "concise"]);
    assert!(broken.out.starts_with("broken.cu:1:42: error[undeclared-name]: "), "{}", broken.out);
    assert!(broken.out.ends_with("\nbroken.cu does not compile\n"), "{}", broken.out);
    let run = project.lab(&["run", "2", "--format", "concise"]);
    let verdicts: Vec<&str> =
        run.out.lines().filter_map(|line| line.split_once(" note[verdict]: ")).map(|(_, v)| v).collect();
    assert_eq!(verdicts, ["lab-2/naive: FAILED 0/100", "lab-2/boundary: FAILED 0/100"], "{}", run.out);
    assert!(run.out.starts_with("kernels/lab-2-convolution/naive.cu:26:1: error[correct_"), "{}", run.out);
}

#[test]
fn sarif_has_what_its_schema_requires() {
    let project = project();
    let race = project.lab(&with(&LAUNCH, &["--format", "sarif"]));
    assert_eq!(race.status, 1, "{}", race.err);
    let found = results(&race.json_lines()[0]);
    let [race] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((&race["ruleId"], &race["level"]), (&"shared-memory-race".into(), &"error".into()));
    let place = &race["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "my%20k.cu");
    assert_eq!((&place["region"]["startLine"], &place["region"]["startColumn"]), (&4.into(), &24.into()));
    assert!(race["relatedLocations"].as_array().unwrap().len() >= 2, "{race}");

    let broken = project.lab(&["compile", "broken.cu", "--format", "sarif"]);
    assert_eq!(results(&broken.json_lines()[0])[0]["ruleId"], "undeclared-name");
    let passed = project.lab(&["run", "1", "naive", "--solution", "--format", "sarif"]);
    assert_eq!(passed.status, 0);
    assert!(results(&passed.json_lines()[0]).is_empty());
    let failed = project.lab(&["run", "2", "--format", "sarif"]);
    let [log] = &failed.json_lines()[..] else { panic!("one log for all exercises: {}", failed.out) };
    assert_eq!(results(log).len(), 2, "a finding per starter");
}

#[test]
fn json_is_an_alias_and_contradictions_are_refused() {
    let project = project();
    let plain = ["run", "1", "naive", "--solution"];
    let json = project.lab(&with(&plain, &["--json"]));
    assert_eq!(json.out, project.lab(&with(&plain, &["--format", "json"])).out);
    assert_eq!(json.out, project.lab(&with(&plain, &["--format=json", "--json"])).out);
    for command in [&plain[..], &["compile", "broken.cu"], &LAUNCH] {
        project.refused(
            &with(command, &["--json", "--format", "concise"]),
            "--json and --format concise contradict",
        );
    }
}

#[test]
fn colours_are_as_asked_for() {
    let project = project();
    let colored = |arguments: &[&str], variable: Option<&str>| {
        let mut command = project.command(arguments);
        command.envs(variable.map(|name| (name, "1")));
        let output = command.output().unwrap();
        [output.stdout, output.stderr].concat().contains(&0x1b)
    };
    let compile = ["compile", "broken.cu"];
    assert!(!colored(&compile, None));
    assert!(colored(&compile, Some("CLICOLOR_FORCE")));
    assert!(!colored(&with(&compile, &["--color", "never"]), Some("CLICOLOR_FORCE")));
    for command in [&compile[..], &["run", "1", "naive"], &["models"], &[], &["run", "--nothing"]] {
        assert!(colored(&with(&["--color=always"], command), Some("NO_COLOR")), "{command:?}");
        assert!(!colored(&with(command, &["--color", "auto"]), Some("NO_COLOR")), "{command:?}");
    }
    project.refused(&["compile", "broken.cu", "--color", "blue"], "always");
    for format in ["concise", "json", "sarif"] {
        assert!(!colored(&with(&compile, &["--color", "always", "--format", format]), None), "{format}");
    }
}

#[test]
fn texts_of_kernels_do_not_command_the_terminal() {
    let project = Project::new();
    project.write("k.cu", "__global__ void k() { printf(\"\\033[2J\\033[31mhello\\r\\n\"); }\n");
    project.write("e\u{1b}[2J.cu", "#error \u{1b}[2J\u{1b}[8mhidden\u{202e}\n__global__ void k() {}\n");
    let launch = ["launch", "k.cu", "--kernel", "k", "--grid", "1", "--block", "1"];
    let error = ["compile", "e\u{1b}[2J.cu"];
    for color in ["always", "never"] {
        for format in ["full", "concise"] {
            for command in [&launch[..], &error] {
                let answer = project.lab(&with(command, &["--color", color, "--format", format]));
                let all = answer.out + &answer.err;
                for forbidden in ["\u{1b}[2J", "\u{1b}[8m", "\u{202e}", "\r"] {
                    assert!(!all.contains(forbidden), "{command:?} prints {forbidden:?}: {all:?}");
                }
            }
        }
        let printed = project.lab(&with(&launch, &["--color", color]));
        assert!(printed.out.contains("\\x1b[2J\\x1b[31mhello\\r"), "{:?}", printed.out);
    }
    let json = project.lab(&with(&error, &["--json"]));
    let message = json.json_lines()[0]["diagnostics"][0]["message"].as_str().unwrap().to_string();
    assert!(message.contains("\u{1b}[8mhidden\u{202e}"), "data stays as it is: {message:?}");
    assert!(!json.out.contains('\u{202e}'), "and is escaped: {:?}", json.out);
}

/// Counters under the profiler's names, in its layout: of an exercise and of a launch.
#[test]
fn counters_are_a_table_of_the_profiler() {
    let project = Project::new();
    project.write("add.cu", "__global__ void add(int *sum) { atomicAdd(sum, 1); printf(\"hi\\n\"); if (threadIdx.x > 98) sum[9] = 1; }\n");
    let launch = ["launch", "add.cu", "--grid", "2", "--block", "64", "--arg", "i32[1]=zeros"];
    let table = project.lab(&with(&launch, &["--format", "ncu"])).out;
    let rows: Vec<Vec<&str>> = table.lines().map(|l| l[1..l.len() - 1].split("\",\"").collect()).collect();
    assert_eq!(rows.len(), 3, "{table}");
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{table}");
    let value = |name: &str| rows[2][rows[0].iter().position(|n| *n == name).unwrap()];
    assert_eq!(
        (value("Kernel Name"), value("Block Size"), value("Grid Size")),
        ("add", "(64, 1, 1)", "(2, 1, 1)")
    );
    let json = project.lab(&with(&launch, &["--json"])).json_lines()[0].clone();
    assert_eq!(json["profiler"]["smsp__inst_executed.sum"].to_string(), value("smsp__inst_executed.sum"));
    assert_eq!(json["profiler"]["smsp__inst_executed.sum"], json["counters"]["warp_instructions"]);
    assert_eq!(json["not_modelled"], serde_json::json!(["waits of atomics for the same address"]));
    assert!(project.lab(&launch).out.contains("not modelled"));

    let stopped = ["launch", "add.cu", "--grid", "1", "--block", "128", "--arg", "i32[1]=zeros"];
    let answer = project.lab(&stopped);
    assert!(answer.status == 1 && answer.out.contains("printed by the kernel\nhi\n"), "{}", answer.out);
    project.refused(&with(&stopped, &["--format", "ncu"]), "there are no counters of this launch");
    project.refused(&["compile", "add.cu", "--format", "ncu"], "compiling counts nothing");

    let table = project.lab(&["run", "7", "copy", "--solution", "--format", "ncu"]).out;
    assert_eq!(table.lines().count(), 3, "{table}");
    let explained = project.lab(&["explain", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"]).out;
    assert!(explained.starts_with("global_load_sectors\n"), "{explained}");
}
