//! The rules by which Canvas and Moodle import tables, in the order of their sources.

use crate::rollup::{ROSTER, graded, scored};
use crate::support::error;
use gradebook::course::Lms;
use gradebook::grades;
use gradebook::rollup::Gradebook;

/// Ada has an excused exercise, Bob one that could not be graded, Grace nothing. Eve is not on the roster.
fn gradebook() -> Gradebook {
    let course = "paths = ['in/{student}/{file}.cu']\n[exercise.'lab-1/naive']\ncolumn = 'Naive (12)'\n\
        [exercise.'lab-1/shared']\npoints = 12.5\n[[exception]]\nstudent = '1'\nexercise = 'lab-1/shared'\nexcused = true\n";
    let mut broken = error(2, "in/2/naive.cu", "memory limit");
    (broken["lab"], broken["exercise"]) = ("lab-1".into(), "naive".into());
    let objects = [
        scored("in/1/naive.cu", "naive", 87),
        scored("in/2/shared.cu", "shared", 33),
        broken,
        scored("in/Eve/naive.cu", "naive", 100),
    ];
    graded(course, Some(ROSTER), &objects).unwrap()
}

fn rows(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

/// Canvas, `lib/gradebook_importer.rb`; the names of its functions are in the comments.
#[test]
fn canvas_takes_the_table() {
    let lms = Lms { total: Some("Labs".to_owned()) };
    let text = grades::canvas(&gradebook(), &lms);
    // `identify_delimiter`: by the first three lines, a comma unless semicolons give more fields in each of them.
    let fields = |separator: char| -> Vec<usize> {
        text.lines().take(3).map(|line| line.split(separator).count()).collect()
    };
    assert_eq!(fields(';'), [1, 1, 1]);
    let rows = rows(&text);
    // `row_has_student_headers?`, `update_column_count` and `last_student_info_column`.
    let head = &rows[0];
    assert!(head.len() > 3 && head[0].contains("Student") && head[1].contains("ID"));
    assert_eq!(head[2..5], ["SIS User ID", "SIS Login ID", "Section"]);
    // `NON_ASSIGNMENT_COLUMN_HEADERS`: a column with such a name is ignored.
    for word in ["Current Score", "Final Score", "Final Grade", "Override"] {
        assert!(head[5..].iter().all(|name| !name.contains(word)));
    }
    // `check_for_non_student_row`: a row with this text has the points that are possible, and no other row has it.
    let possible: Vec<_> = rows.iter().filter(|row| row[0].contains("Points Possible")).collect();
    assert_eq!((possible.len(), &possible[0][5..]), (1, &["100", "12.5", "112.5"].map(str::to_owned)[..]));
    // `process_student`: without a Canvas or SIS identifier, the name decides, so no row may lack all of them.
    let students: Vec<&Vec<String>> = rows.iter().skip(2).collect();
    assert_eq!(students.len(), 3);
    assert!(students.iter().all(|row| !row[2].is_empty()));
    // `translate_pass_fail` and `process_gradebook_upload.js`: `EX` excuses; every other grade is a number, or empty for none.
    let cells: Vec<&[String]> = students.iter().map(|row| &row[5..]).collect();
    assert_eq!(cells, [["0", "0", "0"], ["87", "EX", "97.88"], ["", "4.13", ""]]);
    // `decimal_comma_to_period` takes commas in numbers for points.
    assert!(cells.iter().all(|row| row.iter().all(|cell| !cell.contains(','))));
}

/// Moodle, `grade/import/csv/classes/load_data.php`.
#[test]
fn moodle_takes_the_table() {
    let lms = Lms { total: Some("Labs".to_owned()) };
    let rows = rows(&grades::moodle(&gradebook(), &lms));
    let students = &rows[1..];
    // `map_user_data_with_value`: a row without the identifier that is mapped gets the student of the row before.
    assert!(students.iter().all(|row| !row[0].is_empty()));
    // `check_user_exists`: a student whom Moodle does not know ends the whole import.
    assert!(students.iter().all(|row| ["1", "2", "3"].contains(&row[0].as_str())));
    assert_eq!(students.len(), 3);
    // `update_grade_item`: empty is no grade, anything else must be a number (`unformat_float`).
    let cells: Vec<&[String]> = students.iter().map(|row| &row[4..]).collect();
    assert_eq!(cells, [["0", "0", "0"], ["87", "", "97.88"], ["", "4.13", ""]]);
    // `prepare_import_grade_data`: the columns are mapped by their place, so all rows have all of them, and no two have one name.
    assert!(rows.iter().all(|row| row.len() == rows[0].len()));
    let names: std::collections::BTreeSet<&String> = rows[0].iter().collect();
    assert_eq!(names.len(), rows[0].len());
}

/// A course without excused exercises has the plain sum, whatever the fractions are.
#[test]
fn a_total_that_is_not_scaled_is_the_sum() {
    let course = "paths = ['in/{student}/{file}.cu']\n[exercise.'lab-1/naive']\npoints = 33.33\n[exercise.'lab-1/shared']\npoints = 0.1\n";
    for score in 0..=100 {
        let objects = [scored("in/1/naive.cu", "naive", score), scored("in/1/shared.cu", "shared", score)];
        let gradebook = graded(course, Some(ROSTER), &objects).unwrap();
        let rows = rows(&grades::moodle(&gradebook, &Lms { total: Some("Labs".to_owned()) }));
        let of = |at: usize| rows[2][at].parse::<f64>().unwrap();
        assert!((of(4) + of(5) - of(6)).abs() < 1e-9, "{rows:?}");
    }
}
