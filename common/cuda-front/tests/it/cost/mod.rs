//! What compiling costs, by the shape of a file.
//!
//! A shape is a text of `n` parts of one kind. Doubling `n` must not make the work of any stage more than about twice as much, or a budget
//! must end it; and no file of 1 MiB may take long or much memory.

mod code;
mod doubling;
mod hostile;
mod measure;
mod names;
mod needs;
mod syntax;
mod text;

/// A name, and the text of `n` parts.
type Shape = (&'static str, fn(usize) -> String);

/// All shapes with the name of their group.
fn shapes() -> impl Iterator<Item = (String, fn(usize) -> String)> {
    let groups = [
        ("text", text::SHAPES),
        ("syntax", syntax::SHAPES),
        ("names", names::SHAPES),
        ("code", code::SHAPES),
        ("hostile", hostile::SHAPES),
    ];
    groups.into_iter().flat_map(|(group, shapes)| {
        shapes.iter().map(move |(name, text)| (format!("{group}::{name}"), *text))
    })
}

/// The number of parts with which a shape has nearly so many bytes, and no more.
fn parts(text: fn(usize) -> String, bytes: usize) -> usize {
    let (few, many) = (text(10).len(), text(110).len());
    let each = many.saturating_sub(few).max(100);
    let mut n = (bytes.saturating_sub(few) * 100 / each).max(2);
    // Later parts have longer numbers.
    while n > 2 && text(n).len() > bytes {
        n = (n * bytes / text(n).len()).min(n - 1).max(2);
    }
    n
}

fn repeated(n: usize, one: impl FnMut(usize) -> String) -> String {
    (0..n).map(one).collect()
}

fn lines(n: usize, mut one: impl FnMut(usize) -> String) -> String {
    repeated(n, |i| one(i) + "\n")
}

fn chain(n: usize, between: &str, one: impl FnMut(usize) -> String) -> String {
    (0..n).map(one).collect::<Vec<_>>().join(between)
}

/// How the kernel of most shapes begins.
const KERNEL: &str = "__global__ void k(int *o, float *g, int n) {";

fn kernel(body: &str) -> String {
    format!("{KERNEL}\n{body}\n}}\n")
}
