//! Writes the archive of feedback that an assignment in Moodle takes (*Upload multiple feedback files in a zip*).
//!
//! Moodle finds a student by the number in the path `FULL NAME_NUMBER_assignsubmission_file_/FILE`, the form that it
//! gives to downloaded submissions (`mod/assign/feedback/file/importziplib.php`). The number belongs to one assignment
//! and is in no roster, so it is taken from the paths of the student's files.

use super::gradebook::UNWRITTEN;
use crate::autograder::{Entry, zip};
use crate::screen::complain;
use crate::workspace::{unwritten, write_whole_bytes};
use gradebook::rollup::{Gradebook, Student};
use source::Failure;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The file in each folder.
const FILE: &str = "feedback.html";

/// The part of a path between the student's number and the submitted file.
const MARK: &str = "_assignsubmission_";

/// Writes the archive; `page` makes the page of a student, given by index.
///
/// # Errors
/// Says that no file is from Moodle, that two students have one folder, or that the archive cannot be written.
pub(super) fn write(
    gradebook: &Gradebook,
    path: &Path,
    mut page: impl FnMut(usize) -> Result<String, Failure>,
) -> Result<(), Failure> {
    let mut owners: BTreeMap<String, &str> = BTreeMap::new();
    let mut entries = Vec::new();
    let mut without = Vec::new();
    for (at, student) in gradebook.students.iter().enumerate() {
        let folders = folders(student);
        let name = student.name();
        if folders.is_empty() {
            without.push(name);
            continue;
        }
        let text = page(at)?;
        for folder in folders {
            if let Some(other) = owners.insert(folder.clone(), name) {
                let what = format!("{folder}: {other} and {name} have files in this folder of Moodle");
                return Err(Failure::new(what, "mend `paths` of the course file"));
            }
            entries.push(Entry::new(format!("{folder}/{FILE}"), text.as_bytes(), false));
        }
    }
    if entries.is_empty() {
        let what = "no file has a path that Moodle gives to submissions, so no student can get feedback";
        let help = format!("grade the folder that Moodle's download has: NAME_NUMBER{MARK}file_");
        return Err(Failure::new(what, help));
    }
    let too_large = || Failure::new("the feedback has 4 GiB or more", "grade fewer files at a time");
    let archive = zip(&entries).ok_or_else(too_large)?;
    write_whole_bytes(path, &archive).map_err(unwritten(path, UNWRITTEN))?;
    complain(&format!("{} feedback files are in {}", entries.len(), path.display()));
    if !without.is_empty() {
        complain(&format!("no file from Moodle, so no feedback: {}", without.join(", ")));
    }
    Ok(())
}

/// The folders of a student in an archive for Moodle: one for each assignment with a file of the student.
fn folders(student: &Student) -> BTreeSet<String> {
    let graded = student.marks.iter().flat_map(|mark| &mark.submissions);
    let files = graded.chain(&student.unknown).map(|submission| submission.file.as_str());
    files.flat_map(|file| file.split('/')).filter_map(folder).collect()
}

/// The folder that a part of a path stands for, if it is one of Moodle's: a folder, or a file of a download without
/// folders.
fn folder(part: &str) -> Option<String> {
    let (student, _) = part.split_once(MARK)?;
    let (name, number) = student.rsplit_once('_')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && !name.is_empty()).then(|| format!("{student}{MARK}file_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_moodle_are_known_by_their_number() {
        let ada = Some("Ada Lovelace_123_assignsubmission_file_".to_owned());
        assert_eq!(folder("Ada Lovelace_123_assignsubmission_file_"), ada);
        assert_eq!(folder("Ada Lovelace_123_assignsubmission_file"), ada);
        assert_eq!(folder("Ada Lovelace_123_assignsubmission_file_naive.cu"), ada);
        assert_eq!(folder("Ada Lovelace_assignsubmission_file_"), None);
        assert_eq!(folder("_123_assignsubmission_file_"), None);
        assert_eq!(folder("naive.cu"), None);
    }
}
