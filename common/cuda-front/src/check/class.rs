//! Classes: members and layout.

use super::deduce::mentions_any;
use super::ids::ScopeId;
use super::scopes::{Found, Symbol};
use super::templates::Outside;
use super::ty::{QTy, Ty, UNSIZED};
use super::{Checker, ClassInfo, ClassTemplate, FieldInfo, Types};
use crate::hir::{self, StructId};
use cuda_syntax::ast::{self, Item};
use cuda_syntax::budget::Cost;
use cuda_syntax::parts::Part;
use source::{Code, Diagnostic, Span, words};

/// Members that a class may have, with those of its members.
const MAX_PARTS: usize = 1024;

/// The largest alignment, in bytes.
const MAX_ALIGNMENT: i64 = 1 << 16;

impl<'a> Checker<'a> {
    /// Some operators are members of a class only.
    pub(super) fn member_rules(&mut self, f: &'a ast::Function, name: &ast::Name) {
        let symbol = name.text.strip_prefix("operator").unwrap_or("");
        let wants_two = words!("/ % | ^ < > <= >= == != << >> += -= *= /=").contains(&symbol);
        if wants_two && f.parameters.len() < 2 && !f.specifiers.friend {
            self.sink.report(
                Code::WrongArgumentCount,
                format!("`{}` outside a class takes two parameters", name.text),
                name.span,
                "the left operand is a parameter too",
            );
        }
        if matches!(name.text.as_str(), "operator=" | "operator[]" | "operator()" | "operator->") {
            self.sink.push(
                Diagnostic::new(
                    Code::OperatorOutside,
                    format!("`{}` must be a member of a class", name.text),
                )
                .label(name.span, "outside any class")
                .help("declare it within the `struct`, without the first parameter"),
            );
        }
    }

    /// A member defined outside its class or namespace, which has no such member.
    pub(super) fn undeclared_member(&mut self, f: &'a ast::Function, known: bool) {
        let (name, within) = (&f.name.last.name, self.map.text(f.name.qualifiers[0].name.span).to_owned());
        let title = if known {
            format!("`{within}` declares no `{}` with these parameters", name.text)
        } else {
            format!("`{within}` declares no `{}`", name.text)
        };
        self.sink.push(
            Diagnostic::new(Code::UndeclaredMember, title)
                .label(name.span, "")
                .help("declare it within the class too, with the same parameters and the same `const`"),
        );
    }

    /// Declares a class or class template; gives the class, if it is one.
    pub(super) fn declare_class(&mut self, c: &'a ast::Class, scope: ScopeId) -> Option<StructId> {
        let name = c.name.as_ref().map(|p| &p.last.name);
        let scope = match &c.name {
            Some(path) => self.declaring_scope(path, c, scope)?,
            None => scope,
        };
        if c.is_specialization || !c.template.is_empty() {
            self.declare_class_template(c, scope);
            return None;
        }
        let known = name.and_then(|n| match self.scopes.type_in(scope, &n.text)?.q.ty {
            Ty::Struct(s) if c.members.is_none() || !self.types.class(s).complete => Some(s),
            _ => None,
        });
        let id = match known {
            Some(id) => id,
            None => {
                let text = name.map_or("", |n| n.text.as_str());
                let id = self.new_class(text, scope);
                if let Some(n) = name {
                    self.bind(scope, n, Symbol::Type(Ty::Struct(id).into()));
                }
                id
            }
        };
        self.define_class(id, c);
        Some(id)
    }

    /// The scope of a class that is declared by this name, which may be qualified.
    fn declaring_scope(&mut self, path: &'a ast::Path, c: &'a ast::Class, scope: ScopeId) -> Option<ScopeId> {
        if path.qualifiers.is_empty() {
            return Some(scope);
        }
        if path.qualifiers.iter().any(|q| mentions_any(Part::Member(q), &c.template)) {
            self.declare_outside(Outside::Class(c, path), scope);
            return None;
        }
        let within = match self.qualifier_scope(path) {
            Ok(within) => within.unwrap_or(scope),
            Err(of_library) => {
                if of_library {
                    self.sink.unsupported("a specialisation of a class of the standard library", path.span);
                }
                return None;
            }
        };
        let within = self.scopes.declaring(within, &path.last.name.text);
        if !c.is_specialization && !self.scopes.scope(within).names.contains(&path.last.name.text) {
            self.undeclared(&path.last.name.text, path.span, "a class that is declared there");
            return None;
        }
        Some(within)
    }

    fn declare_class_template(&mut self, c: &'a ast::Class, scope: ScopeId) {
        let Some(path) = &c.name else { return };
        let name = &path.last.name;
        let is_special = path.last.arguments.is_some() || c.is_specialization;
        let mut known = self.scopes.scope(scope).names.get(&name.text).map(|e| e.symbol.clone());
        if is_special && known.is_none() {
            // What `std` has, or what is in an inline namespace, is in a namespace that this one uses.
            known = match self.scopes.lookup_in(scope, &name.text) {
                Found::Entry(entry) => Some(entry.symbol),
                _ => None,
            };
        }
        let known = match known {
            Some(Symbol::ClassTemplate(id)) => Some(id),
            _ => None,
        };
        match (known, is_special) {
            (Some(id), true) => {
                let order = self.scopes.definition_order(scope);
                self.templates.classes[id].specializations.push((order, c));
            }
            (None, true) if self.scopes.scope(scope).prefix.as_ref() == "std::" => {
                self.sink.unsupported("a specialisation of a class of the standard library", name.span);
            }
            (None, true) => self.undeclared(&name.text, name.span, "a class template"),
            (Some(id), false) => {
                if c.members.is_some() {
                    let old = self.templates.classes[id].ast;
                    if let (Some(_), Some(first)) = (&old.members, &old.name)
                        && !std::ptr::eq(old, c)
                    {
                        let first = first.last.name.span;
                        self.redeclared(name, first);
                        return;
                    }
                    self.templates.redeclare(&old.template, &c.template);
                    self.templates.classes[id].ast = c;
                    self.templates.classes[id].order = self.scopes.definition_order(scope);
                }
            }
            (None, false) => {
                let id = self.templates.classes.len();
                self.templates.classes.push(ClassTemplate {
                    ast: c,
                    order: self.scopes.definition_order(scope),
                    scope,
                    instances: Vec::new(),
                    specializations: Vec::new(),
                    outside: Vec::new(),
                });
                self.bind(scope, name, Symbol::ClassTemplate(id));
            }
        }
    }

    /// A class without members yet; its scope lies in `parent`.
    pub(super) fn new_class(&mut self, name: &str, parent: ScopeId) -> StructId {
        let id = StructId(self.types.structs.len() as u32);
        let scope = self.scopes.new_scope(parent);
        let prefix = format!("{}{name}::", self.scopes.scope(parent).prefix);
        self.scopes.scope_mut(scope).class = Some(id);
        self.scopes.scope_mut(scope).prefix = prefix.into();
        self.types.structs.push(hir::Struct {
            name: if name.is_empty() { "unnamed struct".to_owned() } else { name.to_owned() },
            fields: Vec::new(),
            bytes: 1,
            align: 1,
            is_union: false,
            is_vector: false,
        });
        self.types.classes.push(ClassInfo::new(scope));
        id
    }

    /// Gives a class its members. What is wrong with them is kept until device code uses the class.
    pub(super) fn define_class(&mut self, id: StructId, c: &'a ast::Class) {
        let Some(members) = &c.members else { return };
        let earlier = self.sink.keep_back();
        let indirect = std::mem::take(&mut self.indirect);
        self.define_members(id, c, members);
        self.indirect = indirect;
        self.types.classes[id.0 as usize].faults = self.sink.release(earlier, is_fault);
    }

    /// Reports what is wrong with a class, once: device code uses it.
    pub(super) fn use_class(&mut self, id: StructId) {
        if self.types.class(id).faults.is_empty() || self.sink.is_counted() {
            return;
        }
        for fault in std::mem::take(&mut self.types.classes[id.0 as usize].faults) {
            self.sink.push(fault);
        }
    }

    /// At the end: mistakes in classes that nothing on the device uses. A class that has anything of the host's or a
    /// library's is left to the compiler of the host.
    pub(super) fn report_faults(&mut self) {
        self.sink.body.instance = None;
        for id in 0..self.types.classes.len() {
            let faults = std::mem::take(&mut self.types.classes[id].faults);
            let of_host = |d: &Diagnostic| {
                d.verdict == source::Verdict::Unsupported
                    || matches!(
                        d.code,
                        Code::UndeclaredName
                            | Code::HostFunctionCall
                            | Code::UnknownType
                            | Code::NotAType
                            | Code::IncompleteType
                            | Code::NoSuchMember
                    )
            };
            if !faults.iter().any(of_host) {
                faults.into_iter().for_each(|fault| self.sink.push(fault));
                continue;
            }
            for fault in faults.into_iter().filter(|d| d.verdict == source::Verdict::Unsupported) {
                self.sink.note_tried(fault);
            }
        }
    }

    fn define_members(&mut self, id: StructId, c: &'a ast::Class, members: &'a [Item]) {
        let scope = self.types.class(id).scope;
        let outer = std::mem::replace(&mut self.scopes.here.scope, scope);
        self.types.structs[id.0 as usize].is_union = c.is_union;
        self.types.classes[id.0 as usize].is_final = c.is_final;
        for base in &c.bases {
            if !self.sink.charge(Cost::Checks, self.types.class(id).bases.len() as u64 / 8, c.span) {
                break;
            }
            let scope = self.types.class(id).scope;
            let before = self.scopes.scope(scope).bases.len();
            self.add_base(id, base.0, &base.1);
            if mentions_any(Part::Type(&base.1), &c.template) {
                let scope = self.scopes.scope_mut(scope);
                scope.dependent.extend_from_slice(&scope.bases[before..]);
            }
        }
        self.types.add_table_field(id, members);
        // Fields and types first: bodies of methods see the whole class. Method signatures may name the class itself.
        let outer_access = self.access;
        for (item, access) in members.iter().zip(&c.access) {
            self.access = *access;
            self.note_hidden(id, item);
            match item {
                Item::Variables(v) => self.add_fields(id, v, scope),
                Item::Class(inner) => self.add_inner_class(id, inner, scope),
                Item::Function(_) => {}
                other => self.declare_item(other, scope, Some(id)),
            }
        }
        let align = c.align.as_ref().map_or(1, |e| self.alignment(e));
        self.lay_out(id, align);
        self.refuse_packing(id, c);
        self.types.keep_padding(id, c);
        self.types.classes[id.0 as usize].complete = true;
        let functions = self.functions.all.len();
        for (item, access) in members.iter().zip(&c.access) {
            if let Item::Function(f) = item {
                self.access = *access;
                self.declare_function(f, scope, Some(id));
            }
        }
        self.check_overriding(id, functions);
        self.access = outer_access;
        self.scopes.here.scope = outer;
    }

    /// What `alignas(e)` asks for, in bytes; 1 after an error.
    pub(super) fn alignment(&mut self, e: &'a ast::Expr) -> u32 {
        let align = self.integer_constant(e, "an alignment", Code::NotConstant).unwrap_or(1);
        if align > MAX_ALIGNMENT && align & (align - 1) == 0 {
            self.sink.unsupported(&format!("an alignment of {align} bytes"), e.span);
            return 1;
        }
        if align < 0 || align & (align - 1) != 0 {
            let title = format!("an alignment must be a power of two, but this is {align}");
            self.sink.wrong(Code::InvalidAlignment, title, e.span);
            return 1;
        }
        align.max(1) as u32
    }

    /// The specifiers of a declaration, its alignment computed.
    pub(super) fn specifiers(&mut self, v: &'a ast::VariableDeclaration) -> ast::Specifiers {
        let mut s = v.specifiers;
        if let Some(e) = &v.align {
            s.align = s.align.max(Some(self.alignment(e)));
        }
        s
    }

    fn add_base(&mut self, id: StructId, access: ast::Access, base: &'a ast::TypeName) {
        if let ast::TypeKind::Pack(pattern) = &base.kind {
            let bases = self
                .for_each_element(Part::Type(pattern), pattern.span, |c| c.object_type(pattern))
                .unwrap_or_default();
            return bases.into_iter().for_each(|t| self.add_base_type(id, access, t, base.span));
        }
        let t = self.object_type(base);
        self.add_base_type(id, access, t, base.span);
    }

    fn add_base_type(&mut self, id: StructId, access: ast::Access, t: QTy, span: Span) {
        let Ty::Struct(b) = t.ty else {
            self.types.classes[id.0 as usize].has_unknown_base = true;
            if !t.ty.is_error() {
                self.sink.wrong(Code::InvalidBase, "a base class must be a class", span);
            }
            return;
        };
        if !self.types.class(b).complete {
            self.sink.wrong(Code::IncompleteType, "this base class is incomplete", span);
            return;
        }
        if self.types.class(id).bases.contains(&b) {
            self.sink.report(Code::InvalidBase, "a class is a base of this one twice", span, "named again");
            return;
        }
        if self.types.class(b).is_final {
            let name = self.types.layout(b).name.clone();
            let title = format!("`{name}` is `final`: no class can be derived from it");
            self.sink.wrong(Code::InvalidBase, title, span);
        }
        self.types.classes[id.0 as usize].bases.push(b);
        let inherited = self.types.class(b).scope;
        self.scopes.scope_mut(self.types.class(id).scope).bases.push(inherited);
        self.types.push_field(id, "", t, None, span);
        if let Some(field) = self.types.classes[id.0 as usize].fields.last_mut() {
            field.access = access;
        }
    }

    fn add_fields(&mut self, id: StructId, v: &'a ast::VariableDeclaration, scope: ScopeId) {
        let s = self.specifiers(v);
        if s.shared || s.constant || s.device || s.managed {
            let title = "a member of a class has no memory space of its own";
            self.sink.wrong(Code::MisplacedSpecifier, title, v.span);
        }
        // `FN m;` of a type of functions declares a method.
        let is_function = |c: &mut Checker<'a>, v: &'a ast::Variable| {
            matches!(v.ty.kind, ast::TypeKind::Named(_))
                && matches!(c.quietly(|c| c.exact_type(&v.ty)).0.q.ty, Ty::Callee(_))
        };
        if let Some(method) = v.variables.iter().find(|v| is_function(self, v)) {
            return self
                .sink
                .unsupported("a method that is declared by the name of its type", method.name.span);
        }
        if v.specifiers.is_static || v.specifiers.constexpr {
            return self.declare_globals(v, scope);
        }
        for variable in &v.variables {
            if let Some(width) = &variable.width {
                if !variable.name.text.is_empty() {
                    self.bind(scope, &variable.name, Symbol::Field);
                }
                self.add_bit_field(id, variable, width);
                continue;
            }
            let t = self.decl_type(&variable.ty);
            let mut q = t.q;
            let span = variable.name.span;
            let is_reference = t.reference.is_some();
            let incomplete = match q.ty.innermost() {
                Ty::Void => true,
                Ty::Struct(_) if is_reference => false,
                Ty::Struct(s) => !self.types.class(*s).complete,
                _ => matches!(q.ty, Ty::Array(_, UNSIZED)),
            };
            if !is_reference && self.refuse_abstract(&q.ty, "a member of this type", span) {
                q.ty = Ty::Error;
            }
            if incomplete {
                let spelled = self.types.spell(&q);
                self.sink.wrong(
                    Code::IncompleteType,
                    format!("the member `{}` has the incomplete type `{spelled}`", variable.name.text),
                    span,
                );
                q.ty = Ty::Error;
            }
            let fields = &self.types.structs[id.0 as usize].fields;
            if let Some(i) = fields.iter().position(|f| f.name == variable.name.text && !f.name.is_empty()) {
                let first = self.types.class(id).fields[i].span;
                self.sink.push(
                    Diagnostic::new(
                        Code::RedeclaredName,
                        format!("the member `{}` is declared twice", variable.name.text),
                    )
                    .label(span, "declared again here")
                    .label(first, "first declared here"),
                );
                continue;
            }
            if is_reference && !q.ty.has_error() {
                q = QTy::plain(Ty::pointer(q));
            }
            self.bind(scope, &variable.name, Symbol::Field);
            self.types.push_field(id, &variable.name.text, q, variable.initializer.as_ref(), span);
            let access = self.access;
            if let Some(field) = self.types.classes[id.0 as usize].fields.last_mut() {
                field.is_reference = is_reference;
                field.access = access;
                field.is_mutable = v.specifiers.mutable;
                field.align = s.align.unwrap_or(0);
            }
            let last = self.types.class(id).fields.last();
            if s.pack.is_some_and(|pack| last.is_some_and(|f| self.types.align_of(&f.q.ty) > pack)) {
                self.unsupported_packing(span);
            }
        }
    }

    fn unsupported_packing(&mut self, span: Span) {
        let title =
            "a layout by `packed`, `#pragma pack` or another attribute is not supported by the simulator yet";
        let d = Diagnostic::new(Code::UnsupportedFeature, title).label(span, "its members may lack padding");
        self.sink.push(d.help("use arrays of `char`, or `memcpy`, for bytes of a packed format"));
    }

    /// Reports an alignment that is less than a member's own, which accesses to it rely on.
    fn refuse_packing(&mut self, id: StructId, c: &'a ast::Class) {
        let Some(pack) = c.pack else { return };
        let fields = self.types.class(id).fields.iter().map(|f| self.types.align_of(&f.q.ty).max(f.align));
        let bits = self.types.class(id).bit_fields.iter().map(|b| self.types.align_of(&b.q.ty));
        if fields.chain(bits).any(|align| align > pack) || pack == 0 {
            self.unsupported_packing(c.name.as_ref().map_or(c.span, |name| name.span));
        }
    }

    fn add_inner_class(&mut self, id: StructId, inner: &'a ast::Class, scope: ScopeId) {
        let made = self.declare_class(inner, scope);
        // `union { … };` without a name: its members are the outer class's.
        if let (Some(made), None) = (made, &inner.name) {
            self.types.push_field(id, "", QTy::plain(Ty::Struct(made)), None, inner.span);
            let names = &self.scopes.scope(self.types.class(made).scope).names;
            let fields = names.iter().filter(|(_, e)| matches!(e.symbol, Symbol::Field));
            let fields: Vec<_> = fields.map(|(name, e)| (name.clone(), e.span)).collect();
            for (text, span) in fields {
                self.bind(scope, &ast::Name { text, span }, Symbol::Field);
            }
        }
    }

    /// Offsets, size and alignment, as the Itanium C++ ABI has them for plain classes.
    pub(super) fn lay_out(&mut self, id: StructId, align: u32) {
        self.count_parts(id);
        if !self.types.class(id).bit_fields.is_empty() {
            if self.types.first_field(id).is_some_and(|first| first > 0) {
                let span = self.types.class(id).fields.first().map(|f| f.span).unwrap_or_default();
                self.sink
                    .unsupported("a class with bit-fields whose first base has no virtual functions", span);
            }
            return self.types.lay_out_bits(id, align);
        }
        let (shapes, first) = (self.types.shapes(id), self.types.first_field(id));
        let layout = &mut self.types.structs[id.0 as usize];
        let mut whole = align;
        let mut end: u64 = 0;
        let mut order: Vec<usize> = (0..shapes.len()).collect();
        order.sort_by_key(|field| Some(*field) != first);
        for field in order {
            let ((size, align), field) = (shapes[field], &mut layout.fields[field]);
            whole = whole.max(align);
            let start = if layout.is_union { 0 } else { end.next_multiple_of(u64::from(align)) };
            field.offset = start;
            end = end.max(start.saturating_add(size));
        }
        layout.align = whole;
        layout.bytes = end.max(1).next_multiple_of(u64::from(whole));
        self.types.classes[id.0 as usize].data_bytes = end;
    }

    /// Counts the members of a class with all that they are made of, an array as one of its elements. What walks over a class and those
    /// within it does as much, so there is a limit.
    fn count_parts(&mut self, id: StructId) {
        let class = self.types.class(id);
        let part = |f: &FieldInfo<'a>| match f.q.ty.innermost() {
            Ty::Struct(s) => 1 + self.types.class(*s).parts,
            _ => 1,
        };
        let parts = class.fields.iter().map(part).sum::<usize>() + class.bit_fields.len();
        self.sink.charge_scan(parts + 8 * class.fields.len() * class.bit_fields.len());
        if parts > MAX_PARTS {
            let name = self.types.layout(id).name.clone();
            let span = self.types.class(id).pattern.map(|c| c.span);
            let span = span.or(self.types.class(id).fields.last().map(|f| f.span)).unwrap_or_default();
            let title = format!(
                "`{name}` has {parts} members, with those of its members, but at most {MAX_PARTS} are supported"
            );
            self.sink.stop(
                Diagnostic::new(Code::TooComplex, title)
                    .label(span, "")
                    .help("use arrays in place of many members"),
            );
        }
        self.types.classes[id.0 as usize].parts = parts.min(MAX_PARTS);
    }
}

/// Whether what is wrong with a class matters only where the class is used. That templates never end matters anyway.
fn is_fault(d: &Diagnostic) -> bool {
    d.severity == source::Severity::Error && d.code != Code::TemplateDepth
}

impl<'a> Types<'a> {
    /// Of a class that C could have too, nothing may lie in the padding at its end, whatever class is derived from it.
    fn keep_padding(&mut self, id: StructId, c: &'a ast::Class) {
        let declares = |f: &ast::Function| {
            let name = &f.name.last.name.text;
            f.specifiers.is_virtual || f.result.is_none() || name == "operator=" || name.starts_with('~')
        };
        let hidden = |item: &Item, access: &ast::Access| match item {
            Item::Function(f) => declares(f),
            Item::Variables(v) => !v.specifiers.is_static && *access != ast::Access::Public,
            _ => false,
        };
        let members = c.members.iter().flatten();
        if c.bases.is_empty() && !members.zip(&c.access).any(|(item, access)| hidden(item, access)) {
            self.classes[id.0 as usize].data_bytes = self.layout(id).bytes;
        }
    }

    pub(super) fn push_field(
        &mut self,
        id: StructId,
        name: &str,
        q: QTy,
        default: Option<&'a ast::Initializer>,
        span: Span,
    ) {
        let ty = self.hir_type(&q.ty);
        self.structs[id.0 as usize].fields.push(hir::Field { name: name.to_owned(), ty, offset: 0 });
        self.classes[id.0 as usize].fields.push(FieldInfo { default, span, ..FieldInfo::public(q) });
    }
}
