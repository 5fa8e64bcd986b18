//! Patterns of paths, with the names that learning management systems give to files.

use gradebook::naming::{Field, Pattern};
use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;

fn find(pattern: &str, path: &str) -> Option<Vec<(Field, String)>> {
    let found = Pattern::parse(pattern).unwrap().find(path)?;
    Some(
        found
            .into_iter()
            .filter(|(field, _)| !matches!(field, Field::Folders | Field::Any | Field::Number))
            .collect(),
    )
}

#[track_caller]
fn finds(pattern: &str, path: &str, expected: &[(Field, &str)]) {
    let expected: Vec<_> = expected.iter().map(|(field, text)| (*field, (*text).to_owned())).collect();
    assert_eq!(find(pattern, path), Some(expected), "{path}");
}

const MOODLE: &str = "hand-in/{student}_{number}_assignsubmission_file[_]/**/{file}.cu";
const CANVAS: &str = "submissions/{student}[_{late}]_{id}_{number}_{file}[-{attempt}].cu";

#[test]
fn names_of_moodle() {
    use Field::{File, Student};
    finds(
        MOODLE,
        "hand-in/Ada Lovelace_1327627_assignsubmission_file_/tiled.cu",
        &[(Student, "Ada Lovelace"), (File, "tiled")],
    );
    finds(
        MOODLE,
        "hand-in/José d'Ávila_7_assignsubmission_file/lab-6/src/tiled.cu",
        &[(Student, "José d'Ávila"), (File, "tiled")],
    );
    finds(MOODLE, "hand-in/A_B_7_assignsubmission_file/x.cu", &[(Student, "A_B"), (File, "x")]);
    let flat = "hand-in/{student}_{number}_assignsubmission_file_{file}.cu";
    finds(
        flat,
        "hand-in/Ada Lovelace_1327627_assignsubmission_file_my_tiled.CU",
        &[(Student, "Ada Lovelace"), (File, "my_tiled")],
    );
}

#[test]
fn names_of_canvas() {
    use Field::{Attempt, File, Id, Late, Student};
    finds(
        CANVAS,
        "submissions/lovelaceada_4321_98765_tiled.cu",
        &[(Student, "lovelaceada"), (Id, "4321"), (File, "tiled")],
    );
    finds(
        CANVAS,
        "submissions/lovelaceada_LATE_4321_98765_my_tiled-2.cu",
        &[(Student, "lovelaceada"), (Id, "4321"), (Attempt, "2"), (Late, "LATE"), (File, "my_tiled")],
    );
}

#[test]
fn names_of_gradescope_github_classroom_and_blackboard() {
    use Field::{Exercise, File, Id, Lab, Student, Time};
    finds(
        "assignment_{number}_export/submission_{id}/**/{file}.cu",
        "assignment_17_export/submission_9/a/x.cu",
        &[(Id, "9"), (File, "x")],
    );
    finds(
        "lab-6-submissions/lab-6-{student}/kernels/{lab}-{any}/{exercise}.cu",
        "lab-6-submissions/lab-6-ada-lovelace/kernels/lab-6-tiled-matmul/tiled.cu",
        &[(Student, "ada-lovelace"), (Lab, "lab"), (Exercise, "tiled")],
    );
    finds(
        "{any}_{id}_attempt_{time}_{file}.cu",
        "./Lab 6_alovelace_attempt_2026-11-30-22-59-00_tiled.cu",
        &[(Id, "alovelace"), (Time, "2026-11-30-22-59-00"), (File, "tiled")],
    );
    finds(
        "{student}/{lab}/{exercise}.cu",
        "ada\\lab-1\\naive.cu",
        &[(Student, "ada"), (Lab, "lab-1"), (Exercise, "naive")],
    );
    finds(
        "**/{email}/{file}.cu",
        "/home/x/ada@example.org/naive.cu",
        &[(Field::Email, "ada@example.org"), (File, "naive")],
    );
}

/// Folders in a student's own folder do not make the files another one's.
#[test]
fn a_student_cannot_pass_for_another() {
    let pattern = "submissions/{student}/**/{file}.cu";
    for path in [
        "submissions/eve/ada/lab-1/naive.cu",
        "submissions/eve/submissions/ada/naive.cu",
        "submissions/eve/../ada/naive.cu",
    ] {
        assert_eq!(find(pattern, path).unwrap()[0], (Field::Student, "eve".to_owned()), "{path}");
    }
    assert_eq!(
        find("**/submissions/{student}/**/{file}.cu", "x/submissions/eve/submissions/ada/naive.cu").unwrap()
            [0]
        .1,
        "eve"
    );
    assert_eq!(find("{student}/{file}.cu", "submissions/eve/naive.cu"), None);
}

#[test]
fn a_wrong_pattern_is_explained() {
    for (pattern, message) in [
        ("{file}.cu", "it needs `{student}`, `{id}` or `{email}`"),
        ("{student}/{student}.cu", "`{student}` appears twice"),
        ("{name}.cu", "there is no field `{name}`; the fields are student, id"),
        ("{student", "a `}` is missing"),
        ("[{student}", "a `]` is missing"),
        ("{student}]", "there is a `]` with nothing that it closes"),
        ("[{student}[_{late}]]", "brackets within brackets"),
        ("{student}/*.cu", "`*` stands only in `**/`"),
        ("{student}[a][b][c][d][e]", "5 parts in brackets, and may have 4"),
    ] {
        let error = Pattern::parse(pattern).unwrap_err();
        assert!(error.contains(message), "{pattern}: {error}");
    }
}

/// A path that nearly matches in very many ways takes no longer than its length allows.
#[test]
fn hostile_paths_take_bounded_time() {
    let pattern = "{any}_{any}_{any}_{any}_{student}_{any}_{any}_{any}_{number}.cu";
    assert_eq!(find(pattern, &format!("{}x.cu", "_a".repeat(700))), None);
    assert_eq!(find("**/{student}/{file}.cu", &"a/".repeat(100_000)), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// What was put in for the fields is found again, composed, where nothing else in the path could be meant.
    #[test]
    fn fields_are_found_again(student in "[\\PC&&[^/_\\\\]]{1,20}", number in 0_u32.., file in "[\\PC&&[^/\\\\]]{1,20}") {
        let path = format!("hand-in/{student}_{number}_assignsubmission_file_/{file}.cu");
        let found = Pattern::parse(MOODLE).unwrap().find(&path).unwrap();
        prop_assert_eq!(&found[&Field::Student], &student.nfc().collect::<String>());
        prop_assert_eq!(&found[&Field::File], &file.nfc().collect::<String>());
    }

    #[test]
    fn no_pattern_and_path_cause_a_panic(pattern in "[{}\\[\\]*/a-z_]{0,30}", path in any::<String>()) {
        if let Ok(pattern) = Pattern::parse(&pattern) {
            pattern.find(&path);
        }
    }
}
