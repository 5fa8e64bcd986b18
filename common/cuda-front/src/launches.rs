//! Launches in host code, as far as the front-end looks at it: what is launched must be a kernel.

use crate::ast::{File, FunctionBody, Item};
use crate::preprocess::{Token, TokenKind};
use source::{Code, Diagnostic};

/// Reports `name<<<…>>>` where `name` is a function of this file and no kernel.
pub(crate) fn check(tokens: &[Token], tree: &File, diagnostics: &mut Vec<Diagnostic>) {
    for pair in tokens.windows(2) {
        let (TokenKind::Ident(name), TokenKind::Punct("<<<")) = (&pair[0].kind, &pair[1].kind) else {
            continue;
        };
        let named = tree.items.iter().filter_map(|item| match item {
            Item::Function(f) if f.name.last.name.text == **name => Some(f),
            _ => None,
        });
        let functions: Vec<_> = named.collect();
        if functions.iter().any(|f| f.execution.global) {
            continue;
        }
        if let Some(f) =
            functions.iter().find(|f| matches!(f.body, FunctionBody::Block(_) | FunctionBody::Skipped))
        {
            let help = "write `__global__` before its result type, which must be `void`";
            let d =
                Diagnostic::new(Code::LaunchOfAFunction, format!("`{name}` is launched but is not a kernel"))
                    .label(f.name.span, "`__global__` is missing here")
                    .label(pair[0].span, "launched here")
                    .help(if f.execution.device {
                        "a `__device__` function cannot be launched: make it `__global__`"
                    } else {
                        help
                    });
            if !diagnostics.iter().any(|old| old.code == d.code && old.title == d.title) {
                diagnostics.push(d);
            }
        }
    }
}
