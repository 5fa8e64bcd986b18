//! Classes, structs, unions and enumerations.

use super::scope::Meaning;
use super::specifiers::{DeclSpecifiers, plain};
use super::{Parse, Parser};
use crate::ast::{Access, Class, Enum, Expr, ExprKind, Item, Name, Path, TypeKind, TypeName};
use crate::preprocess::TokenKind;
use crate::word::Word;
use source::{Code, Diagnostic, Span};

/// Bases and members of a class, and who may name each of the members.
type Body = (Vec<(Access, TypeName)>, Vec<Item>, Vec<Access>);

/// What is known of a member that is ahead, in the middle of it.
struct Ahead {
    /// Whether it declares values.
    declares: bool,
    /// Whether a name that it declares may still come.
    open: bool,
    is_template: bool,
    is_typedef: bool,
    /// Whether a word of its type has come.
    has_type: bool,
}

impl Ahead {
    const START: Ahead =
        Ahead { declares: true, open: true, is_template: false, is_typedef: false, has_type: false };
}

impl Parser<'_> {
    /// From `struct` on: the type, and whether it is defined or declared here.
    pub(crate) fn class_specifier(
        &mut self,
        items: &mut Vec<Item>,
        is_typedef: bool,
    ) -> Parse<(TypeName, bool)> {
        self.nested(|p| p.class_inner(items, is_typedef))
    }

    fn class_inner(&mut self, items: &mut Vec<Item>, is_typedef: bool) -> Parse<(TypeName, bool)> {
        let start = self.span();
        let is_union = self.at_word("union");
        let usual = if self.at_word("class") { Access::Private } else { Access::Public };
        self.bump();
        let mut attributes = DeclSpecifiers::default();
        let mut pack = None;
        if let TokenKind::Pack(n) = *self.kind() {
            pack = Some(n);
            self.bump();
        }
        while self.attribute(&mut attributes)? {}
        let (path, within) = match self.at_path().then(|| self.path()).transpose()? {
            Some((path, resolved)) => (Some(path), resolved.within.map(|within| (within, resolved.scope))),
            None => (None, None),
        };
        while self.attribute(&mut attributes)? {}
        pack = attributes.specifiers.pack.or(pack);
        let align = self.class_alignment(&attributes, start);
        let is_final = self.eat_word("final");
        let defines = self.at("{") || (self.at(":") && !self.punct_at(1, ":"));
        // In a `typedef`, a class that nothing has declared is declared by being named ([basic.scope.pdecl]).
        let is_new = |p: &Path| {
            let plain = p.qualifiers.is_empty() && !p.global && p.last.arguments.is_none();
            plain && self.scopes.lookup(&p.last.name.text).meaning == Meaning::Unknown
        };
        let declares = path.as_ref().is_some_and(|p| self.at(";") || (is_typedef && !defines && is_new(p)));
        if !defines && !declares {
            let Some(path) = path else { return self.unexpected("the name of the class, or `{`") };
            if self.block_depth == 0 && (!self.tolerant || !self.classes.is_empty()) && is_new(&path) {
                self.named_ahead.push(path.last.name.clone());
            }
            return Ok((plain(TypeKind::Named(Box::new(path)), start.to(self.prev_span())), false));
        }
        let template = std::mem::take(&mut self.header.parameters);
        let is_specialization =
            self.header.is_specialization || path.as_ref().is_some_and(|p| p.last.arguments.is_some());
        let name = path.as_ref().map(|p| p.last.name.text.clone());
        let levels = self.header.levels;
        let meaning = if levels > 0 { Meaning::TypeTemplate } else { Meaning::Type };
        let depth = self.scopes.depth();
        // `struct outer::NAME { … }` defines what `outer` declares.
        if let Some((within, _)) = within.filter(|_| defines) {
            self.scopes.reopen(within);
        }
        let scope = match &name {
            _ if let Some((_, scope)) = within => scope,
            Some(name) if !is_specialization => Some(self.scopes.declare_class(levels, name, meaning)),
            // The members of all specialisations are known under the one name.
            Some(name) => self.scopes.lookup(name).scope,
            _ => None,
        };
        let span = start.to(self.prev_span());
        let mut class = Class {
            is_union,
            template,
            is_specialization,
            is_final,
            name: path,
            bases: Vec::new(),
            members: None,
            access: Vec::new(),
            align,
            pack: None,
            span,
        };
        if !defines {
            let path = class.name.clone();
            items.push(Item::Class(Box::new(class)));
            let Some(path) = path else { return self.unexpected("a name") };
            return Ok((plain(TypeKind::Named(Box::new(path)), span), true));
        }
        match scope {
            Some(scope) => self.scopes.reopen(scope),
            None => {
                self.scopes.push();
            }
        }
        let outer = std::mem::take(&mut self.header);
        self.classes.push(name.unwrap_or_default());
        let outer_depth = std::mem::replace(&mut self.block_depth, 0);
        let result = self.class_body(usual);
        self.block_depth = outer_depth;
        self.classes.pop();
        self.header = outer;
        self.scopes.truncate(depth);
        let members;
        (class.bases, members, class.access) = result?;
        class.members = Some(members);
        let mut behind = DeclSpecifiers::default();
        while self.at_word("__attribute__") && self.attribute(&mut behind)? {}
        if behind.specifiers.pack.is_some() || behind.specifiers.align.is_some() || behind.align.is_some() {
            pack = Some(0);
        }
        let span = start.to(self.prev_span());
        class.name = class.name.or_else(|| self.invent_name(is_typedef, span));
        (class.pack, class.span) = (pack, span);
        let name = class.name.clone();
        items.push(Item::Class(Box::new(class)));
        let name = name.unwrap_or_else(|| Self::simple_path(Name { text: Word::default(), span }));
        Ok((plain(TypeKind::Named(Box::new(name)), span), true))
    }

    /// A name for `typedef struct { … } Name;`, and for `struct { … } variable;`.
    fn invent_name(&mut self, is_typedef: bool, span: Span) -> Option<Path> {
        if is_typedef && let Some(word) = self.word().filter(|_| self.name_at(0)) {
            let name = Name { text: word.clone(), span: self.span() };
            return Some(Self::simple_path(name));
        }
        if self.at(";") {
            return None;
        }
        self.unnamed += 1;
        Some(Self::simple_path(Name { text: format!("unnamed#{}", self.unnamed).into(), span }))
    }

    /// The alignment that attributes of a class or an alias ask for.
    pub(super) fn class_alignment(&mut self, attributes: &DeclSpecifiers, span: Span) -> Option<Expr> {
        let plain = attributes.specifiers.align.map(|n| {
            let ty = crate::operation::IntType::Int;
            self.expr(ExprKind::Int { value: u64::from(n), ty }, span)
        });
        if plain.is_some() && attributes.align.is_some() {
            let title = "several computed alignments of one thing are not supported by the simulator yet";
            self.report(Diagnostic::new(Code::UnsupportedFeature, title).label(span, ""));
        }
        plain.or_else(|| attributes.align.clone())
    }

    /// `public`, `protected` or `private`, if one stands here.
    fn opt_access(&mut self) -> Option<Access> {
        let access = match &**self.word()? {
            "public" => Access::Public,
            "protected" => Access::Protected,
            "private" => Access::Private,
            _ => return None,
        };
        self.bump();
        Some(access)
    }

    fn class_body(&mut self, usual: Access) -> Parse<Body> {
        let mut bases = Vec::new();
        if self.eat(":") {
            loop {
                let mut access = usual;
                loop {
                    if self.at_word("virtual") {
                        let span = self.span();
                        let title = "virtual base classes are not supported by the simulator yet";
                        let d = Diagnostic::new(Code::VirtualBase, title).label(span, "");
                        self.report(d.help("derive from it without `virtual`, once"));
                        self.bump();
                    } else if let Some(written) = self.opt_access() {
                        access = written;
                    } else {
                        break;
                    }
                }
                let start = self.span();
                if self.at_word("decltype") || self.at_word("typename") {
                    bases.push((access, self.elaborate_type()?));
                    self.tolerated |= self.tolerant;
                    if !self.eat(",") {
                        break;
                    }
                    continue;
                }
                let (path, resolved) = self.path()?;
                // Names are not looked up in a base that depends on a template's parameter ([temp.dep]).
                if let Some(scope) = resolved.scope.filter(|_| !self.path_depends(&path)) {
                    self.scopes.use_scope(scope);
                }
                self.tolerated |= self.tolerant && resolved.meaning == Meaning::Unknown;
                let mut base = plain(TypeKind::Named(Box::new(path)), start.to(self.prev_span()));
                if self.eat("...") {
                    let span = start.to(self.prev_span());
                    base = plain(TypeKind::Pack(Box::new(base)), span);
                }
                bases.push((access, base));
                if !self.eat(",") {
                    break;
                }
            }
        }
        let open = self.expect("{")?;
        let outer = std::mem::take(&mut self.later_members);
        let outer_scope = std::mem::replace(&mut self.class_scope, self.scopes.innermost());
        self.declare_values_ahead();
        let mut members = Vec::new();
        let (mut now, mut access) = (usual, Vec::new());
        while !self.at("}") && !self.at_end() && !self.at_word("__global__") && !self.at_word("namespace") {
            access.resize(members.len(), now);
            let before = self.pos;
            let mark = self.mark();
            let is_access = ["public", "private", "protected"].iter().any(|w| self.at_word(w));
            if is_access && self.punct_at(1, ":") {
                now = self.opt_access().unwrap_or(now);
                self.bump();
                continue;
            }
            if self.item(&mut members).is_err() {
                self.restore_nesting(&mark);
                if self.pos == before || !self.token_at(0).first_on_line {
                    self.skip_declaration();
                }
            }
            if self.pos == before && !self.at("}") {
                self.bump();
            }
        }
        access.resize(members.len(), now);
        self.default_comparisons(&bases, &mut members, &mut access);
        self.close_block(open);
        (self.later_members, self.class_scope) = (outer, outer_scope);
        Ok((bases, members, access))
    }

    /// Enters the fields and functions of the class body that begins here: bodies of methods see the members after them, too
    /// ([class.mem]). Names that are known already have the member's meaning in those bodies only, as those of types have.
    fn declare_values_ahead(&mut self) {
        let (mut depth, mut angles, mut ahead) = (0usize, 0usize, 0usize);
        let mut member = Ahead::START;
        loop {
            let next = ahead + 1;
            match self.kind_at(ahead) {
                TokenKind::Eof => return,
                TokenKind::Punct("(" | "[" | "{") => depth += 1,
                TokenKind::Punct(")" | "]" | "}") => {
                    let Some(outer) = depth.checked_sub(1) else { return };
                    depth = outer;
                    if depth == 0 && self.punct_at(ahead, "}") {
                        member = Ahead::START;
                    } else if depth == 0 && self.punct_at(next, ":") {
                        // Initialisers of a constructor.
                        member = Ahead { declares: false, open: false, ..Ahead::START };
                    }
                }
                TokenKind::Punct(";") if depth == 0 => (member, angles) = (Ahead::START, 0),
                TokenKind::Punct(",") if depth == 0 && angles == 0 => member.open = member.declares,
                TokenKind::Punct("<") if depth == 0 && member.open => angles += 1,
                TokenKind::Punct(">") if depth == 0 => angles = angles.saturating_sub(1),
                TokenKind::Punct(">>") if depth == 0 => angles = angles.saturating_sub(2),
                TokenKind::Ident(word) if depth == 0 && angles == 0 && word == "requires" => {
                    ahead = self.skip_constraint(next);
                    continue;
                }
                TokenKind::Ident(word) if depth == 0 && angles == 0 => {
                    let word = word.clone();
                    self.word_ahead(&word, next, &mut member);
                }
                _ => {}
            }
            ahead = next;
        }
    }

    /// A word of a member that is ahead, with what follows it.
    fn word_ahead(&mut self, word: &Word, next: usize, member: &mut Ahead) {
        const NO_VALUE: &[&str] =
            &["using", "typedef", "friend", "enum", "struct", "class", "union", "template", "operator"];
        const NO_TYPE: &[&str] =
            &["static", "const", "constexpr", "inline", "volatile", "mutable", "virtual", "explicit"];
        if matches!(word.as_str(), "public" | "protected" | "private") {
            *member = Ahead::START;
            return;
        }
        if NO_VALUE.contains(&word.as_str()) {
            member.is_template |= member.declares && word == "template";
            member.is_typedef |= member.declares && word == "typedef";
            member.declares = false;
        }
        let is_type = if member.is_template { Meaning::TypeTemplate } else { Meaning::Type };
        let defines = match word.as_str() {
            "struct" | "class" | "union" => self.punct_at(next + 1, "{") || self.punct_at(next + 1, ":"),
            "using" => self.punct_at(next + 1, "="),
            _ => false,
        };
        if defines
            && member.open
            && let TokenKind::Ident(name) = self.kind_at(next)
        {
            self.later_members.push((name.clone(), is_type));
            member.open = false;
        }
        let is_own = self.classes.last() == Some(word);
        let is_name = super::names::is_name(word);
        if is_name && member.is_typedef && self.punct_at(next, ";") {
            self.later_members.push((word.clone(), Meaning::Type));
        }
        if is_name && member.is_template && member.open && member.has_type && self.punct_at(next, "(") {
            if !is_own {
                self.later_members.push((word.clone(), Meaning::ValueTemplate));
            }
            member.open = false;
        }
        let ends = [";", "=", ",", "(", "[", "{", ":"].iter().any(|p| self.punct_at(next, p));
        if member.declares && member.open && ends && is_name {
            let is_unknown = self.scopes.lookup(word).meaning == Meaning::Unknown;
            if is_unknown && !is_own {
                self.scopes.declare(word, Meaning::Value);
            } else if member.has_type && !is_own {
                self.later_members.push((word.clone(), Meaning::Value));
            }
            // `A (*f)(int)` begins with a type.
            member.open = !is_unknown && !is_own && !member.has_type;
        }
        member.has_type |= !(NO_VALUE.contains(&word.as_str())
            || NO_TYPE.contains(&word.as_str())
            || word.starts_with("__"));
    }

    /// From `enum` on.
    pub(crate) fn enum_specifier(&mut self, items: &mut Vec<Item>) -> Parse<(TypeName, bool)> {
        let start = self.span();
        self.bump();
        let scoped = self.eat_word("class") || self.eat_word("struct");
        self.skip_attributes();
        let (path, within) = match self.name_at(0).then(|| self.path()).transpose()? {
            Some((path, resolved)) => (Some(path), resolved.within),
            None => (None, None),
        };
        let underlying = if self.eat(":") { Some(self.type_name()?) } else { None };
        let defines = self.at("{") || (self.at(";") && (scoped || underlying.is_some()));
        if !defines {
            let Some(path) = path else { return self.unexpected("the name of the enumeration, or `{`") };
            return Ok((plain(TypeKind::Named(Box::new(path)), start.to(self.prev_span())), self.at(";")));
        }
        let name = path.or_else(|| {
            self.unnamed += 1;
            let named = !scoped && self.enum_has_declarator();
            let text = format!("unnamed#{}", self.unnamed).into();
            named.then(|| Self::simple_path(Name { text, span: start }))
        });
        // `enum outer::NAME { … }` defines what `outer` declares.
        let depth = self.scopes.depth();
        within.into_iter().for_each(|within| self.scopes.reopen(within));
        let levels = if within.is_some() { 0 } else { self.header.levels };
        let scope =
            name.as_ref().map(|n| self.scopes.declare_class(levels, &n.last.name.text, Meaning::Type));
        let template = std::mem::take(&mut self.header.parameters);
        let mut enumerators = Vec::new();
        if self.at("{") {
            let open = self.span();
            self.bump();
            while !self.at("}") {
                let enumerator = self.name("the name of an enumerator")?;
                self.skip_attributes();
                let value = if self.eat("=") { Some(self.conditional()?) } else { None };
                if !scoped {
                    self.scopes.declare(&enumerator.text, Meaning::Value);
                }
                if let Some(scope) = scope {
                    self.scopes.reopen(scope);
                    self.scopes.declare(&enumerator.text, Meaning::Value);
                    self.scopes.pop();
                }
                enumerators.push((enumerator, value));
                if !self.eat(",") {
                    break;
                }
            }
            self.close("}", open)?;
        }
        self.scopes.truncate(depth);
        let span = start.to(self.prev_span());
        items.push(Item::Enum(Enum { scoped, template, name: name.clone(), underlying, enumerators, span }));
        let path = name.unwrap_or_else(|| Self::simple_path(Name { text: Word::default(), span }));
        Ok((plain(TypeKind::Named(Box::new(path)), span), true))
    }

    /// Whether a declarator follows the `{…}` of the unnamed enumeration here.
    fn enum_has_declarator(&self) -> bool {
        let close =
            (0..4000).find(|&ahead| self.punct_at(ahead, "}") || self.token_at(ahead).kind == TokenKind::Eof);
        close.is_some_and(|ahead| {
            !self.punct_at(ahead + 1, ";") && self.token_at(ahead).kind != TokenKind::Eof
        })
    }
}
