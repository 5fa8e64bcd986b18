//! `cargo lab watch`, driven through pipes.

use crate::support::Project;
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const NAIVE: &str = "kernels/lab-1-stencil/naive.cu";

/// Maximum wait for a page: far longer than needed, so that only a missing page fails.
const PATIENCE: Duration = Duration::from_secs(120);

struct Watch {
    child: Child,
    keys: Option<ChildStdin>,
    out: Arc<Mutex<String>>,
    /// Bytes of the output already processed.
    read: usize,
}

impl Watch {
    fn new(project: &Project, arguments: &[&str]) -> Watch {
        Watch::of(project.command(&[&["watch"], arguments].concat()))
    }

    fn of(mut command: Command) -> Watch {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (keys, mut stream) = (child.stdin.take(), child.stdout.take().unwrap());
        let out = Arc::new(Mutex::new(String::new()));
        let shared = out.clone();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = stream.read(&mut buffer) {
                bytes.extend_from_slice(&buffer[..length]);
                *shared.lock().unwrap() = String::from_utf8_lossy(&bytes).into_owned();
            }
        });
        Watch { child, keys, out, read: 0 }
    }

    /// Waits until the output contains `text`; returns the output up to it.
    fn wait_for(&mut self, text: &str) -> String {
        let begin = Instant::now();
        loop {
            let out = self.out.lock().unwrap().clone();
            let new = &out[self.read..];
            if let Some(at) = new.find(text) {
                let end = at + text.len();
                self.read += end;
                return new[..end].to_owned();
            }
            assert!(begin.elapsed() < PATIENCE, "`{text}` does not come in\n{new}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn press(&mut self, keys: &str) {
        let stream = self.keys.as_mut().unwrap();
        stream.write_all(keys.as_bytes()).unwrap();
        stream.flush().unwrap();
    }

    /// Waits until the program ends by itself; returns all output.
    fn end(mut self, status: i32) -> String {
        drop(self.keys.take());
        assert_eq!(self.child.wait().unwrap().code(), Some(status));
        let mut err = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        assert_eq!(err, "");
        let out = self.out.lock().unwrap().clone();
        assert!(!out.contains('\x1b'), "escapes where there is no terminal: {out}");
        out
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Saves as most editors do: a new file, renamed over the old one.
fn save(project: &Project, name: &str, text: impl AsRef<[u8]>) {
    let beside = format!("{name}.new");
    project.write(&beside, text);
    std::fs::rename(project.path(&beside), project.path(name)).unwrap();
}

#[test]
fn it_grades_at_once_and_on_each_save() {
    let project = Project::new();
    let mut watch = Watch::new(&project, &["1", "naive"]);
    let page = watch.wait_for("FAILED 0/100");
    assert!(
        page.contains("Grading kernels/lab-1-stencil/naive.cu") && page.contains("nothing is written yet"),
        "{page}"
    );
    save(&project, NAIVE, "__global__ void stencil_naive(");
    let page = watch.wait_for("FAILED 0/100");
    assert!(page.contains("FAILED compiles") && page.contains("naive.cu:1"), "{page}");
    std::fs::remove_file(project.path(NAIVE)).unwrap();
    watch.wait_for("does not exist");
    save(&project, NAIVE, project.read("solutions/lab-1-stencil/naive.cu"));
    let page = watch.wait_for("Next: edit kernels/lab-1-stencil/shared.cu");
    assert!(page.contains("passed 100/100") && page.contains("Solved lab-1/naive with 100 points"), "{page}");
    project.solve("lab-7-transpose/copy.cu");
    let page = watch.wait_for("passed 100/100");
    assert!(page.contains("lab-7 copy: "), "a save elsewhere goes on there: {page}");
    watch.press("q");
    watch.end(0);
}

#[test]
fn the_last_of_many_saves_is_graded() {
    let project = Project::new();
    let mut watch = Watch::new(&project, &["1", "naive"]);
    let solution = project.read("solutions/lab-1-stencil/naive.cu");
    watch.wait_for("Grading");
    for i in 0..20 {
        // Save incomplete and complete files, in place and by renaming, during gradings.
        project.write(NAIVE, &solution[..solution.len() / 2]);
        std::thread::sleep(Duration::from_millis(7 * i));
        save(&project, NAIVE, format!("{solution}// save {i}\n"));
    }
    watch.wait_for("passed 100/100");
    let out = watch.end(0);
    assert!(out.matches("Grading").count() < 40, "{out}");
}

#[test]
fn keys_show_hints_and_lists_go_on_and_run_again() {
    let project = Project::new();
    project.solve("lab-1-stencil/naive.cu");
    let mut watch = Watch::new(&project, &["1", "naive"]);
    watch.wait_for("Solved lab-1/naive");
    watch.press("h");
    let page = watch.wait_for("hint 1 of 4: ");
    assert!(page.contains("lab-1 naive: "), "{page}");
    watch.press("h");
    watch.wait_for("hint 2 of 4: ");
    watch.press("l");
    let page = watch.wait_for("1 of 25 exercises solved");
    assert!(page.contains("> ✓ naive") && page.contains("100 points") && !page.contains(" hint"), "{page}");
    watch.press("\n");
    watch.wait_for("Grading");
    watch.wait_for("passed 100/100");
    watch.press("f");
    watch.wait_for("Lines with most memory work");
    watch.press("fn");
    let page = watch.wait_for("FAILED 0/100");
    assert!(page.contains("lab-1 shared: ") && page.contains("nothing is written yet"), "{page}");
    watch.press("\u{3}");
    watch.end(0);
}

#[test]
fn reset_asks_and_keeps_the_file() {
    let project = Project::new();
    let starter = project.read(NAIVE);
    project.write(NAIVE, "mine");
    let mut watch = Watch::new(&project, &["1", "naive"]);
    watch.wait_for("FAILED 0/100");
    watch.press("r");
    watch.wait_for("[y/N]");
    watch.press("x");
    watch.wait_for("FAILED 0/100");
    assert_eq!(project.read(NAIVE), "mine");
    watch.press("ry");
    watch.wait_for("nothing is written yet");
    watch.wait_for("your file is now kernels/lab-1-stencil/naive.cu.bak");
    assert_eq!(project.read(NAIVE), starter);
    assert_eq!(project.read(&format!("{NAIVE}.bak")), "mine");
    watch.end(1);
}

#[test]
fn without_input_it_grades_once_and_ends() {
    let project = Project::new();
    project.solve("lab-1-stencil/naive.cu");
    let answer = project.lab(&["watch"]);
    assert_eq!(answer.status, 0, "{}", answer.err);
    assert!(
        answer.out.contains("passed 100/100"),
        "the first that is not known to be solved: {}",
        answer.out
    );
    assert!(answer.out.contains("The input ended, so `cargo lab watch` ends, too"), "{}", answer.out);
    let next = project.lab(&["watch"]);
    assert!(next.out.contains("lab-1 shared: "), "{}", next.out);
    assert_eq!(next.status, 1, "the exit status of the grade: {}", next.out);
    let lab = project.lab(&["watch", "6"]);
    assert!(lab.out.contains("lab-6 naive: ") && lab.out.contains("FAILED 0/100"), "{}", lab.out);
    project.refused(&["watch", "1", "nave"], "lab-1 has no exercise `nave`");
    project.refused(&["watch", "--model", "nothing"], "nothing");
}

#[test]
fn an_unknown_key_says_which_keys_there_are_and_changes_nothing() {
    let project = Project::new();
    let mut watch = Watch::new(&project, &["1", "naive"]);
    watch.wait_for("FAILED 0/100");
    watch.press("l");
    watch.wait_for("0 of 25 exercises solved");
    watch.press("x");
    let page = watch.wait_for("Esc goes back");
    assert!(page.contains("0 of 25 exercises solved") && page.contains("e, r, Enter and q"), "{page}");
    watch.press("q");
    watch.end(0);
}

#[cfg(unix)]
#[test]
fn a_key_opens_the_file_in_the_users_editor() {
    let project = Project::new();
    let edited = |editor: &str| {
        let mut command = project.command(&["watch", "1", "naive"]);
        command.env_remove("VISUAL").env("EDITOR", editor);
        let mut watch = Watch::of(command);
        watch.wait_for("FAILED 0/100");
        watch.press("e");
        watch
    };
    // An editor that replaces the text.
    let mut watch = edited("cp solutions/lab-1-stencil/naive.cu");
    watch.wait_for("passed 100/100");
    watch.end(0);
    project.write(NAIVE, "mine");
    for (editor, says) in
        [("", "No editor is set. Set VISUAL or EDITOR"), ("no-editor -w", "`no-editor -w` cannot be started")]
    {
        let mut watch = edited(editor);
        watch.wait_for(says);
        watch.press("q");
        watch.end(0);
    }
}
