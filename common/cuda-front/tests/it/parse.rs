//! Programs under `tests/parse`: those in `pass` parse without a word, and those in `fail` give the messages of their
//! snapshot. Trees are compared in the short form of [`tree`].

use crate::fixtures::{self, Fixture};
use crate::tree;
use cuda_syntax::ast::File;
use cuda_syntax::parse::parse;
use cuda_syntax::preprocess::{Options, preprocess};
use source::{Diagnostic, SourceMap, render};

fn read(fixture: &Fixture) -> (File, Vec<Diagnostic>, SourceMap) {
    let mut map = SourceMap::new();
    let file = map.add(fixture.name.as_str(), fixture.text.as_str());
    let mut diagnostics = Vec::new();
    let tokens = preprocess(&mut map, file, &Options::with_files(Vec::new()), &mut diagnostics);
    let tree = parse(&tokens, &mut diagnostics);
    (tree, diagnostics, map)
}

fn assert_snapshot(folder: &str, fixture: &Fixture, text: &str) {
    insta::with_settings!({ snapshot_path => folder, prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(fixture.stem.as_str(), text);
    });
}

mod pass {
    fixtures! { crate::parse::passes, "tests/parse/pass";
        declarations everything expressions host lab_like statements
    }
}

fn passes(fixture: &Fixture) {
    let (file, diagnostics, map) = read(fixture);
    let messages: Vec<_> = diagnostics.iter().map(|d| render::concise(&map, d)).collect();
    assert!(messages.is_empty(), "{messages:#?}");
    // The two long ones are only to parse; their trees would say nothing new.
    if !matches!(fixture.stem.as_str(), "everything" | "lab_like") {
        assert_snapshot("../parse/pass", fixture, &tree::file(&file));
    }
}

mod fail {
    fixtures! { crate::parse::fails, "tests/parse/fail";
        bad_host_constant closing_brace_too_many device_allocation exception for_with_commas
        host_type_on_device invalid_number invalid_type launch_on_device misplaced_brackets misplaced_unroll
        missing_body missing_closing_brace missing_closing_brace_before_function missing_closing_brace_of_host
        missing_closing_paren missing_closing_paren_of_while missing_expression missing_opening_brace
        missing_parameter_type missing_parameter_type_last missing_result_type missing_semicolon
        missing_semicolon_after_struct missing_typename misspelled_marker misspelled_specifier several_errors
        stray_else type_as_value unknown_statement unknown_type unknown_type_in_cast unknown_type_of_member
        unknown_type_of_own_member unknown_type_of_parameter unknown_type_shapes vexing_parse
    }
}

fn fails(fixture: &Fixture) {
    let (_, diagnostics, map) = read(fixture);
    assert!(!diagnostics.is_empty(), "no message");
    let mut messages = String::new();
    for d in &diagnostics {
        messages += &render::concise(&map, d);
        messages += "\n";
        for label in d.labels.iter().filter(|l| !l.message.is_empty()) {
            let at = map.position(label.span);
            messages += &format!("  {}:{} {}\n", at.line, at.column, label.message);
        }
        for help in &d.help {
            messages += &format!("  help: {help}\n");
        }
    }
    assert_snapshot("../parse/fail", fixture, &messages);
}

#[test]
fn the_many_constructs_of_one_file_are_all_there() {
    let text = tree::file(&read(&fixtures::read("tests/parse/pass", "everything")).0);
    for part in [
        "kernel kernel<int BLOCK> launch_bounds(256, 2)",
        "kernel ck(",
        "kernel ck2(",
        "skipped main(",
        "instantiate",
        "#unroll(4)",
        "(tex2D<float>)(tex,",
        "cooperative_groups::this_thread_block",
    ] {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
}
