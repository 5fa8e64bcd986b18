//! Which errors may follow from what is not supported.
//!
//! Where something is not supported, nothing is known of the names that it declares, nor of what is declared with those. An error
//! in a statement or a declaration that names one of them may be a consequence, so it is left out: the file is not supported
//! anyway, and a right program is never called wrong. An error all of whose names are known stays. Names are compared as
//! texts, those of locals and parameters within their function: this may leave out an error too many, never one too few.
//!
//! A header that is not read, and a declaration that could not be read, may declare any name that nothing else declares, and
//! a macro of that name may make any text a right one.

use crate::check::is_builtin;
use cuda_syntax::Word;
use cuda_syntax::ast::{self, Condition, File, Function, FunctionBody, Item, Stmt, StmtKind};
use cuda_syntax::parse::skipped_name;
use cuda_syntax::preprocess::{Token, TokenKind};
use source::hash::{Map, Set};
use source::{Code, Diagnostic, FileId, Severity, Span, Verdict};

/// A declaration, or a statement that declares nothing.
struct Unit {
    /// Where its text is: without the bodies of functions that its type does not depend on.
    pieces: Vec<Span>,
    /// What it declares.
    names: Vec<Word>,
    /// The function whose locals these names are.
    within: Option<Span>,
    /// What depends on all of it: an error in there is about it.
    inner: Option<Span>,
}

/// Turns syntax errors beside a name that an unread header may define as a macro into what is said of such names.
pub(crate) fn excuse_macros(tokens: &[Token], tree: &File, diagnostics: &mut [Diagnostic]) {
    if tree.skipped.is_empty() || !diagnostics.iter().any(is_wrong) {
        return;
    }
    let texts = Texts::of(tokens);
    let units = units(tree);
    let declared = texts.declared(&units, true);
    for d in diagnostics.iter_mut().filter(|d| is_wrong(d)) {
        let Some(span) = d.span() else { continue };
        let words = texts.words(texts.segment(span));
        let Some((name, at)) = words.into_iter().find(|(word, _)| !declared.contains(*word)) else {
            continue;
        };
        if let Some(skipped) = skipped_name(name, at, &tree.skipped) {
            *d = skipped;
        }
    }
}

/// Leaves out the errors that may follow from what is not supported; `tried` is what was not reported of that.
pub(crate) fn drop_consequences(
    tokens: &[Token],
    tree: &File,
    tried: Vec<Diagnostic>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let unsupported = |d: &&Diagnostic| d.severity == Severity::Error && d.verdict == Verdict::Unsupported;
    let causes = diagnostics.iter().filter(unsupported).chain(&tried).filter_map(Diagnostic::span);
    let causes: Vec<Span> = causes.collect();
    if causes.is_empty() || !diagnostics.iter().any(is_wrong) {
        return;
    }
    let texts = Texts::of(tokens);
    let units = units(tree);
    let unknown = Unknown::from(&texts, &units, &causes, tree);
    let before = diagnostics.len();
    diagnostics.retain(|d| !is_wrong(d) || !unknown.explains(d, &texts, &units, &causes));
    if diagnostics.len() < before && !diagnostics.iter().any(|d| unsupported(&d)) {
        diagnostics.extend(tried.into_iter().take(1));
    }
}

/// Whether a diagnostic is an error that calls the program wrong.
pub(crate) fn is_wrong(d: &Diagnostic) -> bool {
    d.severity == Severity::Error && d.verdict == Verdict::Program
}

/// What nothing is known of.
struct Unknown<'t> {
    /// Names, each with the functions in which it is one; everywhere if there is `None`.
    names: Map<&'t Word, Vec<Option<Span>>>,
    /// For each unit whether it is unknown.
    units: Vec<bool>,
}

impl<'t> Unknown<'t> {
    fn from(texts: &Texts<'t>, units: &'t [Unit], causes: &[Span], tree: &File) -> Unknown<'t> {
        let mut unknown = Unknown { names: Map::default(), units: vec![false; units.len()] };
        let mut mentions: Map<&Word, Vec<usize>> = Map::default();
        for (n, unit) in units.iter().enumerate() {
            for piece in &unit.pieces {
                for (word, _) in texts.words(texts.range(*piece)) {
                    let list = mentions.entry(word).or_default();
                    if list.last() != Some(&n) {
                        list.push(n);
                    }
                }
            }
        }
        let mut next: Vec<(&Word, Option<Span>)> = Vec::new();
        let touches = |cause: &Span, unit: &Unit| {
            unit.pieces.iter().any(|piece| piece.contains(*cause) || cause.contains(*piece))
        };
        for (n, unit) in units.iter().enumerate() {
            if causes.iter().any(|cause| touches(cause, unit)) {
                unknown.units[n] = true;
                next.extend(unit.names.iter().map(|name| (name, unit.within)));
            }
        }
        let is_lost = |cause: &Span| !units.iter().any(|unit| touches(cause, unit));
        let unread = tree.skipped.iter().any(|s| !s.origin.namespaces.is_empty());
        if unread || causes.iter().any(is_lost) {
            let declared = texts.declared(units, false);
            next.extend(mentions.keys().filter(|word| !declared.contains(**word)).map(|word| (*word, None)));
        }
        while let Some((name, within)) = next.pop() {
            let known = unknown.names.entry(name).or_default();
            if known.contains(&within) || known.contains(&None) {
                continue;
            }
            known.push(within);
            for n in mentions.get(name).into_iter().flatten() {
                let inside = |function: Span| units[*n].pieces.iter().any(|piece| function.contains(*piece));
                if !unknown.units[*n] && within.is_none_or(inside) {
                    unknown.units[*n] = true;
                    next.extend(units[*n].names.iter().map(|name| (name, units[*n].within)));
                }
            }
        }
        unknown
    }

    fn explains(&self, d: &Diagnostic, texts: &Texts<'t>, units: &[Unit], causes: &[Span]) -> bool {
        let places = || d.labels.iter().map(|label| label.span).chain(d.span());
        // An operator of a class is called without its name.
        let operators = || self.names.keys().filter_map(|name| name.strip_prefix("operator"));
        let is_called = |span: Span| {
            let puncts =
                |token: &&Token| matches!(token.kind, TokenKind::Punct(p) if operators().any(|o| o == p));
            texts.range(span).iter().any(puncts)
        };
        places().any(|span| self.reaches(texts, units, causes, span))
            || d.code == Code::InvalidOperands && d.span().is_some_and(is_called)
    }

    /// Whether what is said of this place may follow from what is unknown.
    fn reaches(&self, texts: &Texts<'t>, units: &[Unit], causes: &[Span], span: Span) -> bool {
        let segment = texts.segment(span);
        let is_cause =
            |(_, at): (&Word, Span)| causes.iter().any(|cause| cause.contains(at) || at.contains(*cause));
        let is_unknown = |(word, at): (&Word, Span)| {
            self.names
                .get(word)
                .is_some_and(|all| all.iter().any(|within| within.is_none_or(|f| f.contains(at))))
        };
        let words = texts.words(segment);
        let leaf = units
            .iter()
            .zip(&self.units)
            .any(|(unit, unknown)| *unknown && unit.inner.is_some_and(|inner| inner.contains(span)));
        leaf || causes.iter().any(|cause| cause.contains(span) || span.contains(*cause))
            || words.iter().copied().any(|word| is_unknown(word) || is_cause(word))
    }
}

/// The tokens by file, in order of their places.
struct Texts<'t> {
    files: Map<FileId, Vec<&'t Token>>,
}

impl<'t> Texts<'t> {
    fn of(tokens: &'t [Token]) -> Texts<'t> {
        let mut files: Map<FileId, Vec<&Token>> = Map::default();
        for token in tokens {
            files.entry(token.span.file).or_default().push(token);
        }
        files.values_mut().for_each(|list| list.sort_by_key(|token| (token.span.start, token.span.end)));
        Texts { files }
    }

    /// The tokens of a file, and those of them that begin within a place.
    fn within(&self, span: Span) -> (&[&'t Token], std::ops::Range<usize>) {
        let list = self.files.get(&span.file).map_or(&[][..], Vec::as_slice);
        let before = |end: u32| list.partition_point(|token| token.span.start < end);
        (list, before(span.start)..before(span.end.max(span.start + 1)))
    }

    /// The tokens that begin within a place.
    fn range(&self, span: Span) -> &[&'t Token] {
        let (list, at) = self.within(span);
        &list[at]
    }

    /// The tokens around a place, from one `;`, `{` or `}` to the next.
    fn segment(&self, span: Span) -> &[&'t Token] {
        let (list, at) = self.within(span);
        let ends = |token: &&Token| matches!(token.kind, TokenKind::Punct(";" | "{" | "}"));
        let first = list[..at.start].iter().rposition(ends).map_or(0, |n| n + 1);
        let last = list[at.end..].iter().position(ends).map_or(list.len(), |n| at.end + n);
        &list[first..last.max(first)]
    }

    fn words<'s>(&self, tokens: &'s [&'t Token]) -> Vec<(&'t Word, Span)>
    where
        't: 's,
    {
        let word = |token: &&'t Token| match &token.kind {
            TokenKind::Ident(word) => Some((word, token.span)),
            TokenKind::SuffixedNumber(number) => Some((&number.suffix, token.span)),
            _ => None,
        };
        tokens.iter().filter_map(word).collect()
    }

    /// Every name that is a keyword, CUDA's, declared by a unit, or, if that counts, written as if it were being declared where the
    /// text could not be read.
    fn declared(&self, units: &'t [Unit], as_written: bool) -> Set<&'t Word> {
        let mut declared: Set<&Word> = units.iter().flat_map(|unit| &unit.names).collect();
        for list in self.files.values() {
            for n in 0..list.len() {
                let TokenKind::Ident(word) = &list[n].kind else { continue };
                let before = n.checked_sub(1).map(|n| &list[n].kind);
                let after = list.get(n + 1).map(|token| &token.kind);
                // After a type, and before what ends a declarator; or a member of what a name stands for.
                let typed = matches!(before, Some(TokenKind::Ident(w)) if !is_statement(w))
                    || matches!(
                        before,
                        Some(TokenKind::Punct("*" | "&" | "&&" | ">" | "," | "." | "->" | "..."))
                    );
                let ends = matches!(
                    after,
                    Some(TokenKind::Punct("=" | ";" | "," | ")" | "[" | "(" | "{" | ":" | ">" | "."))
                );
                let is_member = matches!(before, Some(TokenKind::Punct("." | "->")));
                if word.is_keyword() || is_builtin(word) || is_member || (as_written && typed && ends) {
                    declared.insert(word);
                }
            }
        }
        declared
    }
}

/// Words that come before a value, not before a name that is declared.
fn is_statement(word: &Word) -> bool {
    matches!(
        word.as_str(),
        "return" | "case" | "goto" | "else" | "do" | "throw" | "new" | "delete" | "sizeof"
    )
}

/// All declarations and statements of a file that were read.
fn units(tree: &File) -> Vec<Unit> {
    let mut collected = Collected { units: Vec::new(), within: None, names_of: Map::default() };
    collected.items(&tree.items);
    collected.units
}

struct Collected {
    units: Vec<Unit>,
    /// The function at hand.
    within: Option<Span>,
    /// What the namespaces of a name declare.
    names_of: Map<Word, Vec<Word>>,
}

impl Collected {
    fn add(&mut self, pieces: Vec<Span>, names: Vec<Word>, within: Option<Span>, inner: Option<Span>) {
        // A deduction guide is kept under a name of its own, and a literal operator is used by its suffix.
        let prefixes = ["guide#", "operator\"\""];
        let plain =
            |name: Word| prefixes.iter().find_map(|p| name.strip_prefix(p)).map(Word::from).unwrap_or(name);
        let names = names.into_iter().filter(|name| !name.is_empty()).map(plain).collect();
        self.units.push(Unit { pieces, names, within, inner });
    }

    /// A unit of one piece.
    fn leaf(&mut self, span: Span, names: Vec<Word>) {
        self.add(vec![span], names, self.within, Some(span));
    }

    fn items(&mut self, items: &[Item]) {
        items.iter().for_each(|item| self.item(item));
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Function(f) => self.function(f),
            Item::Variables(v) => self.variables(v),
            Item::Class(c) => {
                let mut bodies = Vec::new();
                plain_bodies(item, &mut bodies);
                let name = c.name.as_ref().map(|name| name.last.name.text.clone());
                let names: Vec<Word> = name.into_iter().collect();
                self.template(&c.template, c.span, &names);
                self.add(without(c.span, &bodies), names, self.within, Some(c.span));
                self.items(c.members.as_deref().unwrap_or(&[]));
            }
            Item::Enum(e) => {
                let own = e.name.iter().map(|path| &path.last.name);
                let names = own.chain(e.enumerators.iter().map(|(name, _)| name));
                self.leaf(item.span(), names.map(|name| name.text.clone()).collect());
            }
            Item::Alias(a) => {
                self.template(&a.template, a.span, std::slice::from_ref(&a.name.text));
                self.leaf(item.span(), vec![a.name.text.clone()]);
            }
            Item::Namespace { name, items, span } => {
                let from = self.units.len();
                self.items(items);
                let Some(name) = name else { return };
                let declared: Vec<Word> = self.units[from..]
                    .iter()
                    .filter(|u| u.within.is_none())
                    .flat_map(|u| u.names.clone())
                    .collect();
                self.names_of.entry(name.text.clone()).or_default().extend(declared);
                // Unknown only if all of it is.
                let begin = Span::new(span.file, span.start, span.start);
                self.add(vec![begin], vec![name.text.clone()], None, None);
            }
            Item::UsingNamespace { path, .. } => {
                let names = self.names_of.get(&path.last.name.text).cloned().unwrap_or_default();
                self.leaf(item.span(), names);
            }
            Item::UsingName { path, .. } => {
                self.leaf(item.span(), vec![path.last.name.text.clone()]);
            }
            Item::UsingEnum { .. }
            | Item::Friend { .. }
            | Item::StaticAssert(_)
            | Item::Instantiation { .. } => {
                self.leaf(item.span(), Vec::new());
            }
        }
    }

    fn variables(&mut self, d: &ast::VariableDeclaration) {
        let names = d.variables.iter().flat_map(|v| v.bindings.iter().chain([&v.name]));
        let names: Vec<Word> = names.map(|name| name.text.clone()).collect();
        self.template(&d.template, d.span, &names);
        self.leaf(d.span, names);
    }

    /// The parameters of a template, on whose types and defaults it depends.
    fn template(&mut self, parameters: &[ast::TemplateParameter], owner: Span, names: &[Word]) {
        for p in parameters {
            let (name, pieces) = match p {
                ast::TemplateParameter::Type { name, default, .. }
                | ast::TemplateParameter::Template { name, default, .. } => {
                    (name, vec![default.as_ref().map(|t| t.span)])
                }
                ast::TemplateParameter::Value { ty, name, default, .. } => {
                    (name, vec![Some(ty.span), default.as_ref().map(|e| e.span)])
                }
                ast::TemplateParameter::Constraint(e) => (&None, vec![Some(e.span)]),
            };
            let pieces = pieces.into_iter().flatten().collect();
            self.add(pieces, names.to_vec(), None, None);
            self.add(Vec::new(), name.iter().map(|name| name.text.clone()).collect(), Some(owner), None);
        }
    }

    fn function(&mut self, f: &Function) {
        let block = if let FunctionBody::Block(block) = &f.body { Some(block) } else { None };
        let whole = block.map_or(f.span, |block| f.span.to(block.span));
        let pieces = if is_plain(f) {
            without(whole, &block.map(|b| b.span).into_iter().collect::<Vec<_>>())
        } else {
            vec![whole]
        };
        self.template(&f.template, whole, std::slice::from_ref(&f.name.last.name.text));
        self.add(pieces, vec![f.name.last.name.text.clone()], None, None);
        let outer = self.within.replace(whole);
        for p in &f.parameters {
            self.leaf(p.span, p.name.iter().map(|name| name.text.clone()).collect());
        }
        block.into_iter().for_each(|block| self.statements(&block.statements));
        self.within = outer;
    }

    fn statements(&mut self, list: &[Stmt]) {
        list.iter().for_each(|s| self.statement(s));
    }

    fn condition(&mut self, condition: &Condition) {
        match condition {
            Condition::Expr(e) => self.leaf(e.span, Vec::new()),
            Condition::Declaration(d) => self.variables(d),
        }
    }

    fn statement(&mut self, s: &Stmt) {
        match &s.kind {
            StmtKind::Declaration(d) => self.variables(d),
            StmtKind::Alias(a) => self.leaf(s.span, vec![a.name.text.clone()]),
            StmtKind::Item(item) => self.item(item),
            StmtKind::Block(block) => self.statements(&block.statements),
            StmtKind::If { is_constexpr, init, condition, then, otherwise } => {
                init.iter().for_each(|s| self.statement(s));
                self.condition(condition);
                // Which of the branches has to be right depends on the condition.
                if let (true, Condition::Expr(e)) = (is_constexpr, condition) {
                    self.add(vec![e.span], Vec::new(), None, Some(s.span));
                }
                self.statement(then);
                otherwise.iter().for_each(|s| self.statement(s));
            }
            StmtKind::While { condition, body, .. } | StmtKind::Switch { condition, body } => {
                self.condition(condition);
                self.statement(body);
            }
            StmtKind::DoWhile { body, condition, .. } => {
                self.statement(body);
                self.leaf(condition.span, Vec::new());
            }
            StmtKind::For { init, condition, step, body, .. } => {
                init.iter().for_each(|s| self.statement(s));
                condition.iter().for_each(|c| self.condition(c));
                step.iter().for_each(|e| self.leaf(e.span, Vec::new()));
                self.statement(body);
            }
            StmtKind::RangeFor { variable, range, body, .. } => {
                let names = variable.bindings.iter().chain([&variable.name]).map(|name| name.text.clone());
                self.leaf(variable.ty.span.to(range.span), names.collect());
                self.statement(body);
            }
            _ => self.leaf(s.span, Vec::new()),
        }
    }
}

/// Whether nothing outside of a function depends on its body: it is never evaluated as a constant, and its result is written.
fn is_plain(f: &Function) -> bool {
    !f.specifiers.constexpr && !f.result.as_ref().is_some_and(ast::TypeName::is_deduced)
}

/// The bodies of plain functions in a class.
fn plain_bodies(item: &Item, out: &mut Vec<Span>) {
    match item {
        Item::Function(f) if is_plain(f) => {
            if let FunctionBody::Block(block) = &f.body {
                out.push(block.span);
            }
        }
        Item::Class(c) => c.members.iter().flatten().for_each(|member| plain_bodies(member, out)),
        _ => {}
    }
}

/// A place without some that are inside of it, in order.
fn without(whole: Span, holes: &[Span]) -> Vec<Span> {
    let mut pieces = Vec::new();
    let mut start = whole.start;
    for hole in holes.iter().filter(|hole| whole.contains(**hole)) {
        pieces.push(Span::new(whole.file, start, hole.start));
        start = hole.end;
    }
    pieces.push(Span::new(whole.file, start, whole.end));
    pieces
}
