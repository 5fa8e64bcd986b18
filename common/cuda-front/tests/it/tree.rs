//! A syntax tree in short: an item or statement a line, expressions fully parenthesised.

use cuda_front::hir::{self, IntType};
use cuda_syntax::ast::*;

pub(crate) fn file(file: &File) -> String {
    let mut out = String::new();
    items(&file.items, 0, &mut out);
    out
}

fn line(out: &mut String, depth: usize, text: &str) {
    out.push_str(&"  ".repeat(depth));
    out.push_str(text.trim_end());
    out.push('\n');
}

fn items(all: &[Item], depth: usize, out: &mut String) {
    for one in all {
        item(one, depth, out);
    }
}

fn item(item: &Item, depth: usize, out: &mut String) {
    match item {
        Item::Function(f) => function(f, depth, out),
        Item::Variables(v) => line(out, depth, &variables(v)),
        Item::Class(c) => {
            let name = c.name.as_ref().map_or("?".into(), path);
            let kind = if c.is_union { "union" } else { "class" };
            let body = if c.members.is_some() { "" } else { ";" };
            line(out, depth, &format!("{kind} {name}{}{body}", template(&c.template)));
            items(c.members.as_deref().unwrap_or_default(), depth + 1, out);
        }
        Item::Enum(e) => {
            let values = e
                .enumerators
                .iter()
                .map(|(n, v)| v.as_ref().map_or(n.text.to_string(), |v| format!("{}={}", n.text, expr(v))));
            let name = e.name.as_ref().map_or("?", |n| &n.text);
            let under = e.underlying.as_ref().map_or(String::new(), |t| format!(" : {}", ty(t)));
            line(out, depth, &format!("enum {name}{under} {{{}}}", join(values)));
        }
        Item::Alias(a) => line(out, depth, &alias(a)),
        Item::Namespace { name, items: inner, .. } => {
            line(out, depth, &format!("namespace {}", name.as_ref().map_or("?", |n| &n.text)));
            items(inner, depth + 1, out);
        }
        Item::UsingNamespace { path: p, .. } => line(out, depth, &format!("using namespace {}", path(p))),
        Item::Friend { path: p, .. } => line(out, depth, &format!("friend {}", path(p))),
        Item::UsingName { path: p, pack, .. } => {
            line(out, depth, &format!("using {}{}", path(p), if *pack { "..." } else { "" }));
        }
        Item::StaticAssert(a) => line(out, depth, &format!("static_assert {}", expr(&a.condition))),
        Item::Instantiation { function: f, .. } => {
            line(out, depth, "instantiate");
            function(f, depth + 1, out);
        }
    }
}

fn alias(a: &Alias) -> String {
    format!("alias {}{} = {}", a.name.text, template(&a.template), ty(&a.ty))
}

fn function(f: &Function, depth: usize, out: &mut String) {
    let kind = match (f.execution.global, f.execution.device, &f.body) {
        (true, ..) => "kernel",
        (_, true, _) => "device",
        (_, _, FunctionBody::Skipped) => "skipped",
        _ => "host",
    };
    let bounds = match f.launch_bounds.as_slice() {
        [] => String::new(),
        some => format!(" launch_bounds({}) ", join(some.iter().map(expr))),
    };
    let result = f.result.as_ref().map_or(String::new(), |t| format!(" -> {}", ty(t)));
    let constant = if f.is_const { " const" } else { "" };
    let init = f
        .initializers
        .iter()
        .map(|i| format!(" : {}({})", path(&i.name), join(i.arguments.iter().map(expr))));
    let head = format!(
        "{kind} {}{}{bounds}({}){constant}{result}{}",
        path(&f.name),
        template(&f.template),
        parameters(&f.parameters),
        init.collect::<String>()
    );
    line(out, depth, &head);
    if let FunctionBody::Block(b) = &f.body {
        statements(&b.statements, depth + 1, out);
    }
}

fn template(parameters: &[TemplateParameter]) -> String {
    if parameters.is_empty() {
        return String::new();
    }
    let one = |p: &TemplateParameter| match p {
        TemplateParameter::Type { name, default, pack } => format!(
            "typename{} {}{}",
            if *pack { "..." } else { "" },
            name.as_ref().map_or("", |n| &n.text),
            default.as_ref().map_or(String::new(), |t| format!("={}", ty(t)))
        ),
        TemplateParameter::Template { name, default, pack } => format!(
            "template{} {}{}",
            if *pack { "..." } else { "" },
            name.as_ref().map_or("", |n| &n.text),
            default.as_ref().map_or(String::new(), |t| format!("={}", ty(t)))
        ),
        TemplateParameter::Value { ty: t, name, default, pack } => format!(
            "{}{} {}{}",
            ty(t),
            if *pack { "..." } else { "" },
            name.as_ref().map_or("", |n| &n.text),
            default.as_ref().map_or(String::new(), |e| format!("={}", expr(e)))
        ),
    };
    format!("<{}>", join(parameters.iter().map(one)))
}

fn parameters(all: &[Parameter]) -> String {
    join(all.iter().map(|p| {
        let name = p.name.as_ref().map_or("_", |n| &n.text);
        let default = p.default.as_ref().map_or(String::new(), |e| format!(" = {}", expr(e)));
        format!("{name}: {}{default}", ty(&p.ty))
    }))
}

fn variables(v: &VariableDeclaration) -> String {
    let s = &v.specifiers;
    let words = [
        (s.constexpr, "constexpr "),
        (s.is_static, "static "),
        (s.is_extern, "extern "),
        (s.device, "device "),
        (s.constant, "constant "),
        (s.shared, "shared "),
    ];
    let words: String = words.iter().filter(|(on, _)| *on).map(|(_, w)| *w).collect();
    let one = |v: &Variable| {
        let init = match &v.initializer {
            None => String::new(),
            Some(Initializer::Copy(e)) => format!(" = {}", expr(e)),
            Some(Initializer::Direct(all)) => format!("({})", join(all.iter().map(expr))),
            Some(Initializer::List(all)) => format!("{{{}}}", join(all.iter().map(expr))),
        };
        format!("{}: {}{init}", v.name.text, ty(&v.ty))
    };
    format!("{words}var {}", join(v.variables.iter().map(one)))
}

fn ty(t: &TypeName) -> String {
    let core = match &t.kind {
        TypeKind::Builtin(BuiltinType::Int(t)) => format!("{t:?}").to_lowercase(),
        TypeKind::Builtin(b) => format!("{b:?}").to_lowercase(),
        TypeKind::Named(p) => path(p),
        TypeKind::Auto => "auto".into(),
        TypeKind::DecltypeAuto => "decltype(auto)".into(),
        TypeKind::Member { class, to, .. } => format!("{} {}::*", ty(to), path(class)),
        TypeKind::Decltype(e) => format!("decltype({})", expr(e)),
        TypeKind::Typeof(e) => format!("typeof({})", expr(e)),
        TypeKind::Pointer { to, restrict } => {
            format!("ptr{}({})", if *restrict { " restrict" } else { "" }, ty(to))
        }
        TypeKind::Reference { to, rvalue } => format!("{}({})", if *rvalue { "rref" } else { "ref" }, ty(to)),
        TypeKind::Array { of, length } => {
            format!("array[{}]({})", length.as_ref().map_or(String::new(), |e| expr(e)), ty(of))
        }
        TypeKind::Function { result, parameters: p, .. } => {
            format!("fn({}) -> {}", parameters(p), ty(result))
        }
        TypeKind::Pack(inner) => format!("pack({})", ty(inner)),
    };
    let constant = if t.is_const { "const " } else { "" };
    let volatile = if t.is_volatile { "volatile " } else { "" };
    format!("{constant}{volatile}{core}")
}

fn part(p: &PathPart) -> String {
    let arguments = p.arguments.as_ref().map(|all| {
        join(all.iter().map(|a| match a {
            TemplateArgument::Type(t) => ty(t),
            TemplateArgument::Value(e) => expr(e),
        }))
    });
    arguments.map_or(p.name.text.to_string(), |a| format!("{}<{a}>", p.name.text))
}

fn path(p: &Path) -> String {
    let parts: Vec<_> = p.qualifiers.iter().chain([&p.last]).map(part).collect();
    format!("{}{}", if p.global { "::" } else { "" }, parts.join("::"))
}

fn statements(all: &[Stmt], depth: usize, out: &mut String) {
    for one in all {
        statement(one, depth, out);
    }
}

fn statement(s: &Stmt, depth: usize, out: &mut String) {
    let unrolled = |u: &Option<Unroll>| match u {
        None => String::new(),
        Some(u) => format!("#unroll({}) ", u.factor.as_ref().map_or(String::new(), |e| expr(e))),
    };
    let inner = |label: &str, s: &Stmt, out: &mut String| {
        line(out, depth, label);
        statement(s, depth + 1, out);
    };
    match &s.kind {
        StmtKind::Block(b) => {
            line(out, depth, "block");
            statements(&b.statements, depth + 1, out);
        }
        StmtKind::If { is_constexpr, init, condition: c, then, otherwise } => {
            let word = if *is_constexpr { "if constexpr" } else { "if" };
            inner(&format!("{word} {}{}", optional(init), condition(c)), then, out);
            if let Some(o) = otherwise {
                inner("else", o, out);
            }
        }
        StmtKind::While { condition: c, body, unroll } => {
            inner(&format!("{}while {}", unrolled(unroll), condition(c)), body, out);
        }
        StmtKind::DoWhile { body, condition: c, .. } => inner(&format!("do while {}", expr(c)), body, out),
        StmtKind::For { init, condition: c, step, body, unroll } => {
            let c = c.as_ref().map_or(String::new(), condition);
            let step = step.as_ref().map_or(String::new(), expr);
            inner(&format!("{}for {}{c}; {step}", unrolled(unroll), optional(init)), body, out);
        }
        StmtKind::RangeFor { variable, range, body, .. } => {
            inner(&format!("for {}: {} in {}", variable.name.text, ty(&variable.ty), expr(range)), body, out);
        }
        StmtKind::Switch { condition: c, body } => inner(&format!("switch {}", condition(c)), body, out),
        StmtKind::Item(i) => item(i, depth, out),
        simple => line(out, depth, &simple_statement(simple)),
    }
}

fn simple_statement(kind: &StmtKind) -> String {
    match kind {
        StmtKind::Empty => ";".into(),
        StmtKind::Expr(e) => expr(e),
        StmtKind::Declaration(v) => variables(v),
        StmtKind::Alias(a) => alias(a),
        StmtKind::StaticAssert(a) => format!("static_assert {}", expr(&a.condition)),
        StmtKind::Case(e) => format!("case {}", expr(e)),
        StmtKind::Return(e) => format!("return {}", e.as_ref().map_or(String::new(), expr)),
        StmtKind::Goto(n) => format!("goto {}", n.text),
        StmtKind::Label(n) => format!("label {}", n.text),
        StmtKind::Asm(a) => {
            let one = |(c, e): &(String, Expr)| format!("{c}({})", expr(e));
            let (outs, ins) = (join(a.outputs.iter().map(one)), join(a.inputs.iter().map(one)));
            format!("asm {:?} : {outs} : {ins}", a.template)
        }
        other => format!("{other:?}").to_lowercase(),
    }
}

fn optional(init: &Option<Box<Stmt>>) -> String {
    init.as_ref().map_or(String::new(), |s| format!("{}; ", simple_statement(&s.kind)))
}

fn condition(c: &Condition) -> String {
    match c {
        Condition::Expr(e) => expr(e),
        Condition::Declaration(v) => variables(v),
    }
}

fn binary(op: BinaryOp) -> String {
    match op {
        BinaryOp::Arithmetic(op @ (hir::BinaryOp::And | hir::BinaryOp::Or | hir::BinaryOp::Xor)) => {
            format!("Bit{op:?}")
        }
        BinaryOp::Arithmetic(op) => format!("{op:?}"),
        BinaryOp::Compare(op) => match op {
            hir::CompareOp::Eq => "Equal",
            hir::CompareOp::Ne => "NotEqual",
            hir::CompareOp::Lt => "Less",
            hir::CompareOp::Le => "LessEqual",
            hir::CompareOp::Gt => "Greater",
            hir::CompareOp::Ge => "GreaterEqual",
        }
        .to_owned(),
        other => format!("{other:?}"),
    }
}

fn expr(e: &Expr) -> String {
    let list = |all: &[Expr]| join(all.iter().map(expr));
    match &e.kind {
        ExprKind::Int { value, ty } => match ty {
            IntType::Int => value.to_string(),
            other => format!("{value}:{other:?}"),
        },
        ExprKind::Float { value, ty } => {
            format!("{value:?}{}", if *ty == BuiltinType::Float { "f" } else { "" })
        }
        ExprKind::Bool(b) => b.to_string(),
        ExprKind::Char(c) => format!("'{c}'"),
        ExprKind::Str(s) => format!("{s:?}"),
        ExprKind::Null => "nullptr".into(),
        ExprKind::This => "this".into(),
        ExprKind::Path(p) if p.last.arguments.is_some() => format!("({})", path(p)),
        ExprKind::Path(p) => path(p),
        ExprKind::Paren(e) => format!("p{}", expr(e)),
        ExprKind::Unary { op, operand } => format!("({op:?} {})", expr(operand)),
        ExprKind::Postfix { op, operand } => format!("(Post{op:?} {})", expr(operand)),
        ExprKind::Binary { op, sides, .. } => format!("({} {})", binary(*op), all(&**sides)),
        ExprKind::Assign { op: None, sides, .. } => format!("(= {})", all(&**sides)),
        ExprKind::Assign { op: Some(op), sides, .. } => format!("({}= {})", binary(*op), all(&**sides)),
        ExprKind::Conditional(parts) => format!("(? {})", all(&**parts)),
        ExprKind::PlacementNew { place, value } => format!("(at {} {})", expr(place), expr(value)),
        ExprKind::Call { callee, arguments } => format!("{}({})", expr(callee), list(arguments)),
        ExprKind::Index(parts) => format!("{}[{}]", expr(&parts[0]), expr(&parts[1])),
        ExprKind::Member { base, arrow, class, member } => {
            let class = class.as_ref().map(|c| format!("{}::", path(c))).unwrap_or_default();
            format!("{}{}{class}{}", expr(base), if *arrow { "->" } else { "." }, part(member))
        }
        ExprKind::MemberPointer { base, arrow, pointer } => {
            format!("{}{}{}", expr(base), if *arrow { "->*" } else { ".*" }, expr(pointer))
        }
        ExprKind::Trait { name, types } => {
            format!("{}({})", name.text, join(types.iter().map(ty)))
        }
        ExprKind::Noexcept(inner) => format!("noexcept({})", expr(inner)),
        ExprKind::CCast { ty: t, operand } => format!("(cast {} {})", ty(t), expr(operand)),
        ExprKind::NamedCast { cast, ty: t, operand } => format!("({cast:?} {} {})", ty(t), expr(operand)),
        ExprKind::Construct { ty: t, arguments } => format!("new {}({})", ty(t), list(arguments)),
        ExprKind::ConstructList { ty: t, arguments } => format!("new {}{{{}}}", ty(t), list(arguments)),
        ExprKind::Braces(all) => format!("{{{}}}", list(all)),
        ExprKind::SizeofType(t) => format!("(sizeof type {})", ty(t)),
        ExprKind::SizeofExpr(e) => format!("(sizeof {})", expr(e)),
        ExprKind::Offsetof(e) => format!("(offsetof {})", expr(e)),
        ExprKind::Alignof(t) => format!("(alignof {})", ty(t)),
        ExprKind::SizeofPack(n) => format!("(sizeof... {})", n.text),
        ExprKind::PackExpansion(e) => format!("(pack {})", expr(e)),
        ExprKind::Fold { op, left, right } => {
            let side = |s: &Option<Box<Expr>>| s.as_ref().map_or("_".into(), |e| expr(e));
            format!("(fold {} {} {})", binary(*op), side(left), side(right))
        }
        ExprKind::Lambda(l) => {
            let captures = l.captures.iter().map(|(mode, name, value)| {
                let value = value.as_ref().map_or(String::new(), |e| format!("={}", expr(e)));
                format!("{mode:?} {}{value}", name.text)
            });
            let mut body = String::new();
            statements(&l.body.statements, 0, &mut body);
            let default = l.default_capture.map_or(String::new(), |m| format!("{m:?}; "));
            let body = body.trim().replace('\n', "; ");
            format!("lambda[{default}{}]({}) {{{body}}}", join(captures), parameters(&l.parameters))
        }
        ExprKind::Error => "error".into(),
    }
}

fn all(parts: &[Expr]) -> String {
    parts.iter().map(expr).collect::<Vec<_>>().join(" ")
}

fn join(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}
