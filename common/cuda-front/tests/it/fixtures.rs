//! Kernel files as tests: each file of a folder is a test with a name of its own.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Makes a test of each file `FOLDER/NAME.cu`, which calls `RUN`, a `fn(&Fixture)`, and a test that fails if a file has none:
///
/// `fixtures! { RUN, "FOLDER"; NAME NAME … }`, or, for a folder of folders, `fixtures! { RUN, "FOLDER"; AREA { NAME … } … }`.
///
/// A name is the file's, with `_` for `-`, and `r#` before a keyword. The names are written down because the tests of a program are fixed
/// when it is compiled, and files are read when it runs.
macro_rules! fixtures {
    ($run:path, $folder:expr; $($area:ident { $($name:ident)* })+) => {
        $(mod $area {
            fixtures! { $run, concat!($folder, "/", stringify!($area)); $($name)* }
        })+

        #[test]
        fn each_folder_has_tests() {
            let listed = [$(stringify!($area)),*];
            $crate::fixtures::assert_listed($folder, &listed, concat!(file!(), ":", line!()));
        }
    };
    ($run:path, $folder:expr; $($name:ident)*) => {
        $(#[test]
        fn $name() {
            $run(&$crate::fixtures::read($folder, stringify!($name)));
        })*

        #[test]
        fn each_file_has_a_test() {
            let listed = [$(stringify!($name)),*];
            $crate::fixtures::assert_listed($folder, &listed, concat!(file!(), ":", line!()));
        }
    };
}

/// A kernel file.
pub(crate) struct Fixture {
    pub(crate) path: PathBuf,
    /// The file's name.
    pub(crate) name: String,
    /// The file's name without `.cu`.
    pub(crate) stem: String,
    pub(crate) text: String,
}

impl Fixture {
    pub(crate) fn open(path: &Path) -> Fixture {
        let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let part = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        Fixture { path: path.to_owned(), name: part(path.file_name()), stem: part(path.file_stem()), text }
    }
}

/// The kernel files and the folders of a folder, in order. Folders are given from the crate's root.
fn entries(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let all = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut found: Vec<PathBuf> = all.map(|e| e.expect("a folder that can be read").path()).collect();
    found.retain(|path| path.is_dir() || path.extension().is_some_and(|e| e == "cu"));
    found.sort();
    found
}

/// Every kernel file below a folder, in order.
pub(crate) fn below(folder: &str) -> Vec<Fixture> {
    let mut found = Vec::new();
    for path in entries(folder) {
        if path.is_dir() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            found.extend(below(&format!("{folder}/{name}")));
        } else {
            found.push(Fixture::open(&path));
        }
    }
    found
}

/// The name of a file's or folder's test.
fn test_name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().replace('-', "_")
}

/// The file that a test reads.
pub(crate) fn read(folder: &str, name: &str) -> Fixture {
    let (folder, name) = (folder.replace("r#", ""), name.trim_start_matches("r#"));
    let path = entries(&folder).into_iter().find(|path| test_name(path) == name);
    Fixture::open(&path.unwrap_or_else(|| panic!("{folder} has no file for the test `{name}`")))
}

/// Fails unless a folder's files and folders are those of a list.
pub(crate) fn assert_listed(folder: &str, listed: &[&str], list: &str) {
    let folder = folder.replace("r#", "");
    let listed: BTreeSet<String> =
        listed.iter().map(|name| name.trim_start_matches("r#").to_owned()).collect();
    let found: BTreeSet<String> = entries(&folder).iter().map(|path| test_name(path)).collect();
    let missing: Vec<&str> = found.difference(&listed).map(String::as_str).collect();
    assert!(
        missing.is_empty(),
        "{folder} has no test for these; add them to the list at {list}: {}",
        missing.join(" ")
    );
    let gone: Vec<&str> = listed.difference(&found).map(String::as_str).collect();
    assert!(
        gone.is_empty(),
        "{folder} has no file for these; take them from the list at {list}: {}",
        gone.join(" ")
    );
}
