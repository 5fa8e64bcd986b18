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
fn a_column_that_is_missing_is_an_error() {
    for (text, names, message) in [
        ("a,b\n1,2\n", "", "line 1: there is neither a column `id` nor `name`"),
        ("id,name\n1,2\n", "email = 'Mail'", "line 1: there is no column `Mail`; the columns are id, name"),
        ("i\0d\0", "", "a table in UTF-16 needs a byte order mark"),
    ] {
        let error = Roster::parse(text, &columns(names), None).unwrap_err();
        assert!(error.contains(message), "{error}");
    }
    for bytes in [&b"\xff\xfei\0d"[..], b"\xfe\xff\xd8\0\0i"] {
        let error = Roster::parse(bytes, &Columns::default(), None).unwrap_err();
        assert!(error.contains("begins like UTF-16 text, but is not"), "{error}");
    }
}

/// Every row that is wrong is told, and the others count.
#[test]
fn rows_that_are_wrong_do_not_stop_the_others() {
    let text = "id,name,t\n1,Ada,noon\n,Eve,\n2\n,,\n\n3,Bob,\n\n1,Cy,\n4,\"Li, Ada\",2026-01-01 12:00\n";
    let expected = [
        "Ada: row 2 of the roster has a time of submission that does not count: `noon` is not a time such as 2026-11-30T23:59:00+01:00",
        "Eve: row 3 of the roster has no identifier; it is left out",
        "row 4 of the roster has 1 cells, but the table has 3 columns; it is left out",
        "Cy: row 9 of the roster has an identifier that row 2 has already: 1; it is left out",
        "Li, Ada: row 10 of the roster has a time of submission that does not count: `2026-01-01 12:00` has no offset from UTC, such as +01:00",
    ];
    for end in ["\n", "\r\n", "\r"] {
        let roster = Roster::parse(text.replace('\n', end), &columns("time = 't'"), None).unwrap();
        assert_eq!(ids(&roster), ["1", "3", "4"]);
        let told: Vec<String> = roster.problems().iter().map(ToString::to_string).collect();
        assert_eq!(told, expected, "{end:?}");
    }
}

/// What spreadsheets write in Europe, and what Excel calls "Unicode text".
#[test]
fn encodings_and_separators_are_found_out() {
    let text = "id;name;email\ns1;\"Müller, Zoë\";zoe@example.org\ns2;Ostrow “x” €;\n";
    let utf16 = |unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
        format!("\u{feff}{text}").replace(';', "\t").encode_utf16().flat_map(unit).collect()
    };
    let windows: Vec<u8> = text
        .chars()
        .map(|c| match c {
            '“' => 0x93,
            '”' => 0x94,
            '€' => 0x80,
            c => u8::try_from(u32::from(c)).unwrap(),
        })
        .collect();
    let tables = [
        text.as_bytes().to_vec(),
        format!("\u{feff}{text}").into_bytes(),
        utf16(u16::to_le_bytes),
        utf16(u16::to_be_bytes),
        windows,
    ];
    for table in tables {
        let roster = Roster::parse(&table, &Columns::default(), None).unwrap();
        let names: Vec<&str> = roster.entries().iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["Müller, Zoë", "Ostrow “x” €"], "{:?}", &table[..4]);
        assert_eq!(roster.entries()[0].email, "zoe@example.org");
    }
}

/// Spellings of a name: decomposed as macOS writes it, wide letters, upper case with what a letter becomes there, and the last name first.
#[test]
fn names_compare_as_people_read_them() {
    let roster =
        Roster::parse("id,name\n1,\"Groß, Zoë\"\n2,Οδυσσεύς\n3,山田 太郎\n", &Columns::default(), None)
            .unwrap();
    for (name, at) in [
        ("Zoe\u{308} Groß", 0),
        ("GROSS ZOË", 0),
        ("groß_zoë", 0),
        ("ＺＯË Groß", 0),
        ("ΟΔΥΣΣΕΎΣ", 1),
        ("山田太郎", 2),
    ] {
        assert_eq!(roster.find(name), Ok(at), "{name}");
    }
}
