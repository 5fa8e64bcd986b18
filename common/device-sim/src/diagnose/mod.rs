//! Faults of a launch as diagnostics: what happened, where, to which variable, and what to do about it.
//!
//! Codes are stable: `out-of-bounds`, `null-pointer`, `invalid-pointer`, `misaligned-access`, `write-to-constant`,
//! `division-by-zero`, `barrier-divergence`, `shared-memory-race`, `global-memory-race`, `read-only-written`, `uninitialized-read`, `uninitialized-variable`,
//! `shared-memory-limit`, `constant-memory-limit`, `block-too-large`, `grid-too-large`, `empty-launch`,
//! `cooperative-launch-too-large`, `not-cooperative`, `grid-barrier-divergence`, `cooperative-state-limit`,
//! `launch-argument`, `instruction-budget`, `deadlock`, `spin-wait`, `inactive-shuffle-lane`, `warp-members`, `shuffle-width`,
//! `part-of-warp`, `matrix-tile`, `wrong-memory`, `async-copy-size`, `async-copy-not-awaited`, `barrier-not-initialized`,
//! `barrier-count`, `barrier-never-completes`, `failed-assert`, `trap`, `invalid-texture`, `internal-error`.

mod asynchronous;
mod bounds;
mod cause;
mod limits;
mod memory;
mod sync;
#[cfg(test)]
mod tests;
mod waits;

use crate::program::Program;
use bounds::Outside;
pub(crate) use bounds::{LaunchFacts, SpentBudget};
pub(crate) use cause::Cause;
use simt::{Fault, FaultKind, LaunchFailure, Space, Target};
use simt_ir::{ArrayShape, Kernel, Location, Module, ParamKind};
use source::{Code, Diagnostic, Kind, Label, SourceMap, Span, ThreadPosition};

/// The diagnostic of a fault that stopped a launch.
fn diagnostic(program: &Program, kernel: usize, launch: Option<&LaunchFacts>, fault: &Fault) -> Diagnostic {
    case(program, kernel, launch, fault).diagnostic()
}

fn case<'a>(
    program: &'a Program,
    kernel: usize,
    launch: Option<&'a LaunchFacts>,
    fault: &'a Fault,
) -> Case<'a> {
    let sources = Some(&*program.sources);
    let entry = program.module.kernels.get(kernel);
    let (module, program) = (&*program.module, Some((program, kernel)));
    Case { program, module, kernel: entry, sources, launch, fault }
}

/// Maximum number of mistakes besides the first that are shown.
const SHOWN: usize = 7;

/// The diagnostics of a launch that failed: the first mistake, and others that were found by continuing after it. Races between the same
/// lines, as of two operands of one expression, are reported once: one barrier is missing. So is a read and a write of one element
/// in one line, as of `y[i] += x`.
pub(crate) fn mistakes(
    program: &Program,
    kernel: usize,
    launch: &LaunchFacts,
    failure: &LaunchFailure,
) -> Vec<Diagnostic> {
    let diagnostic = |fault| diagnostic(program, kernel, Some(launch), fault);
    let mut shown = vec![diagnostic(&failure.fault)];
    let lines = |diagnostic: &Diagnostic| {
        let line = |label: &Label| (label.span.file, program.sources.position(label.span).line);
        let mut lines: Vec<_> = diagnostic.labels.iter().map(line).collect();
        lines.sort();
        lines
    };
    let mut races: Vec<_> = is_race(&failure.fault).then(|| lines(&shown[0])).into_iter().collect();
    let line = |diagnostic: &Diagnostic| {
        diagnostic.span().map(|span| (span.file, program.sources.position(span).line))
    };
    let mut more = 0;
    for fault in &failure.further {
        let other = diagnostic(fault);
        let same = |d: &Diagnostic| (d.code, &d.title, line(d)) == (other.code, &other.title, line(&other));
        if shown.iter().any(same) {
            continue;
        }
        if is_race(fault) {
            let lines = lines(&other);
            if races.contains(&lines) {
                continue;
            }
            races.push(lines);
        }
        if shown.len() > SHOWN {
            more += 1;
        } else {
            shown.push(other.note("found by continuing after the first mistake"));
        }
    }
    if let (Some(last), true) = (shown.last_mut(), more > 0) {
        last.notes.push(format!("and {} more", count(more, "mistake")));
    }
    shown
}

/// Why an access is out of bounds, and how the file may name the length of what it accesses: integer parameters that have its value.
pub(crate) struct Overrun {
    pub(crate) cause: Cause,
    pub(crate) limits: Vec<String>,
    /// Those that have one less than it: each element and the next one bound a row.
    pub(crate) limits_of_rows: Vec<String>,
    /// Pairs of integer parameters whose product it is: the length of a row, and the number of rows.
    pub(crate) rows: Vec<[String; 2]>,
}

/// The cause of an access out of bounds, where it is certain.
pub(crate) fn overrun(
    program: &Program,
    kernel: usize,
    launch: &LaunchFacts,
    fault: &Fault,
) -> Option<Overrun> {
    let FaultKind::OutOfBounds { ref target, offset, bytes, access, stride } = fault.kind else {
        return None;
    };
    let outside = Outside { target, offset, bytes, access, stride };
    let case = case(program, kernel, Some(launch), fault);
    let element = i64::from(case.element_bytes(target, bytes));
    let elements = target.bytes as i64 / element;
    let cause = cause::find(&case, &outside, element)?;
    let named = |length: i64| -> Vec<String> {
        let all = launch.integers.iter().filter(|(_, value)| *value == length && length > 1);
        all.map(|(name, _)| name.clone()).collect()
    };
    let (mut limits, limits_of_rows) = (named(elements), named(elements - 1));
    // An array of the file has its length in the text.
    if case.elements(target).is_some() {
        limits.push(elements.to_string());
    }
    let pairs = launch.integers.iter().flat_map(|one| launch.integers.iter().map(move |two| [one, two]));
    let rows = pairs.filter(|[(one, width), (two, height)]| {
        one != two && *width > 1 && *height > 1 && width.checked_mul(*height) == Some(elements)
    });
    let rows = rows.map(|pair| pair.map(|(name, _)| name.clone())).collect();
    Some(Overrun { cause, limits, limits_of_rows, rows })
}

fn is_race(fault: &Fault) -> bool {
    matches!(fault.kind, FaultKind::SharedMemoryRace { .. } | FaultKind::GlobalRace { .. })
}

/// The diagnostic of a fault that did not stop it.
pub(crate) fn warning(program: &Program, kernel: usize, fault: &Fault) -> Diagnostic {
    diagnostic(program, kernel, None, fault).with_kind(Kind::Warning)
}

/// The diagnostic of a fault that a module has before any launch.
pub(crate) fn of_module(module: &Module, fault: &Fault) -> Diagnostic {
    Case { program: None, module, kernel: None, sources: None, launch: None, fault }.diagnostic()
}

/// A fault with what it refers to.
struct Case<'a> {
    /// The program and the kernel's number in it.
    program: Option<(&'a Program, usize)>,
    module: &'a Module,
    kernel: Option<&'a Kernel>,
    sources: Option<&'a SourceMap>,
    /// Of a launch that failed.
    launch: Option<&'a LaunchFacts>,
    fault: &'a Fault,
}

impl Case<'_> {
    fn diagnostic(&self) -> Diagnostic {
        match &self.fault.kind {
            &FaultKind::OutOfBounds { ref target, offset, bytes, access, stride } => {
                self.out_of_bounds(&Outside { target, offset, bytes, access, stride })
            }
            FaultKind::NullPointer { offset, access } => self.null_pointer(*offset, *access),
            FaultKind::InvalidPointer { pointer, access } => self.invalid_pointer(*pointer, *access),
            FaultKind::UseAfterFree { target, offset, access } => {
                self.use_after_free(target, *offset, *access)
            }
            FaultKind::DoubleFree { .. } => self.double_free(),
            FaultKind::InvalidFree { pointer } => self.invalid_free(*pointer),
            FaultKind::HeapSpent => self.heap_spent(),
            FaultKind::Misaligned { target, offset, bytes, access } => {
                self.misaligned(target, *offset, *bytes, *access)
            }
            FaultKind::WriteToConstant { target } => self.write_to_constant(target),
            FaultKind::UninitialisedRead { target, offset, access } => {
                self.uninitialised(target, *offset, *access)
            }
            FaultKind::NoValue { variable } => self.no_value(variable),
            FaultKind::DivisionByZero => self
                .at_thread(Code::DivisionByZero, "an integer is divided by zero", "the divisor is 0 here")
                .help("on a GPU this gives an arbitrary number without any message; check the divisor first"),
            FaultKind::BarrierDivergence { missing, exited, waiting, absent } => {
                self.barrier_divergence(*missing, *exited, *waiting, *absent)
            }
            FaultKind::GridBarrierDivergence { missing, waiting, absent } => {
                self.grid_barrier_divergence(*missing, *waiting, *absent)
            }
            FaultKind::NotCooperative => self.not_cooperative(),
            FaultKind::CooperativeTooLarge { blocks, limit } => self.cooperative_too_large(*blocks, *limit),
            FaultKind::CooperativeState { bytes, limit } => self.cooperative_state(*bytes, *limit),
            FaultKind::BarrierMismatch { thread } => self.barrier_mismatch(*thread),
            FaultKind::SharedMemoryRace { target, offset, this, previous, same_warp } => {
                self.shared_race(target, *offset, this, previous, *same_warp)
            }
            FaultKind::GlobalRace { target, offset, this, previous } => {
                self.global_race(target, *offset, this, previous)
            }
            FaultKind::RaceNote { reason, target, offset, this, previous } => {
                self.race_note(*reason, (target, *offset), this, previous)
            }
            FaultKind::RaceSearchLimit { limit } => self.race_search_limit(*limit),
            FaultKind::ReadOnlyWritten { target, offset, this, previous } => {
                self.read_only_written(target, *offset, this, previous)
            }
            FaultKind::Deadlock { spinning, place, polled, other, waiting, not_begun, limit } => {
                let blocks = (*waiting, *not_begun, *limit);
                self.deadlock((*spinning, *place), polled.as_ref(), other.as_ref(), blocks)
            }
            FaultKind::LanesApart { other } => self.lanes_apart(*other),
            FaultKind::InactiveShuffleLane { lane } => self.inactive_lane(*lane),
            FaultKind::WarpMembers { members, active } => self.warp_members(*members, *active),
            FaultKind::PartOfWarp { active, missing } => self.part_of_warp(*active, *missing),
            FaultKind::MatrixTile { problem, row, bytes } => self.matrix_tile(*problem, *row, *bytes),
            FaultKind::NotShared { target } => self.wrong_space(target, "shared"),
            FaultKind::NotGlobal { target } => self.wrong_space(target, "global"),
            FaultKind::AsyncCopySize { used, bytes } => self.copy_size(*used, *bytes),
            FaultKind::AsyncNotAwaited { target, offset, access, thread, committed, .. } => {
                self.not_awaited(target, *offset, *access, *thread, *committed)
            }
            FaultKind::AsyncSourceWritten { target, offset } => self.source_written(target, *offset),
            FaultKind::BarrierNotMade { target } => self.barrier_not_made(target),
            FaultKind::BarrierCount { count } => self.barrier_count(*count),
            FaultKind::NamedBarrier { number, count } => self.named_barrier(*number, *count),
            FaultKind::BarrierPhase { arrived, expected, same_warp } => {
                self.barrier_phase(*arrived, *expected, *same_warp)
            }
            FaultKind::ShuffleWidth { width } => self
                .at_thread(Code::ShuffleWidth, format!("a shuffle of width {width}"), "this width")
                .help("the width must be 2, 4, 8, 16 or 32"),
            FaultKind::SharedOverLimit { declared, dynamic, limit } => {
                self.shared_limit(*declared, *dynamic, *limit)
            }
            FaultKind::LocalOverLimit { bytes, limit } => self.local_limit(*bytes, *limit),
            FaultKind::ConstantOverLimit { bytes, limit } => self.constant_limit(*bytes, *limit),
            FaultKind::BlockTooLarge { threads, limit, launch_bounds } => {
                self.block_too_large(*threads, *limit, *launch_bounds)
            }
            FaultKind::GridTooLarge { axis, blocks, limit } => self.grid_too_large(*axis, *blocks, *limit),
            FaultKind::EmptyLaunch => self
                .at(Code::EmptyLaunch, "the launch has an axis of 0 blocks or threads", "this kernel")
                .help("every axis of the grid and of the block must be at least 1"),
            FaultKind::LaunchArgument { index, message } => self.launch_argument(*index, message),
            FaultKind::StackOverflow { depth, bytes, limit, chain } => {
                self.stack_overflow(*depth, *bytes, *limit, chain)
            }
            FaultKind::BadCall { pointer: 0 } => self
                .at_thread(Code::NullFunctionCall, "a call through a null function pointer", "called here")
                .help("give the pointer a function before it is called, or compare it with `nullptr` first"),
            FaultKind::BadCall { pointer } if pointer >> 63 == 1 => self
                .at_thread(
                    Code::InvalidFunctionCall,
                    "a virtual call on an object that no constructor has made in device code",
                    "called here",
                )
                .note("an object made on the host has the host's functions, and one of zeros has none")
                .help("make the object in a kernel: a local variable, or `new (place) T`"),
            FaultKind::BadCall { pointer } => self
                .at_thread(
                    Code::InvalidFunctionCall,
                    "a call through a value that is not a function pointer",
                    "called here",
                )
                .note(format!("its value is {pointer:#x}")),
            FaultKind::EffectBudget { limit } => self.effect_budget(*limit),
            FaultKind::EndlessLoop => self.endless_loop(),
            FaultKind::InstructionBudget { limit } => self.instruction_budget(*limit),
            FaultKind::Assert { message } => {
                self.at_thread(Code::FailedAssert, format!("assertion `{message}` failed"), "asserted here")
            }
            FaultKind::Trap => self.at_thread(Code::Trap, "`__trap()` stopped the kernel", "here"),
            FaultKind::InvalidTexture { handle, message } => self
                .at_thread(Code::InvalidTexture, format!("a texture cannot be read: {message}"), "this read")
                .note(format!("the texture object is {handle:#x}")),
            FaultKind::InvalidSurface { handle, message } => self
                .at_thread(Code::InvalidSurface, format!("a surface cannot be accessed: {message}"), "this access")
                .note(format!("the surface object is {handle:#x}")),
            FaultKind::SurfaceRange { message, .. } => self
                .at_thread(Code::OutOfBounds, message.clone(), "this access of a surface")
                .help("the first coordinate counts bytes, not elements: `x * sizeof(float)`")
                .help(
                    "a device stops the kernel here; `cudaBoundaryModeZero` reads zero instead, `cudaBoundaryModeClamp` the \
                     nearest",
                ),
            FaultKind::ModesDiffer { message } | FaultKind::InvalidModule { message } => self.internal(message),
        }
    }

    fn span(&self, location: Option<Location>) -> Option<Span> {
        self.module.locations.get(location?.0 as usize).copied()
    }

    /// The diagnostic with a label where the location has a place in the source.
    fn labelled(
        &self,
        diagnostic: Diagnostic,
        location: Option<Location>,
        label: impl Into<String>,
    ) -> Diagnostic {
        match self.span(location) {
            Some(span) => diagnostic.label(span, label),
            None => diagnostic,
        }
    }

    /// An error at the fault's place.
    fn at(&self, code: Code, title: impl Into<String>, label: &str) -> Diagnostic {
        self.labelled(Diagnostic::new(code, title), self.fault.location, label)
    }

    /// The same of a thread.
    fn at_thread(&self, code: Code, title: impl Into<String>, label: &str) -> Diagnostic {
        let Fault { thread, block, further, .. } = *self.fault;
        let diagnostic = self.at(code, title, label).at_thread(ThreadPosition { thread, block });
        match further {
            0 => diagnostic,
            1 => diagnostic.note("one more thread of its warp does the same"),
            n => diagnostic.note(format!("{n} more threads of its warp do the same")),
        }
    }

    fn internal(&self, message: &str) -> Diagnostic {
        let title = "a fault of the simulator, not of your program";
        Diagnostic { labels: Vec::new(), ..Diagnostic::new(Code::InternalError, title) }
            .note(message)
            .help("please report it with the kernel's text")
    }

    /// The elements of a variable of the kernel, where it is one and they are known.
    fn elements(&self, target: &Target) -> Option<&ArrayShape> {
        let (kernel, index) = (self.kernel?, target.allocation as usize);
        let (name, elements) = match target.space {
            Space::Shared => kernel.shared.get(index).map(|v| (&v.name, &v.elements))?,
            // In a function these are the function's own, and others of the same number are not meant.
            Space::Local => kernel.locals.get(index).map(|v| (&v.name, &v.elements))?,
            Space::Global | Space::Constant | Space::None => return None,
        };
        (Some(name) == target.name.as_ref() && elements.bytes > 0).then_some(elements)
    }

    /// What is at that byte of a variable, as the file writes it: `tile[3][0]`, `pairs[2].key`; an element of four bytes where nothing
    /// is known of it.
    fn element_at(&self, target: &Target, offset: i64) -> String {
        let byte = u64::try_from(offset).ok();
        let name = self.elements(target).zip(byte);
        let name = name.and_then(|(elements, byte)| elements.name_at(&memory::name(target), byte));
        name.unwrap_or_else(|| self.element(target, offset / i64::from(self.element_bytes(target, 4))))
    }

    /// An element of a variable as the file writes it: `tile[3][0]` for the element of that number.
    fn element(&self, target: &Target, number: i64) -> String {
        let name = memory::name(target);
        let dimensions = self.elements(target).map(|e| e.dimensions.as_slice());
        match (dimensions, u64::try_from(number)) {
            (Some([]), Ok(0)) => name,
            (Some([_, inner @ ..]), Ok(mut number)) if inner.iter().all(|len| *len > 0) => {
                let mut indices = Vec::new();
                for len in inner.iter().rev() {
                    indices.push(number % len);
                    number /= len;
                }
                indices.push(number);
                let indices: String = indices.iter().rev().map(|i| format!("[{i}]")).collect();
                format!("{name}{indices}")
            }
            _ => format!("{name}[{number}]"),
        }
    }

    /// Bytes of an element of a variable: as it is declared, or of a parameter's pointee, where that is known, otherwise of the
    /// access itself.
    fn element_bytes(&self, target: &Target, access: u32) -> u32 {
        if let Some(elements) = self.elements(target) {
            return elements.bytes.try_into().unwrap_or(u32::MAX);
        }
        let parameters = self.kernel.map_or(&[][..], |k| &k.params);
        let named = parameters.iter().find(|p| Some(&p.name) == target.name.as_ref());
        let is_half = named.is_some_and(|p| {
            let words =
                p.spelling.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
            let mut types =
                words.filter(|word| !["const", "volatile", "__restrict__", "restrict"].contains(word));
            types
                .next()
                .is_some_and(|word| ["half", "__half", "__nv_bfloat16", "nv_bfloat16"].contains(&word))
        });
        match named.map(|p| p.kind) {
            // In the IR it is a structure.
            _ if is_half => 2,
            Some(ParamKind::Pointer { pointee: Some(memory), .. }) => memory.bytes(),
            // A wide access is one of several 4-byte elements.
            _ if access > 8 => 4,
            _ => access.max(1),
        }
    }
}

/// `(1, 2, 0)`.
fn triple([x, y, z]: [u32; 3]) -> String {
    format!("({x}, {y}, {z})")
}

/// `1 thread`, `2 threads`.
fn count(n: u64, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
