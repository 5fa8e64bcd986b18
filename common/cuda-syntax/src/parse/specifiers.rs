//! What comes before a declarator: storage, execution space, attributes, and the type.

use super::names;
use super::path::Resolved;
use super::scope::{self, Meaning};
use super::{Failed, Parse, Parser};
use crate::ast::{
    BuiltinType, Execution, Expr, ExprKind, Item, Name, Path, PathPart, Specifiers, TemplateArgument,
    TypeKind, TypeName,
};
use crate::operation::IntType;
use crate::preprocess::{SkippedHeader, TokenKind};
use source::{Code, Diagnostic, Span};

/// The specifiers of a declaration.
#[derive(Debug, Default)]
pub(crate) struct DeclSpecifiers {
    pub(crate) specifiers: Specifiers,
    pub(crate) execution: Execution,
    pub(crate) launch_bounds: Vec<Expr>,
    /// Of `explicit(c)`.
    pub(crate) explicit_if: Option<Expr>,
    /// `alignas(e)` of anything but a plain number.
    pub(crate) align: Option<Expr>,
    pub(crate) is_typedef: bool,
    pub(crate) ty: Option<TypeName>,
    /// Whether the type itself was declared here: `struct S { … } s;`.
    pub(crate) defines_type: bool,
    pub(crate) span: Span,
}

/// Fundamental type words seen so far.
#[derive(Default)]
struct Words {
    base: Option<&'static str>,
    long: u8,
    short: bool,
    signed: bool,
    unsigned: bool,
    span: Option<Span>,
}

impl Parser<'_> {
    /// Whether a type can start here, for telling `(T)e`, `sizeof(T)` and declarations from expressions.
    pub(crate) fn at_type_start(&mut self) -> bool {
        let Some(word) = self.word() else {
            return self.at("::") && self.name_at(1) && self.names_type();
        };
        if word.is_keyword() {
            return match word.as_str() {
                "const" | "volatile" | "typename" | "struct" | "class" | "union" | "enum" | "decltype"
                | "typeof" | "__typeof__" | "__typeof" | "__underlying_type" => true,
                w => names::FUNDAMENTAL.contains(&w),
            };
        }
        match self.scopes.lookup(word).meaning {
            Meaning::Type | Meaning::TypeTemplate => self.names_type(),
            Meaning::Namespace => self.names_type() || self.before_placeholder(),
            Meaning::Unknown => self.punct_at(1, "::") && self.names_type(),
            Meaning::Concept => self.before_placeholder(),
            Meaning::Value | Meaning::ValueTemplate => false,
        }
    }

    fn before_placeholder(&mut self) -> bool {
        self.probe(|p| Ok(p.path()?.1.meaning == Meaning::Concept && p.at_placeholder()))
    }

    /// Whether `auto` or `decltype(auto)` follows, which a concept before it constrains.
    pub(crate) fn at_placeholder(&self) -> bool {
        let is = |ahead, text: &str| self.word_at(ahead).is_some_and(|w| &**w == text);
        is(0, "auto") || (is(0, "decltype") && is(2, "auto"))
    }

    /// Whether the path here stands for a type.
    pub(crate) fn names_type(&mut self) -> bool {
        // The common case without a try: a plain name.
        if self.name_at(0) && !self.punct_at(1, "<") && !self.punct_at(1, "::") {
            let meaning = self.word().map_or(Meaning::Unknown, |w| self.scopes.lookup(w).meaning);
            return matches!(meaning, Meaning::Type | Meaning::TypeTemplate);
        }
        self.probe(|p| Ok(p.path()?.1.is_type()))
    }

    /// Reads specifiers up to the declarator. `None` as the type where none was written (a constructor).
    pub(crate) fn decl_specifiers(&mut self, items: &mut Vec<Item>) -> Parse<DeclSpecifiers> {
        let start = self.span();
        let mut out = DeclSpecifiers { span: start, ..DeclSpecifiers::default() };
        let mut words = Words::default();
        let (mut is_const, mut is_volatile) = (false, false);
        let mut concept = None;
        loop {
            let at = self.pos;
            if out.defines_type && self.token_at(0).first_on_line && !self.name_at(0) {
                break;
            }
            let is_name = self.word().is_some_and(names::is_name);
            if !is_name && (self.attribute(&mut out)? || self.storage_word(&mut out)?) {
                continue;
            }
            let Some(word) = self.word() else {
                if out.ty.is_none() && words.span.is_none() && self.at("::") && self.names_type() {
                    out.ty = Some(self.named_type()?);
                    continue;
                }
                break;
            };
            match word.as_str() {
                "const" => is_const = true,
                "volatile" => is_volatile = true,
                "__restrict__" | "__restrict" | "__extension__" | "__grid_constant__" => {}
                w if out.ty.is_none() && self.fundamental_word(w, &mut words)? => {}
                "auto" | "__auto_type" if out.ty.is_none() && words.span.is_none() => {
                    out.ty = Some(plain(TypeKind::Auto(concept.take().map(Box::new)), self.span()));
                }
                _ if out.ty.is_some() || words.span.is_some() => break,
                "struct" | "class" | "union" => {
                    let (ty, defines) = self.class_specifier(items, out.is_typedef)?;
                    out.ty = Some(ty);
                    out.defines_type |= defines;
                    continue;
                }
                "enum" => {
                    let (ty, defines) = self.enum_specifier(items)?;
                    out.ty = Some(ty);
                    out.defines_type |= defines;
                    continue;
                }
                "decltype" | "typename" | "typeof" | "__typeof__" | "__typeof" | "__underlying_type" => {
                    let mut ty = self.elaborate_type()?;
                    if let TypeKind::DecltypeAuto(constraint) = &mut ty.kind {
                        *constraint = concept.take().map(Box::new);
                    }
                    out.ty = Some(ty);
                    continue;
                }
                _ if word.is_keyword() => break,
                _ if let Some(path) = self.opt_placeholder_constraint()? => {
                    concept = Some(path);
                    continue;
                }
                _ => match self.type_path()? {
                    Some(ty) => {
                        out.ty = Some(ty);
                        continue;
                    }
                    None => break,
                },
            }
            self.bump();
            debug_assert!(self.pos > at || self.at_end(), "specifiers must progress");
        }
        if let Some(span) = words.span {
            out.ty = Some(plain(TypeKind::Builtin(self.combine(&words)), span));
        }
        if let Some(ty) = &mut out.ty {
            ty.is_const |= is_const;
            ty.is_volatile |= is_volatile;
        } else if is_const || is_volatile {
            let span = start.to(self.prev_span());
            if self.name_at(0) {
                return self.missing_type(span);
            }
        }
        let e = &mut out.execution;
        e.host |= !e.global && !e.device;
        out.span = start.to(self.prev_span());
        Ok(out)
    }

    /// Reports what is not supported, unless it is the host's.
    pub(crate) fn not_supported(&mut self, what: &str, span: Span) {
        if self.tolerant {
            self.tolerated = true;
            return;
        }
        let title = format!("{what} is not supported by the simulator yet");
        self.report(Diagnostic::new(Code::UnsupportedFeature, title).label(span, ""));
    }

    fn missing_type<T>(&mut self, span: Span) -> Parse<T> {
        let name = self.found();
        self.fail(
            Diagnostic::new(Code::MissingType, format!("{name} is declared without a type"))
                .label(self.span(), "its type is missing before it")
                .label(span, ""),
        )
    }

    /// The path here, if it is a type's or, from what follows, was meant as one.
    fn type_path(&mut self) -> Parse<Option<TypeName>> {
        let mark = self.mark();
        let start = self.span();
        if self.at_constructor() {
            return Ok(None);
        }
        let Some((mut path, resolved)) = self.attempt(Self::path) else { return Ok(None) };
        if resolved.is_type() {
            self.typename_rule(&mut path);
            return Ok(Some(plain(TypeKind::Named(Box::new(path)), start.to(self.prev_span()))));
        }
        if !self.meant_as_type(&path, resolved) {
            self.reset(&mark);
            return Ok(None);
        }
        self.unknown_type(&mut path, resolved)?;
        Ok(Some(plain(TypeKind::Named(Box::new(path)), start.to(self.prev_span()))))
    }

    /// `Class(` inside its body, or `Class::Class(`.
    pub(crate) fn at_constructor(&mut self) -> bool {
        // In a body it is an expression: `return Vec(a, b);`.
        if self.block_depth > 0 {
            return false;
        }
        if let Some(class) = self.classes.last()
            && self.word() == Some(class)
            && self.punct_at(1, "(")
        {
            // `T(x)` as a declaration's type is not written in classes.
            return !self.punct_at(2, "*");
        }
        if self.classes.is_empty() && self.names_special_member() {
            return true;
        }
        // `Class(T) -> Class<T>;`: a deduction guide.
        self.classes.is_empty()
            && self.punct_at(1, "(")
            && self.word().is_some_and(|w| self.scopes.lookup(w).meaning == Meaning::TypeTemplate)
    }

    /// `a::Class<T>::Class(`, `Class::~Class(` or `Class::operator T(`.
    fn names_special_member(&self) -> bool {
        let (mut ahead, mut last) = (0, None);
        while let Some(name) = self.word_at(ahead).filter(|w| !w.is_keyword()) {
            ahead += 1;
            if self.punct_at(ahead, "<") {
                let Some(close) = self.closing_angle(ahead) else { return false };
                ahead = close + 1;
            }
            if last == Some(name) && self.punct_at(ahead, "(") {
                return true;
            }
            if !self.punct_at(ahead, "::") {
                return false;
            }
            last = Some(name);
            ahead += 1;
        }
        last.is_some()
            && (self.punct_at(ahead, "~")
                || (self.word_at(ahead).is_some_and(|w| &**w == "operator")
                    && self.word_at(ahead + 1).is_some()))
    }

    /// Where the `<` that is `ahead` tokens from here is closed.
    pub(crate) fn closing_angle(&self, ahead: usize) -> Option<usize> {
        let (mut angles, mut others) = (0usize, 0usize);
        for at in ahead..ahead + 400 {
            match &self.token_at(at).kind {
                TokenKind::Punct("(" | "[" | "{") => others += 1,
                TokenKind::Punct(")" | "]" | "}") => others = others.checked_sub(1)?,
                TokenKind::Punct("<") if others == 0 => angles += 1,
                TokenKind::Punct(p @ (">" | ">>")) if others == 0 => {
                    angles = angles.checked_sub(p.len())?;
                    if angles == 0 {
                        return Some(at);
                    }
                }
                TokenKind::Punct(";") | TokenKind::Eof => return None,
                _ => {}
            }
        }
        None
    }

    /// Whether a path that names no known type stands where a type must.
    fn meant_as_type(&mut self, path: &Path, resolved: Resolved) -> bool {
        if !matches!(resolved.meaning, Meaning::Type | Meaning::TypeTemplate | Meaning::Unknown) {
            return false;
        }
        let name_follows =
            |p: &Self, ahead| p.name_at(ahead) || p.word_at(ahead).is_some_and(|w| &**w == "operator");
        if name_follows(self, 0) {
            return true;
        }
        if self.word().is_some_and(|w| matches!(&**w, "const" | "volatile" | "__restrict__")) {
            return true;
        }
        let mut ahead = 0;
        while ["*", "&", "&&"].iter().any(|p| self.punct_at(ahead, p))
            || self.word_at(ahead).is_some_and(|w| matches!(&**w, "const" | "__restrict__" | "__restrict"))
        {
            ahead += 1;
        }
        if ahead > 0 {
            let ends = ["=", ";", ",", ")", "[", "("].iter().any(|p| self.punct_at(ahead + 1, p));
            return (name_follows(self, ahead) && ends)
                || [")", ",", ">"].iter().any(|p| self.punct_at(ahead, p));
        }
        path.last.arguments.is_some() && (self.at(",") || self.at(")") || self.at(">") || self.at(">>"))
    }

    /// Reports a type that is not known; accepted silently in a declaration of the host.
    fn unknown_type(&mut self, path: &mut Path, resolved: Resolved) -> Parse<()> {
        if self.is_member_of_parameter(path, resolved) {
            if !(self.is_2020 && self.at_file_level()) {
                self.missing_typename(path);
            }
            return Ok(());
        }
        let name = &path.last.name;
        let plain = path.qualifiers.is_empty() && path.last.arguments.is_none();
        let slip = if plain {
            source::nearest(&name.text, scope::Scopes::builtin_types()).map(str::to_string)
        } else {
            None
        };
        // In a class, a plain unknown name is the user's own slip, unless it may be the library's.
        let own = plain && !self.using_std && !self.classes.is_empty() && self.skipped.is_empty();
        let slip = slip.filter(|_| self.skipped.is_empty());
        let of_cuda = plain && is_of_cuda(&name.text);
        if of_cuda || (self.tolerant && slip.is_none() && !own) {
            self.tolerated = true;
            return Ok(());
        }
        let keywords = ["return", "const", "constexpr", "static", "typedef", "struct", "break", "continue"];
        let keyword = if plain { source::nearest(&name.text, keywords).map(str::to_string) } else { None };
        let near = slip.or(keyword).or_else(|| {
            let visible = self.scopes.visible_types();
            if plain { source::nearest(&name.text, visible).map(str::to_string) } else { None }
        });
        let text = spell(path);
        if let Some(d) = self.of_library(path, near.is_some()) {
            self.insistent |= self.speculating == 0;
            self.report(d);
            return Ok(());
        }
        let mut d = Diagnostic::new(Code::UnknownType, format!("there is no type `{text}`"))
            .label(path.span, "not a type");
        d = match near {
            _ if let Some(usual) = usual_type(&text) => d.mean(path.span, usual),
            Some(near) => d.mean(path.span, &near),
            None if text.eq_ignore_ascii_case("string") => {
                d.help("there are no string objects in a kernel: a text is a `const char *`")
            }
            None if text.starts_with("std::") => {
                d.note("most of the standard library cannot be used on the device")
                    .help("pass plain pointers and lengths to the kernel; a small array of its own is `float v[16];`")
            }
            None => d,
        };
        self.insistent |= self.speculating == 0;
        self.report(d);
        Ok(())
    }

    /// Whether a name that is not known is of a template's parameter, or of a class that depends on one.
    fn is_member_of_parameter(&self, path: &Path, resolved: Resolved) -> bool {
        let Some(first) = path.qualifiers.first().filter(|_| resolved.open) else { return false };
        let entry = self.scopes.lookup(&first.name.text);
        let is_parameter = entry.meaning == Meaning::Type && entry.scope.is_none();
        is_parameter || (entry.meaning != Meaning::Namespace && first.arguments.is_some())
    }

    /// What is said of a name that is not known if a library, or a header that is not read, may declare it. `is_slip` tells that it looks
    /// like a name that is known.
    pub(crate) fn of_library(&self, path: &Path, is_slip: bool) -> Option<Diagnostic> {
        let text = spell(path);
        let library = path.qualifiers.first().map_or("", |q| q.name.text.as_str());
        let of_skipped = self.skipped.iter().any(|s| s.origin.namespaces.contains(&library));
        if library == "cuda" {
            // A part of it is known.
            let title = format!("`{text}` is not supported by the simulator yet");
            return Some(Diagnostic::new(Code::UnsupportedLibrary, title).label(path.span, ""));
        }
        if of_skipped || ["cub", "thrust", "cute", "cutlass", "nvcuda"].contains(&library) {
            return Some(unsupported_library(library, path.span));
        }
        let in_use = self.skipped.iter().any(|s| !s.origin.namespaces.is_empty());
        if (!is_slip || in_use)
            && !text.starts_with("std::")
            && let Some(d) = skipped_name(&text, path.span, self.skipped)
        {
            return Some(d);
        }
        (library == "std" && names::OTHER_STANDARD.contains(&path.last.name.text.as_str())).then(|| {
            let title = format!("`{text}` is not supported by the simulator yet");
            Diagnostic::new(Code::UnsupportedLibrary, title).label(path.span, "")
        })
    }

    /// What is said of a path that stands for a type and is none.
    pub(crate) fn no_such_type(&self, path: &Path) -> Diagnostic {
        let text = spell(path);
        let near = source::nearest(&text, self.scopes.visible_types()).map(str::to_string);
        if let Some(d) = self.of_library(path, near.is_some()) {
            return d;
        }
        let d = Diagnostic::new(Code::UnknownType, format!("there is no type `{text}`"))
            .label(path.span, "not a type");
        match near {
            Some(near) => d.mean(path.span, &near),
            None => d,
        }
    }

    /// In a body the error waits for the instantiation, as CUDA's compiler looks at no body before. A kernel's is for host code to ask for,
    /// which is not read.
    fn missing_typename(&mut self, path: &mut Path) {
        if self.block_depth > 0 && !self.in_kernel {
            path.lacks_typename = true;
            return;
        }
        self.report(lacking_typename(path));
    }

    /// A member of a class that depends on a template's parameter is a type only with `typename` before it, except within that
    /// class ([temp.res], [temp.dep.type]). `A<T>::type(e)` may be a call.
    fn typename_rule(&mut self, path: &mut Path) {
        if path.qualifiers.is_empty() || self.tolerant || self.at("(") || self.at("{") {
            return;
        }
        if self.is_2020 && (self.at_file_level() || self.at(">")) {
            return;
        }
        let (mut at, mut depends) = (None, false);
        for part in &path.qualifiers {
            let entry = match at {
                None => self.scopes.lookup_qualifier(&part.name.text),
                Some(scope) => self.scopes.lookup_in(scope, &part.name.text),
            };
            let is_class = entry.meaning != Meaning::Namespace;
            if is_class && entry.scope.is_some_and(|scope| self.scopes.is_open(scope)) {
                return;
            }
            depends |= entry.dependent || self.arguments_depend(part);
            at = entry.scope;
            if at.is_none() {
                break;
            }
        }
        if depends && !self.at_member_of(path) {
            self.missing_typename(path);
        }
    }

    /// Whether a definition of a member of the class follows in which this type is: `A<T>::type A<T>::f()`.
    fn at_member_of(&self, path: &Path) -> bool {
        self.word() == Some(&path.qualifiers[0].name.text)
            && (self.punct_at(1, "<") || self.punct_at(1, "::"))
    }

    fn arguments_depend(&self, part: &PathPart) -> bool {
        part.arguments.iter().flatten().any(|argument| match argument {
            TemplateArgument::Type(ty) => self.depends(ty),
            TemplateArgument::Value(Expr { kind: ExprKind::Path(path), .. }) => self.path_depends(path),
            TemplateArgument::Value(_) => false,
        })
    }

    pub(crate) fn path_depends(&self, path: &Path) -> bool {
        let first = path.qualifiers.first().unwrap_or(&path.last);
        let parts = path.qualifiers.iter().chain([&path.last]);
        self.scopes.lookup(&first.name.text).dependent
            || parts.into_iter().any(|part| self.arguments_depend(part))
    }

    /// Whether a type is made of a template's parameter, as far as the grammar asks.
    pub(crate) fn depends(&self, ty: &TypeName) -> bool {
        match &ty.kind {
            TypeKind::Named(path) => self.path_depends(path),
            TypeKind::Pointer { to, .. } | TypeKind::Reference { to, .. } => self.depends(to),
            TypeKind::Array { of, .. } => self.depends(of),
            TypeKind::Pack(inner) => self.depends(inner),
            _ => false,
        }
    }

    /// A path where only a type can stand, such as after `using A =`.
    pub(crate) fn must_be_type(&mut self) -> Parse<TypeName> {
        let (mut path, resolved) = self.path()?;
        let span = path.span;
        let is_value = !matches!(resolved.meaning, Meaning::Type | Meaning::TypeTemplate | Meaning::Unknown);
        if is_value {
            let title = format!("expected a type, found `{}`", spell(&path));
            return self.fail(Diagnostic::new(Code::UnexpectedToken, title).label(span, "expected a type"));
        }
        // Outside of functions an alias may be of the host's; what is not known is refused where device code uses it.
        let depends = self.is_member_of_parameter(&path, resolved);
        if self.is_2020 && depends {
            // Where only a type can stand, it may be left out.
        } else if !resolved.is_type() && self.at_file_level() && !depends {
            self.tolerated |= self.tolerant;
        } else if !resolved.is_type() {
            self.unknown_type(&mut path, resolved)?;
        } else {
            self.typename_rule(&mut path);
        }
        Ok(plain(TypeKind::Named(Box::new(path)), span))
    }

    fn named_type(&mut self) -> Parse<TypeName> {
        let (path, _) = self.path()?;
        let span = path.span;
        Ok(plain(TypeKind::Named(Box::new(path)), span))
    }

    /// `typename T::x`, `decltype(e)`, `__typeof__(e)`, `__typeof__(T)` or `__underlying_type(T)`.
    pub(crate) fn elaborate_type(&mut self) -> Parse<TypeName> {
        let start = self.span();
        if self.eat_word("typename") {
            let (path, _) = self.path()?;
            return Ok(plain(TypeKind::Named(Box::new(path)), start.to(self.prev_span())));
        }
        if self.at_word("__underlying_type") {
            let name = Name { text: "__underlying_type".into(), span: start };
            self.bump();
            let open = self.expect("(")?;
            let of = self.outside_angles(Self::type_name)?;
            self.close(")", open)?;
            let mut path = Self::simple_path(name);
            path.last.arguments = Some(vec![TemplateArgument::Type(of)]);
            return Ok(plain(TypeKind::Named(Box::new(path)), start.to(self.prev_span())));
        }
        let is_typeof = !self.at_word("decltype");
        self.bump();
        if is_typeof && let Some(ty) = self.type_in_parentheses() {
            return Ok(ty);
        }
        let open = self.expect("(")?;
        if is_typeof {
            let kind = TypeKind::Typeof(Box::new(self.outside_angles(Self::expression)?));
            self.close(")", open)?;
            return Ok(plain(kind, start.to(self.prev_span())));
        }
        let is_auto = self.at_word("auto") && self.punct_at(1, ")");
        let kind = if is_auto {
            self.bump();
            TypeKind::DecltypeAuto(None)
        } else {
            TypeKind::Decltype(Box::new(self.outside_angles(Self::expression)?))
        };
        self.close(")", open)?;
        let span = start.to(self.prev_span());
        if self.at("::") && !self.member_pointer_at(1) {
            self.not_supported("a member of a class that `decltype` names", span);
            self.path()?;
        }
        Ok(plain(kind, span))
    }

    fn fundamental_word(&mut self, word: &str, words: &mut Words) -> Parse<bool> {
        let base = match word {
            "unsigned" | "signed" | "__signed__" | "long" | "short" => None,
            "void" => Some("void"),
            "bool" => Some("bool"),
            "char" => Some("char"),
            "wchar_t" => Some("wchar_t"),
            "char16_t" => Some("char16_t"),
            "char32_t" => Some("char32_t"),
            "int" => Some("int"),
            "float" => Some("float"),
            "double" => Some("double"),
            "__int128" => Some("__int128"),
            _ => return Ok(false),
        };
        if let (Some(old), Some(new)) = (words.base, base) {
            let title = format!("two types, `{old}` and `{new}`, in one declaration");
            let span = self.span();
            self.report(Diagnostic::new(Code::InvalidType, title).label(span, "write one of them"));
        }
        let twice = match word {
            "unsigned" => words.unsigned,
            "signed" | "__signed__" => words.signed,
            "short" => words.short,
            _ => false,
        };
        if twice {
            let span = self.span();
            self.report(
                Diagnostic::new(Code::InvalidType, format!("`{word}` is written twice"))
                    .label(span, "remove it"),
            );
        }
        match word {
            "unsigned" => words.unsigned = true,
            "signed" | "__signed__" => words.signed = true,
            "long" => words.long += 1,
            "short" => words.short = true,
            _ => words.base = base,
        }
        let here = self.span();
        words.span = Some(words.span.map_or(here, |s| s.to(here)));
        Ok(true)
    }

    fn combine(&mut self, words: &Words) -> BuiltinType {
        use IntType::*;
        let Words { base, long, short, signed, unsigned, span } = words;
        let sized = *long > 0 || *short;
        let wrong = (*signed && *unsigned)
            || (*short && *long > 0)
            || *long > 2
            || match base {
                None | Some("int") => false,
                Some("char" | "__int128") => sized,
                Some("double") => *short || *long > 1 || *signed || *unsigned,
                Some(_) => sized || *signed || *unsigned,
            };
        if wrong && let Some(span) = span {
            self.report(
                Diagnostic::new(Code::InvalidType, "these words do not form a type").label(*span, ""),
            );
        }
        BuiltinType::Int(match (base, long, short, unsigned) {
            (Some("void"), ..) => return BuiltinType::Void,
            (Some("bool"), ..) => return BuiltinType::Bool,
            (Some("float"), ..) => return BuiltinType::Float,
            (Some("double"), ..) => return BuiltinType::Double,
            (Some("wchar_t"), ..) => WChar,
            (Some("char16_t"), ..) => Char16,
            (Some("char32_t"), ..) => Char32,
            (Some("__int128"), _, _, true) => UnsignedInt128,
            (Some("__int128"), ..) => Int128,
            (Some("char"), _, _, true) => UnsignedChar,
            (Some("char"), ..) if *signed => SignedChar,
            (Some("char"), ..) => Char,
            (_, _, true, false) => Short,
            (_, _, true, true) => UnsignedShort,
            (_, 0, _, false) => Int,
            (_, 0, _, true) => UnsignedInt,
            (_, 1, _, false) => Long,
            (_, 1, _, true) => UnsignedLong,
            (_, _, _, false) => LongLong,
            (_, _, _, true) => UnsignedLongLong,
        })
    }

    /// A word that is neither type nor attribute.
    fn storage_word(&mut self, out: &mut DeclSpecifiers) -> Parse<bool> {
        let Some(word) = self.word() else { return Ok(false) };
        let s = &mut out.specifiers;
        match word.as_str() {
            "static" => s.is_static = true,
            "extern" => s.is_extern = true,
            "inline" | "__inline__" | "__inline" | "__forceinline__" => s.inline = true,
            "__noinline__" => s.noinline = true,
            "constexpr" => s.constexpr = true,
            "consteval" => (s.constexpr, s.consteval) = (true, true),
            "mutable" => s.mutable = true,
            "register" | "thread_local" | "constinit" => {}
            "explicit" => s.explicit = true,
            "virtual" => s.is_virtual = true,
            "friend" => s.friend = true,
            "typedef" => out.is_typedef = true,
            "__global__" => out.execution.global = true,
            "__device__" => {
                out.execution.device = true;
                s.device = true;
            }
            "__host__" => out.execution.host = true,
            "__shared__" => s.shared = true,
            "__constant__" => s.constant = true,
            "__managed__" => s.managed = true,
            _ => return Ok(false),
        }
        self.bump();
        if word == "explicit" && self.at("(") {
            let open = self.expect("(")?;
            out.explicit_if = Some(self.outside_angles(Self::conditional)?);
            self.close(")", open)?;
        }
        if word == "extern" && matches!(self.kind(), TokenKind::Str(_)) {
            self.bump();
        }
        Ok(true)
    }

    /// `[[…]]`, `__attribute__((…))`, `alignas(…)`, `__launch_bounds__(…)` and the like.
    pub(crate) fn attribute(&mut self, out: &mut DeclSpecifiers) -> Parse<bool> {
        if self.at("[") && self.punct_at(1, "[") {
            let start = self.pos;
            self.skip_balanced();
            // No compiler says whether those of GCC hold in this form.
            let words = self.tokens.get(start..self.pos).unwrap_or(&[]);
            if words
                .iter()
                .any(|t| matches!(&t.kind, TokenKind::Ident(w) if pack_of(w).is_some() || is_aligned(w)))
            {
                out.specifiers.pack = Some(0);
            }
            return Ok(true);
        }
        let Some(word) = self.word() else { return Ok(false) };
        match word.as_str() {
            "alignas" | "__align__" => {
                let value = self.alignment()?;
                self.add_alignment(value, out);
            }
            "__launch_bounds__" => {
                self.bump();
                let open = self.expect("(")?;
                out.launch_bounds = self.arguments(")", open)?;
            }
            "__attribute__" if self.punct_at(1, "(") && self.punct_at(2, "(") => self.gnu_attributes(out)?,
            // A limit of registers changes speed, never results.
            "__maxnreg__" | "__attribute__" | "__declspec" if self.punct_at(1, "(") => {
                self.bump();
                self.skip_balanced();
            }
            "__block_size__" | "__cluster_dims__" => {
                let (span, is_size) = (self.span(), word == "__block_size__");
                self.bump();
                if self.at("(") {
                    self.skip_balanced();
                }
                if is_size {
                    self.not_supported("a kernel with `__block_size__`", span);
                } else {
                    let title = "clusters of blocks are not supported by the simulator yet";
                    self.report(Diagnostic::new(Code::ThreadBlockClusters, title).label(span, ""));
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The strictest of several alignments holds.
    fn add_alignment(&mut self, value: Expr, out: &mut DeclSpecifiers) {
        match &value.kind {
            ExprKind::Int { value, .. } if u32::try_from(*value).is_ok() => {
                out.specifiers.align = out.specifiers.align.max(u32::try_from(*value).ok());
            }
            _ if out.align.is_some() => {
                let title = "several computed alignments of one thing are not supported by the simulator yet";
                self.report(Diagnostic::new(Code::UnsupportedFeature, title).label(value.span, ""));
            }
            _ => out.align = Some(value),
        }
    }

    /// `__attribute__((…))`: alignments are kept, and what else changes the layout of a class.
    fn gnu_attributes(&mut self, out: &mut DeclSpecifiers) -> Parse<()> {
        self.bump();
        let (open, inner) = (self.expect("(")?, self.expect("(")?);
        while !self.at(")") && !self.at_end() {
            match self.word().map(|w| w.as_str()) {
                Some(word) if is_aligned(word) && self.punct_at(1, "(") => {
                    let value = self.alignment()?;
                    self.add_alignment(value, out);
                }
                // The largest that any type of the target needs.
                Some(word) if is_aligned(word) => {
                    out.specifiers.align = out.specifiers.align.max(Some(16));
                    self.bump();
                }
                Some(word) => {
                    out.specifiers.pack = pack_of(word).or(out.specifiers.pack);
                    self.bump();
                }
                None if self.at("(") => {
                    self.skip_balanced();
                }
                None => self.bump(),
            }
        }
        self.close(")", inner)?;
        self.close(")", open)
    }

    /// `alignas(n)` or `__align__(n)`; for `alignas(T)` the result is `sizeof`-like `alignof(T)`.
    pub(crate) fn alignment(&mut self) -> Parse<Expr> {
        self.bump();
        let open = self.expect("(")?;
        let start = self.span();
        let value = if self.at_type_start()
            && let Some(ty) = self.attempt(|p| {
                let ty = p.type_name()?;
                if p.at(")") { Ok(ty) } else { Err(Failed) }
            }) {
            self.expr(ExprKind::Alignof(Box::new(ty)), start.to(self.prev_span()))
        } else {
            self.outside_angles(Self::conditional)?
        };
        self.close(")", open)?;
        Ok(value)
    }
}

/// The largest alignment of a class's members by an attribute; 0 for those that are not supported.
fn pack_of(word: &str) -> Option<u32> {
    match word {
        "packed" | "__packed__" => Some(1),
        "ms_struct" | "scalar_storage_order" => Some(0),
        _ => None,
    }
}

fn is_aligned(word: &str) -> bool {
    matches!(word, "aligned" | "__aligned__")
}

/// Whether a name is shaped like one of CUDA's types: `cudaGraph_t`, `CUcontext`, `__nv_fp8_e4m3`.
pub fn is_of_cuda(name: &str) -> bool {
    let after = |prefix: &str| name.strip_prefix(prefix).and_then(|rest| rest.chars().next());
    if ["__nv_fp8", "__nv_fp6", "__nv_fp4"].iter().any(|prefix| name.starts_with(prefix)) {
        return true;
    }
    ["cuda", "curand"].iter().any(|prefix| after(prefix).is_some_and(|c| c.is_ascii_uppercase()))
        || after("CU").is_some_and(|c| c.is_ascii_lowercase())
}

/// Whether a namespace is a library's of which only a part is known, so that nothing can be said of a name that it does not have here.
pub fn is_known_in_part(namespace: &str) -> bool {
    matches!(namespace, "std" | "cuda" | "thrust" | "cub")
}

/// What is said of a name in a library's namespace.
pub fn unsupported_library(namespace: &str, span: Span) -> Diagnostic {
    let title = format!("the library `{namespace}` is not supported by the simulator yet");
    Diagnostic::new(Code::UnsupportedLibrary, title).label(span, "used in device code")
}

/// What is said of a name that nothing declares, in a file with headers that are not read.
pub fn skipped_name(name: &str, span: Span, skipped: &[SkippedHeader]) -> Option<Diagnostic> {
    let lower = name.to_lowercase();
    let shares = |s: &&SkippedHeader| {
        let stem = s.header.rsplit('/').next().unwrap_or_default().to_lowercase();
        lower.get(..4).is_some_and(|start| stem.starts_with(start))
    };
    let for_device = |s: &&SkippedHeader| !s.origin.namespaces.is_empty();
    let header = skipped.iter().find(shares).or_else(|| skipped.iter().find(for_device))?;
    let library = header.origin.name;
    let title = format!(
        "`{name}` is not declared, and {library} is not supported in device code by the simulator yet"
    );
    Some(
        Diagnostic::new(Code::SkippedHeader, title)
            .label(span, "no file that was read declares this name")
            .label(header.span, format!("<{}> is a header of {library}, which is not read", header.header))
            .help("declare a name of your own before its use, or in a header that `-I DIR` finds"),
    )
}

/// A type without qualifiers.
pub(crate) fn plain(kind: TypeKind, span: Span) -> TypeName {
    TypeName { kind, is_const: false, is_volatile: false, span }
}

/// A path as a user writes it, without template arguments.
pub(crate) fn spell(path: &Path) -> String {
    let mut text = String::from(if path.global { "::" } else { "" });
    for part in &path.qualifiers {
        text += &part.name.text;
        text += "::";
    }
    text + &path.last.name.text
}

/// The type of C++ that goes by another name elsewhere.
fn usual_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "boolean" | "Boolean" => "bool",
        "byte" | "Byte" | "uint8" | "u8" => "unsigned char",
        "integer" | "Integer" | "int32" | "i32" => "int",
        "uint32" | "u32" => "unsigned",
        "int64" | "i64" => "long long",
        "uint64" | "u64" => "unsigned long long",
        "float32" | "f32" | "real" => "float",
        "float64" | "f64" => "double",
        _ => return None,
    })
}

/// What is said of a member of a template's parameter that is used as a type without `typename`.
pub fn lacking_typename(path: &Path) -> Diagnostic {
    let text = format!("`{}` is a type only with `typename` before it", path.last.name.text);
    Diagnostic::new(Code::MissingTypename, text)
        .label(path.span, "depends on a template parameter")
        .help("write `typename` before it")
}
