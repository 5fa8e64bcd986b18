//! Declarators: pointers, references, arrays and parameter lists around a name, read inside out.

use super::scope::Meaning;
use super::specifiers::{DeclSpecifiers, plain};
use super::{Failed, Parse, Parser};
use crate::ast::{ObjectQualifiers, Parameter, Path, RefQualifier, TypeKind, TypeName};
use source::{Code, Diagnostic, Span};

/// What kind of declarator may stand here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// With a name.
    Named,
    /// A parameter: the name may be absent.
    Optional,
    /// A type alone.
    Abstract,
    /// A type in a cast, where `T()` is a value and not a type of functions.
    Cast,
}

/// What stands around a name.
enum Modifier {
    Pointer { is_const: bool, is_volatile: bool, restrict: bool },
    Reference { rvalue: bool },
    Member { class: Path, is_const: bool },
    Array(Option<Box<crate::ast::Expr>>),
    Function(Vec<Parameter>),
}

/// A declarator applied to its type.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(crate) name: Option<Path>,
    pub(crate) ty: TypeName,
    pub(crate) object: ObjectQualifiers,
}

impl Declared {
    pub(crate) fn new(name: Option<Path>, ty: TypeName) -> Declared {
        Declared { name, ty, object: ObjectQualifiers::default() }
    }
}

#[derive(Default)]
struct Reading {
    modifiers: Vec<Modifier>,
    name: Option<Path>,
    pack: bool,
    object: ObjectQualifiers,
    /// Whether `const`, `noexcept` or the like stands after the parameter list.
    suffix: bool,
    result: Option<TypeName>,
}

impl Parser<'_> {
    /// A type as in `sizeof(T)` or an alias.
    pub(crate) fn type_name(&mut self) -> Parse<TypeName> {
        self.type_in(Mode::Abstract)
    }

    pub(crate) fn type_in(&mut self, mode: Mode) -> Parse<TypeName> {
        self.nested(|p| {
            let mut items = Vec::new();
            let specifiers = p.decl_specifiers(&mut items)?;
            match specifiers.ty {
                Some(ty) => Ok(p.declarator(ty, mode)?.ty),
                None if mode == Mode::Abstract && p.at_path() => {
                    let ty = p.must_be_type()?;
                    Ok(p.declarator(ty, mode)?.ty)
                }
                None => p.unexpected("a type"),
            }
        })
    }

    pub(crate) fn declarator(&mut self, base: TypeName, mode: Mode) -> Parse<Declared> {
        let mut reading = Reading::default();
        self.read_declarator(&mut reading, mode)?;
        let Reading { modifiers, name, pack, object, suffix, result } = reading;
        let qualified = suffix && mode == Mode::Abstract;
        let span = base.span.to(self.prev_span());
        let mut ty = base;
        if let Some(result) = result {
            ty = result;
        }
        if modifiers.len() > super::MAX_DEPTH {
            return self.too_deep();
        }
        for modifier in modifiers.into_iter().rev() {
            let inner = Box::new(ty);
            ty = match modifier {
                Modifier::Pointer { is_const, is_volatile, restrict } => {
                    TypeName { kind: TypeKind::Pointer { to: inner, restrict }, is_const, is_volatile, span }
                }
                Modifier::Member { class, is_const } => {
                    // `const` after the parameter list of `R (C::*)() const` belongs to the type of the pointer.
                    let method = matches!(inner.kind, TypeKind::Function { .. }) && object.is_const;
                    let kind = TypeKind::Member { class: Box::new(class), to: inner, is_const: method };
                    TypeName { kind, is_const, is_volatile: false, span }
                }
                Modifier::Reference { rvalue } => plain(TypeKind::Reference { to: inner, rvalue }, span),
                Modifier::Array(length) => plain(TypeKind::Array { of: inner, length }, span),
                Modifier::Function(parameters) => {
                    plain(TypeKind::Function { result: inner, parameters, qualified }, span)
                }
            };
        }
        if pack {
            ty = plain(TypeKind::Pack(Box::new(ty)), span);
        }
        Ok(Declared { name, ty, object })
    }

    fn read_declarator(&mut self, out: &mut Reading, mode: Mode) -> Parse<()> {
        let mut pointers = Vec::new();
        while let Some(pointer) = self.pointer_operator()? {
            pointers.push(pointer);
        }
        if self.at("...") && !matches!(mode, Mode::Abstract | Mode::Cast) {
            self.bump();
            out.pack = true;
        }
        if self.at("(") && self.opens_declarator(mode) {
            let open = self.span();
            self.bump();
            self.nested(|p| p.read_declarator(out, mode))?;
            self.close(")", open)?;
        } else if matches!(mode, Mode::Named | Mode::Optional) {
            if self.at_path() {
                out.name = Some(self.declarator_name()?);
                // Those of a function, before its parameters; a variable's may align it and are read later.
                if self.at("[")
                    && self.punct_at(1, "[")
                    && self.probe(|p| {
                        p.skip_attributes();
                        Ok(p.at("("))
                    })
                {
                    self.skip_attributes();
                }
            } else if mode == Mode::Named {
                return self.no_declarator_name();
            }
        }
        let nested = !out.modifiers.is_empty();
        self.declarator_suffixes(out, mode, nested)?;
        out.modifiers.extend(pointers.into_iter().rev());
        Ok(())
    }

    fn no_declarator_name<T>(&mut self) -> Parse<T> {
        if self.at("[") {
            let span = self.span();
            return self.fail(
                Diagnostic::new(Code::MisplacedBrackets, "the brackets of an array come after its name")
                    .label(span, "")
                    .help("write `float a[16]`, not `float[16] a`"),
            );
        }
        self.unexpected("a name")
    }

    /// The name that is declared; `operator…` included, qualified for members defined outside their class.
    fn declarator_name(&mut self) -> Parse<Path> {
        if self.name_at(0) && !self.punct_at(1, "::") && !self.punct_at(1, "<") {
            let name = self.name("the name of a declaration")?;
            let span = name.span;
            let last = crate::ast::PathPart { name, arguments: None };
            return Ok(Path { global: false, qualifiers: Vec::new(), last, lacks_typename: false, span });
        }
        let (path, resolved) = self.path()?;
        if let Some(class) = resolved.within.filter(|_| !path.qualifiers.is_empty()) {
            // Parameters and body of a member defined outside see the class's names; `declaration` closes it.
            self.scopes.reopen(class);
        }
        Ok(path)
    }

    /// Whether `(` here groups a declarator rather than opening parameters.
    fn opens_declarator(&self, mode: Mode) -> bool {
        let named = matches!(mode, Mode::Named | Mode::Optional);
        let mut at = 1;
        while named && self.punct_at(at, "(") {
            at += 1;
        }
        if self.member_pointer_at(at) || ["*", "&", "&&"].iter().any(|p| self.punct_at(at, p)) {
            return true;
        }
        named
            && self.name_at(at)
            && [")", "[", "("].iter().any(|p| self.punct_at(at + 1, p))
            && (mode == Mode::Named
                || self.word_at(at).is_some_and(|w| {
                    matches!(self.scopes.lookup(w).meaning, Meaning::Unknown | Meaning::Value)
                }))
    }

    /// `C::*`, so many tokens ahead.
    pub(crate) fn member_pointer_at(&self, ahead: usize) -> bool {
        let mut at = ahead;
        while self.name_at(at) {
            let arguments = if self.punct_at(at + 1, "<") { self.closing_angle(at + 1) } else { None };
            at = arguments.unwrap_or(at) + 1;
            if !self.punct_at(at, "::") {
                return false;
            }
            at += 1;
        }
        at > ahead && self.punct_at(at, "*")
    }

    fn pointer_operator(&mut self) -> Parse<Option<Modifier>> {
        if self.member_pointer_at(0) {
            let mut class = self.path()?.0;
            // The path ends before `::*`.
            class.span = class.span.to(self.prev_span());
            self.expect("::")?;
            self.expect("*")?;
            let is_const = self.eat_word("const");
            return Ok(Some(Modifier::Member { class, is_const }));
        }
        if self.eat("*") {
            let (mut is_const, mut is_volatile, mut restrict) = (false, false, false);
            loop {
                if self.eat_word("const") {
                    is_const = true;
                } else if self.eat_word("volatile") {
                    is_volatile = true;
                } else if self.eat_word("__restrict__") || self.eat_word("__restrict") {
                    restrict = true;
                } else if self.at_word("restrict") && self.name_at(1) {
                    let span = self.span();
                    self.report(
                        Diagnostic::new(
                            Code::RestrictKeyword,
                            "`restrict` is C; CUDA C++ spells it `__restrict__`",
                        )
                        .label(span, "write `__restrict__`"),
                    );
                    self.bump();
                    restrict = true;
                } else {
                    return Ok(Some(Modifier::Pointer { is_const, is_volatile, restrict }));
                }
            }
        }
        let rvalue = self.at("&&");
        if self.eat("&") || self.eat("&&") {
            while self.eat_word("__restrict__") || self.eat_word("__restrict") {}
            return Ok(Some(Modifier::Reference { rvalue }));
        }
        // `float const *p`: the `const` after a type.
        Ok(None)
    }

    fn declarator_suffixes(&mut self, out: &mut Reading, mode: Mode, nested: bool) -> Parse<()> {
        loop {
            if self.at("[") && !self.punct_at(1, "[") {
                let open = self.span();
                self.bump();
                let length =
                    if self.at("]") { None } else { Some(Box::new(self.outside_angles(Self::expression)?)) };
                self.close("]", open)?;
                out.modifiers.push(Modifier::Array(length));
            } else if self.at("(") && (nested || self.opens_parameters(mode)) {
                let parameters = self.parameters()?;
                out.suffix |= self.c_variadic;
                self.function_suffix(out)?;
                if self.at_word("requires") {
                    self.trailing = Some(self.trailing_constraint(&parameters)?);
                }
                out.modifiers.push(Modifier::Function(parameters));
                return Ok(());
            } else {
                return Ok(());
            }
        }
    }

    fn opens_parameters(&mut self, mode: Mode) -> bool {
        match mode {
            Mode::Cast => false,
            Mode::Abstract | Mode::Named | Mode::Optional => {
                self.punct_at(1, ")")
                    || self.punct_at(1, "...")
                    || self.probe(|p| {
                        p.bump();
                        p.skip_attributes();
                        Ok(p.at_parameter_start(mode))
                    })
            }
        }
    }

    pub(crate) fn skip_attributes(&mut self) {
        while (self.at("[") && self.punct_at(1, "[")) || self.at_word("__grid_constant__") {
            if self.at("[") {
                self.skip_balanced();
            } else {
                self.bump();
            }
        }
    }

    /// Whether a parameter starts here, not an expression. Unknown types count when a name follows.
    fn at_parameter_start(&mut self, mode: Mode) -> bool {
        if self.at_word("register") || self.at_type_start() {
            return mode == Mode::Abstract || !self.probe(Self::value_of_type);
        }
        if self.word().is_some_and(|w| self.scopes.lookup(w).meaning == Meaning::Namespace) {
            return self.probe(Self::library_parameter);
        }
        // Outside functions an unknown first name is a parameter whose type is missing or misspelled.
        self.name_at(0)
            && self.word().is_some_and(|w| self.scopes.lookup(w).meaning == Meaning::Unknown)
            && (self.name_at(1)
                || self.punct_at(1, "<")
                || self.punct_at(1, "::")
                || ((self.punct_at(1, "*") || self.punct_at(1, "&"))
                    && self.name_at(2)
                    && (self.punct_at(3, ",") || self.punct_at(3, ")")))
                || (mode == Mode::Named
                    && self.at_file_level()
                    && (self.punct_at(1, ",") || self.punct_at(1, ")"))))
    }

    /// Whether the type here begins a value, `T{…}` or `T(…)`, and no parameter.
    fn value_of_type(&mut self) -> Parse<bool> {
        let specifiers = self.decl_specifiers(&mut Vec::new())?;
        // `float x(float(y))` in a function would declare a function by the letter; a variable is meant.
        let meant_as_value = self.block_depth > 0 && self.name_at(1) && self.punct_at(2, ")");
        if !self.at("(") || meant_as_value {
            return Ok(self.at("{") || self.at("("));
        }
        let base = self.base_type(&specifiers)?;
        let declares = self.declarator(base, Mode::Optional).is_ok();
        Ok(!(declares && [",", ")", "="].iter().any(|p| self.at(p))))
    }

    /// `std::vector<T> &v`: a type of a library whose members are not known, then a parameter's name.
    fn library_parameter(&mut self) -> Parse<bool> {
        let (_, resolved) = self.path()?;
        let mut operators = 0;
        while self.eat("*") || self.eat("&") || self.eat("&&") || self.eat_word("const") {
            operators += 1;
        }
        let ends = |p: &Self, ahead| [",", ")", "=", "["].iter().any(|e| p.punct_at(ahead, e));
        let unknown = resolved.meaning == Meaning::Unknown;
        Ok(unknown && ((self.name_at(0) && ends(self, 1)) || (operators > 0 && ends(self, 0))))
    }

    /// Whether another parameter follows the last one without a `,`, which is reported.
    fn comma_missing(&mut self) -> bool {
        if self.speculating > 0 || self.at(")") || !self.at_type_start() {
            return false;
        }
        let place = self.prev_span().after();
        let title = format!("expected `,` between two parameters, found {}", self.found());
        self.report(
            Diagnostic::new(Code::UnexpectedToken, title)
                .label(place, "a `,` is missing here")
                .help("parameters are separated by `,`")
                .edit(place, ","),
        );
        true
    }

    /// `(a, b, …)`.
    pub(crate) fn parameters(&mut self) -> Parse<Vec<Parameter>> {
        let open = self.expect("(")?;
        let mut parameters = Vec::new();
        let mut ends_in_dots = false;
        if self.at_word("void") && self.punct_at(1, ")") {
            self.bump();
        }
        while !self.at(")") {
            if self.at("...") {
                let span = self.span();
                self.bump();
                if !self.tolerant {
                    self.report(
                        Diagnostic::new(
                            Code::CVariadic,
                            "C's `...` parameters are not supported by the simulator yet",
                        )
                        .label(span, "use a parameter pack"),
                    );
                }
                self.tolerated |= self.tolerant;
                ends_in_dots = true;
                break;
            }
            parameters.push(self.nested(Self::parameter)?);
            if !self.eat(",") && !self.comma_missing() {
                break;
            }
        }
        self.c_variadic = ends_in_dots;
        self.close(")", open)?;
        Ok(parameters)
    }

    fn parameter(&mut self) -> Parse<Parameter> {
        let start = self.span();
        self.skip_attributes();
        let mut items = Vec::new();
        let specifiers = self.decl_specifiers(&mut items)?;
        let Some(ty) = specifiers.ty else { return self.no_parameter_type(start) };
        let outer = std::mem::replace(&mut self.angle_ends, false);
        let declared = self.declarator(ty, Mode::Optional);
        self.angle_ends = outer;
        let Declared { name, ty, .. } = declared?;
        // Of a parameter they say nothing that matters here.
        let mut behind = DeclSpecifiers::default();
        while (self.at_word("__attribute__") || self.at("[")) && self.attribute(&mut behind)? {}
        let default = if self.eat("=") { Some(self.initializer_clause()?) } else { None };
        let span = start.to(self.prev_span());
        let name = name.map(|path| path.last.name);
        Ok(Parameter { ty, name, default, span })
    }

    fn no_parameter_type(&mut self, start: Span) -> Parse<Parameter> {
        if !self.name_at(0) {
            return self.unexpected("a parameter");
        }
        let name = self.found();
        let visible = self.scopes.visible_types();
        let word = self.word().map(|w| w.to_string()).unwrap_or_default();
        let near = source::nearest(&word, visible).map(str::to_string);
        let d = match near {
            Some(near) => Diagnostic::new(Code::UnknownType, format!("there is no type {name}"))
                .label(self.span(), "not a type")
                .mean(self.span(), &near),
            None => Diagnostic::new(Code::MissingParameterType, format!("parameter {name} has no type"))
                .label(self.span(), "its type is missing before it")
                .help("each parameter has its own type: `(float *a, float *b, int n)`"),
        };
        self.report(d);
        self.bump();
        if !(self.at(",") || self.at(")")) {
            return Err(Failed);
        }
        // Goes on as if it were an `int`, so that later parameters are checked too.
        let ty =
            plain(TypeKind::Builtin(crate::ast::BuiltinType::Int(crate::operation::IntType::Int)), start);
        Ok(Parameter { ty, name: None, default: None, span: start.to(self.prev_span()) })
    }

    /// `const`, `noexcept`, `-> T` after parameters.
    fn function_suffix(&mut self, out: &mut Reading) -> Parse<()> {
        loop {
            if self.eat_word("const") {
                out.object.is_const = true;
                out.suffix = true;
            } else if self.eat_word("volatile") {
                out.object.is_volatile = true;
                out.suffix = true;
            } else if self.virtual_specifier() {
            } else if self.at_word("throw") && self.punct_at(1, "(") && self.punct_at(2, ")") {
                out.suffix = true;
                self.bump();
                self.skip_balanced();
            } else if self.at_word("noexcept") {
                self.bump();
                out.suffix = true;
                if self.at("(") {
                    self.skip_balanced();
                }
            } else if self.at_word("__attribute__") && self.punct_at(1, "(") {
                self.bump();
                self.skip_balanced();
            } else if (self.at("&") || self.at("&&")) && !self.name_at(1) {
                out.object.reference =
                    Some(if self.at("&") { RefQualifier::Left } else { RefQualifier::Right });
                out.suffix = true;
                self.bump();
            } else if self.at("->") {
                self.bump();
                out.result = Some(self.type_name()?);
                return Ok(());
            } else {
                return Ok(());
            }
        }
    }

    /// Whether no function or class is open here.
    pub(crate) fn at_file_level(&self) -> bool {
        self.block_depth == 0
    }
}
