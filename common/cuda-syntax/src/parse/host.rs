//! Parses declarations of host code tolerantly, and leaves out those that need what only the host has.

use super::{Parse, Parser};
use crate::ast::Item;
use crate::preprocess::{Token, TokenKind};
use crate::word::Word;
use source::{Code, Diagnostic, words};
use std::ops::Range;

const MARKERS: &[&str] = &["__global__", "__device__", "__constant__", "__shared__", "__managed__"];
const EXECUTION: &[&str] = &["__global__", "__device__", "__host__", "__shared__", "__constant__"];

/// Words between underscores that may stand before a function of the host.
const OTHER_MARKERS: &[&str] = words!(
    "__host__ __inline__ __forceinline__ __noinline__ __extension__ __signed__ __volatile__ __const__"
);

/// What can be seen of a declaration without parsing it.
#[derive(Clone, Copy, Debug, Default)]
struct Nature {
    /// The declaration or one of its members has a word of [`MARKERS`].
    device: bool,
    constexpr: bool,
    function: bool,
    class: bool,
}

impl Parser<'_> {
    /// Parses a declaration. One that is only for the host is dropped without an error if it cannot be parsed.
    pub(crate) fn declaration_or_host(&mut self, items: &mut Vec<Item>) -> Parse<()> {
        let nature = self.nature();
        let in_device_class = !self.classes.is_empty() && !self.tolerant;
        if nature.device || self.tolerant {
            return self.templated_or_plain(items);
        }
        if in_device_class && !nature.function {
            // A member has its place in the class whatever its type is: one that cannot be read is an error.
            self.tolerant = true;
            let result = self.templated_or_plain(items);
            self.tolerant = false;
            return result;
        }
        self.check_misspelled_marker();
        let (start, errors, host) = (self.mark(), self.diagnostics.len(), self.host.len());
        let counted = self.errors;
        let outer_tolerated = std::mem::replace(&mut self.tolerated, false);
        let outer_insistent = std::mem::replace(&mut self.insistent, false);
        self.tolerant = true;
        let mut read = Vec::new();
        let result = self.templated_or_plain(&mut read);
        self.tolerant = false;
        let tolerated = std::mem::replace(&mut self.tolerated, outer_tolerated);
        let insistent = std::mem::replace(&mut self.insistent, outer_insistent);
        let failed = result.is_err() || self.diagnostics.len() > errors;
        let of_library = nature.class && self.skipped.iter().any(|s| !s.origin.namespaces.is_empty());
        let of_host = tolerated || of_library || (nature.function && !nature.constexpr);
        if failed && of_host && !insistent && !self.stopped {
            self.diagnostics.truncate(errors);
            self.errors = counted;
            if nature.function && !nature.class {
                self.reset(&start);
                self.host.truncate(host);
                self.skip_host_function();
                self.report_endless(&start);
            } else if result.is_err() {
                self.reset(&start);
                self.skip_declaration();
                self.report_endless(&start);
            }
            return Ok(());
        }
        // Keep a declaration with an unknown type: it becomes an error where device code uses it. Drop a `constexpr` one, because its value
        // would be checked at once.
        if !tolerated || insistent || !nature.constexpr {
            items.extend(read);
        }
        result
    }

    /// Skips a host function or its declaration, whatever its parameters and its body contain.
    fn skip_host_function(&mut self) {
        let mut parameters = None;
        loop {
            match self.kind() {
                TokenKind::Eof | TokenKind::Punct("}") => return,
                TokenKind::Punct(";") => return self.bump(),
                TokenKind::Punct("(" | "[") => {
                    parameters.get_or_insert(self.pos);
                    self.skip_balanced();
                }
                TokenKind::Punct(":") if parameters.is_some() => self.skip_member_initializers(),
                TokenKind::Punct("{") => {
                    let start = self.pos;
                    self.skip_balanced();
                    while self.at_word("catch") {
                        self.bump();
                        self.skip_balanced();
                        self.skip_balanced();
                    }
                    if parameters.is_some() {
                        self.add_host_function(start, parameters);
                    }
                    return;
                }
                _ => self.bump(),
            }
        }
    }

    /// Skips a constructor's `: a(1), b<int>{2}`, up to its body.
    fn skip_member_initializers(&mut self) {
        self.bump();
        loop {
            while !self.at_end() && !self.at("(") && !self.at("{") && !self.at(";") {
                self.bump();
            }
            if self.at(";") || !self.skip_balanced() {
                return;
            }
            self.eat("...");
            if !self.eat(",") {
                return;
            }
        }
    }

    /// Reports a host declaration that was skipped up to the end of the file: it has swallowed everything after it.
    fn report_endless(&mut self, start: &super::Mark) {
        let last = self.pos.checked_sub(1).and_then(|p| self.tokens.get(p));
        let ended = last.is_some_and(|t| matches!(t.kind, TokenKind::Punct(";" | "}")));
        if self.at_end()
            && !ended
            && let Some(first) = self.tokens.get(start.pos)
        {
            let d = Diagnostic::new(
                Code::UnexpectedToken,
                "expected `;` or a function's body, found the end of the file",
            );
            self.report(d.label(self.span(), "").label(first.span, "in the declaration that starts here"));
        }
    }

    fn templated_or_plain(&mut self, items: &mut Vec<Item>) -> Parse<()> {
        let depth = self.scopes.depth();
        let outer = std::mem::take(&mut self.header);
        let result = self.with_header(items);
        self.header = outer;
        self.scopes.truncate(depth);
        result
    }

    fn with_header(&mut self, items: &mut Vec<Item>) -> Parse<()> {
        let extern_template = self.at_word("extern") && self.word_at(1).is_some_and(|w| &**w == "template");
        if extern_template || (self.at_word("template") && !self.punct_at(1, "<")) {
            return self.instantiation(items);
        }
        while self.at_word("template") {
            self.bump();
            self.scopes.push();
            let parameters = self.template_parameters()?;
            self.header.is_specialization = parameters.is_empty();
            self.header.levels += 1;
            self.header.parameters.extend(parameters);
        }
        self.templated_item(items)
    }

    /// Looks ahead over the declaration here.
    fn nature(&self) -> Nature {
        let mut nature = Nature::default();
        let mut ahead = self.skip_template_header();
        let mut angle = 0usize;
        let mut previous: Option<Word> = None;
        loop {
            self.spend(1);
            let token = self.token_at(ahead);
            match &token.kind {
                TokenKind::Eof => return nature,
                TokenKind::Ident(word) => {
                    nature.device |= MARKERS.contains(&&**word);
                    nature.constexpr |= matches!(&**word, "constexpr" | "consteval" | "concept");
                    nature.class |= matches!(&**word, "struct" | "class" | "union" | "enum");
                    previous = Some(word.clone());
                    ahead += 1;
                    continue;
                }
                TokenKind::Punct(";" | "}") => return nature,
                TokenKind::Punct("<") => angle += 1,
                TokenKind::Punct(">") => angle = angle.saturating_sub(1),
                TokenKind::Punct("=") if previous.as_deref() != Some("operator") => return nature,
                TokenKind::Punct("(") => {
                    let not_parameters = previous.as_deref().is_some_and(|w| {
                        matches!(
                            w,
                            "alignas" | "__align__" | "decltype" | "__attribute__" | "__launch_bounds__"
                        )
                    });
                    nature.function |= angle == 0 && !not_parameters;
                    ahead = self.group_end(ahead);
                    continue;
                }
                TokenKind::Punct("{") if nature.class && !nature.function => {
                    let end = self.group_end(ahead);
                    nature.device |= self.groups.has_marker(self.pos + ahead..self.pos + end);
                    ahead = end;
                    continue;
                }
                TokenKind::Punct("{") => return nature,
                _ => {}
            }
            previous = None;
            ahead += 1;
        }
    }

    /// How far ahead the token after a group is, whose bracket opens `ahead` tokens from here.
    fn group_end(&self, ahead: usize) -> usize {
        if self.stopped { ahead } else { self.groups.ends[self.pos + ahead] as usize - self.pos }
    }

    fn skip_template_header(&self) -> usize {
        let mut ahead = 0;
        while self.word_at(ahead).is_some_and(|w| &**w == "template") && self.punct_at(ahead + 1, "<") {
            let mut depth = 0usize;
            ahead += 1;
            loop {
                self.spend(1);
                match &self.token_at(ahead).kind {
                    TokenKind::Punct("<") => depth += 1,
                    TokenKind::Punct(">") => depth = depth.saturating_sub(1),
                    TokenKind::Punct(">>") => depth = depth.saturating_sub(2),
                    TokenKind::Punct("(") => {
                        ahead = self.group_end(ahead);
                        continue;
                    }
                    TokenKind::Eof | TokenKind::Punct(";" | "{") => return ahead,
                    _ => {}
                }
                ahead += 1;
                if depth == 0 {
                    break;
                }
            }
            if self.word_at(ahead).is_some_and(|w| &**w == "requires") {
                ahead = self.skip_constraint(ahead + 1);
            }
        }
        ahead
    }

    /// Where what follows `requires` ends, as far as that shows without names: operands of `&&` and `||`.
    pub(crate) fn skip_constraint(&self, mut ahead: usize) -> usize {
        loop {
            if self.word_at(ahead).is_some_and(|w| &**w == "requires") {
                ahead += 1;
                if self.punct_at(ahead, "(") {
                    ahead = self.group_end(ahead);
                }
            }
            if self.punct_at(ahead, "(") || self.punct_at(ahead, "{") {
                ahead = self.group_end(ahead);
            }
            while self.punct_at(ahead, "::") || self.word_at(ahead).is_some() {
                let is_name = self.word_at(ahead).is_some();
                ahead += 1;
                if self.punct_at(ahead, "<") {
                    ahead = self.closing_angle(ahead).map_or(ahead, |close| close + 1);
                }
                if is_name && !self.punct_at(ahead, "::") {
                    break;
                }
            }
            if !self.punct_at(ahead, "&&") && !self.punct_at(ahead, "||") {
                return ahead;
            }
            ahead += 1;
        }
    }

    /// Reports a word that looks like a CUDA specifier but is none, as in `__kernel__ void k()`; returns whether it did.
    fn unknown_marker(&mut self, ahead: usize, word: &str) -> bool {
        let looks = word.len() > 4 && word.starts_with("__") && word.ends_with("__");
        let before_void = self.word_at(ahead + 1).is_some_and(|w| &**w == "void");
        if !looks || !before_void || OTHER_MARKERS.contains(&word) {
            return false;
        }
        let span = self.token_at(ahead).span;
        self.report(
            Diagnostic::new(Code::UnknownSpecifier, format!("`{word}` is not known"))
                .label(span, "not a specifier")
                .help("a kernel is marked `__global__`, a function that kernels call `__device__`"),
        );
        true
    }

    /// Reports a misspelled specifier: `__gloabl__ void k()` would otherwise be taken for a host function and dropped.
    fn check_misspelled_marker(&mut self) {
        for ahead in self.skip_template_header()..self.skip_template_header() + 4 {
            let Some(word) = self.word_at(ahead).map(Word::as_str) else { return };
            let bare = word.trim_matches('_');
            let near = match bare {
                // `global` and `__global` for `__global__`; a file may have a type or name that is spelled the same.
                "global" | "device" | "shared" | "constant"
                    if self.name_at(ahead + 1) || self.word_at(ahead + 1).is_some_and(|w| &**w == "void") =>
                {
                    EXECUTION.iter().find(|e| e.trim_matches('_') == bare && **e != word).copied()
                }
                _ if word.starts_with('_') && !EXECUTION.contains(&word) => {
                    source::nearest(word, EXECUTION.iter().copied())
                }
                _ => None,
            };
            if near.is_none() && self.unknown_marker(ahead, word) {
                return;
            }
            if let Some(near) = near {
                let span = self.token_at(ahead).span;
                self.report(
                    Diagnostic::new(Code::UnknownSpecifier, format!("`{word}` is not known"))
                        .label(span, "not a specifier")
                        .mean(span, near),
                );
                return;
            }
        }
    }
}

/// Where bracketed groups end, found once for the whole file: groups are nested, and a search from the beginning of each would read the
/// inner ones again and again.
pub(super) struct Groups {
    /// For each `(` and `{`, the index after its closing bracket, or the index of the file's end if it is not closed.
    ends: Vec<u32>,
    /// For each token how many of [`MARKERS`] come before it.
    markers: Vec<u32>,
}

impl Groups {
    pub(super) fn of(tokens: &[Token]) -> Groups {
        let end = tokens.iter().position(|t| t.kind == TokenKind::Eof).unwrap_or(tokens.len());
        let mut ends = vec![end as u32; tokens.len()];
        let mut markers = Vec::with_capacity(tokens.len() + 1);
        let (mut parens, mut braces, mut count) = (Vec::new(), Vec::new(), 0);
        for (at, token) in tokens.iter().enumerate() {
            markers.push(count);
            let open = match &token.kind {
                TokenKind::Punct("(") => {
                    parens.push(at);
                    None
                }
                TokenKind::Punct("{") => {
                    braces.push(at);
                    None
                }
                TokenKind::Punct(")") => parens.pop(),
                TokenKind::Punct("}") => braces.pop(),
                TokenKind::Ident(word) => {
                    count += u32::from(MARKERS.contains(&&**word));
                    None
                }
                _ => None,
            };
            if let Some(open) = open {
                ends[open] = at as u32 + 1;
            }
        }
        markers.push(count);
        Groups { ends, markers }
    }

    fn has_marker(&self, tokens: Range<usize>) -> bool {
        self.markers[tokens.start] < self.markers[tokens.end]
    }
}
