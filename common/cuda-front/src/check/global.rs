//! Variables at file, namespace and class scope, and static locals.

use super::consteval::Value as ConstValue;
use super::construct::Tree;
use super::conversion::Init;
use super::fold::write_bytes;
use super::ids::ScopeId;
use super::scopes::{Found, Symbol};
use super::ty::{DeclTy, QTy, Ty, UNSIZED};
use super::{Checker, FileVar, Source, VarIdx, VarKind, VariableTemplate};
use crate::hir::{Global, GlobalId, NamedConstant, StructId};
use cuda_syntax::ast::{self, Initializer, Specifiers, TypeKind};
use cuda_syntax::budget::Cost;
use source::{Code, Diagnostic};

/// Ids from here on are constants of the host, which the typed program does not have.
const HOST_GLOBALS: u32 = 1 << 30;
/// What a module may have of `__constant__` memory, in bytes.
const CONSTANT_BYTES: u64 = 64 * 1024;

impl<'a> Checker<'a> {
    /// Declares the variables of one declaration.
    pub(super) fn declare_globals(&mut self, v: &'a ast::VariableDeclaration, scope: ScopeId) {
        if let [variable] = v.variables.as_slice()
            && !variable.qualifiers.is_empty()
        {
            return self.declare_static_member(v, variable, scope);
        }
        if v.is_specialization || v.variables.iter().any(|v| v.arguments.is_some()) {
            return self.declare_variable_specialization(v, scope);
        }
        if !v.template.is_empty() {
            if let [variable] = v.variables.as_slice() {
                let id = self.templates.variables.len();
                let template =
                    VariableTemplate { ast: v, scope, instances: Vec::new(), specializations: Vec::new() };
                self.templates.variables.push(template);
                self.bind(scope, &variable.name, Symbol::VariableTemplate(id));
            }
            return;
        }
        let specifiers = self.specifiers(v);
        for variable in &v.variables {
            self.declare_global(specifiers, variable, scope);
        }
    }

    /// The variable that a variable template is for these arguments.
    pub(super) fn variable_instance(&mut self, id: usize, path: &'a ast::Path) -> Option<VarIdx> {
        let (ast, parent) = (self.templates.variables[id].ast, self.templates.variables[id].scope);
        let variable = ast.variables.first()?;
        // A static member of a class is a template through its class.
        let written = self.written_arguments(path.last.arguments.as_deref().unwrap_or(&[]));
        let none = super::deduce::Bindings::default();
        let Some((arguments, scope)) = self.template_arguments(&ast.template, parent, &written, &none) else {
            let title = format!("`{}` does not take these arguments", variable.name.text);
            self.sink.wrong(Code::TemplateArgument, title, path.span);
            return None;
        };
        self.sink.charge_scan(8 * self.templates.variables[id].instances.len());
        let known = self.templates.variables[id].instances.iter().find(|(a, _)| *a == arguments);
        if let Some((_, var)) = known {
            return Some(*var);
        }
        if !self.sink.charge(Cost::Instances, 1, path.span) || !self.enter_instance(path.span) {
            return None;
        }
        let special = self.specialized_variable(id, &arguments);
        let (ast, variable, scope) = special.unwrap_or((ast, variable, scope));
        let (q, value) = self.in_scope(scope, |c| {
            let mut q = c.global_type(ast.specifiers, variable).q;
            q.is_const |= ast.specifiers.constexpr;
            let value = match ast.specifiers.concept {
                true => c.concept_value(variable),
                false => c.global_value(&mut q, variable, VarKind::HostConstant),
            };
            (q, value)
        });
        self.depth -= 1;
        let kind = Self::var_kind(ast.specifiers, &q);
        let constants = self.program.constants.len();
        let var = self.add_global(kind, q, variable, value, parent);
        // A template's instance is no constant that a file has by name.
        self.program.constants.truncate(constants);
        self.templates.variables[id].instances.push((arguments, var));
        Some(var)
    }

    fn var_kind(s: Specifiers, q: &QTy) -> VarKind {
        match () {
            () if s.constant => VarKind::Constant,
            () if s.device || s.managed => VarKind::Device,
            () if q.is_const || s.constexpr => VarKind::HostConstant,
            () => VarKind::Host,
        }
    }

    /// Reports `texture<float, 2> t;` and `surface<void, 2> s;`, which CUDA 12 removed.
    fn removed_reference(&mut self, v: &'a ast::Variable) -> bool {
        let TypeKind::Named(path) = &v.ty.kind else { return false };
        let name = path.last.name.text.as_str();
        let what = match name {
            "texture" => ["cudaTextureObject_t", "tex2D<float>(t, x, y)", "cudaCreateTextureObject"],
            "surface" => ["cudaSurfaceObject_t", "surf2Dread<float>(s, x * 4, y)", "cudaCreateSurfaceObject"],
            _ => return false,
        };
        let declared = self.lookup_path(path);
        let own = path.last.arguments.is_none()
            || !path.qualifiers.is_empty()
            || !matches!(declared, Ok(Found::Nothing));
        if own {
            return false;
        }
        let title = format!("`{name}<…>` references were removed from CUDA 12");
        let [object, read, make] = what;
        let help = format!(
            "make the {name} a parameter of the kernel, `{object} {}`, and read it with `{read}`; the host creates \
            the object with `{make}`",
            &name[..1]
        );
        self.sink.push(Diagnostic::new(Code::RemovedReference, title).label(v.name.span, "").help(help));
        true
    }

    /// Host and device both write a managed variable, so it is memory of its own that may change.
    fn check_managed(&mut self, s: Specifiers, is_const: bool, reference: bool, span: source::Span) {
        let wrong = match () {
            () if s.constant => "`__constant__`",
            () if s.shared => "`__shared__`",
            () if is_const => "`const`",
            () if reference => "a reference",
            () => return,
        };
        let title = format!("a `__managed__` variable cannot be {wrong}");
        let help = "host and device share it, and both may change it: use `__constant__` or `__device__` for \
        variables that only the device reads";
        self.sink.push(Diagnostic::new(Code::MisplacedSpecifier, title).label(span, "").help(help));
    }

    pub(super) fn declare_global(&mut self, s: Specifiers, v: &'a ast::Variable, scope: ScopeId) {
        let on_device = s.device || s.constant || s.managed || s.shared;
        // `fn f;` through `typedef int fn(int);` declares a function, which nothing in host code asks for.
        if let TypeKind::Named(_) = v.ty.kind
            && matches!(self.quietly(|c| c.exact_type(&v.ty)).0.q.ty, Ty::Callee(_))
        {
            if on_device {
                self.sink.unsupported("a function that is declared by the name of its type", v.name.span);
            }
            return;
        }
        // The types of host variables may be anything; what is not known is refused where it is used.
        let loud = on_device || (s.constexpr && !self.is_of_library(&v.ty));
        let (decl, clean) = self.quietly(|c| c.global_type(s, v));
        let decl = if clean || !loud { decl } else { self.global_type(s, v) };
        let mut q = decl.q;
        if loud && *q.ty.innermost() == Ty::Void && decl.reference.is_none() {
            let title = format!("the variable `{}` cannot be `void`", v.name.text);
            self.sink.wrong(Code::VoidVariable, title, v.ty.span);
            q.ty = Ty::Error;
        }
        if loud && decl.reference.is_some() && v.initializer.is_none() && !s.is_extern {
            let title = format!("the reference `{}` must refer to something", v.name.text);
            self.sink.report(Code::MissingInitializer, title, v.name.span, "give it an object here");
        }
        q.is_const |= s.constexpr;
        if self.removed_reference(v) {
            q.ty = Ty::Error;
        }
        if s.managed {
            self.check_managed(s, q.is_const, decl.reference.is_some(), v.name.span);
        }
        let kind = if decl.reference.is_some() { VarKind::Host } else { Self::var_kind(s, &q) };
        let ty_ok = clean && !q.ty.has_error();
        let mut value = None;
        if ty_ok && decl.reference.is_none() && kind != VarKind::Host {
            let loud = loud || on_device;
            let run = |c: &mut Checker<'a>| c.global_value(&mut q, v, kind);
            let (result, clean) = self.quietly(run);
            value = result;
            if !clean && loud {
                value = self.global_value(&mut q, v, kind);
                if s.constexpr && value.is_none() {
                    // Reported: its uses are no news.
                    q.ty = Ty::Error;
                }
            }
        }
        if let (VarKind::Device | VarKind::Constant, None, false, true) =
            (kind, &v.initializer, s.is_extern, ty_ok)
        {
            value = self.default_value(&q.ty, v);
        }
        // `extern __device__ int a[];` here, its length where it is defined.
        if let (Ty::Array(_, UNSIZED), true, false) = (&q.ty, on_device, s.is_extern) {
            self.sink.wrong(
                Code::InvalidArray,
                format!("the length of `{}` is missing", v.name.text),
                v.name.span,
            );
            q.ty = Ty::Error;
        }
        let empty = self.types.is_empty_class(&q.ty);
        if s.constexpr && value.is_none() && ty_ok && v.initializer.is_none() && !empty {
            self.sink.report(
                Code::MissingInitializer,
                format!("`{}` needs a value", v.name.text),
                v.name.span,
                "a constant without a value",
            );
        }
        if !ty_ok && !loud {
            q.ty = if q.ty.has_error() { Ty::Int(crate::hir::IntType::Int) } else { q.ty };
        }
        if s.shared {
            let id = self.shared_at_file_scope(q, v, s.is_extern);
            self.variables.all[id.0 as usize].align = s.align.unwrap_or(0);
            self.bind(scope, &v.name, Symbol::Var(id));
            return;
        }
        let is_extern = s.is_extern && v.initializer.is_none();
        if self.declared_before(kind, &q, v, &value, is_extern, scope) {
            return;
        }
        let id = self.add_global(kind, q, v, value, scope);
        self.variables.all[id.0 as usize].is_extern = is_extern;
        self.bind(scope, &v.name, Symbol::Var(id));
    }

    /// Whether this declares again what a declaration with `extern` is about; a definition gives it its value.
    fn declared_before(
        &mut self,
        kind: VarKind,
        q: &QTy,
        v: &'a ast::Variable,
        value: &Option<ConstValue>,
        is_extern: bool,
        scope: ScopeId,
    ) -> bool {
        let Some(Symbol::Var(old)) =
            self.scopes.scope(scope).names.get(&v.name.text).map(|e| e.symbol.clone())
        else {
            return false;
        };
        let on_device = |kind| matches!(kind, VarKind::Constant | VarKind::Device);
        let index = old.0 as usize;
        if !(is_extern || self.variables.all[index].is_extern)
            || on_device(kind) != on_device(self.variables.all[index].kind)
        {
            return false;
        }
        if on_device(kind)
            && (kind != self.variables.all[index].kind
                || !same_but_for_length(&self.variables.all[index].q.ty, &q.ty))
        {
            return false;
        }
        if is_extern {
            return true;
        }
        let ty = self.types.hir_type(&q.ty);
        if on_device(kind) {
            let mut initial = Vec::new();
            if let Some(value) = value {
                initial = vec![0; self.types.size_of(&q.ty) as usize];
                write_bytes(value, &ty, &self.types.structs, &mut initial);
            }
            let global = self.variables.all[index].global.0 as usize;
            (self.program.globals[global].initial, self.program.globals[global].ty) = (initial, ty);
        } else {
            self.variables.all[index].kind = kind;
        }
        self.variables.all[index].value.clone_from(value);
        self.variables.all[index].q = q.clone();
        self.variables.all[index].is_extern = false;
        true
    }

    fn global_type(&mut self, s: Specifiers, v: &'a ast::Variable) -> DeclTy {
        if let TypeKind::Auto(_) = v.ty.kind {
            let e = match &v.initializer {
                Some(Initializer::Copy(e)) => e,
                Some(Initializer::Direct(list) | Initializer::List(list)) if list.len() == 1 => &list[0],
                _ => return Ty::Error.into(),
            };
            let is_const = s.constexpr || v.ty.is_const;
            if !(is_const || s.device || s.constant || s.managed) {
                return Ty::Error.into();
            }
            let value = self.constant_expr(e);
            let deduced =
                QTy { ty: Ty::decayed(&value.ty), is_const: v.ty.is_const, is_volatile: v.ty.is_volatile };
            self.check_placeholder(&v.ty, &deduced.clone().into(), v.name.span);
            return QTy { is_const, ..deduced }.into();
        }
        if super::lambda::mentions_auto(&v.ty) {
            self.sink.unsupported("a pointer or reference to `auto` outside functions", v.ty.span);
            return Ty::Error.into();
        }
        if let TypeKind::Named(path) = &v.ty.kind
            && self.undeduced(path).is_some()
        {
            self.sink.unsupported("deduced arguments of a class template outside functions", v.ty.span);
            return Ty::Error.into();
        }
        self.decl_type(&v.ty)
    }

    /// The constant value of an initialiser.
    fn global_value(&mut self, q: &mut QTy, v: &'a ast::Variable, kind: VarKind) -> Option<ConstValue> {
        let tree = self.in_constant(|c| match &v.initializer {
            Some(init) => c.init_tree(q, init, v.name.span),
            None if kind == VarKind::HostConstant && c.is_made_constant(&q.ty) => {
                c.list_tree(q, &[], v.name.span, Init::Direct)
            }
            None => None,
        })?;
        let on_device = matches!(kind, VarKind::Constant | VarKind::Device);
        match self.tree_constant(&tree, &q.ty) {
            // Addresses are given when a launch begins, after the bytes of such a variable are written.
            Ok(value) if on_device && value.has_address() => {
                self.sink.unsupported("an address as the initial value of a device variable", v.name.span);
                None
            }
            Ok(value) => Some(value),
            Err(e) => {
                let span = match &v.initializer {
                    Some(Initializer::Copy(e)) => e.span,
                    _ => v.name.span,
                };
                let what = match kind {
                    VarKind::Constant | VarKind::Device => "the initial value of a device variable",
                    VarKind::HostConstant | VarKind::Host | VarKind::FileShared => {
                        "the value of a `constexpr` variable"
                    }
                };
                self.not_constant(e, what, Code::NotConstant, span);
                None
            }
        }
    }

    /// The value of a device variable of a class without an initialiser; `None` if it is all zeros. No code runs to make such a
    /// variable, so the constructor must be a constant or do nothing.
    fn default_value(&mut self, ty: &Ty, v: &'a ast::Variable) -> Option<ConstValue> {
        let Ty::Struct(class) = *ty.innermost() else { return None };
        if !self.types.class(class).complete || self.does_nothing(class) {
            return None;
        }
        let span = v.name.span;
        let needs = self.needs_construction(class);
        let value = (needs && !self.leaves_unset(class)).then(|| {
            let (object, clean) =
                self.in_constant(|c| c.quietly(|c| c.construct_class(class, Vec::new(), span)));
            let tree = (clean && !object.is_error()).then(|| Tree::Leaf(self.owned(object)))?;
            self.tree_constant(&tree, &Ty::Struct(class)).ok()
        });
        let destroyed = self.has_destructor(&Ty::Struct(class), |body| !is_idle(body));
        if let (Some(Some(value)), false) = (value, destroyed) {
            let elements = self.types.size_of(ty) / self.types.size_of(&Ty::Struct(class)).max(1);
            let scalars = elements.saturating_mul(value.scalars());
            let fits = self.sink.charge(Cost::Evaluation, scalars, span);
            return fits.then(|| self.repeated(value, ty));
        }
        if needs || destroyed {
            let title = format!("`{}` would need code that runs before the kernels", v.name.text);
            let name = self.types.layout(class).name.clone();
            let d = Diagnostic::new(Code::NotConstant, title)
                .label(span, "a device variable needs a constant value");
            self.sink.push(d.help(format!(
                "make the constructor of `{name}` `constexpr` or empty, and its destructor empty, or initialize the variable in a kernel"
            )));
        }
        None
    }

    /// The value of each element of an array, or of the object itself.
    fn repeated(&self, value: ConstValue, ty: &Ty) -> ConstValue {
        match ty {
            Ty::Array(of, n) if *n != UNSIZED => {
                ConstValue::Aggregate(vec![self.repeated(value, of); *n as usize])
            }
            _ => value,
        }
    }

    /// The classes of a class's members and bases.
    fn member_classes(&self, class: StructId) -> impl Iterator<Item = StructId> {
        self.types.class(class).fields.iter().filter_map(|f| match f.q.ty.innermost() {
            Ty::Struct(s) if !f.is_reference => Some(*s),
            _ => None,
        })
    }

    /// Whether the implicit constructor leaves a member without a value, which no `constexpr` constructor does.
    pub(super) fn leaves_unset(&self, class: StructId) -> bool {
        let info = self.types.class(class);
        let own = info.constructors.iter().any(|f| self.written_body(*f).is_some_and(|b| !is_defaulted(b)));
        !own && info.fields.iter().enumerate().any(|(i, f)| {
            f.default.is_none()
                && !self.types.is_table(class, i)
                && match f.q.ty.innermost() {
                    Ty::Struct(s) => self.leaves_unset(*s),
                    _ => true,
                }
        })
    }

    /// Whether neither the default constructor nor the destructor of a class has anything to do.
    fn does_nothing(&self, class: StructId) -> bool {
        let info = self.types.class(class);
        let idle = info.constructors.iter().any(|f| {
            let none = self.functions.func(*f).signature.as_ref().is_some_and(|s| s.parameters.is_empty());
            let Source::Function(ast) = self.functions.func(*f).source else { return false };
            none && ast.initializers.is_empty() && is_idle(&ast.body)
        });
        !info.is_polymorphic
            && (info.constructors.is_empty() || idle)
            && info.fields.iter().all(|f| f.default.is_none())
            && !self.has_destructor(&Ty::Struct(class), |body| !is_idle(body))
            && self.member_classes(class).all(|c| self.does_nothing(c))
    }

    fn written_body(&self, f: super::FuncIdx) -> Option<&'a ast::FunctionBody> {
        match self.functions.func(f).source {
            Source::Function(ast) => Some(&ast.body),
            Source::Lambda(_) => None,
        }
    }

    fn add_global(
        &mut self,
        kind: VarKind,
        q: QTy,
        v: &'a ast::Variable,
        value: Option<ConstValue>,
        scope: ScopeId,
    ) -> VarIdx {
        let name = format!("{}{}", self.scopes.scope(scope).prefix, v.name.text);
        // A host variable that is `const` but not known is like any other.
        let kind = if kind == VarKind::HostConstant && value.is_none() { VarKind::Host } else { kind };
        let on_device = matches!(kind, VarKind::Constant | VarKind::Device);
        let global = if on_device {
            if kind == VarKind::Constant {
                self.count_constant(&q, v);
            }
            let _ = self.sink.charge(Cost::DeviceMemory, self.types.size_of(&q.ty), v.name.span);
            let ty = self.types.hir_type(&q.ty);
            let mut initial = Vec::new();
            if let Some(value) = &value {
                initial = vec![0; self.types.size_of(&q.ty) as usize];
                write_bytes(value, &ty, &self.types.structs, &mut initial);
            }
            self.program.globals.push(Global {
                name: name.clone(),
                ty,
                is_constant: kind == VarKind::Constant,
                initial,
                span: v.name.span,
            });
            GlobalId(self.program.globals.len() as u32 - 1)
        } else {
            GlobalId(HOST_GLOBALS + self.variables.all.len() as u32)
        };
        if let (true, Some(ConstValue::Scalar(c))) = (q.is_const && self.scopes.here.serial == 0, &value) {
            self.program.constants.push(NamedConstant { name: name.clone(), value: *c, span: v.name.span });
        }
        self.add_variable(v, q, kind, (value, global))
    }

    fn add_variable(
        &mut self,
        v: &ast::Variable,
        q: QTy,
        kind: VarKind,
        (value, global): (Option<ConstValue>, GlobalId),
    ) -> VarIdx {
        let (name, span) = (v.name.text.to_string(), v.name.span);
        self.variables.has_host_tables |= kind == VarKind::HostConstant && !q.ty.is_arithmetic();
        let is_member = self.scopes.scope(self.scopes.here.scope).class.is_some();
        self.variables.all.push(FileVar {
            name,
            q,
            kind,
            value,
            align: 0,
            global,
            is_extern: false,
            is_member,
            span,
        });
        let index = VarIdx(self.variables.all.len() as u32 - 1);
        self.variables.by_global.insert(global, index);
        index
    }

    fn count_constant(&mut self, q: &QTy, v: &'a ast::Variable) {
        self.variables.constant_bytes =
            self.variables.constant_bytes.saturating_add(self.types.size_of(&q.ty));
        if self.variables.constant_bytes > CONSTANT_BYTES {
            let bytes = self.variables.constant_bytes;
            self.sink.push(
                Diagnostic::new(
                    Code::ConstantMemoryExceeded,
                    format!("the `__constant__` variables need {bytes} bytes, but constant memory has {CONSTANT_BYTES}"),
                )
                .label(v.name.span, "does not fit")
                .help("put large tables into global memory and pass a pointer"),
            );
        }
    }

    /// `__shared__` outside a function: each function that names it gets a local of that storage.
    fn shared_at_file_scope(&mut self, q: QTy, v: &'a ast::Variable, is_extern: bool) -> VarIdx {
        let unsized_array = matches!(q.ty, Ty::Array(_, UNSIZED));
        let name = &v.name.text;
        if q.ty.has_error() {
            // Reported before.
        } else if is_extern && !unsized_array {
            let title =
                format!("`extern __shared__` needs an array without a length, and `{name}` is not one");
            let label = "write `extern __shared__ T name[];`; the launch gives the size";
            self.sink.report(Code::DynamicSharedSize, title, v.name.span, label);
        }
        if v.initializer.is_some() {
            let title = format!("the shared variable `{name}` cannot have an initial value");
            let initial = Diagnostic::new(Code::SharedInitializer, title);
            let help = "let one thread assign it, then `__syncthreads()`";
            self.sink.push(initial.label(v.name.span, "one object for the whole block").help(help));
        }
        let global = GlobalId(HOST_GLOBALS + self.variables.all.len() as u32);
        let q = if unsized_array == is_extern { q } else { QTy { ty: Ty::Error, ..q } };
        self.add_variable(v, q, VarKind::FileShared, (None, global))
    }

    /// The local that stands for a `__shared__` variable of the file in the function at hand.
    pub(super) fn shared_of_file(&mut self, var: VarIdx) -> crate::hir::LocalId {
        if let Some(local) = self.body.shared_of_file.get(&var) {
            return *local;
        }
        let info = &self.variables.all[var.0 as usize];
        let (name, q, span, align) = (info.name.clone(), info.q.clone(), info.span, info.align);
        let storage = match q.ty {
            Ty::Array(_, UNSIZED) => crate::hir::Storage::DynamicShared,
            _ => crate::hir::Storage::FileShared,
        };
        let local = self.new_local(&name, &q, storage, span);
        self.body.locals[local.0 as usize].align = align;
        self.body.shared_of_file.insert(var, local);
        local
    }

    /// A `static` local: one object for the whole program.
    pub(super) fn static_local(&mut self, s: Specifiers, v: &'a ast::Variable) {
        let device = Specifiers { device: !s.constant, ..s };
        self.declare_global(device, v, self.scopes.here.scope);
    }
}

/// Whether two declarations of a variable agree: one of two arrays may lack its length.
fn same_but_for_length(a: &Ty, b: &Ty) -> bool {
    match (a, b) {
        (Ty::Array(x, UNSIZED), Ty::Array(y, _)) | (Ty::Array(x, _), Ty::Array(y, UNSIZED)) => x == y,
        _ => a == b,
    }
}

fn is_defaulted(body: &ast::FunctionBody) -> bool {
    matches!(body, ast::FunctionBody::Defaulted)
}

/// Whether a constructor or destructor has an empty body, as far as the body is here.
fn is_idle(body: &ast::FunctionBody) -> bool {
    !matches!(body, ast::FunctionBody::Block(block) if !block.statements.is_empty())
}
