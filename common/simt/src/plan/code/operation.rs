//! The operations of the flat code.

use crate::plan::code::operands::Src;
use crate::value::{Alu, Una};
use simt_ir::{CompareOp, Conversion, MathFunction, VoteMode};

/// An instruction of the flat code. `target`s are program counters.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    Alu32 {
        op: Alu,
        dst: Src,
        a: Src,
        b: Src,
    },
    Alu64 {
        op: Alu,
        dst: Src,
        a: Src,
        b: Src,
    },
    Una32 {
        op: Una,
        dst: Src,
        a: Src,
    },
    Una64 {
        op: Una,
        dst: Src,
        a: Src,
    },
    Fma32 {
        dst: Src,
        a: Src,
        b: Src,
        c: Src,
    },
    Fma64 {
        dst: Src,
        a: Src,
        b: Src,
        c: Src,
    },
    Cmp32 {
        op: CompareOp,
        float: bool,
        dst: u32,
        a: Src,
        b: Src,
    },
    Cmp64 {
        op: CompareOp,
        float: bool,
        dst: u32,
        a: Src,
        b: Src,
    },
    Sel32 {
        dst: Src,
        cond: u32,
        a: Src,
        b: Src,
    },
    Sel64 {
        dst: Src,
        cond: u32,
        a: Src,
        b: Src,
    },
    Mov32 {
        dst: Src,
        src: Src,
    },
    Mov64 {
        dst: Src,
        src: Src,
    },
    /// `dst = (a & b) ^ flip` on masks with `Mask::And`, and so on.
    Mask {
        op: MaskOp,
        dst: u32,
        a: u32,
        b: u32,
        c: u32,
    },
    MaskToI32 {
        dst: Src,
        src: u32,
    },
    Conv {
        op: Conversion,
        dst: Src,
        src: Src,
    },
    Math32 {
        function: MathFunction,
        dst: Src,
        a: Src,
        b: Src,
        c: Src,
    },
    Math64 {
        function: MathFunction,
        dst: Src,
        a: Src,
        b: Src,
        c: Src,
    },
    Offset {
        dst: Src,
        addr: u32,
    },
    ActiveMask {
        dst: Src,
    },
    /// Goes on at `to`: nobody needs what the operations before that compute.
    Skip {
        to: u32,
    },
    /// A sum of products, in place of its first operation: index into the chains.
    Chain(u32),
    /// Loads and stores of what they have loaded, in place of the first of them: index into the moves.
    Move(u32),
    /// As `Fma32`, all in the lane file.
    FmaLanes {
        dst: u32,
        a: u32,
        b: u32,
        c: u32,
    },
    /// As `Fma32` with a uniform factor.
    FmaUniform {
        dst: u32,
        a: u32,
        b: u32,
        c: u32,
    },
    Load(u32),
    /// As `Load` of one word to the lane file, by a member of a group that does not lead it.
    Fetch {
        dst: u32,
        load: u32,
        group: u32,
        distance: i32,
    },
    /// The same to the uniform file.
    FetchUniform {
        dst: u32,
        load: u32,
        group: u32,
        distance: i32,
    },
    Store(u32),
    Atomic(u32),
    Texture(u32),
    Surface(u32),
    Shuffle(u32),
    Matrix(u32),
    LoadMatrix(u32),
    AsyncCopy(u32),
    Async(u32),
    /// Waits for a phase: index into the asynchronous operations.
    Await(u32),
    Vote {
        mode: VoteMode,
        dst: Src,
        predicate: u32,
        members: Src,
    },
    Barrier(u32),
    WarpBarrier {
        members: Src,
    },
    Fence,
    Clock {
        dst: Src,
    },
    Assert {
        condition: u32,
        message: u32,
    },
    /// `declared` is a location.
    HasValue {
        condition: u32,
        declared: u32,
        stops: bool,
    },
    Print(u32),
    Trap,
    /// The address of a local array (0-based) of the innermost frame.
    FrameAddress {
        dst: Src,
        array: u32,
    },
    Call(u32),
    BadCall {
        pointer: Src,
    },
    /// The end of a function.
    Back,
    If {
        condition: u32,
        other: u32,
        target: u32,
    },
    Else {
        other: u32,
        target: u32,
    },
    EndIf {
        other: u32,
        target: u32,
    },
    LoopEnter {
        out: u32,
        again: u32,
    },
    LoopTest {
        condition: u32,
        out: u32,
        target: u32,
    },
    LoopStep {
        again: u32,
        target: u32,
    },
    LoopBack {
        target: u32,
        info: u32,
    },
    Leave {
        out: u32,
        target: u32,
    },
    ScopeEnter {
        out: u32,
    },
    Break {
        out: u32,
        target: u32,
    },
    Continue {
        again: u32,
        target: u32,
    },
    Return {
        target: u32,
    },
    Exit,
}

impl Op {
    /// Where it may go on instead of at the next instruction.
    pub(crate) fn target(mut self) -> Option<u32> {
        self.target_mut().copied()
    }

    pub(crate) fn target_mut(&mut self) -> Option<&mut u32> {
        match self {
            Op::If { target, .. }
            | Op::Else { target, .. }
            | Op::EndIf { target, .. }
            | Op::LoopTest { target, .. }
            | Op::LoopStep { target, .. }
            | Op::LoopBack { target, .. }
            | Op::Leave { target, .. }
            | Op::Break { target, .. }
            | Op::Continue { target, .. }
            | Op::Return { target } => Some(target),
            _ => None,
        }
    }

    /// Makes it go on there, if it may go on anywhere but at the next instruction.
    pub(crate) fn set_target(&mut self, to: u32) {
        self.target_mut().into_iter().for_each(|target| *target = to);
    }

    /// The register that it writes, of one that does nothing else; a mask counts as none of the uniform file.
    pub(crate) fn register(&self) -> Option<Src> {
        match *self {
            Op::Alu32 { dst, .. }
            | Op::Alu64 { dst, .. }
            | Op::Una32 { dst, .. }
            | Op::Una64 { dst, .. }
            | Op::Fma32 { dst, .. }
            | Op::Fma64 { dst, .. }
            | Op::Sel32 { dst, .. }
            | Op::Sel64 { dst, .. }
            | Op::Mov32 { dst, .. }
            | Op::Mov64 { dst, .. }
            | Op::MaskToI32 { dst, .. }
            | Op::Conv { dst, .. }
            | Op::Math32 { dst, .. }
            | Op::Math64 { dst, .. }
            | Op::Offset { dst, .. }
            | Op::ActiveMask { dst } => Some(dst),
            Op::Cmp32 { dst, .. } | Op::Cmp64 { dst, .. } | Op::Mask { dst, .. } => Some(Src::L(dst)),
            _ => None,
        }
    }

    /// Whether it may change which lanes are active, or where the warp goes on.
    pub(crate) fn is_control(&self) -> bool {
        matches!(
            self,
            Op::Barrier(_)
                | Op::Await(_)
                | Op::Call(_)
                | Op::Back
                | Op::If { .. }
                | Op::Else { .. }
                | Op::EndIf { .. }
                | Op::LoopEnter { .. }
                | Op::LoopTest { .. }
                | Op::LoopStep { .. }
                | Op::LoopBack { .. }
                | Op::Leave { .. }
                | Op::ScopeEnter { .. }
                | Op::Break { .. }
                | Op::Continue { .. }
                | Op::Return { .. }
                | Op::Exit
        )
    }
}

/// Operations on lane masks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MaskOp {
    Copy,
    Not,
    And,
    Or,
    Xor,
    Equal,
    /// `a ? b : c`.
    Select,
}
