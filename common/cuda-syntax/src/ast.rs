//! The syntax tree: what the parser saw, names unresolved, templates uninstantiated.
//!
//! Every node keeps its [`Span`]. Host-only functions appear with a body of [`FunctionBody::Skipped`].

use crate::operation::{self, CompareOp, IntType};
use crate::text::Text;
use crate::word::Word;
use source::Span;
use source::hash::KeyedSet;

/// A name with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The identifier.
    pub text: Word,
    /// Its place.
    pub span: Span,
}

/// A possibly qualified name with template arguments at its last part: `ns::f<16, float>`.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Whether it starts with `::`.
    pub global: bool,
    /// Leading `ns::` or `Class::` parts; each may have template arguments.
    pub qualifiers: Vec<PathPart>,
    /// The last part.
    pub last: PathPart,
    /// Whether it stands for a type in a template's body but has no `typename` before it, which is an error once the body is instantiated.
    pub lacks_typename: bool,
    /// The whole.
    pub span: Span,
}

/// One part of a [`Path`].
#[derive(Clone, Debug, PartialEq)]
pub struct PathPart {
    /// The identifier; operators are spelled `operator+`, conversions and destructors are not parsed.
    pub name: Name,
    /// Explicit template arguments, if `<…>` was written.
    pub arguments: Option<Vec<TemplateArgument>>,
}

/// An argument of a template.
#[derive(Clone, Debug, PartialEq)]
pub enum TemplateArgument {
    /// A type. A lone identifier that names no known type is parsed as an expression.
    Type(TypeName),
    /// A constant expression.
    Value(Expr),
}

/// A file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct File {
    /// Declarations in order.
    pub items: Vec<Item>,
    /// Headers of libraries that were not read.
    pub skipped: Vec<crate::preprocess::SkippedHeader>,
    /// What the checker takes for unsupported, for tests.
    pub marked: crate::Marked,
    /// Functions of the host, whose bodies were skipped.
    pub host: Vec<HostFunction>,
    /// What was read from the bodies of host functions, for launches.
    pub host_bodies: Vec<HostBody>,
}

/// A function of the host.
#[derive(Clone, Debug, PartialEq)]
pub struct HostFunction {
    /// Its name without its class.
    pub name: Word,
    /// From its name to the end of its body.
    pub span: Span,
    /// The tokens of its body.
    pub body: std::ops::Range<usize>,
}

/// What launches need from the body of a host function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostBody {
    /// The function's name.
    pub function: Word,
    /// Variables that could be read.
    pub variables: Vec<Variable>,
    /// Names that get another value somewhere in the body.
    pub changed: KeyedSet<Word>,
    /// Launches of kernels.
    pub launches: Vec<Launch>,
    /// The value of the first `return`.
    pub result: Option<Expr>,
}

/// `kernel<<<configuration>>>(arguments)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// The kernel's name with its template arguments.
    pub kernel: Span,
    /// Between `<<<` and `>>>`.
    pub configuration: Vec<Expr>,
    /// The arguments of the kernel; empty if they could not be parsed.
    pub arguments: Vec<Expr>,
}

/// A declaration at file, namespace or class level.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // Fields are named as in C++.
pub enum Item {
    /// A function, kernel or method.
    Function(Box<Function>),
    /// Variables of one declaration: `__constant__ float a[3], b;`.
    Variables(VariableDeclaration),
    /// A struct, class or union.
    Class(Box<Class>),
    /// An enumeration.
    Enum(Enum),
    /// `typedef` or `using A = T;`, possibly a template.
    Alias(Alias),
    /// `namespace n { … }`; `name` is `None` for an unnamed one.
    Namespace { name: Option<Name>, items: Vec<Item>, span: Span },
    /// `using namespace n;`.
    UsingNamespace { path: Path, span: Span },
    /// `using n::x;`, or `using Ts::x...;` of a pack of base classes.
    UsingName { path: Path, pack: bool, span: Span },
    /// `using enum E;`.
    UsingEnum { path: Path, span: Span },
    /// `friend class C;`.
    Friend { path: Path, span: Span },
    /// `static_assert(condition, "message");`.
    StaticAssert(StaticAssert),
    /// Explicit instantiation, `template …;` (kept so that kernels are instantiated by it).
    Instantiation { function: Box<Function>, span: Span },
}

impl Item {
    /// From its first word to its last, a body included.
    pub fn span(&self) -> Span {
        match self {
            Item::Function(f) => match &f.body {
                FunctionBody::Block(block) => f.span.to(block.span),
                _ => f.span,
            },
            Item::Variables(v) => v.span,
            Item::Class(c) => c.span,
            Item::Enum(e) => e.span,
            Item::Alias(a) => a.span,
            Item::StaticAssert(s) => s.span,
            Item::Namespace { span, .. }
            | Item::UsingNamespace { span, .. }
            | Item::UsingName { span, .. }
            | Item::UsingEnum { span, .. }
            | Item::Friend { span, .. }
            | Item::Instantiation { span, .. } => *span,
        }
    }
}

/// `static_assert`.
#[derive(Clone, Debug, PartialEq)]
pub struct StaticAssert {
    /// The constant condition.
    pub condition: Expr,
    /// The message.
    pub message: Option<String>,
    /// The whole.
    pub span: Span,
}

/// Where a function may run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Execution {
    /// `__global__`.
    pub global: bool,
    /// `__device__`.
    pub device: bool,
    /// `__host__`, or none of the three.
    pub host: bool,
}

/// A function, kernel, method or constructor.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Where it may run.
    pub execution: Execution,
    /// Template parameters; empty and `is_specialization` for `template <>`.
    pub template: Vec<TemplateParameter>,
    /// Whether it was written with `template <>`.
    pub is_specialization: bool,
    /// `constexpr`, `static`, `inline`, `__forceinline__`, `__noinline__`, `extern "C"`, as far as they matter.
    pub specifiers: Specifiers,
    /// Of `explicit(c)`: whether it is `explicit`.
    pub explicit_if: Option<Expr>,
    /// Its name; operators as `operator+`, a constructor by the class's name.
    pub name: Path,
    /// The result; `None` for a constructor.
    pub result: Option<TypeName>,
    /// Parameters.
    pub parameters: Vec<Parameter>,
    /// Of a method: what its object must be.
    pub object: ObjectQualifiers,
    /// `: member(value), …` of a constructor.
    pub initializers: Vec<MemberInitializer>,
    /// `__launch_bounds__(threads, blocks)`: the arguments as written.
    pub launch_bounds: Vec<Expr>,
    /// What it does.
    pub body: FunctionBody,
    /// From the first specifier to the end of the parameter list.
    pub span: Span,
}

/// What stands after the parameter list of a method: `const volatile &`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ObjectQualifiers {
    /// `const`.
    pub is_const: bool,
    /// `volatile`.
    pub is_volatile: bool,
    /// `&` or `&&`.
    pub reference: Option<RefQualifier>,
}

/// What objects a method takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefQualifier {
    /// `&`.
    Left,
    /// `&&`.
    Right,
}

/// The body of a function.
#[derive(Clone, Debug, PartialEq)]
pub enum FunctionBody {
    /// A declaration without a body.
    Declared,
    /// `= default`.
    Defaulted,
    /// `= delete`.
    Deleted,
    /// A body that was parsed: the function runs on the device (or is `constexpr`).
    Block(Block),
    /// A host function's body, skipped with balanced braces.
    Skipped,
}

/// `member(value)` in a constructor.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberInitializer {
    /// The member (or base class).
    pub name: Path,
    /// The arguments.
    pub arguments: Vec<Expr>,
}

/// Specifiers of a declaration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Specifiers {
    /// `constexpr` (or `consteval`).
    pub constexpr: bool,
    /// `consteval`: a function whose calls are constants.
    pub consteval: bool,
    /// A comparison that is `= default`, whose body is written out: host and device may use it where the parts can be compared.
    pub defaulted: bool,
    /// `concept`: a variable template of `bool`, whose value is whether a constraint is satisfied.
    pub concept: bool,
    /// `static`.
    pub is_static: bool,
    /// `extern`, also through `extern "C"`.
    pub is_extern: bool,
    /// `inline`, `__inline__`, `__forceinline__`.
    pub inline: bool,
    /// `__noinline__`.
    pub noinline: bool,
    /// `__device__`.
    pub device: bool,
    /// `__constant__`.
    pub constant: bool,
    /// `__shared__`.
    pub shared: bool,
    /// `__managed__`.
    pub managed: bool,
    /// `virtual`.
    pub is_virtual: bool,
    /// `override` after the parameters of a method.
    pub is_override: bool,
    /// `final` after the parameters of a method.
    pub is_final: bool,
    /// `= 0` in place of a method's body.
    pub is_pure: bool,
    /// `explicit`, also with a condition.
    pub explicit: bool,
    /// `friend`.
    pub friend: bool,
    /// `mutable`.
    pub mutable: bool,
    /// `__align__(n)` or `alignas(n)` of a plain number; others are in [`VariableDeclaration::align`].
    pub align: Option<u32>,
    /// The largest alignment of a member by attributes such as `packed`, in bytes; 0 where another may change the layout.
    pub pack: Option<u32>,
}

/// A parameter of a template.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // Fields are named as in C++.
pub enum TemplateParameter {
    /// `typename T = Default`, or `typename... Ts`.
    Type { name: Option<Name>, default: Option<TypeName>, pack: bool },
    /// `int N = 16`, or `int... Ns`.
    Value { ty: TypeName, name: Option<Name>, default: Option<Expr>, pack: bool },
    /// `template <typename> class C = Default`; `default` names a template.
    Template { name: Option<Name>, default: Option<TypeName>, pack: bool },
    /// What the arguments must satisfy: the constraints on parameters and the `requires` clauses, joined. It has no argument.
    Constraint(Expr),
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its type, declarator applied (arrays not yet decayed).
    pub ty: TypeName,
    /// Its name.
    pub name: Option<Name>,
    /// Its default argument.
    pub default: Option<Expr>,
    /// The whole.
    pub span: Span,
}

/// A type as written, declarators applied inside out.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeName {
    /// What it is.
    pub kind: TypeKind,
    /// `const`.
    pub is_const: bool,
    /// `volatile`.
    pub is_volatile: bool,
    /// Its place.
    pub span: Span,
}

impl TypeName {
    /// Whether the body of a function with this result says what it is.
    pub fn is_deduced(&self) -> bool {
        match &self.kind {
            TypeKind::Auto(_) | TypeKind::DecltypeAuto(_) => true,
            TypeKind::Pointer { to, .. } | TypeKind::Reference { to, .. } => to.is_deduced(),
            _ => false,
        }
    }
}

/// The shape of a type.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // Fields are named as in C++.
pub enum TypeKind {
    /// A fundamental type.
    Builtin(BuiltinType),
    /// A named type: class, enum, alias, template parameter, vector type, `typename T::x`.
    Named(Box<Path>),
    /// `auto`, with the concept before it that what it stands for satisfies.
    Auto(Option<Box<Path>>),
    /// `decltype(auto)`, likewise.
    DecltypeAuto(Option<Box<Path>>),
    /// `decltype(e)`.
    Decltype(Box<Expr>),
    /// `__typeof__(e)`: never a reference.
    Typeof(Box<Expr>),
    /// `T *`; `restrict` if `__restrict__` followed.
    Pointer { to: Box<TypeName>, restrict: bool },
    /// `T &`, or `T &&`.
    Reference { to: Box<TypeName>, rvalue: bool },
    /// `T [n]`; `None` for `[]`.
    Array { of: Box<TypeName>, length: Option<Box<Expr>> },
    /// `T C::*`.
    Member { class: Box<Path>, to: Box<TypeName>, is_const: bool },
    /// A function type, as in `float (*f)(float)`.
    Function {
        result: Box<TypeName>,
        parameters: Vec<Parameter>,
        /// Whether a type alone, as a template argument, has `const`, `noexcept` or the like behind the parameters.
        qualified: bool,
    },
    /// `T...` in a parameter list.
    Pack(Box<TypeName>),
}

/// Fundamental types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Named as in C++.
pub enum BuiltinType {
    Void,
    Bool,
    Int(IntType),
    Float,
    Double,
}

/// `T a = 1, *b, c[3];`: each variable with its own full type.
#[derive(Clone, Debug, PartialEq)]
pub struct VariableDeclaration {
    /// Specifiers, common to all.
    pub specifiers: Specifiers,
    /// The variables.
    pub variables: Vec<Variable>,
    /// Template parameters of a variable template.
    pub template: Vec<TemplateParameter>,
    /// Whether it was written with `template <>`.
    pub is_specialization: bool,
    /// `alignas(e)` of anything but a plain number.
    pub align: Option<Expr>,
    /// The whole.
    pub span: Span,
}

/// One variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name; empty for an unnamed bit-field and for structured bindings.
    pub name: Name,
    /// The classes before its name, of a static member defined outside its class.
    pub qualifiers: Vec<PathPart>,
    /// Arguments after its name, of a specialised variable template.
    pub arguments: Option<Vec<TemplateArgument>>,
    /// The names of `auto [a, b] = …`.
    pub bindings: Vec<Name>,
    /// Its type.
    pub ty: TypeName,
    /// Bits of a bit-field.
    pub width: Option<Expr>,
    /// How it is initialised.
    pub initializer: Option<Initializer>,
}

/// An initialiser.
#[derive(Clone, Debug, PartialEq)]
pub enum Initializer {
    /// `= e`, where `e` may be [`ExprKind::Braces`].
    Copy(Expr),
    /// `(a, b)`.
    Direct(Vec<Expr>),
    /// `{a, b}`.
    List(Vec<Expr>),
}

/// A struct, class or union.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// `struct`, `class` or `union`.
    pub is_union: bool,
    /// Template parameters.
    pub template: Vec<TemplateParameter>,
    /// Whether it was written with `template <>`, or partially specialised (arguments are on the name).
    pub is_specialization: bool,
    /// `final`: nothing is derived from it.
    pub is_final: bool,
    /// Its name; `None` for an unnamed one.
    pub name: Option<Path>,
    /// Base classes.
    pub bases: Vec<(Access, TypeName)>,
    /// Members in order; `None` for a declaration without a body.
    pub members: Option<Vec<Item>>,
    /// Who may name each of the members.
    pub access: Vec<Access>,
    /// `__align__(n)` or `alignas(n)`.
    pub align: Option<Expr>,
    /// The largest alignment of members, by `packed` or `#pragma pack`, in bytes; 0 where an attribute behind the body may
    /// change the layout.
    pub pack: Option<u32>,
    /// The whole.
    pub span: Span,
}

/// Who may name a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Everybody.
    Public,
    /// The class, what is derived from it, and its friends.
    Protected,
    /// The class and its friends.
    Private,
}

/// An enumeration.
#[derive(Clone, Debug, PartialEq)]
pub struct Enum {
    /// `enum class`.
    pub scoped: bool,
    /// Parameters of the class templates around it, if it is defined outside of them.
    pub template: Vec<TemplateParameter>,
    /// Its name.
    pub name: Option<Path>,
    /// `: type`.
    pub underlying: Option<TypeName>,
    /// Enumerators with their values.
    pub enumerators: Vec<(Name, Option<Expr>)>,
    /// The whole.
    pub span: Span,
}

/// `typedef T name;` or `using name = T;`.
#[derive(Clone, Debug, PartialEq)]
pub struct Alias {
    /// Template parameters.
    pub template: Vec<TemplateParameter>,
    /// The new name.
    pub name: Name,
    /// What it stands for.
    pub ty: TypeName,
    /// `__align__(n)` of a `typedef`, before and behind the name.
    pub align: Vec<Expr>,
    /// The whole.
    pub span: Span,
}

/// `{ … }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Statements in order.
    pub statements: Vec<Stmt>,
    /// The braces included.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Its place.
    pub span: Span,
}

/// Statements.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // Fields are named as in C++.
pub enum StmtKind {
    /// `;`.
    Empty,
    /// `e;`.
    Expr(Expr),
    /// A local declaration.
    Declaration(Box<VariableDeclaration>),
    /// A local alias.
    Alias(Box<Alias>),
    /// A local class or enum.
    Item(Box<Item>),
    /// `static_assert`.
    StaticAssert(Box<StaticAssert>),
    /// `{ … }`.
    Block(Block),
    /// `if (init; condition) then else otherwise`; `is_constexpr` for `if constexpr`.
    If {
        is_constexpr: bool,
        init: Option<Box<Stmt>>,
        condition: Condition,
        then: Box<Stmt>,
        otherwise: Option<Box<Stmt>>,
    },
    /// `while`.
    While { condition: Condition, body: Box<Stmt>, unroll: Option<Unroll> },
    /// `do … while`.
    DoWhile { body: Box<Stmt>, condition: Expr, unroll: Option<Unroll> },
    /// `for (init; condition; step)`.
    For {
        init: Option<Box<Stmt>>,
        condition: Option<Condition>,
        step: Option<Expr>,
        body: Box<Stmt>,
        unroll: Option<Unroll>,
    },
    /// `for (declaration : range)`.
    RangeFor { variable: Box<Variable>, range: Expr, body: Box<Stmt>, unroll: Option<Unroll> },
    /// `switch`.
    Switch { condition: Condition, body: Box<Stmt> },
    /// `case e:` (a statement follows as a sibling).
    Case(Expr),
    /// `default:`.
    Default,
    /// `break;`.
    Break,
    /// `continue;`.
    Continue,
    /// `return e;`.
    Return(Option<Expr>),
    /// `goto label;`.
    Goto(Name),
    /// `label:`.
    Label(Name),
    /// `asm("…" : … );`: the template text; operands as written.
    Asm(Box<Asm>),
}

/// Inline assembly.
#[derive(Clone, Debug, PartialEq)]
pub struct Asm {
    /// `volatile`.
    pub is_volatile: bool,
    /// The template.
    pub template: String,
    /// Outputs: constraint and place.
    pub outputs: Vec<(String, Expr)>,
    /// Inputs: constraint and value.
    pub inputs: Vec<(String, Expr)>,
}

/// The condition of `if`, `while`, `for`, `switch`.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// An expression.
    Expr(Expr),
    /// A declaration, as in `if (int x = f())`.
    Declaration(Box<VariableDeclaration>),
}

/// `#pragma unroll` before a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Unroll {
    /// The factor, if one was given.
    pub factor: Option<Box<Expr>>,
    /// The pragma's place.
    pub span: Span,
}

/// What a `new` makes.
#[derive(Clone, Debug, PartialEq)]
pub struct New {
    /// Where, if it says so.
    pub place: Option<Expr>,
    /// The type of the object, or of the elements of an array.
    pub ty: TypeName,
    /// Elements of an array.
    pub count: Option<Expr>,
    /// `(a, b)` or `{a, b}`.
    pub initializer: Option<Initializer>,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its place.
    pub span: Span,
}

/// Expressions.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // Fields are named as in C++.
pub enum ExprKind {
    /// An integer literal with its suffix's meaning.
    Int { value: u64, ty: IntType },
    /// A floating literal; `ty` is Float or Double.
    Float { value: f64, ty: BuiltinType },
    /// `true`, `false`.
    Bool(bool),
    /// A character literal's code and type.
    Char(u32, IntType),
    /// A string literal, escapes resolved, adjacent ones joined.
    Str(Text),
    /// A literal with the suffix of a literal operator.
    OwnLiteral(Box<OwnLiteral>),
    /// `nullptr`.
    Null,
    /// `this`.
    This,
    /// A name.
    Path(Box<Path>),
    /// `(e)`.
    Paren(Box<Expr>),
    /// `-e` and the like.
    Unary { op: UnaryOp, operand: Box<Expr> },
    /// `e++` and `e--`.
    Postfix { op: PostfixOp, operand: Box<Expr> },
    /// `a + b` and the like.
    Binary { op: BinaryOp, op_span: Span, sides: Box<[Expr; 2]> },
    /// `a = b`, `a += b` and the like; `None` for plain.
    Assign { op: Option<BinaryOp>, op_span: Span, sides: Box<[Expr; 2]> },
    /// `c ? a : b`: these three.
    Conditional(Box<[Expr; 3]>),
    /// `new T(a, b)`, `new (place) T(a, b)`, `new T[n]`.
    New(Box<New>),
    /// `delete p`, and `delete[] p`.
    Delete { is_array: bool, operand: Box<Expr> },
    /// `f(a, b)`.
    Call { callee: Box<Expr>, arguments: Vec<Expr> },
    /// `a[i]`: these two.
    Index(Box<[Expr; 2]>),
    /// `a.m` or `a->m`; `class` is the `C` of `a.C::m`.
    Member { base: Box<Expr>, arrow: bool, class: Option<Box<Path>>, member: Box<PathPart> },
    /// `a.*p` or `a->*p`.
    MemberPointer { base: Box<Expr>, arrow: bool, pointer: Box<Expr> },
    /// `__is_class(T)` and the like: traits that only a compiler can tell.
    Trait { name: Box<Name>, types: Vec<TypeName> },
    /// `noexcept(e)`.
    Noexcept(Box<Expr>),
    /// `requires (parameters) { … }`.
    Requires(Box<Requires>),
    /// `(T)e`.
    CCast { ty: Box<TypeName>, operand: Box<Expr> },
    /// `static_cast<T>(e)` and the like.
    NamedCast { cast: NamedCast, ty: Box<TypeName>, operand: Box<Expr> },
    /// `T(a, b)`.
    Construct { ty: Box<TypeName>, arguments: Vec<Expr> },
    /// `T{a, b}`.
    ConstructList { ty: Box<TypeName>, arguments: Vec<Expr> },
    /// `{a, b}` where an initialiser is expected.
    Braces(Vec<Expr>),
    /// `sizeof(T)`.
    SizeofType(Box<TypeName>),
    /// `sizeof e`.
    SizeofExpr(Box<Expr>),
    /// `sizeof...(Ts)`.
    SizeofPack(Name),
    /// `alignof(T)`.
    Alignof(Box<TypeName>),
    /// `offsetof(T, m)`: the member of an object at address 0.
    Offsetof(Box<Expr>),
    /// `[captures](parameters) { … }`.
    Lambda(Box<Lambda>),
    /// `e...`.
    PackExpansion(Box<Expr>),
    /// `.member = value` or `.member{…}` in a list.
    Designated { member: Name, value: Box<Expr> },
    /// `(pack op ... op init)`, either side may be absent.
    Fold { op: BinaryOp, left: Option<Box<Expr>>, right: Option<Box<Expr>> },
    /// Anything that could not be parsed; an error has been reported.
    Error,
}

/// `12_km`: a call of a literal operator.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnLiteral {
    /// `operator""_km`.
    pub operator: Path,
    /// The literal without its suffix.
    pub literal: Expr,
    /// How a number is spelled, without its suffix.
    pub spelling: Option<String>,
}

/// A `requires` expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Requires {
    /// What it names values of, without making them.
    pub parameters: Vec<Parameter>,
    /// All of them have to hold.
    pub requirements: Vec<Requirement>,
    /// The names in it, likewise.
    pub words: Vec<Word>,
}

/// One requirement.
#[derive(Clone, Debug, PartialEq)]
pub enum Requirement {
    /// `e;`, or `{ e } noexcept;` where `noexcept` is set: that the expression is valid.
    Expr {
        /// The expression.
        value: Expr,
        /// Whether it must not throw.
        noexcept: bool,
    },
    /// `typename T::x;`: that the type exists.
    Type(TypeName),
    /// `requires c;`, or the `-> C` of `{ e } -> C` as `C<decltype((e))>`: that the constraint is satisfied.
    Nested(Expr),
}

/// A lambda.
#[derive(Clone, Debug, PartialEq)]
pub struct Lambda {
    /// `[=]` or `[&]`.
    pub default_capture: Option<CaptureMode>,
    /// Named captures, with initialisers; `this` and `*this` are names here.
    pub captures: Vec<(CaptureMode, Name, Option<Expr>)>,
    /// A template parameter for each `auto` among the parameters.
    pub template: Vec<TemplateParameter>,
    /// Parameters; types of those of a generic lambda name its template parameters.
    pub parameters: Vec<Parameter>,
    /// `mutable`: its copies may be written.
    pub is_mutable: bool,
    /// `-> T`.
    pub result: Option<TypeName>,
    /// The body.
    pub body: Block,
    /// The names in the body and `this`, each once, in the order of the alphabet.
    pub words: Vec<Word>,
}

/// How a lambda captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureMode {
    /// A copy.
    Value,
    /// A reference.
    Reference,
}

/// Named casts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // Named as in C++.
pub enum NamedCast {
    Static,
    Reinterpret,
    Const,
    Dynamic,
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Named as in C++.
pub enum UnaryOp {
    Plus,
    Minus,
    Not,
    BitNot,
    Deref,
    AddressOf,
    PreIncrement,
    PreDecrement,
}

/// Every prefix operator with the function that a class may have for it.
const UNARY: &[(&str, UnaryOp)] = &[
    ("operator+", UnaryOp::Plus),
    ("operator-", UnaryOp::Minus),
    ("operator!", UnaryOp::Not),
    ("operator~", UnaryOp::BitNot),
    ("operator*", UnaryOp::Deref),
    ("operator&", UnaryOp::AddressOf),
    ("operator++", UnaryOp::PreIncrement),
    ("operator--", UnaryOp::PreDecrement),
];

impl UnaryOp {
    /// The operator of that spelling.
    pub(crate) fn spelled(punct: &str) -> Option<UnaryOp> {
        UNARY.iter().find(|(name, _)| &name["operator".len()..] == punct).map(|(_, op)| *op)
    }

    /// The name of the function that a class may have for it.
    pub fn function(self) -> &'static str {
        UNARY.iter().find(|(_, op)| *op == self).map_or("", |(name, _)| name)
    }
}

/// Postfix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Named as in C++.
pub enum PostfixOp {
    Increment,
    Decrement,
}

/// Binary operators; compound assignment uses the arithmetic ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Named by what they do.
pub enum BinaryOp {
    Arithmetic(operation::BinaryOp),
    Compare(CompareOp),
    ThreeWay,
    And,
    Or,
    Comma,
}

/// Every binary operator: the function that a class may have for it, and its precedence as in [expr]: higher binds tighter.
const BINARY: &[(&str, BinaryOp, u8)] = &[
    ("operator,", BinaryOp::Comma, 0),
    ("operator||", BinaryOp::Or, 1),
    ("operator&&", BinaryOp::And, 2),
    ("operator|", BinaryOp::Arithmetic(operation::BinaryOp::Or), 3),
    ("operator^", BinaryOp::Arithmetic(operation::BinaryOp::Xor), 4),
    ("operator&", BinaryOp::Arithmetic(operation::BinaryOp::And), 5),
    ("operator==", BinaryOp::EQUAL, 6),
    ("operator!=", BinaryOp::NOT_EQUAL, 6),
    ("operator<", BinaryOp::Compare(CompareOp::Lt), 7),
    ("operator>", BinaryOp::Compare(CompareOp::Gt), 7),
    ("operator<=", BinaryOp::Compare(CompareOp::Le), 7),
    ("operator>=", BinaryOp::Compare(CompareOp::Ge), 7),
    ("operator<=>", BinaryOp::ThreeWay, 8),
    ("operator<<", BinaryOp::Arithmetic(operation::BinaryOp::Shl), 9),
    ("operator>>", BinaryOp::Arithmetic(operation::BinaryOp::Shr), 9),
    ("operator+", BinaryOp::ADD, 10),
    ("operator-", BinaryOp::SUB, 10),
    ("operator*", BinaryOp::Arithmetic(operation::BinaryOp::Mul), 11),
    ("operator/", BinaryOp::Arithmetic(operation::BinaryOp::Div), 11),
    ("operator%", BinaryOp::Arithmetic(operation::BinaryOp::Rem), 11),
];

impl BinaryOp {
    /// `a + b`.
    pub const ADD: BinaryOp = BinaryOp::Arithmetic(operation::BinaryOp::Add);
    /// `a - b`.
    pub const SUB: BinaryOp = BinaryOp::Arithmetic(operation::BinaryOp::Sub);
    /// `a == b`.
    pub const EQUAL: BinaryOp = BinaryOp::Compare(CompareOp::Eq);
    /// `a != b`.
    pub const NOT_EQUAL: BinaryOp = BinaryOp::Compare(CompareOp::Ne);

    /// The operator of that spelling and its precedence; not the comma, which is elsewhere a separator.
    pub(crate) fn spelled(punct: &str) -> Option<(BinaryOp, u8)> {
        let found = BINARY[1..].iter().find(|(name, ..)| &name["operator".len()..] == punct);
        found.map(|(_, op, precedence)| (*op, *precedence))
    }

    /// The name of the function that a class may have for it.
    pub fn function(self) -> &'static str {
        BINARY.iter().find(|(_, op, _)| *op == self).map_or("", |(name, ..)| name)
    }

    /// As in a program.
    pub fn spelling(self) -> &'static str {
        self.function().trim_start_matches("operator")
    }
}
