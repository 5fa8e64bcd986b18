//! A program with a few of its words changed.

use super::Choices;
use crate::words::words;

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// What says where code runs: without it the code is the host's, which is not looked at.
fn is_fixed(word: &str) -> bool {
    matches!(word, "__device__" | "__global__" | "__host__" | "__forceinline__" | "include" | "#")
        || word.trim().is_empty()
}

const TYPES: [&str; 10] =
    ["int", "float", "unsigned", "bool", "double", "char", "short", "long", "void", "half"];
const OPERATORS: [&str; 24] = [
    "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "&&", "||", "<", ">", "==", "=", "+=", "%=", ".",
    "->", ",", "::", "!", "~",
];

/// Changes one word.
pub fn mutate(text: &str, c: &mut Choices<'_>) -> String {
    let mut words: Vec<&str> = words(text);
    let first_line = words.iter().position(|w| *w == "\n").map_or(0, |n| n + 1);
    let able: Vec<usize> = (first_line..words.len()).filter(|n| !is_fixed(words[*n])).collect();
    if able.is_empty() {
        return text.to_owned();
    }
    let at = c.pick(&able);
    let names: Vec<usize> = able.iter().copied().filter(|n| is_name(words[*n])).collect();
    let marks: Vec<usize> = able.iter().copied().filter(|n| OPERATORS.contains(&words[*n])).collect();
    let types: Vec<usize> = able.iter().copied().filter(|n| TYPES.contains(&words[*n])).collect();
    match c.below(9) {
        0 | 1 if !names.is_empty() => {
            let (to, from) = (c.pick(&names), c.pick(&names));
            words[to] = words[from];
        }
        2 | 3 if !marks.is_empty() => {
            let to = c.pick(&marks);
            words[to] = c.pick(&OPERATORS);
        }
        4 if !types.is_empty() => {
            let to = c.pick(&types);
            words[to] = c.pick(&TYPES);
        }
        5 => words.insert(at, words[at]),
        6 => {
            let next = able.iter().copied().find(|n| *n > at).unwrap_or(at);
            words.swap(at, next);
        }
        7 if !names.is_empty() => {
            let to = c.pick(&names);
            words[to] = c.pick(&["misspelt", "1", "1.5f", "const", "nullptr"]);
        }
        _ => {
            words.remove(at);
        }
    }
    words.concat()
}
