//! Statements.

use super::declarator::Mode;
use super::scope::Meaning;
use super::specifiers::DeclSpecifiers;
use super::{Parse, Parser};
use crate::ast::{Asm, Block, Condition, Expr, Item, Stmt, StmtKind, TypeKind, VariableDeclaration};
use crate::preprocess::TokenKind;
use source::{Code, Diagnostic, Span};

/// `switch (init; c)` is `{ init; switch (c) … }`, and so is a loop over a range.
pub(super) fn with_init(init: Option<Box<Stmt>>, kind: StmtKind, end: Span) -> StmtKind {
    let Some(init) = init else { return kind };
    let span = init.span.to(end);
    let statements = vec![*init, Stmt { kind, span }];
    StmtKind::Block(Block { statements, span })
}

impl Parser<'_> {
    /// `{ … }` in its own scope.
    pub(crate) fn block(&mut self) -> Parse<Block> {
        let open = self.expect("{")?;
        self.block_rest(open)
    }

    /// A block after its `{`.
    pub(crate) fn block_rest(&mut self, open: Span) -> Parse<Block> {
        self.scopes.push();
        let mut statements = Vec::new();
        while !self.at("}") && !self.at_end() && !self.at_outer_declaration() {
            let before = self.pos;
            let mark = self.mark();
            if self.nested(|p| p.statement(&mut statements)).is_err() {
                self.restore_nesting(&mark);
                if self.brace_reported != Some(self.pos) {
                    self.skip_statement();
                }
            }
            if self.brace_reported == Some(self.pos) && !self.at("}") {
                break;
            }
            if self.pos == before && !self.at("}") {
                self.bump();
            }
        }
        self.scopes.pop();
        self.close_block(open);
        // Most blocks have few statements, and a file may have many blocks.
        statements.shrink_to_fit();
        Ok(Block { statements, span: open.to(self.prev_span()) })
    }

    /// A statement that stands alone: the body of a loop or branch, in its own scope.
    pub(crate) fn sub_statement(&mut self, after: &str) -> Parse<Box<Stmt>> {
        let start = self.span();
        if self.at("}") || self.at_end() {
            return self.unexpected(&format!("a statement after {after}"));
        }
        self.scopes.push();
        let mut statements = Vec::new();
        let result = self.nested(|p| p.statement(&mut statements));
        self.scopes.pop();
        result?;
        let span = start.to(self.prev_span());
        if statements.len() == 1
            && let Some(only) = statements.pop()
        {
            return Ok(Box::new(only));
        }
        Ok(Box::new(Stmt { kind: StmtKind::Block(Block { statements, span }), span }))
    }

    /// One statement; several are pushed for `case 1: x;`, labels, and `struct S { … } s;`.
    pub(crate) fn statement(&mut self, out: &mut Vec<Stmt>) -> Parse<()> {
        let start = self.span();
        let kind = match self.kind() {
            TokenKind::Punct("{") => StmtKind::Block(self.block()?),
            TokenKind::Punct(";") => {
                self.bump();
                StmtKind::Empty
            }
            TokenKind::PragmaUnroll | TokenKind::PragmaNoUnroll => return self.unrolled(out),
            // `[[fallthrough]];` and its kin change no meaning.
            TokenKind::Punct("[") if self.punct_at(1, "[") => {
                self.skip_balanced();
                return self.statement(out);
            }
            TokenKind::Ident(word) => match self.keyword_statement(word)? {
                Some(kind) => kind,
                None => return self.declaration_or_expression(out),
            },
            _ => return self.declaration_or_expression(out),
        };
        out.push(Stmt { kind, span: start.to(self.prev_span()) });
        Ok(())
    }

    fn keyword_statement(&mut self, word: &str) -> Parse<Option<StmtKind>> {
        Ok(Some(match word {
            "if" => self.if_statement()?,
            "for" => self.for_statement(None)?,
            "while" => self.while_statement(None)?,
            "do" => self.do_statement(None)?,
            "switch" => self.switch_statement()?,
            "case" => {
                self.bump();
                let value = self.conditional()?;
                if self.at("...") {
                    let span = self.span();
                    return self.fail(
                        Diagnostic::new(
                            Code::CaseRange,
                            "ranges in `case` are not supported by the simulator yet",
                        )
                        .label(span, ""),
                    );
                }
                self.expect(":")?;
                StmtKind::Case(value)
            }
            "default" if self.punct_at(1, ":") => {
                self.bump();
                self.bump();
                StmtKind::Default
            }
            "break" => self.jump(StmtKind::Break, "`break`")?,
            "continue" => self.jump(StmtKind::Continue, "`continue`")?,
            "return" => {
                self.bump();
                let ends = self.at(";") || self.at("}") || self.next_line_is_a_statement();
                let value = if ends { None } else { Some(self.initializer_clause()?) };
                self.semicolon("`return`")?;
                StmtKind::Return(value)
            }
            "goto" => {
                self.bump();
                let label = self.name("a label")?;
                self.semicolon("`goto`")?;
                StmtKind::Goto(label)
            }
            "asm" | "__asm__" | "__asm" => StmtKind::Asm(Box::new(self.asm()?)),
            "static_assert" | "_Static_assert" => StmtKind::StaticAssert(Box::new(self.static_assert()?)),
            "else" => return self.stray_else(),
            "using" => return self.local_using().map(Some),
            "namespace" => {
                self.bump();
                let name = self.name("the name of a namespace")?;
                self.namespace_alias(&name.text)?;
                StmtKind::Empty
            }
            "try" => self.try_statement()?,
            "elif" | "elseif" | "elsif" if self.punct_at(1, "(") => {
                let (span, word) = (self.span(), word.to_string());
                return self.fail(
                    Diagnostic::new(Code::UnknownStatement, format!("there is no `{word}` in C++"))
                        .label(span, "")
                        .help("write `else if (…)`"),
                );
            }
            w if self.punct_at(1, ":") && !super::names::is_keyword(w) => {
                let label = self.name("a label")?;
                self.bump();
                // `label: __attribute__((unused));`; before a declaration they are the declaration's.
                let of_label = |p: &mut Self| Ok(p.attribute(&mut DeclSpecifiers::default())? && p.at(";"));
                if self.at_word("__attribute__") && self.probe(of_label) {
                    self.attribute(&mut DeclSpecifiers::default())?;
                }
                StmtKind::Label(label)
            }
            _ => return Ok(None),
        }))
    }

    /// Refuses `try`, but reads the block in it.
    fn try_statement(&mut self) -> Parse<StmtKind> {
        let span = self.span();
        self.bump();
        self.report(
            Diagnostic::new(Code::ExceptionOnDevice, "there are no exceptions on the device")
                .label(span, "not allowed in a device function"),
        );
        let block = self.block()?;
        while self.eat_word("catch") {
            self.skip_balanced();
            self.skip_balanced();
        }
        Ok(StmtKind::Block(block))
    }

    /// `cons int x`, `__shared float t[3]`: an unknown word before a fundamental type.
    fn check_misspelled_specifier(&mut self) {
        let slipped = self.name_at(0)
            && self.word_at(1).is_some_and(|w| super::names::FUNDAMENTAL.contains(&&**w))
            && !self.token_at(1).first_on_line;
        let Some(word) = self.word().filter(|_| slipped).map(|w| w.to_string()) else { return };
        if self.scopes.lookup(&word).meaning != Meaning::Unknown {
            return;
        }
        let mut d = Diagnostic::new(Code::UnknownSpecifier, format!("`{word}` is not known"))
            .label(self.span(), "neither a type nor a specifier");
        let words =
            ["const", "constexpr", "static", "volatile", "extern", "unsigned", "__shared__", "return"];
        let bare = |w: &str| w.trim_matches('_') == word.trim_matches('_');
        let near = words.iter().copied().find(|w| bare(w)).or_else(|| source::nearest(&word, words));
        if let Some(near) = near {
            d = d.mean(self.span(), near);
        }
        self.report(d);
        self.bump();
    }

    fn jump(&mut self, kind: StmtKind, what: &str) -> Parse<StmtKind> {
        self.bump();
        self.semicolon(what)?;
        Ok(kind)
    }

    fn local_using(&mut self) -> Parse<StmtKind> {
        Ok(match self.using(Vec::new())? {
            Some(Item::Alias(alias)) => StmtKind::Alias(Box::new(alias)),
            Some(item) => StmtKind::Item(Box::new(item)),
            None => StmtKind::Empty,
        })
    }

    fn if_statement(&mut self) -> Parse<StmtKind> {
        self.bump();
        self.if_rest()
    }

    /// After the `if`.
    fn if_rest(&mut self) -> Parse<StmtKind> {
        let is_constexpr = self.eat_word("constexpr");
        self.scopes.push();
        let (init, condition) = self.parenthesised_condition("`if`")?;
        if self.at(";") && !self.punct_at(1, "}") && self.token_at(1).kind == TokenKind::Punct("{") {
            let span = self.span();
            self.report(
                Diagnostic::new(Code::EmptyIf, "this `;` ends the `if`; the block after it always runs")
                    .label(span, "remove it")
                    .edit(span, ""),
            );
        }
        let then = self.sub_statement("`if (…)`")?;
        let otherwise = if self.eat_word("else") { Some(self.else_branch()?) } else { None };
        self.scopes.pop();
        Ok(StmtKind::If { is_constexpr, init, condition, then, otherwise })
    }

    /// After `else`; a condition there lacks its `if`.
    fn else_branch(&mut self) -> Parse<Box<Stmt>> {
        let lacks_if = self.at("(")
            && self.probe(|p| {
                p.bump();
                let is_cast = p.at_type_start();
                p.pos -= 1;
                Ok(!is_cast && p.skip_balanced() && (p.at("{") || p.word().is_some()))
            });
        if !lacks_if {
            return self.sub_statement("`else`");
        }
        let (start, place) = (self.span(), self.prev_span().after());
        self.report(
            Diagnostic::new(Code::UnexpectedToken, "`else` takes no condition")
                .label(start, "a condition needs an `if` before it")
                .help("write `else if (…)`, or leave out the condition")
                .edit(place, " if"),
        );
        let kind = self.nested(Self::if_rest)?;
        Ok(Box::new(Stmt { kind, span: start.to(self.prev_span()) }))
    }

    fn switch_statement(&mut self) -> Parse<StmtKind> {
        self.bump();
        self.scopes.push();
        let (init, condition) = self.parenthesised_condition("`switch`")?;
        let body = self.switch_body()?;
        self.scopes.pop();
        let end = self.prev_span();
        Ok(with_init(init, StmtKind::Switch { condition, body }, end))
    }

    /// The body of a `switch`; without braces it is one statement after its labels.
    fn switch_body(&mut self) -> Parse<Box<Stmt>> {
        let start = self.span();
        let mut statements = Vec::new();
        while self.at_word("case") || (self.at_word("default") && self.punct_at(1, ":")) {
            self.nested(|p| p.statement(&mut statements))?;
        }
        if statements.is_empty() {
            return self.sub_statement("`switch (…)`");
        }
        let last = self.sub_statement("this label")?;
        statements.push(*last);
        let span = start.to(self.prev_span());
        Ok(Box::new(Stmt { kind: StmtKind::Block(Block { statements, span }), span }))
    }

    /// `(init; condition)` of `if` and `switch`.
    fn parenthesised_condition(&mut self, after: &str) -> Parse<(Option<Box<Stmt>>, Condition)> {
        if !self.at("(") {
            let (place, found) = (self.prev_span().after(), self.found());
            let word = after.trim_matches('`');
            let d = Diagnostic::new(
                Code::MissingConditionParen,
                format!("expected `(` after {after}, found {found}"),
            );
            return self.fail(
                d.label(place, "add `(` here")
                    .help(format!("the condition has parentheses: `{word} (…) {{ … }}`")),
            );
        }
        let open = self.span();
        self.bump();
        let mut init = None;
        if self.group_has_semicolon() {
            let mut statements = Vec::new();
            let start = self.span();
            self.declaration_or_expression(&mut statements)?;
            let span = start.to(self.prev_span());
            init = Some(Box::new(match statements.pop() {
                Some(only) if statements.is_empty() => only,
                last => {
                    statements.extend(last);
                    Stmt { kind: StmtKind::Block(Block { statements, span }), span }
                }
            }));
        }
        let condition = self.outside_angles(Self::condition)?;
        self.close(")", open)?;
        Ok((init, condition))
    }

    /// Whether a `;` comes before the `)` that closes the group around here.
    fn group_has_semicolon(&self) -> bool {
        let mut depth = 0usize;
        for ahead in 0..4000 {
            self.spend(1);
            match &self.token_at(ahead).kind {
                TokenKind::Punct("(" | "[" | "{") => depth += 1,
                TokenKind::Punct(")" | "]" | "}") if depth == 0 => return false,
                // A block, after which the next statement begins: the `)` is missing, and the `;` is not of this group.
                TokenKind::Punct("}")
                    if depth == 1 && matches!(self.token_at(ahead + 1).kind, TokenKind::Ident(_)) =>
                {
                    return false;
                }
                TokenKind::Punct(")" | "]" | "}") => depth -= 1,
                TokenKind::Punct(";") if depth == 0 => return true,
                TokenKind::Eof => return false,
                _ => {}
            }
        }
        false
    }

    pub(crate) fn condition(&mut self) -> Parse<Condition> {
        if !self.at_declaration() {
            return Ok(Condition::Expr(self.expression()?));
        }
        let mut items = Vec::new();
        let specifiers = self.decl_specifiers(&mut items)?;
        let base = self.base_type(&specifiers)?;
        let declared = self.declarator(base, Mode::Named)?;
        let declaration = self.variables(&specifiers, declared, Vec::new())?;
        Ok(Condition::Declaration(Box::new(declaration)))
    }

    fn declaration_or_expression(&mut self, out: &mut Vec<Stmt>) -> Parse<()> {
        let start = self.span();
        self.check_misspelled_specifier();
        if self.at_declaration() {
            return self.local_declaration(out);
        }
        let value = self.expression()?;
        self.semicolon("this expression")?;
        out.push(Stmt { kind: StmtKind::Expr(value), span: start.to(self.prev_span()) });
        Ok(())
    }

    fn local_declaration(&mut self, out: &mut Vec<Stmt>) -> Parse<()> {
        let start = self.span();
        let mut items = Vec::new();
        let specifiers = self.decl_specifiers(&mut items)?;
        let push_items = |items: Vec<Item>, out: &mut Vec<Stmt>| {
            out.extend(
                items.into_iter().map(|item| Stmt { kind: StmtKind::Item(Box::new(item)), span: start }),
            );
        };
        if self.at(";") && specifiers.ty.is_some() {
            if items.is_empty() {
                let span = specifiers.span;
                self.report(
                    Diagnostic::new(Code::DeclaresNothing, "this declares nothing")
                        .label(span, "a type, but no name after it"),
                );
            }
            if matches!(items.last(), Some(Item::Class(class)) if class.is_union && class.name.is_none()) {
                self.not_supported("an unnamed union of variables", specifiers.span);
            }
            self.bump();
            push_items(items, out);
            return Ok(());
        }
        if specifiers.is_typedef {
            self.typedef(&specifiers, &mut items)?;
            for item in items {
                let kind = match item {
                    Item::Alias(alias) => StmtKind::Alias(Box::new(alias)),
                    other => StmtKind::Item(Box::new(other)),
                };
                out.push(Stmt { kind, span: start.to(self.prev_span()) });
            }
            return Ok(());
        }
        if specifiers.defines_type && self.token_at(0).first_on_line && !self.name_at(0) {
            push_items(items, out);
            return self.semicolon("this definition");
        }
        push_items(items, out);
        if let Some(mut variable) = self.opt_structured_binding(&specifiers)? {
            variable.initializer = self.initializer()?;
            let span = start.to(self.prev_span());
            let (template, is_specialization, align) = (Vec::new(), false, specifiers.align.clone());
            let (specifiers, variables) = (specifiers.specifiers, vec![variable]);
            let declaration =
                VariableDeclaration { specifiers, variables, template, is_specialization, align, span };
            out.push(Stmt { kind: StmtKind::Declaration(Box::new(declaration)), span });
            return self.semicolon("this declaration");
        }
        let base = self.base_type(&specifiers)?;
        let declared = self.declarator(base, Mode::Named)?;
        if let TypeKind::Function { result, parameters, .. } = declared.ty.kind.clone()
            && (specifiers.specifiers.is_extern || specifiers.execution.device || !parameters.is_empty())
            && self.at(";")
            && let Some(name) = declared.name.clone()
        {
            let function = self.function(specifiers, name, Some(*result), parameters, declared.object)?;
            let item = Box::new(Item::Function(Box::new(function)));
            out.push(Stmt { kind: StmtKind::Item(item), span: start.to(self.prev_span()) });
            return Ok(());
        }
        if matches!(declared.ty.kind, TypeKind::Function { .. }) && !self.at(",") {
            return self.local_function(start, declared.name.map(|n| n.span).unwrap_or(start));
        }
        let declaration: VariableDeclaration = self.variables(&specifiers, declared, Vec::new())?;
        out.push(Stmt {
            kind: StmtKind::Declaration(Box::new(declaration)),
            span: start.to(self.prev_span()),
        });
        self.semicolon("this declaration")
    }

    /// A function inside a function: a definition means that a `}` is missing, a declaration that `()` is too much.
    fn local_function(&mut self, start: Span, name: Span) -> Parse<()> {
        if self.at("{") {
            self.report(
                Diagnostic::new(Code::NestedFunction, "a function is defined inside a function")
                    .label(start.to(name), "this starts inside another function's body")
                    .help("a `}` is missing above, or use a lambda"),
            );
            self.skip_balanced();
            return Ok(());
        }
        self.report(
            Diagnostic::new(Code::VexingParse, "this declares a function, not a variable")
                .label(name, "a function")
                .help("remove the `()`, or write `{}`"),
        );
        self.semicolon("this declaration")
    }

    /// Whether the statement here is a declaration.
    pub(crate) fn at_declaration(&mut self) -> bool {
        let Some(word) = self.word() else {
            return (self.at("::") && self.names_type() && self.declares_after_type())
                || (self.at("[") && self.punct_at(1, "["));
        };
        if !word.is_keyword() {
            return self.declares_after_type();
        }
        match word.as_str() {
            "const" | "volatile" | "static" | "extern" | "constexpr" | "register" | "typedef" | "struct"
            | "class" | "union" | "enum" | "__shared__" | "__constant__" | "__device__" | "__managed__"
            | "alignas" | "__align__" | "inline" | "thread_local" | "typename" | "decltype" | "mutable"
            | "typeof" | "__typeof__" | "__typeof" | "__underlying_type" | "__attribute__" => true,
            w => super::names::FUNDAMENTAL.contains(&w) && self.declares_after_type(),
        }
    }

    /// Whether what follows the type here makes a declaration of it, not an expression such as `T(x)`.
    fn declares_after_type(&mut self) -> bool {
        // `x = …`, `f(…)`, `a[…]`, `p->m` and `a.m` need no try.
        const GOES_ON: &[&str] = &["=", "(", "[", ".", "->", ";", "++", "--", "+=", "-="];
        if self.name_at(0)
            && matches!(self.kind_at(1), TokenKind::Punct(p) if GOES_ON.contains(p))
            && !(self.punct_at(1, "(") && self.names_type())
        {
            return false;
        }
        self.probe(|p| {
            let mut items = Vec::new();
            p.tolerant = false;
            let specifiers = p.decl_specifiers(&mut items)?;
            if specifiers.ty.is_none() {
                return Ok(false);
            }
            if p.at("(") {
                // `T (*f)(int)`, `T (&a)[4]` and `T (x) = 1` declare; `T(1)` and `T(x).y` make a value.
                let base = p.base_type(&specifiers)?;
                let declared = p.declarator(base, Mode::Named)?;
                let is_function = matches!(declared.ty.kind, TypeKind::Function { .. });
                return Ok([";", "=", ",", "{", ":"].iter().any(|e| p.at(e)) || (p.at("(") && !is_function));
            }
            Ok(!p.at("{") && !p.at("::") && !p.at(".") && !p.at("->"))
        })
    }

    fn asm(&mut self) -> Parse<Asm> {
        self.bump();
        let mut is_volatile = false;
        while self.at_word("volatile") || self.at_word("__volatile__") {
            self.bump();
            is_volatile = true;
        }
        let open = self.expect("(")?;
        let Some(template) = self.string_literal() else {
            return self.unexpected("the text of the instructions");
        };
        let mut outputs = Vec::new();
        let mut inputs = Vec::new();
        let mut clobbers = false;
        if self.eat("::") {
            inputs = self.asm_operands()?;
        } else if self.eat(":") {
            outputs = self.asm_operands()?;
            // `::` with nothing between: no inputs.
            clobbers = self.eat("::");
            if !clobbers && self.eat(":") {
                inputs = self.asm_operands()?;
            }
        }
        if clobbers || self.eat(":") {
            // Clobbers: nothing is kept over an asm here, so they change nothing.
            while self.string_literal().is_some() {
                self.eat(",");
            }
        }
        self.close(")", open)?;
        self.semicolon("`asm (…)`")?;
        Ok(Asm { is_volatile, template, outputs, inputs })
    }

    fn asm_operands(&mut self) -> Parse<Vec<(String, Expr)>> {
        let mut operands = Vec::new();
        while let Some(constraint) = self.string_literal() {
            let open = self.expect("(")?;
            let value = self.expression()?;
            self.close(")", open)?;
            operands.push((constraint, value));
            // nvcc takes operands without a comma between them, too.
            self.eat(",");
        }
        Ok(operands)
    }
}
