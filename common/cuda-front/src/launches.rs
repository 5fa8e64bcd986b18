//! Checks launches in host code: `name<<<…>>>` must not name a function of the file that is not a kernel.

use cuda_syntax::Word;
use cuda_syntax::ast::{File, Function, FunctionBody, Item};
use cuda_syntax::preprocess::{Token, TokenKind};
use source::hash::Map;
use source::{Code, Diagnostic};

/// Reports `name<<<…>>>` where `name` is a function of this file and no kernel.
pub(crate) fn check(tokens: &[Token], tree: &File, diagnostics: &mut Vec<Diagnostic>) {
    let mut functions: Map<&Word, Vec<&Function>> = Map::default();
    for item in &tree.items {
        if let Item::Function(f) = item {
            functions.entry(&f.name.last.name.text).or_default().push(f);
        }
    }
    for pair in tokens.windows(2) {
        let (TokenKind::Ident(name), TokenKind::Punct("<<<")) = (&pair[0].kind, &pair[1].kind) else {
            continue;
        };
        // Report each name only once.
        let Some(functions) = functions.remove(name) else { continue };
        if functions.iter().any(|f| f.execution.global) {
            continue;
        }
        let has_body = |f: &&&Function| matches!(f.body, FunctionBody::Block(_) | FunctionBody::Skipped);
        if let Some(f) = functions.iter().find(has_body) {
            let help = match f.execution.device {
                true => "a `__device__` function cannot be launched: make it `__global__`",
                false => "write `__global__` before its result type, which must be `void`",
            };
            let title = format!("`{name}` is launched but is not a kernel");
            diagnostics.push(
                Diagnostic::new(Code::LaunchOfAFunction, title)
                    .label(f.name.span, "`__global__` is missing here")
                    .label(pair[0].span, "launched here")
                    .help(help),
            );
        }
    }
}
