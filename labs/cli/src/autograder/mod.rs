//! Builds autograders for course platforms. An autograder contains the program, so that nothing is installed when the
//! platform runs it for a submission.
//!
//! The entry points are shell scripts in `texts`. They handle students' files, so they never put a student's file
//! name into a command's text: names are passed to `cp` and to the program after `--` or `./`. The scripts decide
//! nothing: the program grades and writes the platform's format, including the missing exercises of the assignment.
//! If grading itself fails, the scripts write no score, and the platform reports that the autograder failed.
//!
//! The scripts for Slurm ([`Autograder::slurm`]) grade whole folders on a cluster. They also pass names only as
//! arguments.

mod archive;
mod stripped;

use crate::registry::Target;
pub(crate) use archive::{Entry, crc32, little_endian, zip};
use source::Failure;
use stripped::stripped;

const GRADE: &str = include_str!("texts/grade.sh");
const SETUP: &str = include_str!("texts/setup.sh");
const RUN_AUTOGRADER: &str = include_str!("texts/run_autograder.sh");
const DRIVER: &str = include_str!("texts/driver.sh");
const MAKEFILE: &str = include_str!("texts/autograde.mk");
const CLASSROOM: &str = include_str!("texts/classroom.yml");
const SUBMIT: &str = include_str!("texts/submit.sh");
const GRADE_SBATCH: &str = include_str!("texts/grade.sbatch");
const MERGE_SBATCH: &str = include_str!("texts/merge.sbatch");
const FILES: &str = include_str!("texts/files.sh");

/// How submissions are graded.
pub(crate) struct Autograder<'a> {
    /// Text of the course file.
    pub(crate) course: Option<String>,
    /// The seed; `None` for the program's default.
    pub(crate) seed: Option<u64>,
    /// The exercises of the assignment; empty for a cluster, which grades all.
    pub(crate) targets: Vec<Target<'a>>,
}

impl Autograder<'_> {
    /// The archive for Gradescope.
    ///
    /// # Errors
    /// Says that the program does not run on Gradescope's machines, or is too large.
    pub(crate) fn gradescope(&self, program: Vec<u8>) -> Result<Vec<u8>, Failure> {
        let entries =
            self.entries("", program, &[("run_autograder", RUN_AUTOGRADER), ("setup.sh", SETUP)])?;
        archive::zip(&entries)
            .ok_or_else(|| Failure::new("the program has 4 GiB or more", "give a smaller one"))
    }

    /// `autograde.tar` and `autograde-Makefile` for Autolab.
    ///
    /// # Errors
    /// Says that the program does not run on Autolab's machines.
    pub(crate) fn autolab(&self, program: Vec<u8>) -> Result<(Vec<u8>, &'static str), Failure> {
        // tar recognizes the compression, whatever the file's name.
        let entries = self.entries("autograde/", program, &[("driver.sh", DRIVER)])?;
        Ok((archive::gzip(&archive::tar(&entries)), MAKEFILE))
    }

    /// The workflow for a repository on GitHub.
    pub(crate) fn classroom(&self) -> String {
        let files = self.targets.iter().map(|t| format!("kernels/{}/{}.cu", t.lab.folder, t.exercise.name()));
        let count = self.targets.len();
        CLASSROOM
            .replace("@FILES@", &files.collect::<Vec<_>>().join(" \\\n            "))
            .replace("@POINTS@", &(100 * count).to_string())
            .replace("@COUNT@", &count.to_string())
    }

    /// The files of a folder from which a cluster with Slurm grades.
    ///
    /// # Errors
    /// Says that the program is not for Linux.
    pub(crate) fn slurm(&self, program: Vec<u8>) -> Result<Vec<Entry>, Failure> {
        // Accept any architecture, because clusters differ.
        if !program.starts_with(b"\x7fELF") {
            return Err(Failure::new(
                "the program was not built for Linux, which the cluster's nodes run",
                "run this command on the cluster, or give a program for its nodes with --program",
            ));
        }
        let mut entries = vec![
            Entry::new("submit", SUBMIT, true),
            Entry::new("grade.sbatch", GRADE_SBATCH.replace("@OPTIONS@", &self.options()), false),
            Entry::new("merge.sbatch", MERGE_SBATCH, false),
            Entry::new("files.sh", FILES, false),
            Entry::new("lab", program, true),
        ];
        entries.extend(self.course.iter().map(|text| Entry::new("course.toml", text.clone(), false)));
        Ok(entries)
    }

    /// The files of an archive, in order of their names.
    fn entries(
        &self,
        folder: &str,
        program: Vec<u8>,
        scripts: &[(&str, &str)],
    ) -> Result<Vec<Entry>, Failure> {
        runs_there(&program)?;
        let entry = |name: &str, bytes: Vec<u8>, is_executable: bool| {
            Entry::new(format!("{folder}{name}"), bytes, is_executable)
        };
        let mut entries: Vec<Entry> =
            scripts.iter().map(|(name, text)| entry(name, (*text).into(), true)).collect();
        entries.extend(self.course.iter().map(|text| entry("course.toml", text.clone().into(), false)));
        entries.push(entry("grade.sh", GRADE.replace("@OPTIONS@", &self.options()).into(), true));
        entries.push(entry("lab", stripped(program), true));
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    /// The options of `lab grade` for a shell, each preceded by a blank.
    fn options(&self) -> String {
        let mut options = String::new();
        if self.course.is_some() {
            options.push_str(" --course \"$here/course.toml\"");
        }
        if let Some(seed) = self.seed {
            options.push_str(&format!(" --seed {seed}"));
        }
        // With several exercises, each file identifies its own.
        if let [target] = self.targets.as_slice() {
            options.push_str(&format!(" --exercise {}", target.name()));
        }
        if !self.targets.is_empty() {
            let names: Vec<String> = self.targets.iter().map(Target::name).collect();
            options.push_str(&format!(" --assignment {}", names.join(",")));
        }
        options
    }
}

/// Checks that a program runs on the platforms' machines: Linux on x86-64.
fn runs_there(program: &[u8]) -> Result<(), Failure> {
    // ELF magic number, 64-bit, little-endian; then the machine type, 62 for x86-64.
    let is_elf = program.starts_with(b"\x7fELF\x02\x01");
    if is_elf && program.get(18..20) == Some(&[62, 0]) {
        return Ok(());
    }
    Err(Failure::new(
        "the program was not built for Linux on x86-64, which the platform runs",
        "give one with --program, such as the one in an archive that `.ci/pack build` made on Linux",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_systems_programs_are_refused() {
        let mut program = b"\x7fELF\x02\x01\x01".to_vec();
        program.resize(64, 0);
        assert!(runs_there(&program).is_err());
        program[18] = 62;
        assert!(runs_there(&program).is_ok());
        assert!(runs_there(b"MZ").is_err() && runs_there(b"").is_err());
    }
}
