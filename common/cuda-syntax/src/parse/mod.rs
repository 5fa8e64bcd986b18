//! Tokens to the syntax tree: recursive descent, with precedence climbing for expressions.
//!
//! C++ cannot be parsed without knowing which names are types, so scopes are tracked here (`scope`): every declaration
//! enters its name with what it names, and nothing more. A function returns `Parse`; `Err` means that an error has
//! been reported, and the caller that can continue (a statement, a declaration, a member) skips to the next place where it can.
//! Where two readings are possible one is tried *speculatively*: nothing is reported, and the place is restored. The
//! work of all tries is bounded by the budget ([`Cost::Syntax`]), the depth of recursion and the height of expression trees by limits.
//!
//! Host code: a declaration without `__global__`, `__device__` and the like is parsed tolerantly (unknown types are
//! accepted, then the declaration is left out), and its body is skipped with balanced braces, whatever is in it.

mod class;
mod compare;
mod declaration;
mod declarator;
mod expr;
mod function;
mod host;
mod item;
mod lambda;
mod launch;
mod loops;
mod names;
mod path;
mod primary;
mod recover;
mod scope;
mod specifiers;
mod stmt;
mod template;

use crate::ast::{Expr, ExprKind, File, HostFunction, Name};
use crate::budget::{Budget, Cost, refusal};
use crate::preprocess::{SkippedHeader, Token, TokenKind};
use crate::word::Word;
pub use launch::name_of;
pub use names::is_keyword;
use scope::{Meaning, ScopeId, Scopes};
use source::{Code, Diagnostic, Severity, Span};
pub use specifiers::{is_known_in_part, is_of_cuda, lacking_typename, skipped_name, unsupported_library};
use std::cell::Cell;

/// How deep constructs may nest; also what bounds the recursion of this parser and of all that walk its tree.
pub const MAX_DEPTH: usize = 256;
/// How high the tree of one expression may be; chains such as `a + b + c` grow it without recursion.
pub const MAX_HEIGHT: usize = 512;
const MAX_ERRORS: usize = 100;

/// An error has been reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failed;

pub(crate) type Parse<T> = Result<T, Failed>;

/// Parses a file's tokens. Errors are added to `diagnostics`; what could be read is in the result all the same.
pub fn parse(tokens: &[Token], diagnostics: &mut Vec<Diagnostic>) -> File {
    parse_with(tokens, Vec::new(), &Budget::default(), diagnostics)
}

/// As [`parse`], of a file that includes headers that were not read: names that nothing declares may be theirs.
pub fn parse_with(
    tokens: &[Token],
    skipped: Vec<SkippedHeader>,
    budget: &Budget,
    diagnostics: &mut Vec<Diagnostic>,
) -> File {
    parse_within(tokens, skipped, budget, false, diagnostics)
}

/// As [`parse_with`]; with `declarations`, bodies of functions on which no type or constant depends are left out.
pub fn parse_within(
    tokens: &[Token],
    skipped: Vec<SkippedHeader>,
    budget: &Budget,
    declarations: bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> File {
    let limit = budget.left(Cost::Syntax);
    let (mut file, mut found, fuel) = crate::with_large_stack(|| read(tokens, &skipped, limit, declarations));
    // Reported where the budget was spent, if it was.
    let _ = budget.charge(Cost::Syntax, limit - fuel);
    diagnostics.append(&mut found);
    file.skipped = skipped;
    file
}

fn read(
    tokens: &[Token],
    skipped: &[SkippedHeader],
    fuel: u64,
    declarations: bool,
) -> (File, Vec<Diagnostic>, u64) {
    let mut parser = Parser::new(tokens, fuel);
    parser.declarations = declarations;
    parser.skipped = skipped;
    let items = parser.file();
    let host_bodies = parser.host_bodies();
    let host = std::mem::take(&mut parser.host);
    let file = File { items, host, host_bodies, ..File::default() };
    (file, parser.diagnostics, parser.fuel.get())
}

pub(crate) struct Parser<'t> {
    tokens: &'t [Token],
    groups: host::Groups,
    pos: usize,
    /// Whether the first `>` of the `>>` at `pos` has been read.
    split: bool,
    scopes: Scopes,
    diagnostics: Vec<Diagnostic>,
    errors: usize,
    /// `override` and `final` after the parameters that were read last.
    overriding: crate::ast::Specifiers,
    /// The `requires` clause behind the parameters of the function being read.
    trailing: Option<crate::ast::Expr>,
    /// How many tries are in progress.
    speculating: usize,
    /// Tokens that may still be read, counting those read again.
    fuel: Cell<u64>,
    stopped: bool,
    depth: usize,
    /// The height of the expression that was parsed last.
    height: usize,
    /// Whether `>` ends the expression, as in a template's arguments.
    angle_ends: bool,
    /// Whether unknown types are accepted: a declaration of the host.
    tolerant: bool,
    /// Whether the last list of parameters ended in C's `...`.
    c_variadic: bool,
    /// Whether one was accepted.
    tolerated: bool,
    /// Whether an error was reported that must stay although the declaration is the host's.
    insistent: bool,
    /// Where a missing `}` was reported, so that the blocks around do not report it again.
    brace_reported: Option<usize>,
    /// Names of classes whose bodies are being read, innermost last.
    classes: Vec<Word>,
    /// What members of the innermost class mean in bodies of its methods, where names of the scopes around it are hidden.
    later_members: Vec<(Word, Meaning)>,
    class_scope: ScopeId,
    /// How many bodies of functions are open.
    block_depth: usize,
    /// Parameters of the `template <…>` before the declaration being read.
    header: function::Header,
    /// What `__func__` is.
    function: Word,
    /// Whether the file has keywords of C++20: `typename` may be left out then where only a type can stand.
    is_2020: bool,
    /// Whether the body is a kernel's.
    in_kernel: bool,
    /// Classes that the declaration at hand names first, as `struct NAME`.
    named_ahead: Vec<crate::ast::Name>,
    /// The type of the last conversion function that was named.
    conversion: Option<crate::ast::TypeName>,
    /// The suffixes for which an `operator""` was declared.
    literal_operators: Vec<Word>,
    /// Whether `using namespace std` was seen, so that plain names may be the library's.
    using_std: bool,
    /// Headers of libraries that were not read.
    skipped: &'t [SkippedHeader],
    /// Names of function templates that are members of some class, and so may take `<…>` after a dot.
    member_templates: source::hash::Set<Word>,
    /// Whether bodies on which no type or constant depends are left out.
    declarations: bool,
    /// Functions of the host so far.
    host: Vec<HostFunction>,
    /// Numbers unnamed classes that need a name.
    unnamed: usize,
    eof: Token,
}

/// A place to come back to.
struct Mark {
    pos: usize,
    split: bool,
    scopes: usize,
    depth: usize,
    angle_ends: bool,
}

/// Whether a token is a keyword or an operator that C++20 brought.
fn is_of_2020(kind: &TokenKind) -> bool {
    match kind {
        TokenKind::Ident(word) => {
            matches!(&**word, "concept" | "requires" | "consteval" | "constinit" | "char8_t")
        }
        TokenKind::Punct(p) => *p == "<=>",
        _ => false,
    }
}

impl<'t> Parser<'t> {
    fn new(tokens: &'t [Token], fuel: u64) -> Parser<'t> {
        let end = tokens.last().map(|t| t.span.after()).unwrap_or_default();
        Parser {
            tokens,
            groups: host::Groups::of(tokens),
            pos: 0,
            split: false,
            scopes: Scopes::new(),
            diagnostics: Vec::new(),
            errors: 0,
            overriding: crate::ast::Specifiers::default(),
            trailing: None,
            speculating: 0,
            fuel: Cell::new(fuel),
            stopped: false,
            depth: 0,
            height: 0,
            angle_ends: false,
            tolerant: false,
            c_variadic: false,
            tolerated: false,
            insistent: false,
            brace_reported: None,
            classes: Vec::new(),
            later_members: Vec::new(),
            class_scope: scope::GLOBAL,
            block_depth: 0,
            header: function::Header::default(),
            function: Word::default(),
            is_2020: tokens.iter().any(|t| is_of_2020(&t.kind)),
            in_kernel: false,
            named_ahead: Vec::new(),
            conversion: None,
            literal_operators: Vec::new(),
            using_std: false,
            skipped: &[],
            member_templates: source::hash::Set::default(),
            declarations: false,
            host: Vec::new(),
            unnamed: 0,
            eof: Token { kind: TokenKind::Eof, span: end, first_on_line: true },
        }
    }

    // ---- looking at tokens

    #[inline(always)]
    fn token_at(&self, ahead: usize) -> &Token {
        if self.stopped { &self.eof } else { self.tokens.get(self.pos + ahead).unwrap_or(&self.eof) }
    }

    #[inline(always)]
    fn kind_at(&self, ahead: usize) -> &'t TokenKind {
        static END: TokenKind = TokenKind::Eof;
        match self.tokens.get(self.pos + ahead) {
            Some(token) if !self.stopped => &token.kind,
            _ => &END,
        }
    }

    #[inline(always)]
    fn kind(&self) -> &'t TokenKind {
        self.kind_at(0)
    }

    fn span(&self) -> Span {
        let span = self.token_at(0).span;
        if self.split && span.end > span.start { Span { start: span.end - 1, ..span } } else { span }
    }

    /// The names from a token up to here and `this`, each once.
    fn words_since(&self, first: usize) -> Vec<Word> {
        let word = |token: &Token| match &token.kind {
            TokenKind::Ident(word) if !word.is_keyword() || *word == "this" => Some(word.clone()),
            _ => None,
        };
        let read = self.tokens.get(first..self.pos).unwrap_or(&[]);
        let mut words: Vec<Word> = read.iter().filter_map(word).collect();
        words.sort_unstable();
        words.dedup();
        words
    }

    fn prev_span(&self) -> Span {
        match self.pos.checked_sub(1).and_then(|p| self.tokens.get(p)) {
            Some(token) => token.span,
            None => self.span(),
        }
    }

    #[inline(always)]
    fn at_end(&self) -> bool {
        matches!(self.kind(), TokenKind::Eof)
    }

    // Always inlined, and so are those below: then a comparison with a literal is one of a word or two.
    #[inline(always)]
    fn at(&self, punct: &str) -> bool {
        match self.kind() {
            TokenKind::Punct(">>") if self.split => punct == ">",
            TokenKind::Punct(p) => *p == punct,
            _ => false,
        }
    }

    fn punct(&self) -> Option<&'static str> {
        match self.kind() {
            TokenKind::Punct(">>") if self.split => Some(">"),
            TokenKind::Punct(p) => Some(p),
            _ => None,
        }
    }

    #[inline(always)]
    fn punct_at(&self, ahead: usize, punct: &str) -> bool {
        matches!(self.kind_at(ahead), TokenKind::Punct(p) if *p == punct)
    }

    #[inline(always)]
    fn word(&self) -> Option<&'t Word> {
        self.word_at(0)
    }

    #[inline(always)]
    fn word_at(&self, ahead: usize) -> Option<&'t Word> {
        match self.kind_at(ahead) {
            TokenKind::Ident(name) => Some(name),
            _ => None,
        }
    }

    #[inline(always)]
    fn at_word(&self, word: &str) -> bool {
        self.word().is_some_and(|w| &**w == word)
    }

    /// Whether a name that is no keyword stands `ahead` tokens from here.
    fn name_at(&self, ahead: usize) -> bool {
        self.word_at(ahead).is_some_and(|w| !w.is_keyword())
    }

    // ---- taking tokens

    fn bump(&mut self) {
        self.split = false;
        if self.at_end() {
            return;
        }
        self.pos += 1;
        let looks = self.scopes.take_looks();
        self.spend(1 + looks / 8);
        if self.fuel.get() == 0 {
            self.too_complex();
        }
    }

    /// Charges tokens that are looked at in a loop; the next that is taken ends the parser if there is nothing left.
    fn spend(&self, tokens: u64) {
        self.fuel.set(self.fuel.get().saturating_sub(tokens));
    }

    #[cold]
    fn too_complex(&mut self) {
        self.speculating = 0;
        let span = self.span();
        self.report(refusal(Cost::Syntax, span));
        self.stopped = true;
    }

    #[inline(always)]
    fn eat(&mut self, punct: &str) -> bool {
        let found = self.at(punct);
        if found {
            self.bump();
        }
        found
    }

    #[inline(always)]
    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }

    /// A name, if one stands here.
    fn opt_name(&mut self) -> Option<Name> {
        let text = self.word().filter(|word| !word.is_keyword())?.clone();
        let span = self.span();
        self.bump();
        Some(Name { text, span })
    }

    fn name(&mut self, what: &str) -> Parse<Name> {
        if let Some(name) = self.opt_name() {
            return Ok(name);
        }
        match self.word() {
            Some(word) => {
                let title = format!("`{word}` is a keyword and cannot be {what}");
                self.fail(Diagnostic::new(Code::UnexpectedToken, title).label(self.span(), ""))
            }
            None => self.unexpected(what),
        }
    }

    // ---- reporting

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.speculating > 0 || self.stopped {
            return;
        }
        self.errors += usize::from(diagnostic.severity == Severity::Error);
        self.diagnostics.push(diagnostic);
        if self.errors >= MAX_ERRORS {
            let last =
                Diagnostic::new(Code::TooManyErrors, "too many errors; the rest of the file is not read");
            self.diagnostics.push(last.help("fix the first errors; later ones often follow from them"));
            self.stopped = true;
        }
    }

    fn fail<T>(&mut self, diagnostic: Diagnostic) -> Parse<T> {
        self.report(diagnostic);
        Err(Failed)
    }

    // ---- trying

    fn mark(&self) -> Mark {
        Mark {
            pos: self.pos,
            split: self.split,
            scopes: self.scopes.depth(),
            depth: self.depth,
            angle_ends: self.angle_ends,
        }
    }

    fn reset(&mut self, mark: &Mark) {
        self.pos = mark.pos;
        self.split = mark.split;
        self.restore_nesting(mark);
    }

    /// After an error: as deep in scopes and recursion as at `mark`, but not back at its place.
    fn restore_nesting(&mut self, mark: &Mark) {
        self.scopes.truncate(mark.scopes);
        self.depth = mark.depth;
        self.angle_ends = mark.angle_ends;
    }

    /// Tries `f`; where it gives `None`, nothing was read and nothing was reported.
    fn attempt<T>(&mut self, f: impl FnOnce(&mut Self) -> Parse<T>) -> Option<T> {
        let mark = self.mark();
        self.speculating += 1;
        let result = f(self);
        self.speculating = self.speculating.saturating_sub(1);
        if result.is_err() {
            self.reset(&mark);
        }
        result.ok()
    }

    /// Tries `f` and comes back in any case.
    fn probe(&mut self, f: impl FnOnce(&mut Self) -> Parse<bool>) -> bool {
        let mark = self.mark();
        let result = self.attempt(f);
        self.reset(&mark);
        result == Some(true)
    }

    /// Goes one level deeper.
    fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            return self.too_deep();
        }
        self.depth += 1;
        let result = f(self);
        self.depth = self.depth.saturating_sub(1);
        result
    }

    fn too_deep<T>(&mut self) -> Parse<T> {
        let span = self.span();
        self.speculating = 0;
        self.report(
            Diagnostic::new(Code::NestingTooDeep, "this is nested too deeply")
                .label(span, format!("more than {MAX_DEPTH} levels deep here"))
                .help("split it into functions or variables"),
        );
        // What follows is inside all those levels; errors about it would help nobody.
        self.stopped = true;
        Err(Failed)
    }

    // ---- expressions' heights

    fn expr(&mut self, kind: ExprKind, span: Span) -> Expr {
        Expr { kind, span }
    }

    /// The last expression got a parent; `below` is the height of its highest child.
    fn raise(&mut self, below: usize) -> Parse<()> {
        self.height = below + 1;
        if self.height > MAX_HEIGHT { self.too_deep() } else { Ok(()) }
    }
}
