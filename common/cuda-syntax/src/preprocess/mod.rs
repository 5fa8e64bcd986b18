//! Text to tokens: line splices, comments, macros, conditionals, includes.
//!
//! A stream with a stack of files below a stack of macro expansions. A macro is disabled while a frame of its own
//! expansion is on the stack, and its name met there is painted, which is the recursion rule of [cpp.rescan].
//! Every token that is read or made is charged to the budget ([`Cost::Tokens`]), long spellings as several, so that no text makes this stage
//! run for long or take much memory. Headers of CUDA and of the standard libraries are known by name and have no text (see `headers`): what they declare is
//! known to the later stages, and their usual macros are always defined (see `prelude`).

pub mod composed;
mod directive;
mod expression;
mod headers;
mod include;
mod lexer;
mod line_ends;
mod literal;
mod macros;
mod normal;
mod pieces;
mod prelude;
mod token;

pub use headers::{Library, SkippedHeader};
pub use normal::{NormalToken, statements};
pub use pieces::{PieceKind, pieces};
pub use token::{Token, TokenKind};

use crate::budget::{Budget, Cost, refusal};
use crate::text;
use crate::word::{Table, Word};
use macros::Macro;
use source::hash::Set;
use source::{Code, Diagnostic, FileId, Includes, SourceMap, Span};
use std::collections::BTreeMap;
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use token::{PpKind, PpToken, Text};

/// The largest kernel file that is read, in bytes.
pub const MAX_FILE_BYTES: usize = 1 << 20;
/// The largest file that is included, in bytes: libraries come as one large header.
pub const MAX_HEADER_BYTES: usize = 8 << 20;
/// Tokens that may be read and made to find out whether one macro is a constant.
const MAX_CONSTANT_WORK: u64 = 10_000;
/// After so many errors the rest of the file is not looked at.
const MAX_ERRORS: usize = 100;

/// Reads a file that was included, or says why it cannot be read.
pub type Loader = Arc<dyn Fn(&Path) -> io::Result<String> + Send + Sync>;

/// What surrounds a file.
#[derive(Clone)]
pub struct Options {
    /// Macros defined before the first line, name and body, as by `-DNAME=BODY`.
    pub defines: Vec<(String, String)>,
    /// Where `#include` looks, after the folder of the including file.
    pub include_dirs: Vec<PathBuf>,
    /// Where included files may come from; nowhere by default, and with [`Options::with_files`] from its list.
    pub includes: Includes,
    /// How included files are read.
    pub loader: Loader,
    /// A header that is skipped as those of unsupported libraries are.
    pub unread: Option<String>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            defines: Vec::new(),
            include_dirs: Vec::new(),
            includes: Includes::default(),
            loader: Arc::new(include::load_from_disk),
            unread: None,
        }
    }
}

impl Options {
    /// Options that read included files from a list of paths and texts instead of the disk.
    pub fn with_files(files: Vec<(PathBuf, String)>) -> Options {
        let loader = move |path: &Path| {
            let found = files.iter().find(|(name, _)| name == path);
            found.map(|(_, text)| text.clone()).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
        };
        Options { loader: Arc::new(loader), includes: Includes::Anywhere, ..Options::default() }
    }
}

/// The value of a macro that is a constant, such as `#define TILE 16`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MacroValue {
    /// An integer constant expression.
    Int(i64),
    /// A floating literal.
    Float(f64),
}

/// A file after preprocessing.
#[derive(Clone, Debug, Default)]
pub struct Preprocessed {
    /// The tokens, [`TokenKind::Eof`] last.
    pub tokens: Vec<Token>,
    /// Headers of libraries that were skipped.
    pub skipped: Vec<SkippedHeader>,
    constants: BTreeMap<String, (MacroValue, Span)>,
}

impl Preprocessed {
    /// Object-like macros that the file (or `Options::defines`) defines as constants, with where they are defined, by name.
    pub fn macro_constants(&self) -> impl Iterator<Item = (&str, MacroValue, Span)> {
        self.constants.iter().map(|(name, (value, span))| (name.as_str(), *value, *span))
    }
}

/// The tokens of a file.
pub fn preprocess(
    map: &mut SourceMap,
    file: FileId,
    options: &Options,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Token> {
    preprocess_file(map, file, options, &Budget::default(), diagnostics).tokens
}

/// The tokens of a file, and the constants that its macros define.
pub fn preprocess_file(
    map: &mut SourceMap,
    file: FileId,
    options: &Options,
    budget: &Budget,
    diagnostics: &mut Vec<Diagnostic>,
) -> Preprocessed {
    let end = map.file(file).text().len() as u32;
    let mut pp = Preprocessor::new(map, options, budget.left(Cost::Tokens), diagnostics);
    pp.define_prelude();
    if pp.enter_file(file, None, None) {
        pp.run();
    }
    let constants = pp.constants();
    pp.prepend_composed();
    // Reported where the budget was spent, if it was.
    let _ = budget.charge(Cost::Tokens, pp.work);
    let mut tokens = packed(pp.output, pp.has_packs);
    tokens.push(Token { kind: TokenKind::Eof, span: Span::new(file, end, end), first_on_line: true });
    Preprocessed { tokens, skipped: pp.skipped, constants }
}

/// A file being read.
struct FileFrame {
    id: FileId,
    path: Option<PathBuf>,
    /// Those that are still to be read.
    tokens: std::vec::IntoIter<PpToken>,
    conditionals: Vec<directive::Conditional>,
    /// Of a header of our own: the macros of the user, which it is read without.
    hidden: Vec<(Word, Arc<Macro>)>,
}

/// Tokens to be read before the file continues.
struct Frame {
    tokens: Vec<PpToken>,
    pos: usize,
    /// The macro that these tokens are the expansion of.
    of: Option<Word>,
    /// Reading stops at the end of this frame instead of continuing below.
    barrier: bool,
}

struct Preprocessor<'a> {
    map: &'a mut SourceMap,
    options: &'a Options,
    diagnostics: &'a mut Vec<Diagnostic>,
    macros: Table<Arc<Macro>>,
    /// The built-in text and that of the options, once both are read: what they define may be replaced silently.
    given: Option<RangeInclusive<FileId>>,
    files: Vec<FileFrame>,
    frames: Vec<Frame>,
    /// Macros whose expansion is being read.
    disabled: Set<Word>,
    /// Files with `#pragma once`.
    once: Set<PathBuf>,
    /// What `#pragma pack` has pushed, and what holds last: the largest alignment, 0 for none.
    packs: Vec<u32>,
    has_packs: bool,
    skipped: Vec<SkippedHeader>,
    output: Vec<Token>,
    /// The marks of all words in `output`, see `composed`.
    marks: u8,
    /// Tokens read and made, with those of the built-in text.
    work: u64,
    /// How much work there may be.
    limit: u64,
    errors: usize,
    counter: u64,
    /// How many arguments of arguments are being expanded.
    depth: usize,
    /// Set when nothing more is to be read; an error says why.
    stopped: bool,
    /// Errors are not reported while a macro's value is only tried.
    quiet: bool,
}

impl<'a> Preprocessor<'a> {
    fn new(
        map: &'a mut SourceMap,
        options: &'a Options,
        limit: u64,
        diagnostics: &'a mut Vec<Diagnostic>,
    ) -> Preprocessor<'a> {
        Preprocessor {
            map,
            options,
            diagnostics,
            macros: Table::default(),
            given: None,
            files: Vec::new(),
            frames: Vec::new(),
            disabled: Set::default(),
            once: Set::default(),
            packs: vec![0],
            has_packs: false,
            skipped: Vec::new(),
            output: Vec::new(),
            marks: 0,
            work: 0,
            limit,
            errors: 0,
            counter: 0,
            depth: 0,
            stopped: false,
            quiet: false,
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.quiet || self.stopped {
            return;
        }
        self.errors += usize::from(diagnostic.severity == source::Severity::Error);
        self.diagnostics.push(diagnostic);
        if self.errors == MAX_ERRORS {
            let last =
                Diagnostic::new(Code::TooManyErrors, "too many errors; the rest of the file is not read");
            self.diagnostics.push(last.help("fix the first errors; later ones often follow from them"));
            self.stopped = true;
        }
    }

    /// Charges work; `false` when the budget is spent, which is reported once.
    fn charge(&mut self, amount: usize, span: Span) -> bool {
        self.work = self.work.saturating_add(amount as u64);
        if self.work > self.limit && !self.stopped {
            self.report(refusal(Cost::Tokens, span));
            self.stopped = true;
        }
        !self.stopped
    }

    fn run(&mut self) {
        loop {
            self.take_plain();
            let Some(token) = self.expand_next() else { return };
            if token.is_ident("_Pragma") {
                self.pragma_operator(&token);
            } else {
                self.emit(token);
            }
        }
    }

    fn emit(&mut self, token: PpToken) {
        self.output.push(finished(token, &mut self.marks));
    }

    /// Takes tokens of the file that are what they are, as most are: no directive, no macro's name, no fault.
    fn take_plain(&mut self) {
        let (true, Some(file)) = (self.frames.is_empty(), self.files.last_mut()) else { return };
        if self.stopped || file.conditionals.last().is_some_and(|c| !c.active) {
            return;
        }
        let macros = &self.macros;
        let is_plain = |token: &PpToken| match (token.kind, &token.text) {
            (PpKind::Ident, Text::Word(word)) => !word.is_special() && !macros.contains(word),
            (PpKind::Punct, _) => !(token.first_on_line && token.is("#")),
            (kind, _) => kind == PpKind::Number,
        };
        // Where the budget ends is found out token by token.
        while self.work < self.limit
            && file.tokens.as_slice().first().is_some_and(is_plain)
            && let Some(token) = file.tokens.next()
        {
            self.work += 1;
            self.output.push(finished(token, &mut self.marks));
        }
    }

    /// The next token before macro expansion; `None` at a barrier, at the end, or when stopped.
    fn next_raw(&mut self) -> Option<PpToken> {
        loop {
            if self.stopped {
                return None;
            }
            let Some(frame) = self.frames.last_mut() else { return self.next_from_file() };
            if let Some(token) = frame.tokens.get(frame.pos) {
                frame.pos += 1;
                let token = token.clone();
                self.charge(1, token.span);
                return Some(token);
            }
            if frame.barrier {
                return None;
            }
            self.pop_frame();
        }
    }

    fn pop_frame(&mut self) {
        if let Some(name) = self.frames.pop().and_then(|frame| frame.of) {
            self.disabled.remove(&name);
        }
    }

    /// Fully expands tokens that stand alone, such as a directive's or an argument.
    fn expand_all(&mut self, tokens: Vec<PpToken>) -> Vec<PpToken> {
        let base = self.frames.len();
        self.frames.push(Frame { tokens, pos: 0, of: None, barrier: true });
        let mut expanded = Vec::new();
        while let Some(token) = self.expand_next() {
            expanded.push(token);
        }
        while self.frames.len() > base {
            self.pop_frame();
        }
        expanded
    }

    fn next_from_file(&mut self) -> Option<PpToken> {
        loop {
            if self.stopped {
                return None;
            }
            let file = self.files.last_mut()?;
            let Some(token) = file.tokens.next() else {
                self.leave_file();
                continue;
            };
            if !self.charge(1, token.span) {
                return None;
            }
            if token.first_on_line && token.is("#") {
                self.directive(&token);
                continue;
            }
            let active = self.files.last()?.conditionals.last().is_none_or(|c| c.active);
            if !active && token.kind != PpKind::UnterminatedComment {
                continue;
            }
            if let Some(token) = self.without_faults(token) {
                return Some(token);
            }
        }
    }

    /// Reports a lexical fault; what can stand for the token, if anything.
    fn without_faults(&mut self, token: PpToken) -> Option<PpToken> {
        let error = |code, title: &str, label: &str| Diagnostic::new(code, title).label(token.span, label);
        match token.kind {
            PpKind::Stray => {
                self.report(stray(&token));
                let quoted = token.text.starts_with(['“', '”', '„']) && token.text.chars().count() > 1;
                quoted.then(|| PpToken {
                    kind: PpKind::Str,
                    text: Text::Other(plain_quotes(&token.text)),
                    ..token
                })
            }
            PpKind::UnterminatedComment => {
                self.report(
                    error(Code::UnterminatedComment, "this comment never ends", "it starts here")
                        .help("end it with `*/`"),
                );
                None
            }
            PpKind::UnterminatedString => {
                let d = error(Code::UnterminatedString, "this string never ends", "it starts here");
                self.report(d.help("end it with `\"` on the same line"));
                Some(PpToken { kind: PpKind::Str, ..token })
            }
            PpKind::UnterminatedChar => {
                let d = error(Code::UnterminatedCharacter, "this character never ends", "it starts here");
                self.report(d.help("end it with `'`, as in `'a'`"));
                Some(PpToken { kind: PpKind::Char, ..token })
            }
            PpKind::Ident
            | PpKind::Number
            | PpKind::Str
            | PpKind::Char
            | PpKind::Punct
            | PpKind::Placemarker => Some(token),
        }
    }

    /// Starts reading a file; `false` if it is too large.
    fn enter_file(&mut self, id: FileId, path: Option<PathBuf>, used_at: Option<Span>) -> bool {
        let file = self.map.file(id);
        let largest = if used_at.is_some() { MAX_HEADER_BYTES } else { MAX_FILE_BYTES };
        if file.text().len() > largest {
            let title = format!("`{}` is larger than {} MiB", file.name(), largest >> 20);
            let at = used_at.unwrap_or(Span::new(id, 0, 0));
            self.report(Diagnostic::new(Code::FileTooLarge, title).label(at, ""));
            return false;
        }
        let tokens = lexer::lex(file.text(), id);
        let line_ends = line_ends::check(file.text(), id);
        self.output.reserve(tokens.len());
        line_ends.into_iter().for_each(|found| self.report(found));
        self.files.push(FileFrame {
            id,
            path,
            tokens: tokens.into_iter(),
            conditionals: Vec::new(),
            hidden: Vec::new(),
        });
        true
    }

    fn leave_file(&mut self) {
        let Some(file) = self.files.pop() else { return };
        for (name, definition) in file.hidden {
            self.macros.insert(&name, definition);
        }
        for open in file.conditionals {
            self.report(
                Diagnostic::new(Code::UnterminatedIf, format!("`#{}` without `#endif`", open.keyword))
                    .label(open.span, "this group never ends")
                    .help("add `#endif` where it should end"),
            );
        }
    }

    /// Reads definitions that are always there, then those of the options.
    fn define_prelude(&mut self) {
        let first = self.map.add("<built-in>", prelude::TEXT);
        match prelude::READ.get() {
            Some(read) if read.file == first => {
                self.macros = read.macros.clone();
                self.work = read.work;
            }
            _ => {
                self.enter_file(first, None, None);
                while self.expand_next().is_some() {}
                let read = prelude::Read { file: first, macros: self.macros.clone(), work: self.work };
                // Another thread may have been faster, with the same.
                let _ = prelude::READ.set(read);
            }
        }
        let mut last = first;
        let text: String = self
            .options
            .defines
            .iter()
            .map(|(name, body)| format!("#define {name} {}\n", body.replace('\n', " ")))
            .collect();
        if !text.is_empty() {
            last = self.map.add("<defines>", text);
            self.enter_file(last, None, None);
            while self.expand_next().is_some() {}
        }
        self.given = Some(first..=last);
    }

    /// Whether a macro is built-in, or one of the options.
    fn is_given(&self, definition: &Macro) -> bool {
        self.given.as_ref().is_some_and(|files| files.contains(&definition.span.file))
    }

    /// Object-like macros of the user that are constants.
    fn constants(&mut self) -> BTreeMap<String, (MacroValue, Span)> {
        let mut constants = BTreeMap::new();
        if self.stopped {
            return constants;
        }
        // Definitions of the options count as the user's: they stand for constants of the file.
        let defined = |name: &str| self.options.defines.iter().any(|(n, _)| n == name);
        let is_users = |(name, m): &(&Word, &Arc<Macro>)| {
            let by_user = defined(name) || !self.is_given(m);
            m.parameters.is_none() && by_user && !m.body.is_empty()
        };
        let names: Vec<_> = self.macros.iter().filter(is_users).collect();
        let mut names: Vec<_> = names.into_iter().map(|(n, m)| (n.clone(), m.span)).collect();
        names.sort();
        let integer =
            |body: &[PpToken]| expression::evaluate(body, false).ok().map(|v| MacroValue::Int(v.bits as i64));
        self.quiet = true;
        let limit = self.limit;
        for (name, span) in names {
            if self.work >= limit {
                break;
            }
            self.limit = limit.min(self.work + MAX_CONSTANT_WORK);
            let token = PpToken {
                kind: PpKind::Ident,
                text: Text::Word(name.clone()),
                span,
                space: false,
                first_on_line: false,
                painted: false,
            };
            let body = self.expand_all(vec![token]);
            if std::mem::take(&mut self.stopped) {
                continue;
            }
            let value = match body.as_slice() {
                [one] => match cook(one.kind, &one.text) {
                    TokenKind::Float { value, .. } => Some(MacroValue::Float(value)),
                    _ => integer(&body),
                },
                body => integer(body),
            };
            if let Some(value) = value {
                constants.insert(name.to_string(), (value, span));
            }
        }
        self.quiet = false;
        self.limit = limit;
        constants
    }
}

/// A string between typographic quotes, with plain ones.
fn plain_quotes(text: &str) -> Arc<str> {
    let inside: String = text.chars().filter(|c| !matches!(c, '“' | '”' | '„' | '"')).collect();
    format!("\"{inside}\"").into()
}

fn stray(token: &PpToken) -> Diagnostic {
    let c = token.text.chars().next().unwrap_or(' ');
    let (name, help) = match c {
        '“' | '”' | '„' | '«' | '»' => ("a typographic quote", "write a plain `\"`"),
        '‘' | '’' | '‚' | '´' => ("a typographic quote", "write a plain `'`"),
        '\u{a0}' | '\u{2003}' | '\u{2009}' | '\u{202f}' => ("a non-breaking space", "write a plain space"),
        '\u{200b}' | '\u{200c}' | '\u{200d}' | '\u{2060}' => ("an invisible character", "delete it"),
        '–' | '—' | '−' => ("a typographic dash", "write a plain `-`"),
        '×' => ("a multiplication sign", "write `*`"),
        '≤' => ("a mathematical sign", "write `<=`"),
        '≥' => ("a mathematical sign", "write `>=`"),
        '≠' => ("a mathematical sign", "write `!=`"),
        '`' => ("a backquote", "write a plain `'` or `\"`"),
        '\\' => ("a backslash", "only white space may follow a `\\` that continues a line; remove it"),
        '；' => ("a full-width semicolon", "write a plain `;`"),
        '，' => ("a full-width comma", "write a plain `,`"),
        '（' | '）' => ("a full-width parenthesis", "write a plain `(` or `)`"),
        '\u{fffd}' => ("", "save the file as UTF-8, or write plain letters"),
        c if c.is_control() => ("a control character", "delete it"),
        _ => ("a character that C++ has no use for here", "delete it"),
    };
    let title = match c {
        '\u{fffd}' => "these bytes are not UTF-8 text".to_owned(),
        c if c.is_control() || c.is_whitespace() => {
            format!("{name} (U+{:04X}) is not allowed here", u32::from(c))
        }
        c => format!("`{c}` is {name}"),
    };
    Diagnostic::new(Code::StrayCharacter, title).label(token.span, "").help(help)
}

/// A preprocessing token as a token of C++; adds its marks to those of the others. Inlined, because a token that is handed
/// over is written to memory and read again at once, in words of another size.
#[inline(always)]
fn finished(token: PpToken, marks: &mut u8) -> Token {
    let PpToken { kind, text, span, first_on_line, .. } = token;
    let kind = match text {
        Text::Word(word) if kind == PpKind::Ident => {
            *marks |= word.marks();
            TokenKind::Ident(word).without_alternative()
        }
        text => cook(kind, &text),
    };
    Token { kind, span, first_on_line }
}

/// Moves what `#pragma pack` says to the classes after it.
fn packed(tokens: Vec<Token>, has_packs: bool) -> Vec<Token> {
    if !has_packs {
        return tokens;
    }
    let mut packed: Vec<Token> = Vec::new();
    let mut now = 0;
    for token in tokens {
        if let TokenKind::Pack(n) = token.kind {
            now = n;
            continue;
        }
        let is_class = matches!(&token.kind, TokenKind::Ident(word) if matches!(word.as_str(), "struct" | "class" | "union"));
        // No class is defined in `template <class T>` and `enum class`.
        let is_other = packed.last().is_some_and(|last| match &last.kind {
            TokenKind::Ident(word) => word.as_str() == "enum",
            kind => matches!(kind, TokenKind::Punct("<" | "," | "(")),
        });
        let span = token.span;
        packed.push(token);
        if is_class && !is_other && now > 0 {
            packed.push(Token { kind: TokenKind::Pack(now), span, first_on_line: false });
        }
    }
    packed
}

/// What a kind and a text are in C++.
fn cook(kind: PpKind, text: &Text) -> TokenKind {
    match (kind, text) {
        (_, Text::Punct((_, meaning))) => TokenKind::Punct(meaning),
        (PpKind::Number, _) => literal::number(text),
        (PpKind::Str | PpKind::UnterminatedString, _) => TokenKind::Str((**text).into()),
        (PpKind::Char | PpKind::UnterminatedChar, _) => text::character(text),
        _ => TokenKind::Ident(text.word()).without_alternative(),
    }
}

impl TokenKind {
    /// `and`, `or`, `not` … as the operators they are.
    fn without_alternative(self) -> TokenKind {
        match &self {
            TokenKind::Ident(name) => name.operator().map_or(self, TokenKind::Punct),
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests;
