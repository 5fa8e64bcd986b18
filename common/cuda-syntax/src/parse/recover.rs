//! Expected tokens that are missing, and where reading continues after an error.

use super::{Failed, Parse, Parser};
use crate::preprocess::TokenKind;
use source::{Code, Diagnostic, Span, words};

impl Parser<'_> {
    /// What stands here, for a message.
    pub(crate) fn found(&self) -> String {
        match self.kind() {
            TokenKind::Ident(name) => format!("`{name}`"),
            TokenKind::Int { value, .. } => format!("the number `{value}`"),
            TokenKind::Float { value, .. } => format!("the number `{value:?}`"),
            TokenKind::BadNumber(_) | TokenKind::SuffixedNumber(_) => "a malformed number".into(),
            TokenKind::Char(..) => "a character".into(),
            TokenKind::Str(_) => "a string".into(),
            TokenKind::Punct(p) => format!("`{p}`"),
            TokenKind::Pack(_) | TokenKind::PragmaUnroll | TokenKind::PragmaNoUnroll => "a `#pragma`".into(),
            TokenKind::PragmaEnd => "the end of a `#pragma`".into(),
            TokenKind::Eof => "the end of the file".into(),
        }
    }

    pub(crate) fn unexpected<T>(&mut self, expected: &str) -> Parse<T> {
        let title = format!("expected {expected}, found {}", self.found());
        let span = self.span();
        if expected == "a name"
            && let Some(word) = self.word().filter(|w| super::names::is_keyword(w))
        {
            let title = format!("`{word}` is a keyword and cannot be a name");
            let d = Diagnostic::new(Code::ReservedWord, title).label(span, "expected a name");
            return self.fail(d.help("choose another name"));
        }
        let d = Diagnostic::new(Code::UnexpectedToken, title).label(span, format!("expected {expected}"));
        self.fail(match self.swapped_operator(expected) {
            Some(operator) => d.mean(self.prev_span().to(span), operator),
            None => d,
        })
    }

    pub(crate) fn expect(&mut self, punct: &'static str) -> Parse<Span> {
        let span = self.span();
        if self.eat(punct) { Ok(span) } else { self.unexpected(&format!("`{punct}`")) }
    }

    /// A `;`. Where it is missing at the end of a line, or before what starts a statement, it is taken as written.
    pub(crate) fn semicolon(&mut self, after: &str) -> Parse<()> {
        if self.eat(";") {
            return Ok(());
        }
        let before = self.prev_span();
        let goes_on = self.token_at(0).first_on_line
            || self.at("}")
            || self.at_end()
            || self.word().is_some_and(|w| starts_statement(w));
        let stray = match (self.at(")"), self.at("]")) {
            (true, _) => Some(")"),
            (_, true) => Some("]"),
            _ => None,
        };
        if let Some(closer) = stray {
            let span = self.span();
            let title = format!("`{closer}` closes nothing here");
            return self.fail(Diagnostic::new(Code::UnmatchedCloser, title).label(span, "nothing is open"));
        }
        let found = self.found();
        let d = Diagnostic::new(Code::MissingSemicolon, format!("expected `;` after {after}, found {found}"));
        // As CUDA's compiler, where the next line begins; but the end of the file says nothing.
        let d = if goes_on && before.file == self.span().file && !self.at_end() {
            d.label(self.span(), format!("{found} cannot continue {after}"))
                .label(before.after(), "add `;` here")
        } else if goes_on {
            d.label(before.after(), "add `;` here")
        } else {
            d.label(before.after(), "an operator or `;` is missing here")
        };
        // On the same line, an operator may be missing as well.
        let d = if goes_on { d } else { self.joined(d) };
        let d = if self.token_at(0).first_on_line { d.edit(before.after(), ";") } else { d };
        self.report(d);
        if goes_on { Ok(()) } else { Err(Failed) }
    }

    /// What joins two values that stand side by side: nothing if the second is the suffix of the first, or an operator.
    fn joined(&self, d: Diagnostic) -> Diagnostic {
        let Some(word) = self.word() else { return d };
        let (before, here) = (self.prev_span(), self.span());
        let number = self.pos.checked_sub(1).and_then(|last| match &self.tokens.get(last)?.kind {
            TokenKind::Int { value, .. } => Some((format!("{value}"), true)),
            TokenKind::Float { value, .. } => Some((format!("{value:?}"), false)),
            _ => None,
        });
        let suffix = matches!(word.to_ascii_lowercase().as_str(), "f" | "u" | "l" | "ul" | "ll" | "ull");
        match number {
            Some((number, is_integer)) if suffix && before.file == here.file => {
                let point = if is_integer && word.eq_ignore_ascii_case("f") { ".0" } else { "" };
                let joined = format!("{number}{point}{word}");
                d.help(format!("a suffix follows its number without a space: `{joined}`"))
                    .edit(before.to(here), &joined)
            }
            _ if word.eq_ignore_ascii_case("x") => d.help("multiplication is written `*`").edit(here, "*"),
            _ => d,
        }
    }

    /// The operator that two signs in the wrong order stand for, if an operand is missing between them.
    fn swapped_operator(&self, expected: &str) -> Option<&'static str> {
        let TokenKind::Punct(before) = self.tokens.get(self.pos.checked_sub(1)?)?.kind else { return None };
        let TokenKind::Punct(here) = self.kind() else { return None };
        let adjacent = self.prev_span().file == self.span().file && self.prev_span().end == self.span().start;
        let operator = match (before, *here) {
            ("=", ">") => ">=",
            ("=", "<") => "<=",
            ("<", ">") => "!=",
            _ => return None,
        };
        (adjacent && expected == "an expression").then_some(operator)
    }

    /// Whether what follows stands on a line of its own and cannot be a value: `float(x)` can, `float x` and `if (x)` not.
    pub(crate) fn next_line_is_a_statement(&self) -> bool {
        let opens = self.punct_at(1, "(") || self.punct_at(1, "{");
        let starts = |word: &str| starts_statement(word) && (!opens || !is_type(word));
        self.token_at(0).first_on_line && self.word().is_some_and(|word| starts(word))
    }

    /// A closing bracket; where it is missing, its opener is shown.
    pub(crate) fn close(&mut self, closer: &'static str, opener: Span) -> Parse<()> {
        if self.eat(closer) {
            return Ok(());
        }
        self.report_unclosed(closer, opener);
        Err(Failed)
    }

    pub(crate) fn report_unclosed(&mut self, closer: &'static str, opener: Span) {
        let (code, open) = match closer {
            ")" => (Code::MissingClosingParen, "("),
            "]" => (Code::MissingClosingBracket, "["),
            ">" => (Code::MissingClosingAngle, "<"),
            _ => (Code::MissingClosingBrace, "{"),
        };
        let title = format!("expected `{closer}`, found {}", self.found());
        let place = self.prev_span().after();
        self.report(
            Diagnostic::new(code, title)
                .label(place, format!("expected `{closer}` here"))
                .label(opener, format!("to close this `{open}`")),
        );
    }

    /// Skips a bracket and all within; at its end stands the token after the closer. `false` at the end of the file.
    pub(crate) fn skip_balanced(&mut self) -> bool {
        let mut open: Vec<&'static str> = Vec::new();
        loop {
            match self.kind() {
                TokenKind::Eof => return false,
                TokenKind::Punct("(") => open.push(")"),
                TokenKind::Punct("[") => open.push("]"),
                TokenKind::Punct("{") => open.push("}"),
                TokenKind::Punct(p @ (")" | "]" | "}")) => {
                    // Braces are trusted more than parentheses: `}` closes what was left open inside.
                    while let Some(expected) = open.pop() {
                        if expected == *p || *p != "}" {
                            break;
                        }
                    }
                }
                _ => {}
            }
            self.bump();
            if open.is_empty() {
                return true;
            }
        }
    }

    /// After an error in a statement: past its `;`, or before the `}` that closes the block.
    pub(crate) fn skip_statement(&mut self) {
        loop {
            match self.kind() {
                TokenKind::Eof | TokenKind::Punct("}") => return,
                TokenKind::Punct(";") => return self.bump(),
                TokenKind::Punct("{") => {
                    self.skip_balanced();
                    return;
                }
                _ if self.at_outer_declaration() => return,
                TokenKind::Punct("(" | "[") if self.group_is_closed() => drop(self.skip_balanced()),
                _ => self.bump(),
            }
            let starts = self.word().is_some_and(|w| starts_statement(w));
            if starts && self.token_at(0).first_on_line {
                return;
            }
        }
    }

    /// Whether the bracket here closes before the statement ends.
    fn group_is_closed(&self) -> bool {
        let (mut depth, mut ahead) = (0usize, 0);
        let closed = loop {
            match &self.token_at(ahead).kind {
                TokenKind::Punct("(" | "[") => depth += 1,
                TokenKind::Punct(")" | "]") => depth -= 1,
                TokenKind::Punct("{" | "}") | TokenKind::Eof => break false,
                _ => {}
            }
            ahead += 1;
            if depth == 0 || ahead == 2000 {
                break depth == 0;
            }
        };
        self.spend(ahead as u64);
        closed
    }

    /// After an error in a declaration outside functions: past its `;` or `{…}`.
    pub(crate) fn skip_declaration(&mut self) {
        let start = self.pos;
        loop {
            match self.kind() {
                TokenKind::Eof | TokenKind::Punct("}") => return,
                TokenKind::Punct(";") => return self.bump(),
                TokenKind::Punct("{") => {
                    self.skip_balanced();
                    // `= { … };` and `struct … { … } x;` go on; a function's body does not.
                    if self.at(";") || self.at(",") || self.at("=") {
                        continue;
                    }
                    return;
                }
                _ if self.pos > start && self.token_at(0).first_on_line && self.at_outer_declaration() => {
                    return;
                }
                TokenKind::Punct("(" | "[") if self.group_is_closed() => drop(self.skip_balanced()),
                _ => self.bump(),
            }
        }
    }

    /// Whether the declaration here, which says where it lives, is one of a variable: no `(` stands in it before its name ends.
    fn declares_variable(&self) -> bool {
        let kinds = (0..16).map(|ahead| &self.token_at(ahead).kind);
        let end = kinds.filter_map(|kind| match kind {
            TokenKind::Punct(p @ ("(" | ";" | "=" | "[" | "{" | "}")) => Some(*p),
            _ => None,
        });
        end.take(1).any(|p| matches!(p, ";" | "=" | "["))
    }

    /// Whether something stands here that is never inside a function: then a `}` is missing before it.
    pub(crate) fn at_outer_declaration(&self) -> bool {
        let Some(word) = self.word() else { return false };
        match &**word {
            "__global__" | "template" => true,
            "namespace" => !self.punct_at(2, "="),
            "__device__" | "__host__" => !self.declares_variable(),
            "extern" => matches!(self.token_at(1).kind, TokenKind::Str(_)),
            _ => false,
        }
    }
}

/// Words of which `(…)` or `{…}` makes a value.
fn is_type(word: &str) -> bool {
    matches!(word, "int" | "float" | "double" | "unsigned" | "auto" | "bool" | "char" | "void")
}

/// Words that only start a statement or declaration.
fn starts_statement(word: &str) -> bool {
    const OTHERS: &[&str] = words!(
        "if for while do return switch case default break continue goto else const __shared__ static \
         constexpr using typedef struct class __global__ __device__ __host__ __constant__ template \
         __syncthreads namespace extern"
    );
    is_type(word) || OTHERS.contains(&word)
}
