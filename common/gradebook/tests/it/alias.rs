//! Grades without names.

use crate::rollup::{ROSTER, graded, scored};
use crate::support::error;
use gradebook::alias::{Salt, Scrubber, anonymise};
use gradebook::grades;
use gradebook::rollup::Gradebook;
use proptest::prelude::*;

const COURSE: &str = "paths = ['in/{student}/{file}.cu']\n[exercise.'lab-1/naive']\n";

fn salt(byte: u8) -> Salt {
    Salt::new([byte; 16])
}

fn anonymous(salt: &Salt) -> (Gradebook, Scrubber) {
    let mut broken = error(2, "in/Bob Noyce/x.cu", "in/Bob Noyce/x.cu: Noyce has too much");
    (broken["lab"], broken["exercise"]) = ("lab-1".into(), "naive".into());
    let objects = [
        scored("in/Ada Lovelace/naive.cu", "naive", 80),
        broken,
        scored("in/Eve Stranger/naive.cu", "naive", 70),
    ];
    let mut gradebook = graded(COURSE, Some(ROSTER), &objects).unwrap();
    let scrubber = anonymise(&mut gradebook, salt).unwrap();
    (gradebook, scrubber)
}

/// The place of a student, by the score.
fn place(gradebook: &Gradebook, score: Option<f64>) -> usize {
    gradebook.students.iter().position(|s| s.marks[0].counted() == score).unwrap()
}

#[test]
fn no_name_is_left_in_any_form() {
    let (gradebook, _) = anonymous(&salt(7));
    let all = [grades::text(&gradebook), grades::csv(&gradebook), grades::json(&gradebook).to_string()];
    for text in all.map(|text| text.to_lowercase()) {
        for name in [
            "ada",
            "lovelace",
            "bob",
            "noyce",
            "grace",
            "hopper",
            "eve",
            "stranger",
            "example.org",
            "07070707",
        ] {
            assert!(!text.contains(name), "{name} is in\n{text}");
        }
    }
    let file = &gradebook.students[place(&gradebook, Some(80.0))].marks[0].submissions[0].file;
    assert!(file.starts_with("student-") && file.ends_with("/lab-1/naive.cu"), "{file}");
}

#[test]
fn aliases_depend_on_the_salt_and_on_nothing_else() {
    let names = |salt: &Salt| -> Vec<String> {
        anonymous(salt).0.students.iter().map(|s| s.entry.id.clone()).collect()
    };
    assert_eq!(names(&salt(7)), names(&salt(7)));
    let (one, other) = (names(&salt(7)), names(&salt(8)));
    assert!(one.iter().all(|name| !other.contains(name)), "{one:?} {other:?}");
    // By alias, so the order says nothing either.
    assert!(one.is_sorted());
    // The alias of Ada stays when others leave the course.
    let mut alone = graded(COURSE, Some("id,name\n1,Ada Lovelace\n"), &[]).unwrap();
    anonymise(&mut alone, &salt(7)).unwrap();
    assert!(one.contains(&alone.students[0].entry.id));
}

#[test]
fn a_salt_is_read_back_and_anything_else_is_refused() {
    assert_eq!(Salt::parse(&salt(0xa5).text()), Ok(salt(0xa5)));
    for text in
        ["", "x", &"a5".repeat(15), &"a5".repeat(17), &"g5".repeat(16), &"+5".repeat(16), "µµµµµµµµµµµµµµµµ"]
    {
        assert!(Salt::parse(text).is_err(), "{text}");
    }
    assert_eq!(format!("{:?}", salt(0xa5)), "Salt(secret)");
}

#[test]
fn names_in_texts_are_replaced_and_columns_stay() {
    let (gradebook, scrubber) = anonymous(&salt(7));
    let ada = place(&gradebook, Some(80.0));
    let text = "// by Ada Lovelace (ada@example.org), after Noyce, Bob\nint lovelaceada_count; // Ada's\nint adapter = max(a, 1);\n";
    let scrubbed = scrubber.scrub(ada, text);
    let columns = |text: &str| text.lines().map(|line| line.chars().count()).collect::<Vec<_>>();
    assert_eq!(columns(&scrubbed), columns(text));
    for name in ["Ada ", "Lovelace", "lovelace", "Bob", "Noyce", "example.org", "Ada'"] {
        assert!(!scrubbed.contains(name), "{name} is in\n{scrubbed}");
    }
    assert!(scrubbed.contains("int adapter = max(a, 1);") && scrubbed.contains("_count"), "{scrubbed}");
    // The path that grading named is the neutral one everywhere.
    let told = scrubber.scrub(ada, "--> in/Ada Lovelace/naive.cu:3:1");
    let file = &gradebook.students[ada].marks[0].submissions[0].file;
    assert_eq!(told, format!("--> {file}:3:1"));
    // A single part of another student's name is left: it may be any word.
    assert_eq!(scrubber.scrub(ada, "grace period"), "grace period");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever stands around and between, a full name does not survive.
    #[test]
    fn full_names_do_not_survive(before in "[ -~]{0,10}[ -/]", gap in "[ ._,-]{0,2}", after in "[ -/][ -~]{0,10}", swap in any::<bool>()) {
        let (gradebook, scrubber) = anonymous(&salt(7));
        let (first, last) = if swap { ("HOPPER", "grace") } else { ("Grace", "Hopper") };
        let text = format!("{before}{first}{gap}{last}{after}");
        let scrubbed = scrubber.scrub(place(&gradebook, Some(80.0)), &text).to_lowercase();
        prop_assert!(!scrubbed.contains("hopper"), "{text:?} {scrubbed:?}");
        prop_assert_eq!(scrubbed.chars().count(), text.to_lowercase().chars().count());
    }

    #[test]
    fn no_text_causes_a_panic(text in any::<String>()) {
        let (_, scrubber) = anonymous(&salt(7));
        scrubber.scrub(0, &text);
        scrubber.scrub(99, &text);
    }
}
