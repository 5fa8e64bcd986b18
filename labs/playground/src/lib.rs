//! The labs in a page: front-end, simulator, harness and exercises behind one function from text to text.
//!
//! [`answer`] maps a request, a JSON object, to an answer, another JSON object: `{"ok": …}`, or `{"error": "…"}` with
//! a text that says what to do. A request has a field `do`:
//!
//! | `do` | further fields | `ok` |
//! |---|---|---|
//! | `list` | | the labs in order, each with its exercises and their starters |
//! | `check` | `text`, `file` | `diagnostics` of the compiler: objects as in a report, each with its text as `rendered` |
//! | `grade` | `lab`, `exercise`, `text`; `model`, `seed`, `extras`, `verbose` | the report as `lab run --format json` prints it, with its text as `rendered`, the text with all checks as `rendered_in_full`, and `pictures` of its races |
//! | `access` | as `grade` | `pictures` of what single warps access in the report case: each with `line`, `summary`, `svg` and `text` |
//! | `launch` | `text`, `file`, `line`; `access` | what `lab launch … --format json` prints for the options in `line`, with its text as `rendered` and its `pictures`; those of accesses if `access` is true |
//! | `hint` | `lab`, `exercise`, `step` from 1 | one hint as `text`, and how many `steps` there are |
//! | `explain` | `term` | the entry of the glossary or of a code as `text`; the names of `related` ones; `pages` of the book, each with `title` and `page` |
//!
//! Texts are worded for a page: they name no command, option or folder ([`source::set_page`]).
//!
//! Lines and columns are 1-based, and columns count characters (Unicode scalar values). The crate does not access
//! files or a clock and starts no threads. It contains the starters and the measured values of the solutions, but no
//! solution ([`harness::reference`]).
//!
//! [`interface`] exports this function for WebAssembly. A build for a browser has no threads and aborts on a panic;
//! it needs a large stack (`-zstack-size`), because without threads the front-end cannot create its own.

mod answer;
mod exercises;
pub mod interface;
mod kernels;
mod launch;
mod pictures;
mod request;
mod words;

pub use answer::answer;
