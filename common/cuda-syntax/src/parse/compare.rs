//! Bodies of comparisons that are `= default` ([class.compare]): what a class would write by hand.

use super::Parser;
use super::specifiers::plain;
use crate::ast::{
    Access, BinaryOp, Block, BuiltinType, Condition, Expr, ExprKind, Function, FunctionBody, Initializer,
    Item, Name, NamedCast, Path, PathPart, Specifiers, Stmt, StmtKind, TemplateArgument, TypeKind, TypeName,
    UnaryOp, Variable, VariableDeclaration,
};
use crate::operation::{CompareOp, IntType};
use source::Span;

/// A base class or a member, of its type.
enum Part {
    Base(TypeName),
    Member(Name, TypeName),
}

impl Parser<'_> {
    /// Gives the comparisons of a class their bodies. A class with `<=>` by default has `==`, too.
    pub(crate) fn default_comparisons(
        &mut self,
        bases: &[(Access, TypeName)],
        members: &mut Vec<Item>,
        access: &mut Vec<Access>,
    ) {
        let is = |item: &Item, name: &str| matches!(item, Item::Function(f) if f.name.last.name.text == name);
        let defaulted =
            |item: &Item| matches!(item, Item::Function(f) if matches!(f.body, FunctionBody::Defaulted));
        let three_way = members.iter().position(|item| is(item, "operator<=>") && defaulted(item));
        if let Some(at) = three_way
            && !members.iter().any(|item| is(item, "operator=="))
            && let Item::Function(f) = &members[at]
        {
            let mut equal = f.clone();
            equal.name.last.name.text = "operator==".into();
            equal.result = Some(plain(TypeKind::Builtin(BuiltinType::Bool), f.span));
            access.push(access.get(at).copied().unwrap_or(Access::Public));
            members.push(Item::Function(equal));
        }
        let compares = |item: &Item| match item {
            Item::Function(f) => f
                .name
                .last
                .name
                .text
                .strip_prefix("operator")
                .is_some_and(|op| matches!(op, "==" | "!=" | "<=>" | "<" | ">" | "<=" | ">=")),
            _ => false,
        };
        if !members.iter().any(|item| defaulted(item) && compares(item)) {
            return;
        }
        let mut parts: Vec<Part> = bases.iter().map(|(_, ty)| Part::Base(ty.clone())).collect();
        for item in members.iter() {
            match item {
                Item::Variables(v) if !v.specifiers.is_static => {
                    let named = v.variables.iter().filter(|v| !v.name.text.is_empty());
                    parts.extend(named.map(|v| Part::Member(v.name.clone(), v.ty.clone())));
                }
                Item::Class(c) if c.name.is_none() => {
                    self.not_supported("a comparison by default of a class with unnamed members", c.span);
                }
                _ => {}
            }
        }
        let is_array =
            |part: &Part| matches!(part, Part::Member(_, ty) if matches!(ty.kind, TypeKind::Array { .. }));
        for item in members {
            if defaulted(item)
                && compares(item)
                && let Item::Function(f) = item
            {
                if f.name.last.name.text == "operator<=>" && parts.iter().any(is_array) {
                    // CUDA 13.0's compiler does not compare the elements.
                    self.not_supported("`<=>` by default of a class with an array", f.span);
                }
                compare(f, &parts);
            }
        }
    }
}

fn stmt(kind: StmtKind, span: Span) -> Stmt {
    Stmt { kind, span }
}

fn expr(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, span }
}

fn number(value: u64, span: Span) -> Expr {
    expr(ExprKind::Int { value, ty: IntType::Int }, span)
}

fn name(text: &str, span: Span) -> Expr {
    let name = Name { text: text.into(), span };
    expr(ExprKind::Path(Box::new(Parser::simple_path(name))), span)
}

/// `std::text<…>`.
fn standard(parts: &[&str], arguments: Option<Vec<TemplateArgument>>, span: Span) -> Box<Path> {
    let part = |text: &&str| PathPart { name: Name { text: (*text).into(), span }, arguments: None };
    let mut parts: Vec<PathPart> = ["std"].iter().chain(parts).map(part).collect();
    let mut last = parts.pop().unwrap_or_else(|| part(&"std"));
    last.arguments = arguments;
    Box::new(Path { global: false, qualifiers: parts, last, lacks_typename: false, span })
}

fn binary(op: BinaryOp, lhs: Expr, rhs: Expr) -> Expr {
    let span = lhs.span;
    expr(ExprKind::Paren(Box::new(super::expr::binary(op, span, lhs, rhs))), span)
}

fn not(operand: Expr) -> Expr {
    let span = operand.span;
    expr(ExprKind::Unary { op: UnaryOp::Not, operand: Box::new(operand) }, span)
}

fn declaration(text: &str, ty: TypeName, value: Expr) -> Stmt {
    let span = value.span;
    let variable = Variable {
        name: Name { text: text.into(), span },
        qualifiers: Vec::new(),
        arguments: None,
        bindings: Vec::new(),
        ty,
        width: None,
        initializer: Some(Initializer::Copy(value)),
    };
    let (specifiers, template) = (Specifiers::default(), Vec::new());
    let (variables, is_specialization, align) = (vec![variable], false, None);
    let d = VariableDeclaration { specifiers, variables, template, is_specialization, align, span };
    stmt(StmtKind::Declaration(Box::new(d)), span)
}

/// `if (condition) return value;`
fn leave(condition: Expr, value: Expr) -> Stmt {
    let span = value.span;
    let then = Box::new(stmt(StmtKind::Return(Some(value)), span));
    let (init, condition, otherwise) = (None, Condition::Expr(condition), None);
    stmt(StmtKind::If { is_constexpr: false, init, condition, then, otherwise }, span)
}

/// The type of what is compared in the end: elements of an array.
fn element(ty: &TypeName) -> &TypeName {
    match &ty.kind {
        TypeKind::Array { of, .. } => element(of),
        _ => ty,
    }
}

/// Writes the body of one comparison.
fn compare(f: &mut Function, parts: &[Part]) {
    let span = f.name.span;
    let names: Vec<String> = (0..f.parameters.len()).map(|n| format!("operand#{n}")).collect();
    for (p, text) in f.parameters.iter_mut().zip(&names) {
        p.name = Some(Name { text: text.as_str().into(), span: p.span });
    }
    let this = expr(ExprKind::This, span);
    let object = expr(ExprKind::Unary { op: UnaryOp::Deref, operand: Box::new(this) }, span);
    let operand = |n: usize| names.get(n).map_or_else(|| number(0, span), |text| name(text, span));
    let (lhs, rhs) = match f.specifiers.friend {
        true => (operand(0), operand(1)),
        false => (expr(ExprKind::Paren(Box::new(object)), span), operand(0)),
    };
    let op = f.name.last.name.text.trim_start_matches("operator").to_owned();
    let is_equality = op == "==";
    let mut body = Vec::new();
    if is_equality || op == "<=>" {
        let mut result = None;
        if let Some(r) = f.result.as_mut().filter(|_| !is_equality) {
            if matches!(r.kind, TypeKind::Auto(_)) {
                let of = |ty: &TypeName| {
                    let of = vec![TemplateArgument::Type(element(ty).clone())];
                    TemplateArgument::Type(plain(
                        TypeKind::Named(standard(&["compare_three_way_result_t"], Some(of), span)),
                        span,
                    ))
                };
                let all = parts.iter().map(|(Part::Base(ty) | Part::Member(_, ty))| of(ty)).collect();
                r.kind = TypeKind::Named(standard(&["common_comparison_category_t"], Some(all), span));
            }
            result = Some(r.clone());
        }
        for part in parts {
            let of = |side: &Expr| match part {
                Part::Base(ty) => {
                    let to = TypeName { is_const: true, ..ty.clone() };
                    let ty = Box::new(plain(TypeKind::Reference { to: Box::new(to), rvalue: false }, span));
                    let operand = Box::new(side.clone());
                    expr(ExprKind::NamedCast { cast: NamedCast::Static, ty, operand }, span)
                }
                Part::Member(name, _) => {
                    let member = Box::new(PathPart { name: name.clone(), arguments: None });
                    let base = Box::new(side.clone());
                    expr(ExprKind::Member { base, arrow: false, class: None, member }, span)
                }
            };
            let (Part::Base(ty) | Part::Member(_, ty)) = part;
            body.push(compare_part(of(&lhs), of(&rhs), ty, result.as_ref(), 0));
        }
        let same = standard(&["strong_ordering", "equal"], None, span);
        let end = if is_equality { ExprKind::Bool(true) } else { ExprKind::Path(same) };
        body.push(stmt(StmtKind::Return(Some(expr(end, span))), span));
    } else {
        let value = match BinaryOp::spelled(&op) {
            Some((BinaryOp::NOT_EQUAL, _)) | None => not(binary(BinaryOp::EQUAL, lhs, rhs)),
            Some((op, _)) => binary(op, binary(BinaryOp::ThreeWay, lhs, rhs), number(0, span)),
        };
        body.push(stmt(StmtKind::Return(Some(value)), span));
    }
    f.specifiers.constexpr = true;
    f.specifiers.defaulted = true;
    f.body = FunctionBody::Block(Block { statements: body, span });
}

/// Leaves the function if the parts differ; `result` is that of `<=>`.
fn compare_part(l: Expr, r: Expr, ty: &TypeName, result: Option<&TypeName>, depth: usize) -> Stmt {
    let span = l.span;
    if let TypeKind::Array { of, length: Some(length) } = &ty.kind {
        let text = format!("at#{depth}");
        let at = || name(&text, span);
        let ty = plain(TypeKind::Builtin(BuiltinType::Int(IntType::UnsignedLong)), span);
        let init = Some(Box::new(declaration(&text, ty, number(0, span))));
        let less = binary(BinaryOp::Compare(CompareOp::Lt), at(), (**length).clone());
        let condition = Some(Condition::Expr(less));
        let step = ExprKind::Unary { op: UnaryOp::PreIncrement, operand: Box::new(at()) };
        let part = |side: Expr| expr(ExprKind::Index(Box::new([side, at()])), span);
        let body = Box::new(compare_part(part(l), part(r), of, result, depth + 1));
        let (step, unroll) = (Some(expr(step, span)), None);
        return stmt(StmtKind::For { init, condition, step, body, unroll }, span);
    }
    let Some(result) = result else {
        return leave(not(binary(BinaryOp::EQUAL, l, r)), expr(ExprKind::Bool(false), span));
    };
    let order = declaration("order#", result.clone(), super::expr::binary(BinaryOp::ThreeWay, span, l, r));
    let differs = binary(BinaryOp::NOT_EQUAL, name("order#", span), number(0, span));
    let statements = vec![order, leave(differs, name("order#", span))];
    stmt(StmtKind::Block(Block { statements, span }), span)
}
