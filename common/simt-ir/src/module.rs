//! Modules, kernels and structured control flow.

use crate::{ElementType, Inst, Label, Location, Operand, Reg, Type};
use source::Span;
use std::ops::Range;
use std::sync::Arc;

/// A compiled file.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Its kernels, in source order. Instances of a kernel template appear under names as `tile<16, 32>`.
    pub kernels: Vec<Kernel>,
    /// Its `__constant__` and `__device__` variables.
    pub globals: Vec<Global>,
    /// Source positions, which [`Location`] indexes.
    pub locations: Vec<Span>,
    /// String literals of `printf` formats and `assert` messages, without the terminating zero.
    pub strings: Vec<String>,
}

/// A variable at file scope.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its name in the source.
    pub name: String,
    /// Where it lives.
    pub space: GlobalSpace,
    /// Size in bytes.
    pub bytes: u64,
    /// Alignment in bytes, a power of two.
    pub align: u32,
    /// Initial bytes, `bytes` long, or empty for zeros.
    pub initial: Vec<u8>,
    /// Where it is declared.
    pub location: Location,
}

/// Where a [`Global`] lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GlobalSpace {
    /// `__constant__`: read-only to kernels; 64 KiB for a module.
    Constant,
    /// `__device__`: global memory.
    Device,
}

/// A kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its name; an instance of a template has its arguments in it.
    pub name: String,
    /// Parameters in order.
    pub params: Vec<Param>,
    /// The parameters as C++ declares them, in order. Where one is a structure, each of its scalars is in `params`. Only
    /// a real device needs to know; it is empty in a kernel that has no source text.
    pub arguments: Vec<ArgumentLayout>,
    /// Shared variables, at most one of them [`SharedVariable::dynamic`], which then is last in the segment.
    pub shared: Vec<SharedVariable>,
    /// Local arrays that live in memory.
    pub locals: Vec<LocalArray>,
    /// The register file: [`Reg`] indexes it.
    pub registers: Vec<Register>,
    /// What a thread runs.
    pub body: Region,
    /// The functions that it calls, directly or through one another: those that cannot be inlined.
    pub functions: Vec<Function>,
    /// `__launch_bounds__`: the most threads that a block may have.
    pub max_threads: Option<u32>,
    /// Where the kernel is declared.
    pub location: Location,
}

/// A function that threads of one kernel call. Its registers, labels and local arrays are its own; shared variables and
/// functions are the kernel's, by the same numbers.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name as messages show it.
    pub name: String,
    /// Types of its arguments.
    pub params: Vec<Type>,
    /// Types of what it gives.
    pub results: Vec<Type>,
    /// Local arrays of one frame; offsets count from the frame's start.
    pub locals: Vec<LocalArray>,
    /// The registers of one frame: [`Reg`] in the body indexes it.
    pub registers: Vec<Register>,
    /// What a call runs. [`Node::Return`] ends the call, not the thread.
    pub body: Region,
    /// Where it is declared.
    pub location: Location,
}

/// A kernel's parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Its name in the source; may be empty.
    pub name: String,
    /// Its type as C++ spells it, as in `const float *`.
    pub spelling: String,
    /// What it is.
    pub kind: ParamKind,
}

/// The memory of a parameter as C++ declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentLayout {
    /// Its `sizeof`.
    pub bytes: u64,
    /// Where in it each of its scalars lies, in the order of [`Kernel::params`]; none for an empty structure.
    pub places: Vec<Range<u64>>,
}

/// What a parameter is. A struct passed by value appears as one parameter for each scalar in it, named `p.x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// A number of that type.
    Scalar(ElementType),
    /// A pointer to global memory.
    Pointer {
        /// What it points to, if that is a scalar (or a vector of that scalar).
        pointee: Option<ElementType>,
        /// Whether the kernel may only read through it (`const T *`).
        read_only: bool,
        /// Whether the program promises that the kernel reaches the memory through no other pointer (`__restrict__`).
        restrict: bool,
    },
    /// A `cudaTextureObject_t`, an `I64` in registers.
    Texture,
}

/// A shared variable. Offsets are assigned by the front-end in source order, each aligned.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedVariable {
    /// Its name in the source.
    pub name: String,
    /// First byte in the block's segment.
    pub offset: u32,
    /// Size in bytes; 0 for a dynamic one, whose size the launch gives.
    pub bytes: u32,
    /// Whether it is `extern __shared__`.
    pub dynamic: bool,
    /// Its elements.
    pub elements: ArrayShape,
    /// Where it is declared.
    pub location: Location,
}

/// A thread's array in local memory.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalArray {
    /// Its name in the source.
    pub name: String,
    /// First byte in the thread's segment.
    pub offset: u32,
    /// Size in bytes.
    pub bytes: u32,
    /// Its elements.
    pub elements: ArrayShape,
    /// Where it is declared.
    pub location: Location,
}

/// The elements of a variable as C++ declares it; messages name them so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArrayShape {
    /// Bytes of one; 0 where there is no source text.
    pub bytes: u64,
    /// How many along each dimension, outermost first; empty if it is not an array.
    pub dimensions: Vec<u64>,
    /// Of structures: each scalar, by its first byte, as the source names it in an element: `.pos.x`, `.v[3]`.
    pub members: Vec<(u64, String)>,
}

impl ArrayShape {
    /// How the source names what is at that byte of a variable: `a[1][2].x`; `None` where nothing is known of its elements.
    pub fn name_at(&self, variable: &str, byte: u64) -> Option<String> {
        let mut rest = byte.checked_div(self.bytes)?;
        let mut indices = Vec::new();
        for (position, count) in self.dimensions.iter().enumerate().rev() {
            // The outermost one may be of unknown size.
            let count = if position == 0 { u64::MAX } else { *count };
            indices.push(rest.checked_rem(count)?);
            rest = rest.checked_div(count)?;
        }
        let within = byte % self.bytes;
        let member = self.members.iter().rev().find(|(start, _)| *start <= within);
        let indices: String = indices.iter().rev().map(|index| format!("[{index}]")).collect();
        Some(format!("{variable}{indices}{}", member.map_or("", |(_, path)| path)))
    }
}

/// A register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// What it holds.
    pub ty: Type,
    /// The source variable it stands for, shared by its copies; `None` for a temporary.
    pub name: Option<Arc<str>>,
}

/// A sequence of nodes.
pub type Region = Vec<Node>;

/// A node of structured control flow; see the crate's page for what each means.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// One instruction.
    Inst(Inst),
    /// Two-way choice on a Bool.
    If {
        /// Bool.
        condition: Operand,
        /// For lanes where it is true.
        then: Region,
        /// For the others.
        otherwise: Region,
        /// The condition's position.
        location: Location,
    },
    /// Repetition.
    Loop {
        /// Its name.
        label: Label,
        /// Runs before each test.
        header: Region,
        /// Bool; lanes where it is false leave. `None` loops until `Break`.
        condition: Option<Operand>,
        /// Runs after the test.
        body: Region,
        /// Runs after the body, also for lanes that executed `Continue`; may contain `Break` of this loop.
        step: Region,
        /// `#pragma unroll`, if there is one.
        unroll: Option<UnrollHint>,
        /// The loop's position.
        location: Location,
    },
    /// Runs once; `Break` of its label leaves it.
    Scope {
        /// Its name.
        label: Label,
        /// What runs.
        body: Region,
    },
    /// Leaves the loop or scope of that name.
    Break(Label),
    /// Continues to the `step` of the loop of that name.
    Continue(Label),
    /// Ends the thread, or in a function the call.
    Return,
}

/// What `#pragma unroll` before a loop asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnrollHint {
    /// No factor: a loop of known trip count becomes straight-line code.
    Full,
    /// So many iterations in one; 1 leaves the loop as it is.
    Factor(u32),
}

/// The regions of a node, by shared or by exclusive references.
macro_rules! regions {
    ($node:expr) => {{
        let regions = match $node {
            Node::If { then, otherwise, .. } => [Some(then), Some(otherwise), None],
            Node::Loop { header, body, step, .. } => [Some(header), Some(body), Some(step)],
            Node::Scope { body, .. } => [Some(body), None, None],
            Node::Inst(_) | Node::Break(_) | Node::Continue(_) | Node::Return => [None, None, None],
        };
        regions.into_iter().flatten()
    }};
}

impl Node {
    /// The regions inside, in textual order.
    pub fn regions(&self) -> impl Iterator<Item = &Region> {
        regions!(self)
    }

    /// As [`Node::regions`], to be changed.
    pub fn regions_mut(&mut self) -> impl Iterator<Item = &mut Region> {
        regions!(self)
    }

    /// Whether it is a jump: control never reaches what follows it.
    pub fn is_jump(&self) -> bool {
        matches!(self, Node::Break(_) | Node::Continue(_) | Node::Return)
    }
}

impl Function {
    /// Bytes of a frame's local arrays.
    pub fn local_bytes(&self) -> u32 {
        self.locals.iter().map(|v| v.offset + v.bytes).max().unwrap_or(0)
    }

    /// The function as if it were a kernel without parameters and functions, for passes and checks that look at one
    /// body with its registers and local arrays.
    pub fn as_kernel(&self, kernel: &Kernel) -> Kernel {
        Kernel {
            name: self.name.clone(),
            params: Vec::new(),
            arguments: Vec::new(),
            shared: kernel.shared.clone(),
            locals: self.locals.clone(),
            registers: self.registers.clone(),
            body: self.body.clone(),
            functions: Vec::new(),
            max_threads: None,
            location: self.location,
        }
    }
}

impl Kernel {
    /// Its own body, and then that of each function.
    pub fn bodies(&self) -> impl Iterator<Item = &Region> {
        std::iter::once(&self.body).chain(self.functions.iter().map(|function| &function.body))
    }

    /// Adds a register and gives its name in the file.
    pub fn add_register(&mut self, ty: Type, name: Option<Arc<str>>) -> Reg {
        self.registers.push(Register { ty, name });
        Reg(self.registers.len() as u32 - 1)
    }

    /// The number of the shared variable that has a byte of the segment, or otherwise of the last one before it; 0 if there is none.
    pub fn shared_at(&self, byte: u64) -> u32 {
        let before = (0..).zip(&self.shared).filter(|(_, variable)| u64::from(variable.offset) <= byte);
        before.max_by_key(|(_, variable)| variable.offset).map_or(0, |(number, _)| number)
    }

    /// Bytes of shared memory that the kernel declares, without the dynamic part.
    pub fn static_shared_bytes(&self) -> u32 {
        self.shared.iter().map(|v| v.offset + v.bytes).max().unwrap_or(0)
    }

    /// Bytes of local memory of one thread.
    pub fn local_bytes(&self) -> u32 {
        self.locals.iter().map(|v| v.offset + v.bytes).max().unwrap_or(0)
    }
}
