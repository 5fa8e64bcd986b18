//! Rosters as learning management systems export them.

use gradebook::course::Columns;
use gradebook::moment::Moment;
use gradebook::roster::{NotFound, Roster};

fn columns(text: &str) -> Columns {
    toml::from_str(text).unwrap()
}

fn ids(roster: &Roster) -> Vec<&str> {
    roster.entries().iter().map(|entry| entry.id.as_str()).collect()
}

#[test]
fn columns_have_their_names_by_default() {
    let text = "\u{feff}Name, ID ,email\r\n\"Lovelace, Ada\",17,Ada@example.org\r\nBob,18,\r\n";
    let roster = Roster::parse(text, &Columns::default(), None).unwrap();
    assert_eq!(ids(&roster), ["17", "18"]);
    for key in ["17", "ada@EXAMPLE.org", "Ada Lovelace", "lovelaceada", "Lovelace, Ada", " ada-lovelace"] {
        assert_eq!(roster.find(key), Ok(0), "{key}");
    }
    assert_eq!([roster.find("ada"), roster.find("")], [Err(NotFound::Unknown), Err(NotFound::Unknown)]);
}

#[test]
fn exports_of_three_systems_are_read() {
    let gradescope = "First Name,Last Name,SID,Email,Total Score,Submission ID,Submission Time\n\
        Ada,Lovelace,s1,ada@example.org,1.0,9001,2026-11-30 14:59:00 -0800\nBob,Noyce,s2,bob@example.org,,,\n";
    let names = columns(
        "id = 'SID'\nname = ['First Name', 'Last Name']\nkeys = ['Submission ID']\ntime = 'Submission Time'",
    );
    let roster = Roster::parse(gradescope, &names, None).unwrap();
    assert_eq!((roster.find("9001"), roster.find("noycebob"), roster.find("s2")), (Ok(0), Ok(1), Ok(1)));
    assert_eq!(roster.entries()[0].time, Some(Moment(1_796_079_540)));
    let canvas = "Student,ID,SIS User ID,SIS Login ID,Section,Lab 1 (7)\n    Points Possible,,,,,100\n\"Lovelace, Ada\",4321,s1,ada,A,50\n";
    let names = columns(
        "id = 'SIS User ID'\nname = 'Student'\nlogin = 'SIS Login ID'\ncanvas_id = 'ID'\nsection = 'Section'",
    );
    let roster = Roster::parse(canvas, &names, None).unwrap();
    assert_eq!((roster.find("4321"), roster.find("ada"), roster.find("lovelaceada")), (Ok(0), Ok(0), Ok(0)));
    let entry = &roster.entries()[0];
    assert_eq!((&*entry.canvas_id, &*entry.section, roster.entries().len()), ("4321", "A", 1));
    let moodle = "First name,Last name,ID number,Email address\nAda,Lovelace,s1,ada@example.org\n";
    let names = columns("id = 'ID number'\nname = ['First name', 'Last name']\nemail = 'Email address'");
    assert_eq!(Roster::parse(moodle, &names, None).unwrap().find("Ada Lovelace"), Ok(0));
}

#[test]
fn one_name_of_two_students_is_not_guessed() {
    let text = "id,name\n1,Ada Li\n2,Li Ada\n3,Ada Li\n";
    let columns = columns("name = 'name'");
    let roster = Roster::parse(text, &columns, None).unwrap();
    assert_eq!(roster.find("adali"), Err(NotFound::Several(vec!["1".into(), "3".into()])));
    assert_eq!(roster.find("3"), Ok(2));
}

#[test]
fn what_is_wrong_with_a_table_is_said_with_its_line() {
    for (text, names, message) in [
        ("a,b\n1,2\n", "", "line 1: there is neither a column `id` nor `name`"),
        ("id,name\n1,2\n", "email = 'Mail'", "line 1: there is no column `Mail`; the columns are id, name"),
        ("id,name\n1,Ada\n2\n", "", "line 3: the row has 1 cells, and the table has 2 columns"),
        ("id,name\n1,Ada\n1,Bob\n", "", "line 3: `1` is on line 2 too"),
        ("id,name\n,Ada\n", "", "line 2: the student has no identifier"),
        ("id,name,t\n1,Ada,noon\n", "time = 't'", "line 2: `noon` is not a time"),
        ("id,name,t\n1,Ada,2026-01-01 12:00\n", "time = 't'", "line 2: `2026-01-01 12:00` has no offset"),
    ] {
        let error = Roster::parse(text, &columns(names), None).unwrap_err();
        assert!(error.contains(message), "{error}");
    }
}
