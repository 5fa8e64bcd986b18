//! Parses from the bodies of host functions what launches need: declarations of variables, names that get other values, `kernel<<<…>>>(…)`
//! and the first `return`. Everything else in a body is skipped.

use super::{Failed, Parse, Parser};
use crate::ast::{Expr, HostBody, HostFunction, Launch, StmtKind};
use crate::preprocess::{Token, TokenKind};
use crate::word::Word;
use source::hash::KeyedSet;

/// Operators after a name that give a variable another value.
const ASSIGNING: &[&str] = &["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=", "++", "--"];

impl Parser<'_> {
    /// Records a host function whose body, which begins at the token `start`, was skipped. `parameters` is the `(` after its name, if the
    /// caller knows it.
    pub(super) fn add_host_function(&mut self, start: usize, parameters: Option<usize>) {
        let parameters = parameters.or_else(|| self.opener_before(start));
        let name = parameters.and_then(|at| self.tokens.get(at.checked_sub(1)?));
        let text = match name.map(|token| &token.kind) {
            Some(TokenKind::Ident(word)) => word.clone(),
            _ => "operator".into(),
        };
        let Some(first) = name.or(self.tokens.get(start)) else { return };
        let (span, body) = (first.span.to(self.prev_span()), start..self.pos);
        self.host.push(HostFunction { name: text, span, body });
    }

    /// Finds the `(` of the parameter list that ends before the token `start`; a few tokens such as `const` may come between.
    fn opener_before(&self, start: usize) -> Option<usize> {
        let is = |at: usize, punct| matches!(self.tokens[at].kind, TokenKind::Punct(p) if p == punct);
        let close = (0..start.min(self.tokens.len())).rev().take(8).find(|at| is(*at, ")"))?;
        let mut depth = 0;
        (0..=close).rev().find(|at| {
            depth += i32::from(is(*at, ")")) - i32::from(is(*at, "("));
            depth == 0
        })
    }

    /// Reads the bodies that contain `<<<` or begin with `return`.
    pub(super) fn host_bodies(&mut self) -> Vec<HostBody> {
        let mut functions = self.host.clone();
        functions.sort_by_key(|function| function.body.start);
        functions.dedup_by_key(|function| function.body.start);
        self.host = functions;
        let mut bodies = Vec::new();
        for at in 0..self.host.len() {
            let body = self.host[at].body.clone();
            let Some(tokens) = self.tokens.get(body.clone()) else { continue };
            let launches = tokens.iter().any(|token| matches!(token.kind, TokenKind::Punct("<<<")));
            let returns = tokens
                .get(1)
                .is_some_and(|t| matches!(&t.kind, TokenKind::Ident(w) if w.as_str() == "return"));
            if (launches || returns) && !self.stopped {
                self.pos = body.start;
                self.scopes.push();
                bodies.push(self.host_body(self.host[at].name.clone(), tokens));
                self.scopes.pop();
            }
        }
        bodies
    }

    fn host_body(&mut self, function: Word, tokens: &[Token]) -> HostBody {
        let end = self.pos + tokens.len();
        let mut body = HostBody { function, ..HostBody::default() };
        let mut declared = KeyedSet::default();
        while self.pos < end && !self.at_end() {
            let begins = matches!(
                self.pos.checked_sub(1).map(|before| &self.tokens[before].kind),
                Some(TokenKind::Punct(";" | "{" | "}" | ")" | ":"))
            );
            if let Some(launch) = self.attempt(Self::host_launch) {
                body.launches.push(launch);
            } else if begins && let Some(variables) = self.attempt(Self::host_variables) {
                declared.extend(variables.iter().map(|variable| variable.name.span));
                body.variables.extend(variables);
            } else if begins && self.at_word("return") && body.result.is_none() {
                body.result = self.attempt(|p| {
                    p.bump();
                    p.expression()
                });
                self.bump();
            } else {
                self.bump();
            }
        }
        for (at, token) in tokens.iter().enumerate() {
            if let TokenKind::Ident(name) = &token.kind
                && !declared.contains(&token.span)
                && changes(tokens, at)
            {
                body.changed.insert(name.clone());
            }
        }
        body
    }

    /// Parses a declaration of variables.
    fn host_variables(&mut self) -> Parse<Vec<crate::ast::Variable>> {
        if !self.at_declaration() {
            return Err(Failed);
        }
        let mut statements = Vec::new();
        self.statement(&mut statements)?;
        let variables = statements.into_iter().filter_map(|statement| match statement.kind {
            StmtKind::Declaration(declaration) => Some(declaration.variables),
            _ => None,
        });
        Ok(variables.flatten().collect())
    }

    /// `kernel<<<grid, block, shared, stream>>>(arguments)`.
    fn host_launch(&mut self) -> Parse<Launch> {
        if !self.name_at(0) || !(self.punct_at(1, "<<<") || self.punct_at(1, "<") || self.punct_at(1, "::")) {
            return Err(Failed);
        }
        let (path, _) = self.path()?;
        if !self.eat("<<<") {
            return Err(Failed);
        }
        let mut configuration = Vec::new();
        loop {
            configuration.push(self.initializer_clause()?);
            if !self.eat(",") {
                break;
            }
        }
        if !(self.eat(">>") && self.eat(">")) {
            return Err(Failed);
        }
        let arguments = self.attempt(|p| {
            let open = p.span();
            if !p.eat("(") {
                return Err(Failed);
            }
            p.arguments(")", open)
        });
        Ok(Launch { kernel: path.span, configuration, arguments: arguments.unwrap_or_default() })
    }
}

/// Whether the variable whose name is the token `at` gets another value there (by an assignment, `++`, `--` or `>>`), or may get one
/// because its address is taken.
fn changes(tokens: &[Token], at: usize) -> bool {
    let punct = |at: Option<usize>| match at.and_then(|at| tokens.get(at)).map(|token| &token.kind) {
        Some(TokenKind::Punct(punct)) => *punct,
        _ => "",
    };
    let before = |back: usize| at.checked_sub(back);
    // `grid.x = 4` changes `grid`.
    let after = if punct(Some(at + 1)) == "." { at + 3 } else { at + 1 };
    let is_value = |at: Option<usize>| {
        at.and_then(|at| tokens.get(at)).is_some_and(|token| match &token.kind {
            TokenKind::Ident(word) => word.as_str() != "return",
            TokenKind::Punct(punct) => matches!(*punct, ")" | "]"),
            _ => true,
        })
    };
    let is_address = punct(before(1)) == "&" && !is_value(before(2));
    ASSIGNING.contains(&punct(Some(after))) || matches!(punct(before(1)), "++" | "--" | ">>") || is_address
}

/// The name, if an expression is only a name, possibly in parentheses.
pub fn name_of(value: &Expr) -> Option<&Word> {
    match &value.kind {
        crate::ast::ExprKind::Paren(inner) => name_of(inner),
        crate::ast::ExprKind::Path(path) if path.qualifiers.is_empty() && path.last.arguments.is_none() => {
            Some(&path.last.name.text)
        }
        _ => None,
    }
}
