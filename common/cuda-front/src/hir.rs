//! The typed program: what the checker proved, ready to be lowered.
//!
//! Names are resolved, overloads chosen, templates instantiated, constants folded where the language asks for a
//! constant, and every conversion is an explicit [`ExprKind::Convert`]. What is absent: syntax, scopes, templates,
//! namespaces, references (a reference is a local that stands for a place, see [`Local::is_reference`]), methods (a
//! function whose first parameter is a reference named `this`), and host code.

pub use cuda_syntax::operation::{BinaryOp, CompareOp, IntType};
use cuda_syntax::{Text, Word};
use simt_ir::{AccessOrder, AtomicOp, FenceOrder, MemoryScope, ScopedOrder};
use source::Span;
use std::sync::Arc;

/// A function in [`Program::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// A struct in [`Program::structs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StructId(pub u32);

/// A variable in [`Program::globals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GlobalId(pub u32);

/// A local of the function at hand, in [`Function::locals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(pub u32);

/// A checked file.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Structs, vector types among them, in the order they were first used.
    pub structs: Vec<Struct>,
    /// `__constant__` and `__device__` variables.
    pub globals: Vec<Global>,
    /// Kernels and the device functions they reach, each instance of a template apart.
    pub functions: Vec<Function>,
    /// The kernels, in source order.
    pub kernels: Vec<Kernel>,
    /// The files that are built-in headers: what they do is attributed to the line that calls them.
    pub headers: Vec<source::FileId>,
    /// Constants at file scope: `constexpr` or `const` variables and enumerators with a value known here.
    pub constants: Vec<NamedConstant>,
    /// What is not supported where something was only tried, such as a template that fits or not: errors may follow from it.
    pub tried: Vec<source::Diagnostic>,
    /// Where something without a meaning stands in it, or a function without a body: nothing may be made of it.
    pub unexplained: Option<source::Span>,
    /// The parts of the file that were checked, where a test asks for them.
    pub parts: Vec<source::Span>,
}

/// A kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its name with template arguments, as `tile<16, 32>`.
    pub name: String,
    /// Its function.
    pub function: FunctionId,
    /// The first argument of `__launch_bounds__`.
    pub max_threads: Option<u32>,
}

/// A constant at file scope that another program (the harness) may ask for.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedConstant {
    /// Its name, qualified with `::` where it is in a namespace or class.
    pub name: String,
    /// Its value.
    pub value: Const,
    /// Where it is declared.
    pub span: Span,
}

/// A struct, union or vector type, laid out.
#[derive(Clone, Debug)]
pub struct Struct {
    /// As C++ spells it.
    pub name: String,
    /// Fields in order; for a union all at offset 0.
    pub fields: Vec<Field>,
    /// Size in bytes, a multiple of `align`.
    pub bytes: u64,
    /// Alignment in bytes.
    pub align: u32,
    /// Whether the fields overlap.
    pub is_union: bool,
    /// A CUDA vector type (`float4`): loads and stores of a whole value are one access.
    pub is_vector: bool,
}

/// A field of a struct.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name; base classes come first, as fields of an empty name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Byte offset in the struct.
    pub offset: u64,
}

impl Field {
    /// Whether it is the memory of bit-fields, which have no fields of their own.
    pub fn is_unit(&self) -> bool {
        self.name.starts_with('#')
    }
}

/// A variable at file scope, or a `static` one in a function.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// `__constant__` (else `__device__`).
    pub is_constant: bool,
    /// The initial bytes, as long as the type, or empty for zeros.
    pub initial: Vec<u8>,
    /// Where it is declared.
    pub span: Span,
}

/// A type. References are not types here, and enumerations are their underlying integers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// No value.
    Void,
    /// `bool`.
    Bool,
    /// An integer.
    Int(IntType),
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// A pointer.
    Pointer(Arc<Pointee>),
    /// An array.
    Array(Arc<Array>),
    /// A struct, union or vector type.
    Struct(StructId),
    /// `cudaTextureObject_t`, a 64-bit handle. (To the checker it is `unsigned long long` under another name.)
    Texture,
}

impl Type {
    /// An array of so many elements.
    pub fn array(of: Type, count: u64) -> Type {
        Type::Array(Arc::new(Array { of, count }))
    }

    /// Size in bytes, among these structs; 1 for void, as pointer arithmetic on `void *` counts.
    pub(crate) fn bytes(&self, structs: &[Struct]) -> u64 {
        match self {
            Type::Void | Type::Bool => 1,
            Type::Int(int) => u64::from(int.bits() / 8),
            Type::Float => 4,
            Type::Double | Type::Pointer(_) | Type::Texture => 8,
            Type::Array(array) => array.of.bytes(structs).saturating_mul(array.count),
            Type::Struct(id) => structs.get(id.0 as usize).map_or(0, |s| s.bytes),
        }
    }
}

/// What an array is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Array {
    /// The type of each.
    pub of: Type,
    /// How many there are.
    pub count: u64,
}

/// What a pointer points to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pointee {
    /// The type; `Void` for `void *`.
    pub ty: Type,
    /// `const`.
    pub is_const: bool,
    /// `volatile`.
    pub is_volatile: bool,
}

/// A function body instance: a kernel, a device function, a method, a lambda's call.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name as messages show it.
    pub name: String,
    /// What it returns. (A returned reference is a pointer here, dereferenced by the caller.)
    pub result: Type,
    /// The locals that are parameters, in order.
    pub parameters: Vec<LocalId>,
    /// Of a kernel: the parameters' types as C++ spells them, as in `const float *`.
    pub parameter_spellings: Vec<String>,
    /// For each parameter, whether it is a pointer with `__restrict__`.
    pub restrict: Vec<bool>,
    /// All locals.
    pub locals: Vec<Local>,
    /// What it does.
    pub body: Vec<Stmt>,
    /// `__noinline__`: a hint only.
    pub noinline: bool,
    /// Whether the checker wrote it to choose among the functions that a pointer may mean: such a one is always inlined.
    pub dispatches: bool,
    /// Its name's place.
    pub span: Span,
}

/// A local variable or parameter.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name; empty for one that the checker made.
    pub name: Word,
    /// Its type; of a reference, what it refers to.
    pub ty: Type,
    /// It stands for a place that [`StmtKind::Bind`] or the call gives, and has no storage of its own.
    pub is_reference: bool,
    /// Where it lives.
    pub storage: Storage,
    /// `volatile`.
    pub is_volatile: bool,
    /// Alignment asked for by `__align__`, in bytes; 0 for the type's own.
    pub align: u32,
    /// Where it is declared.
    pub span: Span,
}

impl Local {
    /// One that the checker made.
    pub fn unnamed(ty: Type, span: Span) -> Local {
        let (name, storage) = (Word::default(), Storage::Automatic);
        Local { name, ty, is_reference: false, storage, is_volatile: false, align: 0, span }
    }
}

/// Where a local lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// The thread's own.
    Automatic,
    /// `__shared__`.
    Shared,
    /// `__shared__` outside a function: one for each kernel that uses it, directly or in functions. The local's span tells which.
    FileShared,
    /// `extern __shared__`: all of a kernel are the same memory. The type is an array of length 0.
    DynamicShared,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Its place.
    pub span: Span,
}

/// Statements.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // Fields are named as in C++.
pub enum StmtKind {
    /// Evaluates, drops the value.
    Expr(Box<Expr>),
    /// Begins a local's life: without a value it is not initialised. (Automatic locals only; shared ones are not
    /// declared by a statement.)
    Declare { local: LocalId, value: Option<Box<Expr>> },
    /// Gives each element of a local array its value, then zero for what is left: `int a[4] = {1, 2}`. Elements are
    /// leaves in memory order, each with its byte offset; what is not named is zero.
    DeclareAggregate { local: LocalId, elements: Vec<(u64, Expr)> },
    /// Makes a reference local stand for a place; the place's own subexpressions are evaluated once, here.
    Bind { local: LocalId, place: Place },
    /// A block.
    Block(Vec<Stmt>),
    /// Condition of type Bool.
    If { condition: Box<Expr>, then: Vec<Stmt>, otherwise: Vec<Stmt> },
    /// `while` (no step) and `for` (its init comes before, in a surrounding block). Condition of type Bool.
    Loop {
        condition: Option<Box<Expr>>,
        step: Option<Box<Expr>>,
        body: Vec<Stmt>,
        unroll: Option<simt_ir::UnrollHint>,
    },
    /// `do body while (condition)`.
    DoWhile { body: Vec<Stmt>, condition: Box<Expr>, unroll: Option<simt_ir::UnrollHint> },
    /// `switch`: sections in order, each falling through to the next unless it breaks.
    Switch { value: Box<Expr>, sections: Vec<Section> },
    /// Leaves the nearest loop or switch.
    Break,
    /// Continues with the nearest loop.
    Continue,
    /// A label among the statements of a block. (Only until the body is made explicit; then it is one of the next two.)
    Label(u32),
    /// A body that a [`StmtKind::Goto`] in it may leave; the label is unique in its function.
    Labelled { label: u32, body: Vec<Stmt> },
    /// Parts of a block between its labels, where a jump goes backwards: they run in order, and a [`StmtKind::Goto`] in any
    /// of them continues with the part of its label. The first has no label.
    Dispatch { parts: Vec<(Option<u32>, Vec<Stmt>)> },
    /// Leaves the body of that label, or goes to the part of that label; either is around it.
    Goto(u32),
    /// Returns; the value has the function's type.
    Return(Option<Box<Expr>>),
}

/// A part of a `switch`.
#[derive(Clone, Debug)]
pub struct Section {
    /// The `case` values that lead here, converted to the switch's type (as 64 bits, sign- or zero-extended).
    pub cases: Vec<i64>,
    /// Whether `default` leads here.
    pub is_default: bool,
    /// What it does.
    pub body: Vec<Stmt>,
}

/// A constant value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Const {
    /// `bool`.
    Bool(bool),
    /// An integer, as 64 bits, extended by its type's sign.
    Int(i64, IntType),
    /// `float`.
    Float(f32),
    /// `double`.
    Double(f64),
}

/// An expression with a value (an rvalue).
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type, decayed: never an array.
    pub ty: Type,
    /// Its place in the source.
    pub span: Span,
}

/// Expressions. Operands of arithmetic have the result's type already, unless said otherwise.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // Each variant's page says what its fields are.
pub enum ExprKind {
    /// A constant.
    Const(Const),
    /// The null pointer.
    Null,
    /// A string literal.
    Str(Text),
    /// The value at a place.
    Load(Place),
    /// The address of a place (also what an array decays to).
    AddressOf(Place),
    /// Stores and gives the stored value.
    Assign { place: Place, value: Box<Expr> },
    /// `place = (T)((C)place op value)`, the place evaluated once. Gives the new value.
    CompoundAssign { place: Place, by: Box<Update> },
    /// `p += n` on a pointer place. Gives the new value.
    PointerAssign { place: Place, by: Box<Offset> },
    /// `++`/`--`: adds `by` (1 or -1; elements for a pointer). Gives the old value if `postfix`, otherwise the new.
    Step { place: Place, by: i32, postfix: bool },
    /// `-e`, `~e`, `!e`.
    Unary { op: UnaryOp, operand: Box<Expr> },
    /// Arithmetic on two operands of the result's type (the right one of a shift has its own).
    Binary { op: BinaryOp, lhs: Box<Expr>, rhs: Box<Expr> },
    /// Comparison; operands of one type, result Bool.
    Compare { op: CompareOp, lhs: Box<Expr>, rhs: Box<Expr> },
    /// `a && b`, Bool.
    And { lhs: Box<Expr>, rhs: Box<Expr> },
    /// `a || b`, Bool.
    Or { lhs: Box<Expr>, rhs: Box<Expr> },
    /// `c ? a : b`; only one side is evaluated.
    Conditional { condition: Box<Expr>, then: Box<Expr>, otherwise: Box<Expr> },
    /// Evaluates the first for its effect, gives the second.
    Comma { first: Box<Expr>, second: Box<Expr> },
    /// Conversion of the operand to this expression's type.
    Convert { operand: Box<Expr> },
    /// The same bits as another type of equal size (`__float_as_int`, pointer casts).
    Bits { operand: Box<Expr> },
    /// `p + n` (or `p - n`): elements of the pointee; `count` is an integer.
    PointerAdd { pointer: Box<Expr>, count: Box<Expr>, negative: bool },
    /// `p - q` in elements, `long`.
    PointerDifference { lhs: Box<Expr>, rhs: Box<Expr> },
    /// A struct from its fields' values, in order.
    Struct(Vec<Expr>),
    /// A field of a struct value.
    Field { value: Box<Expr>, field: u32 },
    /// A call of a device function.
    Call { function: FunctionId, arguments: Vec<Argument> },
    /// A built-in value.
    Special(simt_ir::Special),
    /// A built-in function.
    Intrinsic { intrinsic: Intrinsic, arguments: Vec<Expr> },
}

/// What [`ExprKind::CompoundAssign`] does to its place.
#[derive(Clone, Debug)]
pub struct Update {
    /// The operation.
    pub op: BinaryOp,
    /// The type that it works on, that of `value` (shift counts keep their own type).
    pub compute: Type,
    /// The right operand.
    pub value: Expr,
}

/// By how much [`ExprKind::PointerAssign`] moves its place.
#[derive(Clone, Debug)]
pub struct Offset {
    /// Elements of the pointee, an integer.
    pub count: Expr,
    /// Whether they are subtracted.
    pub negative: bool,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub enum Argument {
    /// For a parameter by value, or a const reference to a temporary (which then is a fresh local).
    Value(Box<Expr>),
    /// For a parameter by reference.
    Place(Place),
}

/// An object in memory or in registers (an lvalue).
#[derive(Clone, Debug)]
pub struct Place {
    /// What it is.
    pub kind: PlaceKind,
    /// The type of the object; may be an array.
    pub ty: Type,
    /// Whether accesses are volatile.
    pub is_volatile: bool,
    /// Its place in the source.
    pub span: Span,
}

/// Places.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // Each variant's page says what its fields are.
pub enum PlaceKind {
    /// A local, of any storage, or a reference.
    Local(LocalId),
    /// A variable at file scope.
    Global(GlobalId),
    /// `*p`.
    Deref(Box<Expr>),
    /// `a[i]` of an array place; the index is an integer of any type. (`p[i]` is `Deref` of `PointerAdd`.)
    Index { base: Box<Place>, index: Box<Expr> },
    /// `s.f`.
    Field { base: Box<Place>, field: u32 },
    /// A fresh object that holds the value: what a const reference to a temporary binds to.
    Temporary(Box<Expr>),
    /// The place, once `first` (an assignment to it) has had its effect: `(a = b) = c`, `int &r = ++i`.
    After { first: Box<Expr>, place: Box<Place> },
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-`.
    Neg,
    /// `~`.
    BitNot,
    /// `!`, Bool.
    Not,
}

/// Built-in functions. Arguments in CUDA's order, converted to the types that the variant says.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // Each variant's page says what its fields are.
pub enum Intrinsic {
    /// A math function on the result's type (float or double).
    Math(simt_ir::MathFunction),
    /// `fma(a, b, c)`.
    Fma,
    /// `fabs`, `abs`, `llabs`: by the type.
    Abs,
    /// `min`, `max`, `fminf` …: by the type.
    Min,
    Max,
    /// `__fadd_rn`, `__fmul_rn`, `__fsub_rn` …: never contracted.
    ExactAdd,
    ExactSub,
    ExactMul,
    /// `__fdividef`, `__fdiv_rn`, `x / y`: the quotient, correctly rounded here.
    Divide,
    /// `__mulhi`, `__umulhi`, `__mul64hi` …: by the type.
    MulHigh,
    /// `__clz`, `__clzll`, `__popc`, `__popcll`, `__brev`, `__brevll`; `int` results for the first two.
    LeadingZeros,
    PopCount,
    ReverseBits,
    /// `__ffs`, `__ffsll`: 1-based index of the lowest one, 0 if none; `int`.
    FindFirstSet,
    /// The `float` of the binary16 whose bits are an `unsigned short`.
    HalfToFloat,
    /// The bits (`unsigned short`) of the binary16 nearest to a `float` or `double`.
    ToHalf,
    /// The bits (`unsigned short`) of the bfloat16 nearest to a `double`.
    ToBrain,
    /// `isnan`, `isinf`, `isfinite` on float or double; Bool.
    IsNan,
    IsInf,
    IsFinite,
    /// `__ldg(p)` and the like: loads the result's type (a scalar or vector) through the read-only path.
    ReadOnlyLoad,
    /// Loads the result's type, not weakly, from `p`.
    StrongLoad(AccessOrder),
    /// Stores not weakly: `(p, value)`, the value a scalar or vector.
    StrongStore(AccessOrder),
    /// `atomicX(p, value)`; for `CompareSwap`: `(p, compare, value)`. Signedness by the result's type.
    Atomic(Atomic, ScopedOrder),
    /// `tex1Dfetch(texture, x)`: the result's type is a scalar or vector.
    TextureElement,
    /// `tex1D(texture, x)` and the like: the coordinates of the shape, then its integer if it has one.
    TextureSample(simt_ir::TextureShape),
    /// `surf2Dread<T>(surface, x, y)` and the like, x in bytes: the result's type is a scalar or vector.
    SurfaceRead(simt_ir::TextureShape, simt_ir::BoundaryMode),
    /// `surf2Dwrite(value, surface, x, y)` and the like.
    SurfaceWrite(simt_ir::TextureShape, simt_ir::BoundaryMode),
    /// `__shfl*_sync(members, value, lane, width)`: four arguments always.
    Shuffle(simt_ir::ShuffleMode),
    /// `__ballot_sync(members, predicate)` and the like; predicate Bool.
    Vote(simt_ir::VoteMode),
    /// `__activemask()`.
    ActiveMask,
    /// `__syncthreads()`.
    Barrier,
    /// `__syncthreads_count/and/or(predicate)`; predicate Bool, result `int`.
    BarrierReduce(simt_ir::ReduceMode),
    /// `__grid_sync()`, which `sync()` of a `grid_group` calls.
    GridBarrier,
    /// `__syncwarp(members)`: one argument always.
    WarpBarrier,
    /// An operation of a whole warp on matrices; scalar operands, a scalar or vector as the result, or none.
    Matrix(simt_ir::MatrixOp),
    /// `ldmatrix`: the address of a row (a pointer) to 1, 2 or 4 `unsigned int`; of transposed matrices if true.
    LoadMatrix(bool),
    /// Begins to copy 4, 8 or 16 bytes: the destination, the source, how many bytes of it are used.
    AsyncCopy(u32),
    /// Groups of copies, and barriers; operands as [`simt_ir::AsyncOp`] says.
    Async(simt_ir::AsyncOp),
    /// The byte of the block's shared segment that a pointer means (`unsigned int`), and the pointer to such a byte.
    SharedNumber,
    SharedPointer,
    /// `__threadfence()` and the like.
    Fence(FenceOrder, MemoryScope),
    /// `clock64()`; `clock()` is converted.
    Clock,
    /// `malloc(bytes)`.
    Malloc,
    /// `free(pointer)`.
    Free,
    /// `assert(condition)`: the second argument is a `Str` with the condition's text.
    Assert,
    /// `printf(format, …)`: the first argument is a `Str`, the others are promoted.
    Print,
    /// `__trap()`.
    Trap,
    /// Stops the launch: the argument (`unsigned long`) is a function pointer that means no function.
    BadCall,
}

/// Atomic functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atomic {
    /// One that is an operation of its own.
    Is(AtomicOp),
    /// `atomicSub`.
    Sub,
    /// The minimum, signed or not as its type is.
    Min,
    /// The maximum.
    Max,
}
