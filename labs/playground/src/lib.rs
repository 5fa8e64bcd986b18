//! The labs in a page: front-end, simulator, harness and exercises behind one function from text to text.
//!
//! [`answer`] takes a request, a JSON object, and gives an answer, another one: `{"ok": …}`, or `{"error": "…"}` with a text that
//! says what to do. A request has a field `do`:
//!
//! | `do` | further fields | `ok` |
//! |---|---|---|
//! | `list` | | the labs in order, each with its exercises and their starters |
//! | `check` | `text`, `file` | `diagnostics` of the compiler: objects as in a report, each with its text as `rendered` |
//! | `grade` | `lab`, `exercise`, `text`; `model`, `seed`, `extras`, `verbose` | the report as `lab run --format json` prints it, with its text as `rendered` and `pictures` of its races |
//! | `access` | as `grade` | `pictures` of what single warps access in the report case: each with `line`, `summary`, `svg` and `text` |
//! | `launch` | `text`, `file`, `line`; `access` | what `lab launch … --format json` prints for the options in `line`, with its text as `rendered` and its `pictures`; those of accesses if `access` is true |
//! | `hint` | `lab`, `exercise`, `step` from 1 | one hint as `text`, and how many `steps` there are |
//! | `explain` | `term` | the entry of the glossary or of a code as `text`; the names of `related` ones; `pages` of the book, each with `title` and `page` |
//!
//! Lines and columns count from 1, and columns count characters (Unicode scalar values). Nothing here reads or writes a file, reads a
//! clock, or starts a thread. The crate carries the starters and what the solutions were measured to have, and no solution
//! ([`harness::reference`]).
//!
//! [`interface`] is the same for WebAssembly. A build for a browser has no threads and aborts on a panic; it needs a large stack
//! (`-zstack-size`), because the front-end cannot make one for itself there.

mod answer;
mod exercises;
pub mod interface;
mod kernels;
mod launch;
mod pictures;
mod request;
mod words;

pub use answer::answer;
