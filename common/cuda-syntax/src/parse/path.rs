//! Names: qualified, with template arguments, and what they stand for.

use super::scope::{Entry, Meaning, ScopeId};
use super::{Parse, Parser};
use crate::Word;
use crate::ast::{Name, Path, PathPart, TemplateArgument};
use crate::preprocess::TokenKind;
use source::{Code, Diagnostic, Span, words};

/// What a path was found to stand for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resolved {
    pub(crate) meaning: Meaning,
    pub(crate) scope: Option<ScopeId>,
    /// The scope that its last part was looked up in, if it is qualified.
    pub(crate) within: Option<ScopeId>,
    /// Whether its qualifier's members are not known: a template's parameter or a header's namespace.
    pub(crate) open: bool,
}

impl Resolved {
    pub(crate) fn is_type(self) -> bool {
        matches!(self.meaning, Meaning::Type | Meaning::TypeTemplate)
    }
}

/// The last part of the path that an alias of a namespace stands for, the others added to the qualifiers; any other name itself.
fn written_out(part: PathPart, entry: &Entry, qualifiers: &mut Vec<PathPart>) -> PathPart {
    let Some(parts) = &entry.alias else { return part };
    let span = part.name.span;
    let named = |text: &Word| PathPart { name: Name { text: text.clone(), span }, arguments: None };
    qualifiers.extend(parts.iter().map(named));
    qualifiers.pop().unwrap_or(part)
}

impl Parser<'_> {
    pub(crate) fn at_path(&self) -> bool {
        self.name_at(0) || self.at_word("operator") || (self.at("::") && self.name_at(1))
    }

    pub(crate) fn path(&mut self) -> Parse<(Path, Resolved)> {
        self.nested(Self::path_inner)
    }

    fn path_inner(&mut self) -> Parse<(Path, Resolved)> {
        let start = self.span();
        // Most are plain names.
        if !self.punct_at(1, "::")
            && !self.punct_at(1, "<")
            && let Some(name) = self.opt_name()
        {
            let entry = self.scopes.lookup(&name.text);
            let mut qualifiers = Vec::new();
            let last = written_out(PathPart { name, arguments: None }, &entry, &mut qualifiers);
            let Entry { meaning, scope, .. } = entry;
            let path = Path { global: false, qualifiers, last, lacks_typename: false, span: start };
            return Ok((path, Resolved { meaning, scope, within: None, open: false }));
        }
        let global = self.eat("::");
        let mut qualifiers: Vec<PathPart> = Vec::new();
        let mut within: Option<ScopeId> = global.then(|| self.scopes.global());
        let (mut open, mut guess, mut foreign) = (false, false, false);
        loop {
            let explicit_template = !qualifiers.is_empty() && self.eat_word("template");
            let name = self.path_name()?;
            let entry = match (within, open) {
                (_, true) => self.guess_member(&name.text, guess),
                (Some(scope), _) => self.scopes.lookup_in(scope, &name.text),
                (None, _) if self.at("::") => self.scopes.lookup_qualifier(&name.text),
                (None, _) => self.scopes.lookup(&name.text),
            };
            let in_header = within.is_some_and(|_| entry.meaning == Meaning::Unknown);
            let arguments = if self.at("<") && (explicit_template || self.opens_arguments(&entry)) {
                Some(self.template_arguments()?)
            } else if self.at("<") && (in_header || foreign) {
                self.attempt(Self::arguments_of_library)
            } else {
                None
            };
            let goes_on = self.at("::")
                && (self.name_at(1)
                    || (self.punct_at(1, "~") && self.name_at(2))
                    || self.word_at(1).is_some_and(|w| matches!(&**w, "template" | "operator")));
            if goes_on {
                self.bump();
                let part = written_out(PathPart { name, arguments }, &entry, &mut qualifiers);
                qualifiers.push(part);
                // `T::type` of a plain parameter needs `typename`; `conditional<…>::type` may not.
                guess = qualifiers.last().is_some_and(|part| part.arguments.is_some());
                foreign |= entry.meaning == Meaning::Unknown;
                open = open || entry.scope.is_none();
                within = entry.scope;
                continue;
            }
            let meaning = match (entry.meaning, &arguments) {
                (Meaning::TypeTemplate, Some(_)) => Meaning::Type,
                (Meaning::ValueTemplate, Some(_)) => Meaning::Value,
                (meaning, _) => meaning,
            };
            let last = written_out(PathPart { name, arguments }, &entry, &mut qualifiers);
            let span = start.to(self.prev_span());
            let resolved = Resolved { meaning, scope: entry.scope, within, open: open || in_header };
            return Ok((Path { global, qualifiers, last, lacks_typename: false, span }, resolved));
        }
    }

    /// A member of something whose members are not known: `::type` is a type by custom, all else a value.
    fn guess_member(&self, name: &str, guess: bool) -> Entry {
        let meaning =
            if guess && matches!(name, "type" | "value_type") { Meaning::Type } else { Meaning::Unknown };
        Entry { meaning, ..Entry::UNKNOWN }
    }

    fn path_name(&mut self) -> Parse<Name> {
        if self.at_word("operator") {
            return self.operator_name();
        }
        if self.at("~") && self.name_at(1) {
            let start = self.span();
            self.bump();
            let class = self.name("a class")?;
            return Ok(Name { text: format!("~{}", class.text).into(), span: start.to(class.span) });
        }
        self.name("a name")
    }

    /// `operator+`, `operator()`, `operator[]` ….
    pub(crate) fn operator_name(&mut self) -> Parse<Name> {
        let start = self.span();
        self.bump();
        let text = match self.punct() {
            Some("(") if self.punct_at(1, ")") => {
                self.bump();
                "()"
            }
            Some("[") if self.punct_at(1, "]") => {
                self.bump();
                "[]"
            }
            Some(p)
                if !matches!(
                    p,
                    "(" | ")" | "[" | "]" | "{" | "}" | ";" | "." | "::" | "#" | "##" | "?" | ":" | "..."
                ) =>
            {
                p
            }
            Some(_) => return self.unexpected("an operator"),
            None if matches!(self.kind(), TokenKind::Str(_)) && self.name_at(1) => {
                self.bump();
                let suffix = self.name("the suffix of a literal")?;
                self.literal_operators.push(suffix.text.clone());
                let text = format!("operator\"\"{}", suffix.text).into();
                return Ok(Name { text, span: start.to(suffix.span) });
            }
            None if self.at_word("new") || self.at_word("delete") => {
                let word = self.found();
                let title = format!("a user-defined `operator` {word} is not supported by the simulator yet");
                let span = start.to(self.span());
                return self.fail(Diagnostic::new(Code::OperatorNew, title).label(span, ""));
            }
            None => {
                let ty = self.conversion_type()?;
                let text = format!("operator {}", super::function::type_text(&ty));
                self.conversion = Some(ty);
                return Ok(Name { text: text.into(), span: start.to(self.prev_span()) });
            }
        };
        self.bump();
        Ok(Name { text: format!("operator{text}").into(), span: start.to(self.prev_span()) })
    }

    /// `<…>` after a name of a library that is not known: a type or a call follows.
    fn arguments_of_library(&mut self) -> Parse<Vec<TemplateArgument>> {
        let arguments = self.template_arguments()?;
        let goes_on = self.name_at(0)
            || ["(", "::", "{", "*", "&", "&&", ">", ">>", ",", ")", ";", "..."].iter().any(|p| self.at(p));
        if goes_on { Ok(arguments) } else { Err(super::Failed) }
    }

    /// Whether `<` after this name opens template arguments.
    fn opens_arguments(&self, entry: &Entry) -> bool {
        match entry.meaning {
            Meaning::TypeTemplate | Meaning::ValueTemplate | Meaning::Concept => true,
            Meaning::Type | Meaning::Value | Meaning::Namespace => false,
            Meaning::Unknown => self.looks_like_arguments(),
        }
    }

    /// For a name that is not known: whether `<…>` can hardly be two comparisons.
    pub(crate) fn looks_like_arguments(&self) -> bool {
        let mut depth = 0usize;
        for ahead in 0..200 {
            self.spend(1);
            let punct = match &self.token_at(ahead).kind {
                TokenKind::Ident(_) | TokenKind::Int { .. } | TokenKind::Char(..) => continue,
                TokenKind::Punct(p) => *p,
                _ => return false,
            };
            match punct {
                "<" => depth += 1,
                "::" | "," | "..." => {}
                "*" | "&" => {
                    let next = self.token_at(ahead + 1);
                    let ends = matches!(next.kind, TokenKind::Punct("," | ">" | ">>" | "*" | "&"));
                    if !ends && self.word_at(ahead + 1).is_none_or(|w| &**w != "const") {
                        return false;
                    }
                }
                ">" | ">>" => {
                    let closes = punct.len();
                    if depth <= closes {
                        let after = &self.token_at(ahead + 1).kind;
                        return depth == closes
                            && match after {
                                TokenKind::Ident(_) => true,
                                TokenKind::Punct(p) => words!("( :: : { * & && > >> , ) ;").contains(p),
                                _ => false,
                            };
                    }
                    depth -= closes;
                }
                _ => return false,
            }
        }
        false
    }

    /// `<a, b>`, with `>>` closing two.
    pub(crate) fn template_arguments(&mut self) -> Parse<Vec<TemplateArgument>> {
        let open = self.expect("<")?;
        let mut arguments = Vec::new();
        while !self.at(">") && !self.at(">>") {
            arguments.push(self.template_argument()?);
            if !self.eat(",") {
                break;
            }
        }
        self.close_angle(open)?;
        Ok(arguments)
    }

    pub(crate) fn close_angle(&mut self, open: Span) -> Parse<()> {
        if self.at(">>") {
            self.split = true;
            return Ok(());
        }
        self.close(">", open)
    }

    fn template_argument(&mut self) -> Parse<TemplateArgument> {
        if self.at_type_start() {
            let ty = self.attempt(|p| {
                let ty = p.type_name()?;
                let ends = p.at(",") || p.at(">") || p.at(">>") || p.at("...");
                if ends { Ok(ty) } else { Err(super::Failed) }
            });
            if let Some(mut ty) = ty {
                if self.eat("...") {
                    let span = ty.span.to(self.prev_span());
                    let kind = crate::ast::TypeKind::Pack(Box::new(ty));
                    ty = crate::ast::TypeName { kind, is_const: false, is_volatile: false, span };
                }
                return Ok(TemplateArgument::Type(ty));
            }
        }
        let outer = std::mem::replace(&mut self.angle_ends, true);
        let value = self.conditional();
        self.angle_ends = outer;
        let value = self.maybe_pack(value?)?;
        Ok(TemplateArgument::Value(value))
    }
}
