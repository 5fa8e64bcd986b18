//! The book's page on speed: its tables are those of the latest kept results of the comparison and of the suite, and
//! nothing else on it is generated.
//!
//! A table stands between `<!-- table NAME -->` and `<!-- end -->`, as on the page on the card's limit.

use crate::contestants::root;
use crate::record::{Kept, Record};
use crate::suite::{self, SuiteRecord};
use crate::tables;
use anyhow::Context;
use std::path::PathBuf;

/// A file of the book, as it is and as it should be.
pub(crate) struct Generated {
    pub(crate) path: PathBuf,
    pub(crate) is: String,
    pub(crate) should_be: String,
}

/// The page.
pub(crate) fn generated() -> anyhow::Result<Generated> {
    let record = Record::latest()?;
    let scaling =
        record.scaling.as_ref().context("the latest results have no scaling; `--save` measures it")?;
    let suite = SuiteRecord::latest()?;
    let book = root().join("docs/src");
    let page = book.join("speed.md");
    let is = std::fs::read_to_string(&page).with_context(|| format!("{} cannot be read", page.display()))?;
    let mut should_be = is.clone();
    for (name, table) in [
        ("machine", tables::machine(&record.setting)),
        ("comparison", tables::comparison(&record)),
        ("targets", tables::targets(&record)),
        ("sizes", tables::sizes(&scaling.sizes)),
        ("threads", tables::threads(&scaling.threads)),
        ("suite-machine", tables::machine(&suite.setting)),
        ("suite-summary", suite::summary(&suite)),
        ("suite", suite::rows(&suite)),
        ("suite-spellings", suite::spellings(&suite)),
    ] {
        should_be = filled(&should_be, name, &table)?;
    }
    Ok(Generated { path: page, is, should_be })
}

/// The page with one table replaced.
fn filled(page: &str, name: &str, table: &str) -> anyhow::Result<String> {
    let (begin, end) = (format!("<!-- table {name} -->\n"), "<!-- end -->");
    let missing = || format!("the page has no place for the table `{name}`: {begin}and {end}");
    let (before, rest) = page.split_once(&begin).with_context(missing)?;
    let (_, after) = rest.split_once(end).with_context(missing)?;
    Ok(format!("{before}{begin}\n{table}\n{end}{after}"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn page_shows_the_latest_results() {
        let file = super::generated().unwrap();
        let path = file.path.display();
        assert!(
            file.is == file.should_be,
            "{path} is out of date: run `cargo run --release -p peers -- --page`"
        );
    }

    #[test]
    fn a_table_replaces_what_was_between_its_marks() {
        let page = "a\n<!-- table x -->\nold\n<!-- end -->\nb\n";
        assert_eq!(super::filled(page, "x", "new").unwrap(), "a\n<!-- table x -->\n\nnew\n<!-- end -->\nb\n");
        assert!(super::filled(page, "y", "new").is_err());
    }
}
