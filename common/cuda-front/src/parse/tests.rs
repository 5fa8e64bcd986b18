use crate::ast::*;
use crate::preprocess::{Options, preprocess};
use source::{Diagnostic, SourceMap};

fn parse_text(text: &str) -> (File, Vec<Diagnostic>, SourceMap) {
    let mut map = SourceMap::new();
    let file = map.add("a.cu", text);
    let mut diagnostics = Vec::new();
    let tokens = preprocess(&mut map, file, &Options::with_files(Vec::new()), &mut diagnostics);
    let tree = super::parse(&tokens, &mut diagnostics);
    (tree, diagnostics, map)
}

#[test]
fn scratch() {
    let Ok(path) = std::env::var("SCRATCH") else { return };
    let (tree, diagnostics, map) = parse_text(&std::fs::read_to_string(path).unwrap());
    for d in &diagnostics {
        println!("{}", source::render::full(&map, d, false));
    }
    println!("{} items", tree.items.len());
    if std::env::var("TREE").is_ok() {
        println!("{tree:#?}");
    }
}
