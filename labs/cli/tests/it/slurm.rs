//! The job scripts for Slurm, run without it: `sbatch` is replaced by a script that runs each task of an array at once. `.ci/slurm` runs them on a
//! real Slurm.

use crate::support::{Answer, Project, solution};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

/// A folder name that breaks unquoted shell commands.
const SUBMISSIONS: &str = "-a * '$(touch touched)'\n\"`touch touched`";
const RESULTS: &str = "results %j \\ ;touch touched";

/// Imitates `sbatch`: runs a copy of the script once per task. `sbatch.log` records the request.
const SBATCH: &str = r#"#!/bin/bash
tasks=1 options=()
while [[ $1 == --* ]]; do
    options+=("$1")
    [[ $1 != --array=1-* ]] || tasks=${1#--array=1-}
    shift
done
echo "${options[*]} ${1##*/}" >>"$CLUSTER/sbatch.log"
id=$(wc -l <"$CLUSTER/sbatch.log")
cp -- "$1" "$CLUSTER/script"
shift
export SLURM_ARRAY_JOB_ID=$id SLURM_ARRAY_TASK_ID SLURM_CPUS_PER_TASK=1
for ((SLURM_ARRAY_TASK_ID = 1; SLURM_ARRAY_TASK_ID <= tasks; SLURM_ARRAY_TASK_ID++)); do
    bash "$CLUSTER/script" "$@" >/dev/null 2>&1 </dev/null
    echo "$id.$SLURM_ARRAY_TASK_ID $?" >>"$CLUSTER/ends"
done
echo "$id;cluster"
"#;

/// Start of scripts that replace the program: they pass `--list` to the program under test.
const LIST: &str = concat!("[[ $2 != --list ]] || exec ", env!("CARGO_BIN_EXE_lab"), " \"$@\"\n");

/// A cluster with the scripts in `autograder`.
struct Cluster {
    project: Project,
}

impl Cluster {
    fn new(program: &str) -> Cluster {
        let cluster = Cluster { project: Project::new() };
        cluster.project.write("elf", b"\x7fELF\x02\x01\x01");
        let made = cluster.project.lab(&[
            "autograder",
            "slurm",
            "-o",
            "autograder",
            "--program",
            "elf",
            "--seed",
            "3",
        ]);
        assert_eq!(made.status, 0, "{}", made.err);
        assert!(made.out.contains("autograder/submit SUBMISSIONS RESULTS SHARDS"), "{}", made.out);
        std::fs::remove_file(cluster.project.path("autograder/lab")).unwrap();
        match program {
            "" => {
                symlink(env!("CARGO_BIN_EXE_lab"), cluster.project.path("autograder/lab")).unwrap();
            }
            text => cluster.script("autograder/lab", text),
        }
        cluster.script("bin/sbatch", SBATCH);
        cluster.script("bin/squeue", "#!/bin/sh\n[ ! -e \"$CLUSTER/busy\" ] || echo \"$2\"\n");
        cluster.script("bin/scontrol", "#!/bin/sh\necho \"$@\" >>\"$CLUSTER/scontrol.log\"\n");
        cluster
    }

    fn script(&self, name: &str, text: &str) {
        self.project.write(name, text);
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(self.project.path(name), executable).unwrap();
    }

    /// Runs `submit` with these arguments.
    fn submit(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Answer {
        let mut submit = Command::new(self.project.path("autograder/submit"));
        let path = format!("{}:{}", self.project.path("bin").display(), std::env::var("PATH").unwrap());
        submit.args(arguments).current_dir(self.project.root()).env("PATH", path);
        submit.env("CLUSTER", self.project.root()).envs(variables.iter().copied());
        for name in ["CARGO", "CARGO_PKG_NAME", "LAB_DEVICE"] {
            submit.env_remove(name);
        }
        Answer::of(submit.output().unwrap())
    }

    fn has(&self, name: &str) -> bool {
        self.project.path(name).exists()
    }
}

#[test]
fn the_tasks_of_a_cluster_give_the_results_of_a_single_run() {
    let cluster = Cluster::new("");
    let project = &cluster.project;
    let copy = solution("lab-7-transpose/copy.cu");
    let below = |name: &str| format!("{SUBMISSIONS}/{name}");
    for name in ["a b/copy.cu", "c\nd/copy.CU", "e.cu/copy.cu"] {
        project.write(&below(name), &copy);
    }
    project.write(&below("f/copy.cu"), "not a kernel");
    // The scripts must count the files that `grade` finds: not these four, but also links and files with wrong names,
    // which are errors.
    for name in [".copy.cu", ".g/copy.cu", "__MACOSX/copy.cu", "readme", "copy.cu.txt"] {
        project.write(&below(name), &copy);
    }
    symlink("copy.cu", project.path(&below("a b/link.cu"))).unwrap();
    symlink("f", project.path(&below("folder.cu"))).unwrap();

    let submitted = cluster.submit(&[SUBMISSIONS, RESULTS, "3", "--partition=short"], &[]);
    assert_eq!(submitted.status, 0, "{}", submitted.err);
    assert!(
        submitted.out.starts_with("job 1 grades 7 files in 3 tasks, and job 2 then"),
        "{}",
        submitted.out
    );
    assert_eq!(project.read("ends"), "1.1 0\n1.2 0\n1.3 0\n2.1 0\n", "{}", submitted.out);
    let common = "--parsable --output=/dev/null --partition=short";
    assert_eq!(
        project.read("sbatch.log"),
        format!(
            "{common} --array=1-3 grade.sbatch\n{common} --dependency=afterok:1 --kill-on-invalid-dep=yes merge.sbatch\n"
        )
    );
    // Run it as the installed program, because texts in the results name the program.
    let mut single = project.command(&["grade", "--seed", "3", "--ordered", "--", SUBMISSIONS]);
    let single = Answer::of(single.env_remove("CARGO").env_remove("CARGO_PKG_NAME").output().unwrap());
    assert_eq!(single.out.lines().count(), 7);
    let grades = || project.read(&format!("{RESULTS}/grades.jsonl"));
    assert!(grades() == single.out, "{}", grades());
    assert!(!cluster.has("touched") && !cluster.has("scontrol.log"));

    // Run again with one truncated part; the other parts are complete.
    let part = format!("{RESULTS}/part-1-of-3.jsonl");
    let whole = project.read(&part);
    project.write(&part, &whole[..whole.len() - 9]);
    let again = cluster.submit(&[SUBMISSIONS, RESULTS, "3"], &[]);
    assert_eq!(again.status, 0, "{}", again.err);
    assert!(grades() == single.out, "{}", grades());
    assert!(
        project.read(&format!("{RESULTS}/grade-1.log")).contains("1 of 3 results are there already"),
        "continued"
    );
}

#[test]
fn a_task_that_is_stopped_goes_back_into_the_queue() {
    let cluster = Cluster::new("");
    cluster.project.write("in/a.cu", "");
    cluster.project.write("in/b.cu", "");
    let ends = |program: &str, restarts: &str| {
        for name in ["autograder/lab", "sbatch.log", "ends", "scontrol.log"] {
            let _ = std::fs::remove_file(cluster.project.path(name));
        }
        let _ = std::fs::remove_dir_all(cluster.project.path("out"));
        // Replaces the program for the tasks only; this test is not about merging.
        cluster.script(
            "autograder/lab",
            &format!("#!/bin/bash\n{LIST}[[ $1 == grade ]] || exit 0\n{program}\n"),
        );
        let submitted = cluster.submit(&["in", "out", "2"], &[("SLURM_RESTART_COUNT", restarts)]);
        assert_eq!(submitted.status, 0, "{}", submitted.err);
        let task = cluster.project.read("ends").lines().next().unwrap().to_owned();
        let requeued = cluster.has("scontrol.log").then(|| cluster.project.read("scontrol.log"));
        (task, requeued, cluster.project.read("out/grade-1.log"))
    };
    let both = Some("requeue 1_1\nrequeue 1_2\n".to_owned());
    // A signal other than the time limit's, sent from outside or because memory ran out.
    let (task, requeued, log) = ends("kill -9 $$", "2");
    assert_eq!((task.as_str(), &requeued), ("1.1 1", &both), "{log}");
    let (task, requeued, log) = ends("kill -9 $$", "3");
    assert_eq!((task.as_str(), &requeued), ("1.1 1", &None), "{log}");
    assert!(log.contains("exit status 137"), "{log}");
    // A restart may be repeated if the last one produced more results.
    let one_more = "while [[ $1 != -o ]]; do shift; done\necho {} >>\"$2\"\nkill -9 $$";
    assert_eq!(ends(one_more, "3").1, both);
    // The signal that Slurm sends before the time limit.
    let (_, requeued, log) = ends("kill -USR1 $PPID\nexec sleep 60", "9");
    assert_eq!(requeued, both, "{log}");
    assert!(log.contains("the time is nearly over"), "{log}");
    // Wrong options stay wrong, so the task is not restarted.
    let (task, requeued, log) = ends("exit 2", "0");
    assert_eq!((task.as_str(), requeued), ("1.1 1", None), "{log}");
    assert!(log.contains("0 results of 1"), "{log}");
}

#[test]
fn what_cannot_be_submitted_is_refused() {
    let started = "[[ $1 != grade ]] || touch \"$CLUSTER/started\"\n";
    let cluster = Cluster::new(&format!("#!/bin/bash\n{LIST}{started}"));
    let refused = |arguments: &[&str], message: &str| {
        let answer = cluster.submit(arguments, &[]);
        assert_ne!(answer.status, 0, "{arguments:?}");
        assert!(answer.err.contains(message), "{arguments:?}: {}", answer.err);
        assert!(!cluster.has("sbatch.log"), "{arguments:?}");
    };
    refused(&["in", "out"], "usage:");
    refused(&["in", "out", "0"], "usage:");
    refused(&["in", "out", "4", "5"], "error: 5 is no option of sbatch");
    refused(&["in", "out", "4"], "in is not a folder");
    std::fs::create_dir(cluster.project.path("in")).unwrap();
    refused(&["in", "out", "4"], "no .cu file");
    cluster.project.write("in/a.cu", "");
    cluster.project.write("busy", "");
    cluster.project.write("out/jobs", "1,2\n");
    refused(&["in", "out", "4"], "jobs 1,2 still write to");
    std::fs::remove_file(cluster.project.path("busy")).unwrap();
    // A file added between submission and task would change the indices of the others.
    cluster.script("bin/sbatch", &SBATCH.replace("id=$(", "touch \"$CLUSTER/in/b.cu\"\nid=$("));
    cluster.submit(&["in", "out", "4"], &[]);
    assert!(cluster.project.read("sbatch.log").contains("--array=1-1 "), "no task without a file");
    assert!(cluster.project.read("ends").starts_with("1.1 1\n"));
    assert!(cluster.project.read("out/grade-1.log").contains("files were added to in, or removed"));
    assert!(!cluster.has("started"));
    cluster.project.write("text", "#!/bin/sh\n");
    cluster
        .project
        .refused(&["autograder", "slurm", "-o", "x", "--program", "text"], "was not built for Linux");
}
