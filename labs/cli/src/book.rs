//! Pointers to pages of the book, where there is a copy of it: in a checkout. A folder that `lab init` wrote has none.

/// Where the pages are in a checkout.
const PAGES: &str = "docs/src";

/// Whether the current folder, or one above it, has the book's pages.
pub(crate) fn is_here() -> bool {
    std::env::current_dir().is_ok_and(|here| here.ancestors().any(|folder| folder.join(PAGES).is_dir()))
}

/// The path of a page, as texts write it; `None` without a copy of the book.
pub(crate) fn page(name: &str) -> Option<String> {
    is_here().then(|| format!("{PAGES}/{name}"))
}

/// A sentence for the README of a folder without the book: where it is.
pub(crate) fn whereabouts() -> String {
    let explain = "`lab explain WORD` explains every message, gate and word of a report";
    let url =
        [env!("CARGO_PKG_HOMEPAGE"), env!("CARGO_PKG_REPOSITORY")].into_iter().find(|url| !url.is_empty());
    match url {
        Some(url) => format!("The book has a chapter for each lab: <{url}>. {explain}."),
        None => format!(
            "The book, with a chapter for each lab, is in the project's folder `{PAGES}`. Without it, {explain}."
        ),
    }
}
