//! The SIMT intermediate representation.
//!
//! A [`Module`] is what is left of a CUDA C++ file once its syntax is gone: kernels whose bodies are trees of
//! structured control flow over typed, mutable virtual registers. This page defines what every instruction means;
//! the front-end, the passes and the machine refer here and nowhere else.
//!
//! # Execution model
//!
//! A kernel body is run by every thread of a launch. Threads are grouped into warps of 32 lanes, in the order of
//! their linear index in the block (x fastest). The lanes of a warp run in lockstep under a mask of active lanes and
//! reconverge at the end of each [`Node`]. A register holds one value a lane; an instruction writes its destination
//! in the active lanes and leaves it unchanged in the others. Registers start as zero.
//!
//! * [`Node::If`] runs `then` with the lanes whose condition is true and `otherwise` with the rest; a side without
//!   lanes is not executed at all.
//! * [`Node::Loop`] repeats: run `header`; lanes whose `condition` is false leave the loop; run `body`; lanes that
//!   executed [`Node::Continue`] rejoin; run `step`. The loop ends when no lane is left in it.
//! * [`Node::Scope`] runs its body once; [`Node::Break`] of its label leaves it. (A `switch` and an inlined function's
//!   `return` are scopes.)
//! * [`Node::Return`] ends the thread; in a [`Function`] it ends the call, and the lanes wait at the function's end.
//!
//! # Forward progress
//!
//! A loop that [`polls`] may wait for what another thread writes. A launch in which threads wait so ends if it ends under a fair schedule:
//! each thread whose block is resident continues again and again, even if lanes of its own warp spin in such a loop (unless
//! the device runs them in strict lockstep). Blocks begin in the order of their index, each as soon as the device has room for
//! it. If no thread that is left can ever leave its loop, that is a diagnosed error. The schedule itself is that of `simt-ref`.
//!
//! # Calls
//!
//! [`InstKind::Call`] runs a function of the kernel with the lanes that are active; they all come back before the next
//! instruction, so a call reconverges as a construct does. Each call has a frame: registers that start as zero, and
//! local arrays that were never written. A function may call itself, directly or through others: the lanes of a frame have the
//! same chain of callers, and those that do not go deeper wait in the frames around. A pointer to a frame's local array
//! is good until that call ends. How deep calls may go is the launch's to say (bytes of stack a thread).
//!
//! # Undefined values
//!
//! A value is defined, or undefined because of one variable that was declared without a value. What a thread's registers start
//! with is defined; [`InstKind::Undefined`] makes a value that is not, and what is computed from it is undefined because of the
//! same variable; of several, because of the last one in [`Kernel::undefined_variables`]. That includes a
//! [`InstKind::Select`] by an undefined condition or of an undefined side that is chosen, what a shuffle reads from a lane where
//! it is undefined, and arguments and results of calls. It is defined all the same
//!
//! * where a defined operand decides alone: 0 in an `And` or `Mul` of integers, all ones in an `Or`, `false` and `true` of `Bool`;
//! * where both operands are one register: `Sub` and `Xor` of integers, and comparisons of them.
//!
//! Undefined values may be computed with, copied, and stored as a member of a structure that is stored as a whole. Any other use
//! ([`InstKind::for_each_demand`]) is diagnosed: addresses and divisors of integers stop the launch; conditions, values stored,
//! operands of atomics, what is printed and what other lanes or units get are warned of. A vector of members all of which are undefined
//! is warned of when it is stored. (In a local array it is not: a store there is a copy, as if the array were registers.) Memory knows which bytes were written, and nothing of values: what was stored counts as
//! defined. What is loaded from a local array before it was written there is undefined, because of that element, but for the
//! padding of a word of which a part was written, and for the units of bit-fields ([`ObjectPart::Bits`]); a machine may refuse such a load, and those of other memory, outright.
//!
//! # Types
//!
//! Registers hold `Bool`, 32- and 64-bit integers without sign (the operation carries it), `f32`, `f64`, and
//! pointers. There are no narrower registers: 8- and 16-bit integers live in `I32`, extended by their C++ type, and
//! narrowing is an explicit [`Conversion`]. Aggregates are taken apart by the front-end.
//!
//! # Integers
//!
//! Arithmetic wraps in two's complement. Division or remainder by zero is a diagnosed error. `MIN / -1` wraps to
//! `MIN`, and its remainder is 0. Shift counts are taken modulo nothing: a count of the width or more gives 0 (or the
//! sign, for an arithmetic shift right), as PTX defines it.
//!
//! # Floating point
//!
//! IEEE 754 round-to-nearest-even, subnormals kept, except where an operation says otherwise. `Min` and `Max` return
//! the operand that is not a NaN. A product and a sum of `Mul`, `Add` and `Sub` may be contracted to one [`InstKind::Fma`]
//! by a pass, as nvcc does by default; `MulRn`, `AddRn` and `SubRn` compute the same but are never contracted. Conversions to integer round toward zero and saturate; NaN gives 0 (PTX `cvt`).
//!
//! # Pointers
//!
//! A `Ptr` register is a 64-bit value that names a space, an allocation and a byte offset into it (see [`mod@pointer`]).
//! [`InstKind::Offset`] moves the offset only, and never to another allocation; a load, store or atomic checks it
//! against the bounds of its allocation and against the alignment of the access. The null pointer belongs to no
//! allocation. Comparison and difference of pointers act on the 64-bit value.
//!
//! # Memory order
//!
//! Loads and stores are weak, volatile, or strong with an order and a scope ([`AccessOrder`]); atomics are always strong
//! ([`ScopedOrder`]), and an atomic without `dst` is PTX's `red`. A [`InstKind::Fence`] has an order and a scope, too. They are
//! those of the PTX ISA's memory consistency model, and say which accesses of different threads are ordered; an execution itself
//! is always sequentially consistent.
//!
//! # What is deliberately absent
//!
//! Syntax, names of types, and source text: an instruction has a [`Location`], an opaque index into
//! [`Module::locations`]. Address spaces on memory instructions: the pointer says it. `goto` and irreducible flow, which
//! the front-end turns into a loop over a choice of where to continue. Calls through pointers, which are choices of calls.

#[macro_use]
mod table;

mod arithmetic;
mod asynchronous;
mod forward_flow;
mod inst;
pub mod math;
mod memory;
mod module;
mod order;
pub mod pointer;
mod polling;
mod print;
mod properties;
mod tensor;
mod text;
mod texture;
mod threads;
mod types;
mod undefined;
mod valid;
mod validate;
pub mod value;
mod visit;

pub use arithmetic::*;
pub use asynchronous::AsyncOp;
pub use forward_flow::{Facts, ForwardFlow};
pub use inst::*;
pub use memory::*;
pub use module::*;
pub use order::*;
pub use polling::polling_reads;
pub use tensor::*;
pub use texture::*;
pub use threads::*;
pub use types::*;
pub use undefined::Dependence;
pub use valid::{ModuleVersion, ValidModule};
pub use validate::*;
pub use visit::{for_each_inst, for_each_node, label_count, polls};
