//! Lines that start with `#`.

use super::macros::Macro;
use super::token::{PpKind, PpToken, Text, Token, TokenKind};
use super::{Preprocessor, expression, lexer};
use crate::word::Word;
use source::{Code, Diagnostic, Span};
use std::sync::Arc;

const DIRECTIVES: &[&str] = &[
    "if", "ifdef", "ifndef", "elif", "else", "endif", "define", "undef", "include", "pragma", "error",
    "warning", "line",
];

/// An `#if` group that is open.
#[derive(Clone, Debug)]
pub(crate) struct Conditional {
    /// The directive that opened it.
    pub(crate) span: Span,
    pub(crate) keyword: Text,
    /// Whether the text that follows is read.
    pub(crate) active: bool,
    /// Whether the group as a whole lies in text that is read.
    outer_active: bool,
    /// Whether some branch was read already.
    taken: bool,
    else_span: Option<Span>,
}

/// Parameters of a macro, at most: each word of its body is compared with them.
const MAX_PARAMETERS: usize = 1000;

impl Preprocessor<'_> {
    /// Reads a directive's line; the file stands behind its `#`.
    pub(crate) fn directive(&mut self, hash: &PpToken) {
        let Some(file) = self.files.last_mut() else { return };
        let rest = file.tokens.as_slice();
        let length = rest.iter().position(|t| t.first_on_line).unwrap_or(rest.len());
        let line: Vec<PpToken> = file.tokens.by_ref().take(length).collect();
        let active = file.conditionals.last().is_none_or(|c| c.active);
        if let Some(comment) = line.iter().find(|t| t.kind == PpKind::UnterminatedComment) {
            self.without_faults(comment.clone());
        }
        let Some(name) = line.first().cloned() else { return };
        let arguments = line[1..].to_vec();
        match &*name.text {
            "if" | "ifdef" | "ifndef" => self.open_conditional(hash, &name, &arguments, active),
            "elif" | "else" | "endif" => self.continue_conditional(&name, &arguments),
            _ if !active => {}
            "define" => self.define(&name, &arguments),
            "undef" => match arguments.as_slice() {
                [target] if target.kind == PpKind::Ident => {
                    self.macros.remove(&*target.text);
                }
                _ => self.bad_directive(name.span, "`#undef` takes the name of one macro"),
            },
            "include" => self.include_directive(&name, arguments),
            "pragma" => self.pragma(arguments, hash.span.to(end_of(&line, name.span))),
            "error" | "warning" => self.user_message(&name, &arguments),
            "line" | "ident" | "sccs" => {}
            _ if name.kind == PpKind::Number => {}
            _ => self.unknown_directive(&name),
        }
    }

    fn bad_directive(&mut self, span: Span, title: impl Into<String>) {
        self.report(Diagnostic::new(Code::BadDirective, title).label(span, ""));
    }

    fn unknown_directive(&mut self, name: &PpToken) {
        let mut d = Diagnostic::new(Code::UnknownDirective, format!("`#{}` is not a directive", name.text))
            .label(name.span, "");
        if let Some(near) = source::nearest(&name.text, DIRECTIVES.iter().copied()) {
            d = d.help(format!("did you mean `#{near}`?")).edit(name.span, near);
        }
        self.report(d);
    }

    fn user_message(&mut self, name: &PpToken, arguments: &[PpToken]) {
        let text = match (arguments.first(), arguments.last()) {
            (Some(first), Some(last)) => self.map.text(first.span.to(last.span)).to_string(),
            _ => String::new(),
        };
        let span = name.span.to(end_of(arguments, name.span));
        let code = if &*name.text == "warning" { Code::WarningDirective } else { Code::ErrorDirective };
        self.report(Diagnostic::new(code, format!("#{}: {text}", name.text)).label(span, ""));
    }

    fn open_conditional(&mut self, hash: &PpToken, name: &PpToken, arguments: &[PpToken], outer: bool) {
        let value = outer
            && match &*name.text {
                "if" => self.condition(name, arguments),
                keyword => match arguments.first() {
                    Some(t) if t.kind == PpKind::Ident => self.is_defined(&t.text) == (keyword == "ifdef"),
                    _ => {
                        self.bad_directive(name.span, format!("`#{keyword}` needs the name of a macro"));
                        false
                    }
                },
            };
        let Some(file) = self.files.last_mut() else { return };
        file.conditionals.push(Conditional {
            span: hash.span.to(name.span),
            keyword: name.text.clone(),
            active: value,
            outer_active: outer,
            taken: value,
            else_span: None,
        });
    }

    fn continue_conditional(&mut self, name: &PpToken, arguments: &[PpToken]) {
        let Some(open) = self.files.last().and_then(|f| f.conditionals.last()).cloned() else {
            self.report(
                Diagnostic::new(Code::ElseWithoutIf, format!("`#{}` without `#if`", name.text))
                    .label(name.span, "no `#if` is open here"),
            );
            return;
        };
        if &*name.text == "endif" {
            if let Some(file) = self.files.last_mut() {
                file.conditionals.pop();
            }
            return;
        }
        if let Some(first) = open.else_span {
            self.report(
                Diagnostic::new(Code::ElseWithoutIf, format!("`#{}` after `#else`", name.text))
                    .label(name.span, "")
                    .label(first, "the `#else` of this group"),
            );
        }
        let may = open.outer_active && !open.taken;
        let value = may && (&*name.text == "else" || self.condition(name, arguments));
        if let Some(open) = self.files.last_mut().and_then(|f| f.conditionals.last_mut()) {
            open.active = value;
            open.taken |= value;
            if &*name.text == "else" {
                open.else_span = Some(name.span);
            }
        }
    }

    fn is_defined(&self, name: &str) -> bool {
        matches!(name, "__LINE__" | "__FILE__" | "__COUNTER__" | "__has_include")
            || self.macros.contains(name)
    }

    /// The value of `#if`'s expression; false after an error.
    fn condition(&mut self, name: &PpToken, arguments: &[PpToken]) -> bool {
        let tokens = self.resolve_defined(arguments);
        let tokens = self.expand_all(tokens);
        match expression::evaluate(&tokens, true) {
            Ok(value) => value.bits != 0,
            Err((at, message)) => {
                let span = tokens.get(at).map_or_else(|| end_of(arguments, name.span).after(), |t| t.span);
                let title = format!("`#{}` needs an integer expression: {message}", name.text);
                self.report(Diagnostic::new(Code::BadCondition, title).label(span, ""));
                false
            }
        }
    }

    /// Replaces `defined x`, `defined(x)` and `__has_include(…)`, before macros are expanded.
    fn resolve_defined(&self, tokens: &[PpToken]) -> Vec<PpToken> {
        let mut out = Vec::with_capacity(tokens.len());
        let mut i = 0;
        while i < tokens.len() {
            let token = &tokens[i];
            let number = |value: bool| PpToken {
                kind: PpKind::Number,
                text: if value { "1" } else { "0" }.into(),
                ..token.clone()
            };
            let at = |k: usize| tokens.get(i + k);
            if token.is_ident("defined") {
                if let Some(name) = at(1).filter(|t| t.kind == PpKind::Ident) {
                    out.push(number(self.is_defined(&name.text)));
                    i += 2;
                    continue;
                }
                if at(1).is_some_and(|t| t.is("("))
                    && at(3).is_some_and(|t| t.is(")"))
                    && let Some(name) = at(2).filter(|t| t.kind == PpKind::Ident)
                {
                    out.push(number(self.is_defined(&name.text)));
                    i += 4;
                    continue;
                }
            }
            if token.is_ident("__has_include") && at(1).is_some_and(|t| t.is("(")) {
                let end = tokens[i..].iter().position(|t| t.is(")")).map_or(tokens.len(), |p| i + p);
                let found = header_name(&tokens[i + 2..end.max(i + 2).min(tokens.len())]);
                out.push(number(found.is_some_and(|(name, quoted)| self.has_include(&name, quoted))));
                i = end + 1;
                continue;
            }
            out.push(token.clone());
            i += 1;
        }
        out
    }

    fn include_directive(&mut self, name: &PpToken, arguments: Vec<PpToken>) {
        let span = arguments.first().map_or(name.span, |t| t.span.to(end_of(&arguments, t.span)));
        // The text between `<` and `>` is taken as written: it is no sequence of tokens.
        let line = self.map.text(span).to_string();
        if let Some(rest) = line.strip_prefix('<') {
            match rest.split_once('>') {
                Some((header, _)) => self.include(header.trim(), false, span),
                None => self.bad_directive(span, "the name of this header lacks its closing `>`"),
            }
            return;
        }
        let tokens = match arguments.first() {
            Some(first) if first.kind == PpKind::Ident => self.expand_all(arguments),
            _ => arguments,
        };
        match header_name(&tokens) {
            Some((header, quoted)) => self.include(&header, quoted, span),
            None => {
                let name = self.map.text(span).split_whitespace().next().unwrap_or("file.h").to_owned();
                self.report(
                    Diagnostic::new(Code::IncludeWithoutQuotes, "`#include` needs \"file\" or <header>")
                        .label(span, "")
                        .help(format!(
                            "write `#include \"{name}\"` for a file of your own, `<{name}>` for a library's"
                        )),
                );
            }
        }
    }

    fn define(&mut self, directive: &PpToken, line: &[PpToken]) {
        let Some(name) = line.first().filter(|t| t.kind == PpKind::Ident) else {
            let span = line.first().map_or(directive.span, |t| t.span);
            self.bad_directive(span, "`#define` needs the name of a macro");
            return;
        };
        if matches!(&*name.text, "defined" | "__VA_ARGS__" | "__LINE__" | "__FILE__" | "__COUNTER__") {
            self.bad_directive(name.span, format!("`{}` cannot be defined", name.text));
            return;
        }
        let (parameters, variadic, body_start) = match line.get(1) {
            Some(open) if open.is("(") && !open.space => match self.define_parameters(line) {
                Some((parameters, variadic, next)) => (Some(parameters), variadic, next),
                None => return,
            },
            _ => (None, false, 1),
        };
        let body: Vec<PpToken> = line[body_start..]
            .iter()
            .filter(|t| t.kind != PpKind::UnterminatedComment)
            .filter_map(|t| self.without_faults(t.clone()))
            .collect();
        if body.first().is_some_and(|t| t.is("##")) || body.last().is_some_and(|t| t.is("##")) {
            self.bad_directive(name.span, "`##` cannot be at an end of a macro's body");
            return;
        }
        if parameters.is_none() {
            self.suspect_body(name, &body);
        }
        let definition = Macro { parameters, variadic, body, span: name.span };
        if let Some(old) = self.macros.get(&*name.text)
            && !self.is_given(old)
            && !old.same_as(&definition)
        {
            let old = old.span;
            self.report(
                Diagnostic::new(Code::MacroRedefined, format!("macro `{}` is defined again", name.text))
                    .label(name.span, "this definition applies from here on")
                    .label(old, "the first definition")
                    .help("if this is intended, `#undef` it first"),
            );
        }
        self.macros.insert(&name.text.word(), Arc::new(definition));
    }

    /// `#define N = 16` and `#define N 16;`: the sign becomes part of what `N` stands for.
    fn suspect_body(&mut self, name: &PpToken, body: &[PpToken]) {
        let (code, sign, at) = match body {
            [first, _, ..] if first.is("=") => (Code::MacroWithAssignment, "=", first),
            [value, last] if value.kind == PpKind::Number && last.is(";") => {
                (Code::MacroWithSemicolon, ";", last)
            }
            _ => return,
        };
        let value = body.iter().find(|t| !t.is("=") && !t.is(";")).map_or("", |t| &t.text);
        let title = format!("this `{sign}` is inserted wherever `{}` is used", name.text);
        self.report(Diagnostic::new(code, title).label(at.span, "part of the macro's body").help(format!(
            "write `#define {} {value}`, or better `constexpr int {0} = {value};`",
            name.text
        )));
    }

    /// The parameters of a function-like macro: their names, whether variadic, and where the body starts.
    fn define_parameters(&mut self, line: &[PpToken]) -> Option<(Vec<Word>, bool, usize)> {
        let mut names: Vec<Word> = Vec::new();
        let mut i = 2;
        if line.get(i).is_some_and(|t| t.is(")")) {
            return Some((names, false, i + 1));
        }
        loop {
            let mut variadic = false;
            match line.get(i) {
                Some(t) if names.len() == MAX_PARAMETERS => {
                    let span = t.span;
                    self.bad_directive(span, "a macro has at most 1000 parameters");
                    return None;
                }
                Some(t) if t.is("...") => {
                    names.push("__VA_ARGS__".into());
                    variadic = true;
                }
                Some(t) if t.kind == PpKind::Ident && !names.iter().any(|name| **name == *t.text) => {
                    names.push(t.text.word());
                    if line.get(i + 1).is_some_and(|t| t.is("...")) {
                        variadic = true;
                        i += 1;
                    }
                }
                other => {
                    let span = other.unwrap_or(&line[line.len() - 1]).span;
                    self.bad_directive(span, "expected the name of a parameter of this macro");
                    return None;
                }
            }
            match line.get(i + 1) {
                Some(t) if t.is(")") => return Some((names, variadic, i + 2)),
                Some(t) if t.is(",") && !variadic => i += 2,
                other => {
                    let span = other.unwrap_or(&line[line.len() - 1]).span;
                    self.bad_directive(span, "expected `,` or `)` in the parameters of this macro");
                    return None;
                }
            }
        }
    }

    /// `#pragma …`; only `once`, `pack`, `unroll` and `nounroll` mean something here.
    fn pragma(&mut self, tokens: Vec<PpToken>, span: Span) {
        let Some(name) = tokens.first() else { return };
        let kind = match &*name.text {
            "once" => {
                if let Some(path) = self.files.last().and_then(|f| f.path.clone()) {
                    self.once.insert(super::include::identity(&path));
                }
                return;
            }
            "pack" => return self.pragma_pack(tokens, span),
            "unroll" => TokenKind::PragmaUnroll,
            "nounroll" => TokenKind::PragmaNoUnroll,
            _ => return,
        };
        self.output.push(Token { kind, span, first_on_line: true });
        for token in self.expand_all(tokens[1..].to_vec()) {
            self.emit(token);
        }
        self.output.push(Token { kind: TokenKind::PragmaEnd, span, first_on_line: false });
    }

    /// `#pragma pack(push, n)`, `pack(pop)`, `pack(n)` or `pack()`. The largest alignment that holds from here on is a token.
    fn pragma_pack(&mut self, tokens: Vec<PpToken>, span: Span) {
        let words = self.expand_all(tokens[1..].to_vec());
        let (mut pushes, mut pops, mut n) = (false, false, None);
        for word in &words {
            match &*word.text {
                "push" => pushes = true,
                "pop" => pops = true,
                text if word.kind == PpKind::Number => n = text.parse::<u32>().ok(),
                _ => {}
            }
        }
        let now = self.packs.last().copied().unwrap_or(0);
        if pushes {
            self.packs.push(now);
        } else if pops && self.packs.len() > 1 {
            self.packs.pop();
        }
        let resets = !pushes && !pops && n.is_none();
        if let (Some(last), Some(n)) = (self.packs.last_mut(), n.or(resets.then_some(0))) {
            *last = n;
        }
        let now = self.packs.last().copied().unwrap_or(0);
        self.has_packs = true;
        self.output.push(Token { kind: TokenKind::Pack(now), span, first_on_line: true });
    }

    /// `_Pragma("…")`; the name has been read.
    pub(crate) fn pragma_operator(&mut self, name: &PpToken) {
        let parts = [self.expand_next(), self.expand_next(), self.expand_next()];
        let [Some(open), Some(text), Some(close)] = parts else { return };
        if !(open.is("(") && text.kind == PpKind::Str && close.is(")")) {
            self.bad_directive(name.span, "`_Pragma` needs one string in parentheses");
            return;
        }
        let span = name.span.to(close.span);
        let text = crate::Text::joined([&*text.text].into_iter(), false).ok().and_then(|text| text.utf8());
        let pragma = text.unwrap_or_default();
        let mut tokens = lexer::lex(&pragma, name.span.file);
        for token in &mut tokens {
            token.span = span;
        }
        self.pragma(tokens, span);
    }
}

fn end_of(tokens: &[PpToken], otherwise: Span) -> Span {
    tokens.last().map_or(otherwise, |t| t.span)
}

/// The header that expanded tokens name, and whether in quotes.
fn header_name(tokens: &[PpToken]) -> Option<(String, bool)> {
    match tokens {
        [first, ..] if first.kind == PpKind::Str => {
            let text = first.text.trim_start_matches(|c| c != '"');
            Some((text.trim_matches('"').to_string(), true))
        }
        [open, rest @ ..] if open.is("<") => {
            let end = rest.iter().position(|t| t.is(">"))?;
            Some((rest[..end].iter().map(|t| &*t.text).collect(), false))
        }
        _ => None,
    }
}
