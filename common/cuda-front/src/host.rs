//! Launches in host code: the grid, the block and the shared memory of `kernel<<<grid, block, shared>>>(…)`, as far as they follow from
//! constants of the file, from variables of the function that have one value, and from numbers that are given for the kernel's arguments.
//!
//! A variable that is assigned to, or whose address is taken, has no known value: nothing here runs the host's code.

use crate::hir::{self, Const, NamedConstant};
use cuda_syntax::Word;
use cuda_syntax::ast::{
    self, BinaryOp, BuiltinType, Expr, ExprKind, Function, FunctionBody, HostBody, Initializer, Item, Launch,
    StmtKind, TypeKind, TypeName, UnaryOp, Variable,
};
use cuda_syntax::parse::name_of;
use source::hash::KeyedMap;
use source::{FileId, SourceMap, Span};

/// A launch in host code. If `grid`, `block` or `shared` is not known, its error is the name without a known value, or the text that was
/// not understood.
#[derive(Clone, Debug)]
pub struct HostLaunch {
    /// The kernel as the file writes it, such as `tile<16>`.
    pub kernel: String,
    /// Where it is launched.
    pub span: Span,
    /// Blocks by axis.
    pub grid: Result<[u32; 3], String>,
    /// Threads of a block by axis.
    pub block: Result<[u32; 3], String>,
    /// Bytes of dynamic shared memory.
    pub shared: Result<u32, String>,
}

/// Maximum depth of expressions, counting the values of names in them.
const MAX_DEPTH: u32 = 64;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    Int(i64),
    Float(f64),
    Dimensions([i64; 3]),
}

/// A function whose body is only `return e;`: the names of its parameters, and `e`.
type Formula<'a> = (Vec<&'a Word>, &'a Expr);

struct Evaluator<'a> {
    sources: &'a SourceMap,
    constants: KeyedMap<&'a str, Value>,
    formulas: KeyedMap<&'a str, Formula<'a>>,
    body: &'a HostBody,
    /// Values that take precedence over variables and constants: by name, of a launch's arguments or of the parameters of a called
    /// function.
    given: KeyedMap<&'a str, Value>,
    depth: u32,
}

/// All launches in the host code of `file`. `arguments` are the numbers that the user gives the kernel, by position: a name that a launch
/// passes there has that number as its value.
pub(crate) fn launches(
    file: FileId,
    sources: &SourceMap,
    tree: &ast::File,
    constants: &[NamedConstant],
    arguments: &[Option<i64>],
) -> Vec<HostLaunch> {
    let constants: KeyedMap<&str, Value> =
        constants.iter().map(|constant| (constant.name.as_str(), of_constant(constant.value))).collect();
    let formulas: KeyedMap<&str, Formula<'_>> =
        tree.items.iter().filter_map(|item| formula(item, tree)).collect();
    let mut launches = Vec::new();
    for body in &tree.host_bodies {
        for launch in body.launches.iter().filter(|launch| launch.kernel.file == file) {
            let mut given = KeyedMap::default();
            if launch.arguments.len() == arguments.len() {
                let named = launch.arguments.iter().zip(arguments);
                given.extend(
                    named.filter_map(|(value, number)| {
                        Some((name_of(value)?.as_str(), Value::Int((*number)?)))
                    }),
                );
            }
            let (constants, formulas) = (constants.clone(), formulas.clone());
            let mut evaluator = Evaluator { sources, constants, formulas, body, given, depth: 0 };
            launches.push(evaluator.launch(launch));
        }
    }
    launches
}

fn of_constant(value: Const) -> Value {
    match value {
        Const::Bool(v) => Value::Int(v.into()),
        Const::Int(v, _) => Value::Int(v),
        Const::Float(v) => Value::Float(v.into()),
        Const::Double(v) => Value::Float(v),
    }
}

fn formula<'a>(item: &'a Item, tree: &'a ast::File) -> Option<(&'a str, Formula<'a>)> {
    let Item::Function(function) = item else { return None };
    let Function { name, parameters, body, .. } = &**function;
    let result = match body {
        FunctionBody::Block(block) => match &block.statements[..] {
            [ast::Stmt { kind: StmtKind::Return(Some(result)), .. }] => result,
            _ => return None,
        },
        FunctionBody::Skipped => {
            let named = |body: &&HostBody| body.function == name.last.name.text;
            let body = tree.host_bodies.iter().find(named)?;
            body.result.as_ref().filter(|_| body.variables.is_empty() && body.changed.is_empty())?
        }
        FunctionBody::Declared | FunctionBody::Defaulted | FunctionBody::Deleted => return None,
    };
    let names = parameters.iter().map(|p| p.name.as_ref().map(|name| &name.text));
    Some((name.last.name.text.as_str(), (names.collect::<Option<_>>()?, result)))
}

impl Evaluator<'_> {
    fn launch(&mut self, launch: &Launch) -> HostLaunch {
        let mut at = |index: usize| launch.configuration.get(index).map(|value| self.value(value));
        let missing = || Err("its launch".to_owned());
        let grid = at(0).map_or_else(missing, |value| dimensions(value?));
        let block = at(1).map_or_else(missing, |value| dimensions(value?));
        let shared = at(2).map_or(Ok(0), |value| {
            u32::try_from(integer(value?)?).map_err(|_| "its shared memory".to_owned())
        });
        let kernel = self.sources.text(launch.kernel).to_owned();
        HostLaunch { kernel, span: launch.kernel, grid, block, shared }
    }

    fn value(&mut self, value: &Expr) -> Result<Value, String> {
        if self.depth == MAX_DEPTH {
            return Err(self.unknown(value.span));
        }
        self.depth += 1;
        let result = self.of_kind(value);
        self.depth -= 1;
        result
    }

    fn unknown(&self, span: Span) -> String {
        self.sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn of_kind(&mut self, value: &Expr) -> Result<Value, String> {
        let unknown = |evaluator: &Self| Err(evaluator.unknown(value.span));
        match &value.kind {
            ExprKind::Int { value: v, .. } => i64::try_from(*v).map(Value::Int).or_else(|_| unknown(self)),
            ExprKind::Float { value, .. } => Ok(Value::Float(*value)),
            ExprKind::Bool(value) => Ok(Value::Int((*value).into())),
            ExprKind::Char(code, _) => Ok(Value::Int((*code).into())),
            ExprKind::Paren(inner) => self.value(inner),
            ExprKind::Path(path) => match name_of(value) {
                Some(name) => self.name(name),
                None if path.last.arguments.is_none() => self.constant(&path.last.name.text),
                None => unknown(self),
            },
            ExprKind::Unary { op, operand } => match (op, self.value(operand)?) {
                (UnaryOp::Plus, value) => Ok(value),
                (UnaryOp::Minus, Value::Int(v)) => Ok(Value::Int(v.wrapping_neg())),
                (UnaryOp::Minus, Value::Float(v)) => Ok(Value::Float(-v)),
                (UnaryOp::Not, Value::Int(v)) => Ok(Value::Int((v == 0).into())),
                (UnaryOp::BitNot, Value::Int(v)) => Ok(Value::Int(!v)),
                _ => unknown(self),
            },
            ExprKind::Binary { op, sides, .. } => {
                let [left, right] = &**sides;
                let (left, right) = (self.value(left)?, self.value(right)?);
                binary(*op, left, right).map_or_else(|| unknown(self), Ok)
            }
            ExprKind::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                let condition = integer(self.value(condition)?)? != 0;
                self.value(if condition { then } else { otherwise })
            }
            ExprKind::CCast { ty, operand } | ExprKind::NamedCast { ty, operand, .. } => {
                let operand = self.value(operand)?;
                converted(ty, operand).map_or_else(|| unknown(self), Ok)
            }
            ExprKind::Construct { ty, arguments } | ExprKind::ConstructList { ty, arguments } => {
                self.constructed(ty, arguments).unwrap_or_else(|| unknown(self))
            }
            ExprKind::Braces(arguments) => self.dimensions(arguments),
            ExprKind::Member { base, arrow: false, class: None, member } => {
                let axis = ["x", "y", "z"].iter().position(|axis| *axis == member.name.text.as_str());
                match (self.value(base)?, axis) {
                    (Value::Dimensions(all), Some(axis)) => Ok(Value::Int(all[axis])),
                    _ => unknown(self),
                }
            }
            ExprKind::Call { callee, arguments } => match &callee.kind {
                ExprKind::Path(path) => self.call(&path.last.name.text, arguments, value.span),
                _ => unknown(self),
            },
            ExprKind::SizeofType(ty) => size(ty).map_or_else(|| unknown(self), |size| Ok(Value::Int(size))),
            _ => unknown(self),
        }
    }

    /// The value of a name without `::`: a given value, or else that of a variable of the function, or else that of a constant of the file.
    fn name(&mut self, name: &Word) -> Result<Value, String> {
        if let Some(value) = self.given.get(name.as_str()) {
            return Ok(*value);
        }
        let body = self.body;
        let mut own = body.variables.iter().filter(|variable| variable.name.text == *name);
        match (own.next(), own.next()) {
            (None, _) => self.constant(name),
            (Some(variable), None) if !body.changed.contains(name) => self.variable(variable),
            _ => Err(name.to_string()),
        }
    }

    fn constant(&self, name: &Word) -> Result<Value, String> {
        self.constants.get(name.as_str()).copied().ok_or_else(|| name.to_string())
    }

    fn variable(&mut self, variable: &Variable) -> Result<Value, String> {
        let name = || variable.name.text.to_string();
        let arguments = match &variable.initializer {
            None if is_dimensions(&variable.ty) => &[][..],
            None => return Err(name()),
            Some(Initializer::Copy(Expr { kind: ExprKind::Braces(arguments), .. })) => arguments,
            Some(Initializer::Copy(value)) => std::slice::from_ref(value),
            Some(Initializer::Direct(arguments) | Initializer::List(arguments)) => arguments,
        };
        let value = self.constructed(&variable.ty, arguments).unwrap_or_else(|| Err(name()));
        // For `n = atoi(argv[1])`, the error names `n` instead of the call.
        let is_name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
        value.map_err(|unknown| if is_name(&unknown) { unknown } else { name() })
    }

    /// A value of the type `ty` from its initializers; `None` if the type is not supported here, or the initializers do not fit it.
    fn constructed(&mut self, ty: &TypeName, arguments: &[Expr]) -> Option<Result<Value, String>> {
        if is_dimensions(ty) {
            return Some(self.dimensions(arguments));
        }
        let [argument] = arguments else { return None };
        match self.value(argument) {
            Ok(value) => converted(ty, value).map(Ok),
            Err(unknown) => Some(Err(unknown)),
        }
    }

    /// The sizes of a `dim3` with these arguments; missing axes are 1.
    fn dimensions(&mut self, arguments: &[Expr]) -> Result<Value, String> {
        let mut all = [1; 3];
        for (at, argument) in arguments.iter().enumerate() {
            match self.value(argument)? {
                whole @ Value::Dimensions(_) if arguments.len() == 1 => return Ok(whole),
                value if at < 3 => all[at] = integer(value)?,
                _ => return Err(self.unknown(argument.span)),
            }
        }
        Ok(Value::Dimensions(all))
    }

    fn call(&mut self, name: &Word, arguments: &[Expr], span: Span) -> Result<Value, String> {
        if let Some((parameters, result)) = self.formulas.get(name.as_str()).cloned() {
            let values = arguments.iter().map(|value| self.value(value)).collect::<Result<Vec<_>, _>>()?;
            if values.len() != parameters.len() {
                return Err(self.unknown(span));
            }
            let no_variables = HostBody::default();
            let given = parameters.iter().map(|name| name.as_str()).zip(values).collect();
            let mut inside = Evaluator {
                sources: self.sources,
                constants: self.constants.clone(),
                formulas: self.formulas.clone(),
                body: &no_variables,
                given,
                depth: self.depth,
            };
            return inside.value(result).map_err(|_| self.unknown(span));
        }
        let values = arguments.iter().map(|value| self.value(value)).collect::<Result<Vec<_>, _>>()?;
        match (name.as_str(), &values[..]) {
            ("dim3", _) => self.dimensions(arguments),
            ("min" | "max", [Value::Int(a), Value::Int(b)]) => {
                Ok(Value::Int(if name.as_str() == "min" { *a.min(b) } else { *a.max(b) }))
            }
            ("ceil" | "ceilf", [value]) => Ok(Value::Float(float(*value)?.ceil())),
            ("floor" | "floorf", [value]) => Ok(Value::Float(float(*value)?.floor())),
            _ => Err(self.unknown(span)),
        }
    }
}

fn is_dimensions(ty: &TypeName) -> bool {
    matches!(&ty.kind, TypeKind::Named(path) if path.last.name.text.as_str() == "dim3")
}

/// Size of a fundamental type or a pointer in bytes; `None` for other types.
fn size(ty: &TypeName) -> Option<i64> {
    match &ty.kind {
        TypeKind::Builtin(BuiltinType::Bool) => Some(1),
        TypeKind::Builtin(BuiltinType::Float) => Some(4),
        TypeKind::Builtin(BuiltinType::Double) | TypeKind::Pointer { .. } => Some(8),
        TypeKind::Builtin(BuiltinType::Int(ty)) => Some((ty.bits() / 8).into()),
        _ => None,
    }
}

/// A value converted to a type; `None` if the type is not supported here, or an integer does not fit.
fn converted(ty: &TypeName, value: Value) -> Option<Value> {
    match (&ty.kind, value) {
        (TypeKind::Auto(_), value) => Some(value),
        (TypeKind::Builtin(BuiltinType::Bool), value) => Some(Value::Int((float(value).ok()? != 0.0).into())),
        (TypeKind::Builtin(BuiltinType::Float), value) => {
            Some(Value::Float((float(value).ok()? as f32).into()))
        }
        (TypeKind::Builtin(BuiltinType::Double), value) => Some(Value::Float(float(value).ok()?)),
        (TypeKind::Builtin(BuiltinType::Int(ty)), value) => {
            let value = integer(value).ok()?;
            // A value that does not fit would change, so it counts as unknown.
            (ty.bits() >= 64 || value.unsigned_abs() < 1 << (ty.bits() - 1)).then_some(Value::Int(value))
        }
        // Types such as `size_t`.
        (TypeKind::Named(_), Value::Int(value)) if value >= 0 => Some(Value::Int(value)),
        (TypeKind::Named(_), value @ Value::Dimensions(_)) => Some(value),
        _ => None,
    }
}

fn integer(value: Value) -> Result<i64, String> {
    match value {
        Value::Int(value) => Ok(value),
        Value::Float(value) if value.abs() < 9e15 => Ok(value as i64),
        Value::Float(value) => Err(value.to_string()),
        Value::Dimensions(_) => Err("a `dim3` in place of a number".to_owned()),
    }
}

fn float(value: Value) -> Result<f64, String> {
    match value {
        Value::Float(value) => Ok(value),
        other => integer(other).map(|value| value as f64),
    }
}

fn dimensions(value: Value) -> Result<[u32; 3], String> {
    let all = match value {
        Value::Dimensions(all) => all,
        other => [integer(other)?, 1, 1],
    };
    let mut sizes = [0; 3];
    for (size, value) in sizes.iter_mut().zip(all) {
        *size = u32::try_from(value).map_err(|_| format!("a size of {value}"))?;
    }
    Ok(sizes)
}

/// The result of an operation; `None` if C++ does not define it, or it is not supported here.
fn binary(op: BinaryOp, left: Value, right: Value) -> Option<Value> {
    if let (Value::Float(_), _) | (_, Value::Float(_)) = (left, right) {
        let (a, b) = (float(left).ok()?, float(right).ok()?);
        return Some(match op {
            BinaryOp::Arithmetic(hir::BinaryOp::Add) => Value::Float(a + b),
            BinaryOp::Arithmetic(hir::BinaryOp::Sub) => Value::Float(a - b),
            BinaryOp::Arithmetic(hir::BinaryOp::Mul) => Value::Float(a * b),
            BinaryOp::Arithmetic(hir::BinaryOp::Div) => Value::Float(a / b),
            BinaryOp::Compare(op) => Value::Int(op.holds(Some(a.partial_cmp(&b)?)).into()),
            _ => return None,
        });
    }
    let (Value::Int(a), Value::Int(b)) = (left, right) else { return None };
    let shift = || u32::try_from(b).ok().filter(|bits| *bits < 63);
    Some(Value::Int(match op {
        BinaryOp::Arithmetic(op) => match op {
            hir::BinaryOp::Add => a.checked_add(b)?,
            hir::BinaryOp::Sub => a.checked_sub(b)?,
            hir::BinaryOp::Mul => a.checked_mul(b)?,
            hir::BinaryOp::Div => a.checked_div(b)?,
            hir::BinaryOp::Rem => a.checked_rem(b)?,
            hir::BinaryOp::And => a & b,
            hir::BinaryOp::Or => a | b,
            hir::BinaryOp::Xor => a ^ b,
            hir::BinaryOp::Shl => a.checked_mul(1 << shift()?)?,
            hir::BinaryOp::Shr => a >> shift()?,
        },
        BinaryOp::Compare(op) => op.holds(Some(a.cmp(&b))).into(),
        BinaryOp::And => (a != 0 && b != 0).into(),
        BinaryOp::Or => (a != 0 || b != 0).into(),
        BinaryOp::Comma => b,
        BinaryOp::ThreeWay => return None,
    }))
}
