//! Declarations of a file, a namespace or a class.

use super::scope::{Entry, Meaning};
use super::{MAX_DEPTH, Parse, Parser, is_known_in_part};
use crate::ast::{Class, Item, Name, PathPart};
use crate::preprocess::TokenKind;
use crate::word::Word;
use source::{Code, Diagnostic, Span};

impl Parser<'_> {
    /// All items of the file.
    pub(crate) fn file(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while !self.at_end() {
            let before = self.pos;
            self.items(&mut items);
            if self.at("}") {
                let span = self.span();
                self.report(
                    Diagnostic::new(Code::UnmatchedCloser, "`}` closes nothing here")
                        .label(span, "no `{` is open")
                        .help("remove it, or look for an extra `}` above"),
                );
                self.bump();
            }
            debug_assert!(self.pos > before || self.at_end(), "the file's loop must progress");
        }
        items
    }

    /// Items up to `}` or the end of the file.
    fn items(&mut self, items: &mut Vec<Item>) {
        while !self.at_end() && !self.at("}") {
            let (before, first) = (self.pos, items.len());
            let mark = self.mark();
            if self.nested(|p| p.item(items)).is_err() {
                self.restore_nesting(&mark);
                if self.pos == before || !self.resumes_here() {
                    self.skip_declaration();
                }
            }
            self.declare_named_ahead(first, items);
            if self.pos == before && !self.at("}") {
                self.bump();
            }
        }
    }

    /// Classes that a declaration names before they are declared become names of the namespace around ([basic.scope.pdecl]).
    fn declare_named_ahead(&mut self, at: usize, items: &mut Vec<Item>) {
        for name in std::mem::take(&mut self.named_ahead) {
            let known = self.scopes.lookup(&name.text).meaning != Meaning::Unknown;
            if !known {
                self.scopes.declare_class(0, &name.text, Meaning::Type);
                items.insert(at.min(items.len()), Item::Class(Box::new(Self::declared_class(name))));
            }
        }
    }

    /// `struct NAME;`
    fn declared_class(name: Name) -> Class {
        Class {
            is_union: false,
            template: Vec::new(),
            is_specialization: false,
            is_final: false,
            span: name.span,
            name: Some(Self::simple_path(name)),
            bases: Vec::new(),
            members: None,
            access: Vec::new(),
            align: None,
            pack: None,
        }
    }

    /// After an error: whether a declaration plainly starts here, so that nothing need be skipped.
    fn resumes_here(&self) -> bool {
        self.token_at(0).first_on_line && self.at_outer_declaration()
    }

    /// One item, or several where C++ packs several into one (`struct S { … } s;`).
    pub(crate) fn item(&mut self, items: &mut Vec<Item>) -> Parse<()> {
        match self.kind() {
            TokenKind::Punct(";") => {
                self.bump();
                return Ok(());
            }
            TokenKind::PragmaUnroll | TokenKind::PragmaNoUnroll => {
                self.misplaced_pragma();
                return Ok(());
            }
            _ => {}
        }
        let Some(word) = self.word() else { return self.declaration_or_host(items) };
        match word.as_str() {
            "namespace" => self.namespace(items),
            "inline" if self.word_at(1).is_some_and(|w| &**w == "namespace") => {
                self.bump();
                self.inline_namespace(items)
            }
            "extern" if matches!(self.token_at(1).kind, TokenKind::Str(_)) && self.punct_at(2, "{") => {
                self.bump();
                self.bump();
                let open = self.span();
                self.bump();
                self.items(items);
                self.close_block(open);
                Ok(())
            }
            "using" => {
                let item = self.using(Vec::new())?;
                items.extend(item);
                Ok(())
            }
            "static_assert" | "_Static_assert" => {
                items.push(Item::StaticAssert(self.static_assert()?));
                Ok(())
            }
            "else" => self.stray_else(),
            _ => self.declaration_or_host(items),
        }
    }

    pub(crate) fn stray_else<T>(&mut self) -> Parse<T> {
        let span = self.span();
        self.bump();
        self.fail(
            Diagnostic::new(Code::ElseWithoutIf, "`else` without `if`")
                .label(span, "no `if` ends just before this")
                .help("a `;` after `if (…)`, or a second statement without `{ }`, ends the `if`"),
        )
    }

    pub(crate) fn misplaced_pragma(&mut self) {
        let span = self.span();
        while !self.at_end() && *self.kind() != TokenKind::PragmaEnd {
            self.bump();
        }
        self.bump();
        self.report(
            Diagnostic::new(Code::MisplacedUnroll, "`#pragma unroll` is not before a loop; it has no effect")
                .label(span, ""),
        );
    }

    /// The `}` of a namespace or the like; a missing one is reported once.
    pub(crate) fn close_block(&mut self, open: Span) {
        if !self.eat("}") && self.brace_reported != Some(self.pos) {
            self.report_unclosed("}", open);
            self.brace_reported = Some(self.pos);
        }
    }

    /// Its names are those of the namespace around it too.
    fn inline_namespace(&mut self, items: &mut Vec<Item>) -> Parse<()> {
        self.namespace(items)?;
        if let Some(Item::Namespace { name: Some(name), span, .. }) = items.last() {
            let (path, span) = (Self::simple_path(name.clone()), *span);
            let scope = self.scopes.namespace(&name.text);
            self.scopes.use_scope(scope);
            items.push(Item::UsingNamespace { path, span });
        }
        Ok(())
    }

    fn namespace(&mut self, items: &mut Vec<Item>) -> Parse<()> {
        let start = self.span();
        self.bump();
        let mut names = Vec::new();
        self.skip_attributes();
        while self.name_at(0) {
            names.push(self.name("the name of a namespace")?);
            if !self.eat("::") {
                break;
            }
            if names.len() >= MAX_DEPTH {
                return self.too_deep();
            }
            self.eat_word("inline");
        }
        if let [name] = names.as_slice()
            && self.at("=")
        {
            let name = name.text.clone();
            return self.namespace_alias(&name);
        }
        let open = self.expect("{")?;
        let depth = self.scopes.depth();
        if names.is_empty() {
            let scope = self.scopes.namespace("");
            self.scopes.use_scope(scope);
            self.scopes.reopen(scope);
        }
        for name in &names {
            let scope = self.scopes.namespace(&name.text);
            self.scopes.reopen(scope);
        }
        let mut inner = Vec::new();
        self.items(&mut inner);
        self.scopes.truncate(depth);
        self.close_block(open);
        let span = start.to(self.prev_span());
        let Some(last) = names.pop() else {
            items.push(Item::Namespace { name: None, items: inner, span });
            return Ok(());
        };
        let mut item = Item::Namespace { name: Some(last), items: inner, span };
        for name in names.into_iter().rev() {
            item = Item::Namespace { name: Some(name), items: vec![item], span };
        }
        items.push(item);
        Ok(())
    }

    /// `namespace cg = cooperative_groups;`: paths through `cg` are written out from here on.
    pub(crate) fn namespace_alias(&mut self, name: &str) -> Parse<()> {
        self.expect("=")?;
        let (path, resolved) = self.path()?;
        let parts: Vec<Word> = path
            .qualifiers
            .iter()
            .chain([&path.last])
            .map(|part: &PathPart| part.name.text.clone())
            .collect();
        if resolved.meaning != Meaning::Namespace && !self.tolerant {
            let name = parts.iter().map(Word::as_str).collect::<Vec<_>>().join("::");
            let is_library = is_known_in_part(&parts[0]) || parts[0] == "nvcuda";
            self.report(if is_library {
                let title = format!("the namespace `{name}` is not supported by the simulator yet");
                Diagnostic::new(Code::UnsupportedFeature, title).label(path.span, "")
            } else {
                let title = format!("there is no namespace `{name}`");
                Diagnostic::new(Code::UnknownNamespace, title).label(path.span, "not a namespace")
            });
        }
        let target = Entry { meaning: Meaning::Namespace, scope: resolved.scope, ..Entry::UNKNOWN };
        self.scopes.declare_alias(name, target, parts);
        self.semicolon("this alias")
    }

    /// `using namespace n;`, `using n::x;`, `using A = T;`.
    pub(crate) fn using(&mut self, template: Vec<crate::ast::TemplateParameter>) -> Parse<Option<Item>> {
        let start = self.span();
        self.bump();
        if self.eat_word("namespace") {
            let (path, resolved) = self.path()?;
            if let Some(scope) = resolved.scope {
                self.scopes.use_namespace(scope);
            }
            self.using_std |= path.last.name.text == "std";
            let span = start.to(self.prev_span());
            self.semicolon("`using`")?;
            return Ok(Some(Item::UsingNamespace { path, span }));
        }
        if self.eat_word("enum") {
            let (path, resolved) = self.path()?;
            if let Some(scope) = resolved.scope {
                self.scopes.use_scope(scope);
            }
            let span = start.to(self.prev_span());
            self.semicolon("`using`")?;
            return Ok(Some(Item::UsingEnum { path, span }));
        }
        if self.name_at(0) && (self.punct_at(1, "=") || self.punct_at(1, "[")) {
            return Ok(Some(Item::Alias(self.alias(start, template)?)));
        }
        self.eat_word("typename");
        let (path, resolved) = self.path()?;
        let name = path.last.name.text.clone();
        let pack = self.eat("...");
        if resolved.meaning == Meaning::Unknown && resolved.open && self.classes.is_empty() {
            // `using std::vector;` is fine on the host; what the device cannot use is refused at its use.
            self.semicolon("`using`")?;
            return Ok(None);
        }
        let entry = Entry { meaning: resolved.meaning, scope: resolved.scope, ..Entry::UNKNOWN };
        self.scopes.import(&name, entry);
        let span = start.to(self.prev_span());
        self.semicolon("`using`")?;
        Ok(Some(Item::UsingName { path, pack, span }))
    }

    /// An item after `template`, its parameters read, in their scope.
    pub(crate) fn templated_item(&mut self, items: &mut Vec<Item>) -> Parse<()> {
        if self.at_word("concept") && self.name_at(1) && self.punct_at(2, "=") {
            return self.concept(items);
        }
        if self.at_word("using") {
            let parameters = std::mem::take(&mut self.header.parameters);
            let start = self.span();
            self.bump();
            items.push(Item::Alias(self.alias(start, parameters)?));
            return Ok(());
        }
        self.declaration(items)
    }

    /// `template float f<float>(float);`: an explicit instantiation.
    pub(crate) fn instantiation(&mut self, items: &mut Vec<Item>) -> Parse<()> {
        let start = self.span();
        self.eat_word("extern");
        self.bump();
        let mut inner = Vec::new();
        self.declaration(&mut inner)?;
        let span = start.to(self.prev_span());
        for item in inner {
            match item {
                Item::Function(function) => items.push(Item::Instantiation { function, span }),
                // Classes are instantiated where they are used; asking for it changes nothing.
                Item::Class(_) | Item::Enum(_) => {}
                _ => {
                    return self.fail(
                        Diagnostic::new(
                            Code::UnexpectedToken,
                            "only functions and classes can be instantiated",
                        )
                        .label(span, ""),
                    );
                }
            }
        }
        Ok(())
    }
}
