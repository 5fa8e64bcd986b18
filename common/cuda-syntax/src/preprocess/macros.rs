//! Macro definitions and their expansion: arguments, `#`, `##`, `__VA_ARGS__`, `__VA_OPT__`.

use super::token::{PpKind, PpToken, Text};
use super::{Frame, Preprocessor, lexer};
use crate::word::Word;
use source::{Code, Diagnostic, Span};

/// How deep arguments may contain calls with arguments.
const MAX_DEPTH: usize = 200;

/// A macro.
#[derive(Clone, Debug)]
pub(crate) struct Macro {
    /// `None` for an object-like macro.
    pub(crate) parameters: Option<Vec<Word>>,
    /// Whether the last parameter is `...`; it is then in `parameters`, as `__VA_ARGS__` or by its name.
    pub(crate) variadic: bool,
    pub(crate) body: Vec<PpToken>,
    /// The name in its definition.
    pub(crate) span: Span,
}

impl Macro {
    /// Whether the bodies are the same but for white space, which allows a second definition.
    pub(crate) fn same_as(&self, other: &Macro) -> bool {
        self.parameters == other.parameters
            && self.variadic == other.variadic
            && self.body.iter().map(|t| &t.text).eq(other.body.iter().map(|t| &t.text))
    }

    fn parameter(&self, token: &PpToken) -> Option<usize> {
        let Text::Word(name) = &token.text else { return None };
        self.parameters.as_ref()?.iter().position(|p| p == name)
    }
}

/// An argument, as written and (once asked for) expanded.
struct Argument {
    raw: Vec<PpToken>,
    expanded: Option<Vec<PpToken>>,
}

impl Preprocessor<'_> {
    /// The next token that is no macro's name any more.
    pub(crate) fn expand_next(&mut self) -> Option<PpToken> {
        loop {
            let token = self.next_raw()?;
            let (Text::Word(name), false) = (&token.text, token.painted) else { return Some(token) };
            let Some(definition) = self.macros.get(name).cloned() else {
                let made = if name.is_special() { self.dynamic_macro(&token) } else { None };
                return Some(made.unwrap_or(token));
            };
            if self.disabled.contains(name) {
                return Some(PpToken { painted: true, ..token });
            }
            if definition.parameters.is_none() {
                let body = self.substitute(&definition, &definition.body, &mut [], token.span);
                self.push_expansion(&token, body, token.span);
                continue;
            }
            match self.next_raw() {
                Some(open) if open.is("(") => {
                    let Some((mut arguments, close)) = self.collect_arguments(&token, &definition) else {
                        return Some(zero(&token));
                    };
                    let at = token.span.to(close);
                    let body = self.substitute(&definition, &definition.body, &mut arguments, at);
                    self.push_expansion(&token, body, at);
                }
                Some(other) => {
                    self.frames.push(Frame { tokens: vec![other], pos: 0, of: None, barrier: false });
                    return Some(token);
                }
                None => return Some(token),
            }
        }
    }

    fn push_expansion(&mut self, name: &PpToken, mut body: Vec<PpToken>, at: Span) {
        if let Some(first) = body.first_mut() {
            first.space = name.space;
            first.first_on_line = name.first_on_line;
        }
        if self.charge(body.len() + 1, at) {
            let name = name.text.word();
            self.disabled.insert(name.clone());
            self.frames.push(Frame { tokens: body, pos: 0, of: Some(name), barrier: false });
        }
    }

    /// `__LINE__`, `__FILE__`, `__COUNTER__`.
    fn dynamic_macro(&mut self, token: &PpToken) -> Option<PpToken> {
        let (kind, text) = match &*token.text {
            "__LINE__" => (PpKind::Number, self.map.position(token.span).line.to_string()),
            "__FILE__" => {
                let name = self.map.file(token.span.file).name();
                (PpKind::Str, format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")))
            }
            "__COUNTER__" => {
                self.counter += 1;
                (PpKind::Number, (self.counter - 1).to_string())
            }
            _ => return None,
        };
        Some(PpToken { kind, text: text.into(), ..token.clone() })
    }

    /// The arguments after `(`, and the place of `)`; `None` after an error.
    fn collect_arguments(&mut self, name: &PpToken, definition: &Macro) -> Option<(Vec<Argument>, Span)> {
        let parameters = definition.parameters.as_ref().map_or(0, Vec::len);
        let mut arguments = vec![Vec::new()];
        let mut depth = 0usize;
        let close = loop {
            let Some(token) = self.next_raw() else {
                self.report(
                    Diagnostic::new(
                        Code::UnterminatedMacroCall,
                        format!("the call of macro `{}` never ends", name.text),
                    )
                    .label(name.span, "no `)` closes its arguments")
                    .label(definition.span, "the macro is defined here"),
                );
                return None;
            };
            match token.punct() {
                Some("(") => depth += 1,
                Some(")") if depth == 0 => break token.span,
                Some(")") => depth -= 1,
                Some(",") if depth == 0 && !(definition.variadic && arguments.len() >= parameters) => {
                    arguments.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            if let Some(last) = arguments.last_mut() {
                last.push(PpToken {
                    first_on_line: false,
                    space: token.space || token.first_on_line,
                    ..token
                });
            }
        };
        if parameters == 0 && arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        }
        if definition.variadic && arguments.len() + 1 == parameters {
            arguments.push(Vec::new());
        }
        if arguments.len() != parameters {
            self.report_argument_count(name, definition, arguments.len(), close);
            return None;
        }
        Some((arguments.into_iter().map(|raw| Argument { raw, expanded: None }).collect(), close))
    }

    fn report_argument_count(&mut self, name: &PpToken, definition: &Macro, given: usize, close: Span) {
        let wanted = definition.parameters.as_ref().map_or(0, Vec::len) - usize::from(definition.variadic);
        let least = if definition.variadic { "at least " } else { "" };
        let plural = if wanted == 1 { "" } else { "s" };
        let title =
            format!("macro `{}` takes {least}{wanted} argument{plural}, but {given} given here", name.text);
        self.report(
            Diagnostic::new(Code::MacroArgumentCount, title)
                .label(name.span.to(close), "")
                .label(definition.span, "the macro is defined here"),
        );
    }

    fn expanded(&mut self, argument: &mut Argument, at: Span) -> Vec<PpToken> {
        if let Some(done) = &argument.expanded {
            return done.clone();
        }
        if self.depth >= MAX_DEPTH {
            self.report(
                Diagnostic::new(Code::NestingTooDeep, "calls of macros are nested too deeply")
                    .label(at, format!("more than {MAX_DEPTH} levels")),
            );
            self.stopped = true;
            return Vec::new();
        }
        self.depth += 1;
        let tokens = self.expand_all(argument.raw.clone());
        self.depth -= 1;
        argument.expanded = Some(tokens.clone());
        tokens
    }

    /// A body with its parameters replaced. Tokens of the body take the place `at`; arguments keep their own.
    fn substitute(
        &mut self,
        definition: &Macro,
        body: &[PpToken],
        arguments: &mut [Argument],
        at: Span,
    ) -> Vec<PpToken> {
        let function_like = definition.parameters.is_some();
        let variadic_index = if definition.variadic { arguments.len().checked_sub(1) } else { None };
        let mut result: Vec<PpToken> = Vec::with_capacity(body.len());
        let mut i = 0;
        while i < body.len() {
            let amount = 1 + body[i].text.len() / 16;
            if !self.charge(amount, at) {
                return Vec::new();
            }
            let token = &body[i];
            let next_pastes = body.get(i + 1).is_some_and(|t| t.is("##"));
            if token.is("##") && i > 0 && i + 1 < body.len() {
                i += 1;
                let right = self.paste_operand(definition, &body[i], arguments, at);
                let is_variadic = definition.parameter(&body[i]).is_some_and(|p| Some(p) == variadic_index);
                i += 1;
                self.paste_onto(&mut result, right, is_variadic, at);
                continue;
            }
            i += 1;
            if function_like
                && token.is("#")
                && let Some(p) = body.get(i).and_then(|t| definition.parameter(t))
            {
                result.push(self.stringify(&arguments[p].raw, token.space, at));
                i += 1;
                continue;
            }
            if definition.variadic && token.is_ident("__VA_OPT__") && body.get(i).is_some_and(|t| t.is("(")) {
                let end = matching(body, i);
                let present = variadic_index.is_some_and(|v| !arguments[v].raw.is_empty());
                if present {
                    let inner = self.substitute(definition, &body[i + 1..end], arguments, at);
                    result.extend(inner);
                }
                i = (end + 1).min(body.len());
                continue;
            }
            match definition.parameter(token) {
                Some(_) if next_pastes => {
                    result.extend(self.paste_operand(definition, token, arguments, at));
                }
                Some(p) => {
                    let tokens = self.expanded(&mut arguments[p], at);
                    self.extend_spaced(&mut result, tokens, token.space, at);
                }
                None => result.push(PpToken { span: at, first_on_line: false, ..token.clone() }),
            }
        }
        result.retain(|t| t.kind != PpKind::Placemarker);
        result
    }

    fn extend_spaced(&mut self, result: &mut Vec<PpToken>, mut tokens: Vec<PpToken>, space: bool, at: Span) {
        if let Some(first) = tokens.first_mut() {
            first.space = space;
        }
        if self.charge(tokens.len(), at) {
            result.extend(tokens);
        }
    }

    /// An operand of `##`: an argument as written, or a token of the body.
    fn paste_operand(
        &mut self,
        definition: &Macro,
        token: &PpToken,
        arguments: &mut [Argument],
        at: Span,
    ) -> Vec<PpToken> {
        let Some(p) = definition.parameter(token) else {
            return vec![PpToken { span: at, first_on_line: false, ..token.clone() }];
        };
        let raw = &arguments[p].raw;
        let amount = raw.len();
        if amount == 0 {
            let empty = PpToken { kind: PpKind::Placemarker, text: "".into(), span: at, ..token.clone() };
            return vec![empty];
        }
        let raw = raw.clone();
        self.charge(amount, at);
        raw
    }

    fn paste_onto(&mut self, result: &mut Vec<PpToken>, right: Vec<PpToken>, is_variadic: bool, at: Span) {
        let mut right = right.into_iter();
        let (Some(left), Some(first)) = (result.pop(), right.next()) else { return };
        if left.is(",") && is_variadic {
            // The comma of `, ## __VA_ARGS__` goes when there are no arguments.
            if first.kind != PpKind::Placemarker {
                result.push(left);
                result.push(first);
                result.extend(right);
            }
            return;
        }
        let text = format!("{}{}", left.text, first.text);
        self.charge(1 + text.len() / 16, at);
        let lexed = lexer::lex(&text, at.file);
        let single = match lexed.as_slice() {
            [] => Some(PpToken { kind: PpKind::Placemarker, ..left.clone() }),
            [one] if *one.text == *text && one.kind != PpKind::Stray => Some(PpToken {
                kind: one.kind,
                text: one.text.clone(),
                span: at,
                painted: false,
                ..left.clone()
            }),
            _ => None,
        };
        match single {
            Some(token) => result.push(token),
            None => {
                self.report(
                    Diagnostic::new(
                        Code::InvalidPaste,
                        format!("`##` of `{}` and `{}` does not give a token", left.text, first.text),
                    )
                    .label(at, "in the expansion of this macro"),
                );
                result.extend([left, first]);
            }
        }
        result.extend(right);
    }

    fn stringify(&mut self, tokens: &[PpToken], space: bool, at: Span) -> PpToken {
        let mut text = String::from("\"");
        for (i, token) in tokens.iter().enumerate() {
            if i > 0 && token.space {
                text.push(' ');
            }
            let quoted = matches!(token.kind, PpKind::Str | PpKind::Char);
            for c in token.text.chars() {
                if quoted && matches!(c, '"' | '\\') || c == '"' {
                    text.push('\\');
                }
                text.push(c);
            }
            if !self.charge(1 + token.text.len() / 8, at) {
                break;
            }
        }
        text.push('"');
        PpToken {
            kind: PpKind::Str,
            text: text.into(),
            span: at,
            space,
            first_on_line: false,
            painted: false,
        }
    }
}

/// The index of the `)` that closes the `(` at `open`, or the end.
fn matching(body: &[PpToken], open: usize) -> usize {
    let mut depth = 0usize;
    for (i, token) in body.iter().enumerate().skip(open) {
        if token.is("(") {
            depth += 1;
        } else if token.is(")") {
            depth -= 1;
            if depth == 0 {
                return i;
            }
        }
    }
    body.len()
}

/// What stands for a call that could not be expanded, so that no further error follows from it.
fn zero(name: &PpToken) -> PpToken {
    PpToken { kind: PpKind::Number, text: "0".into(), ..name.clone() }
}
