//! Launches that ask for more than the device has.

use super::{Case, count};
use simt_ir::{InstKind, Kernel, Location, Node, Operand, for_each_inst};
use source::{Code, Diagnostic};

impl Case<'_> {
    pub(super) fn shared_limit(&self, declared: u64, dynamic: u64, limit: u64) -> Diagnostic {
        let asked = declared + dynamic;
        let title = format!("a block needs {asked} bytes of shared memory, but may have only {limit}");
        let mut diagnostic = self.at(Code::SharedMemoryLimit, title, "this kernel");
        if let Some(largest) = self.kernel.and_then(|k| k.shared.iter().max_by_key(|v| v.bytes))
            && let Some(span) = self.span(Some(largest.location)).filter(|_| declared > 0)
        {
            diagnostic = diagnostic.label(span, format!("`{}` has {} bytes", largest.name, largest.bytes));
        }
        diagnostic
            .note(format!("{declared} bytes are declared, {dynamic} are dynamic"))
            .help("make the tile smaller; it must fit with its halo and padding")
    }

    pub(super) fn local_limit(&self, bytes: u64, limit: u64) -> Diagnostic {
        let title = format!("the local arrays of one thread need {bytes} bytes, but may have only {limit}");
        let mut diagnostic = self.at(Code::LocalMemoryLimit, title, "this kernel");
        if let Some(largest) = self.kernel.and_then(|k| k.locals.iter().max_by_key(|v| v.bytes))
            && let Some(span) = self.span(Some(largest.location))
        {
            diagnostic = diagnostic.label(span, format!("`{}` has {} bytes", largest.name, largest.bytes));
        }
        diagnostic.help(
            "a local array exists once per thread: use it for the data of one thread, and keep data for many threads \
             in shared or global memory",
        )
    }

    pub(super) fn constant_limit(&self, bytes: u64, limit: u64) -> Diagnostic {
        let title = format!("the file has {bytes} bytes of `__constant__` memory, but may have only {limit}");
        self.at(Code::ConstantMemoryLimit, title, "this variable is over the limit").help(
            "constant memory is for small tables that all threads read in the same way; keep large arrays in \
            global memory",
        )
    }

    pub(super) fn block_too_large(&self, threads: u64, limit: u64, launch_bounds: bool) -> Diagnostic {
        let by = if launch_bounds { "`__launch_bounds__` of the kernel allows" } else { "the device allows" };
        let title = format!("a block of {} is launched, but {by} {limit}", count(threads, "thread"));
        let smaller = "choose a smaller block: width times height times depth is what counts";
        let diagnostic = self.at(Code::BlockTooLarge, title, "this kernel").help(smaller);
        if launch_bounds {
            return diagnostic.help(
                "or put the number of threads of the largest launched block into `__launch_bounds__(…)`",
            );
        }
        diagnostic
    }

    pub(super) fn grid_too_large(&self, axis: u32, blocks: u64, limit: u64) -> Diagnostic {
        let axis = ["x", "y", "z"].get(axis as usize).copied().unwrap_or("?");
        let title =
            format!("a grid of {blocks} blocks along {axis} is launched, but only {limit} are allowed");
        self.at(Code::GridTooLarge, title, "this kernel")
            .help("put the longest dimension along x, or let each block do more")
    }

    pub(super) fn cooperative_too_large(&self, blocks: u64, limit: u64) -> Diagnostic {
        let title = format!(
            "a cooperative launch of {}, but the device can have only {limit} of them resident at once",
            count(blocks, "block")
        );
        let diagnostic = self.at(Code::CooperativeLaunchTooLarge, title, "this kernel");
        if limit == 0 {
            return diagnostic.note(
                "cooperative launches need compute capability 6.0 and a block that fits on a multiprocessor",
            );
        }
        diagnostic
            .note("`cudaLaunchCooperativeKernel` returns cudaErrorCooperativeLaunchTooLarge: blocks that wait for \
            each other must all run")
            .help("launch as many blocks as fit, and let each do more in a grid-stride loop")
            .help(source::worded(
                "how many fit: `cudaOccupancyMaxActiveBlocksPerMultiprocessor` times the multiprocessors, `cargo lab compile \
                 --block` here",
                "how many fit: `cudaOccupancyMaxActiveBlocksPerMultiprocessor` times the multiprocessors",
            ))
    }

    pub(super) fn cooperative_state(&self, bytes: u64, limit: u64) -> Diagnostic {
        let title = format!(
            "blocks that wait for each other and hold {bytes} bytes of variables while they wait are not supported by the simulator"
        );
        let diagnostic = Diagnostic::new(Code::CooperativeStateLimit, title);
        let diagnostic = self.labelled(diagnostic, self.fault.location, "this kernel");
        diagnostic
            .note(format!("registers, local and shared memory of all threads may take {limit} bytes"))
            .help("launch fewer blocks, or use smaller local arrays")
    }

    pub(super) fn launch_argument(&self, index: u32, message: &str) -> Diagnostic {
        let parameter = self.kernel.and_then(|k| k.params.get(index as usize));
        let name = parameter.map_or(String::new(), |p| format!(" (`{} {}`)", p.spelling, p.name));
        self.at(Code::LaunchArgument, format!("argument {}{name}: {message}", index + 1), "of this kernel")
    }

    pub(super) fn stack_overflow(
        &self,
        depth: u32,
        bytes: u64,
        limit: u32,
        chain: &[Location],
    ) -> Diagnostic {
        let title = format!("{depth} nested calls need {bytes} bytes of stack, but a thread has {limit}");
        let mut diagnostic = self.at_thread(Code::StackOverflow, title, "this call goes too deep");
        let mut told = vec![self.fault.location];
        for location in chain.iter().map(|l| Some(*l)).chain([self.fault.other]) {
            if !told.contains(&location)
                && let Some(span) = self.span(location)
            {
                let outermost = location == self.fault.other;
                let label = if outermost { "the outermost call" } else { "called from here" };
                diagnostic = diagnostic.label(span, label);
            }
            told.push(location);
        }
        diagnostic
            .help("does the recursion end for every thread? Each call must come closer to a case that makes no \
            further call")
            .help(source::worded(
                "a program that needs more can ask for it: `cudaDeviceSetLimit(cudaLimitStackSize, bytes)` on a \
                 device, `--stack BYTES` of `cargo lab launch` here",
                "a program that needs more can ask for it: `cudaDeviceSetLimit(cudaLimitStackSize, bytes)`",
            ))
    }

    pub(super) fn effect_budget(&self, limit: u64) -> Diagnostic {
        let title = format!("a block did not end within {limit} memory accesses and warp functions");
        self.at(Code::InstructionBudget, title, "still running here")
            .note("the limit applies to all warps of the block together, and an access by a whole warp counts once")
            .help("does the loop change what its condition tests, and in the right direction?")
            .help(source::worded(
                "if the kernel would end: let more blocks share the work; `--budget` of `cargo lab launch` sets \
                 higher limits",
                "if the kernel would end: let more blocks share the work",
            ))
    }

    /// As for a used-up budget, which this would use up.
    pub(super) fn endless_loop(&self) -> Diagnostic {
        let title = "the kernel did not end, and never will: no iteration of this loop changes what the next one depends on";
        let diagnostic = self.at(Code::InstructionBudget, title, "this loop does not end");
        let tested = self.fault.location.zip(self.program).and_then(|(location, (program, kernel))| {
            tested_by_loop(&program.unoptimised(kernel)?, location)
        });
        match tested {
            Some(LoopTest::Variables(names)) if names.len() == 1 => diagnostic.help(format!(
                "`{}` never changes in this loop, and the loop's condition tests it: does the loop change it in each \
                 iteration?",
                names[0]
            )),
            Some(LoopTest::Variables(_)) => diagnostic.help("does the loop change what its condition tests?"),
            Some(LoopTest::Memory) | None => diagnostic.help("does the loop change what its condition tests?").help(
                "if it waits for another thread: poll with a `volatile` access or an atomic operation, because the \
                 compiler may read a plain variable only once",
            ),
        }
    }

    pub(super) fn instruction_budget(&self, limit: u64) -> Diagnostic {
        let spent = self.launch.and_then(|launch| launch.budget.as_ref());
        let is_shared = spent.is_some_and(|spent| spent.is_shared);
        // At a place of its own if one block took all that was left, and otherwise at the kernel.
        let in_one_block = self.kernel.is_some_and(|kernel| self.fault.location != Some(kernel.location));
        let title = match is_shared {
            true => format!("the kernel was stopped: its launches together may cost {limit} units of work"),
            false => format!("the kernel did not end within {limit} warp instructions"),
        };
        let mut diagnostic = self.at(Code::InstructionBudget, title, "still running here");
        diagnostic = match is_shared {
            true => diagnostic.note(
                "a warp instruction is one unit; a store, an atomic, an access that is not coalesced and a library function are several",
            ),
            false => diagnostic.note(source::worded(
                "the limit applies to all warps together; `--budget` of `cargo lab launch` sets a different one",
                "the limit applies to all warps together",
            )),
        };
        if let Some(lines) = spent.and_then(|spent| self.costly_lines(&spent.lines)) {
            diagnostic = diagnostic.note(lines);
        }
        diagnostic = diagnostic
            .help("if the kernel would end, it does too much work: let the threads share it, and reuse what was loaded");
        match in_one_block && spent.is_none_or(|spent| spent.is_most) {
            true => diagnostic.help("if this loop should have ended: does it change what its condition tests, in the right direction?"),
            false => diagnostic,
        }
    }

    /// The lines that execute most warp instructions, each at least a tenth of all.
    fn costly_lines(&self, counters: &[simt::Counters]) -> Option<String> {
        let mut lines = std::collections::BTreeMap::<_, u64>::new();
        for (counters, location) in counters.iter().zip(0..) {
            if let Some(span) = self.span(Some(Location(location))) {
                let line = self.sources?.position(span).line;
                *lines.entry((span.file, line)).or_default() += counters.warp_instructions;
            }
        }
        let total: u64 = counters.iter().map(|c| c.warp_instructions).sum();
        let mut shares: Vec<_> =
            lines.into_iter().map(|((_, line), n)| (n * 100 / total.max(1), line)).collect();
        shares.sort_by_key(|(share, line)| (std::cmp::Reverse(*share), *line));
        shares.retain(|(share, _)| *share >= 10);
        shares.truncate(3);
        let named: Vec<_> = shares.iter().map(|(share, line)| format!("line {line} ({share} %)")).collect();
        let (last, others) = named.split_last()?;
        let all = if others.is_empty() { last.clone() } else { format!("{} and {last}", others.join(", ")) };
        Some(format!("most warp instructions are in {all}"))
    }
}

/// What the condition of a loop tests.
enum LoopTest {
    /// Variables of the kernel that the loop leaves as they are; nothing that is read from memory.
    Variables(Vec<String>),
    Memory,
}

/// What the innermost loop with an instruction at a location tests.
fn tested_by_loop(kernel: &Kernel, location: Location) -> Option<LoopTest> {
    let innermost = innermost_loop(&kernel.body, location)?;
    let Node::Loop { header, body, step, .. } = innermost else { return None };
    let (test, condition) = test_of(innermost)?;
    let (mut reads, mut changed) = (false, Vec::new());
    for_each_inst(test, &mut |inst| {
        reads |= matches!(inst.kind, InstKind::Load { .. } | InstKind::Atomic { .. } | InstKind::Call { .. });
    });
    if reads {
        return Some(LoopTest::Memory);
    }
    for region in [header, body, step] {
        for_each_inst(region, &mut |inst| inst.kind.for_each_def(|reg| changed.push(reg.index())));
    }
    let mut tested = vec![condition];
    for_each_inst(test, &mut |inst| inst.kind.for_each_use(|operand| tested.push(*operand)));
    let (mut names, mut is_changed) = (Vec::new(), false);
    for operand in tested {
        let Operand::Reg(reg) = operand else { continue };
        let Some(name) = kernel.registers[reg.index()].name.as_ref().map(|name| name.to_string()) else {
            continue;
        };
        is_changed |= changed.contains(&reg.index());
        if kernel.params.iter().all(|param| param.name != name) && !names.contains(&name) {
            names.push(name);
        }
    }
    // What the body reads for the condition may be waited for, too.
    Some(if is_changed { LoopTest::Memory } else { LoopTest::Variables(names) })
}

/// The instructions that compute a loop's condition, and the condition: before the body, or after it (`do … while`).
fn test_of(innermost: &Node) -> Option<(&[Node], Operand)> {
    match innermost {
        Node::Loop { header, condition: Some(condition), .. } => Some((header, *condition)),
        Node::Loop { label, step, .. } => match step.last()? {
            Node::If { condition, otherwise, .. } if matches!(&otherwise[..], [Node::Break(left)] if left == label) => {
                Some((step, *condition))
            }
            _ => None,
        },
        _ => None,
    }
}

fn innermost_loop(region: &[Node], location: Location) -> Option<&Node> {
    region.iter().find_map(|node| {
        let inner = node.regions().find_map(|inner| innermost_loop(inner, location));
        let is_around = |own: Location| {
            let mut found = own == location;
            for_each_inst(std::slice::from_ref(node), &mut |inst| found |= inst.location == location);
            found
        };
        inner.or_else(|| matches!(node, Node::Loop { location: own, .. } if is_around(*own)).then_some(node))
    })
}
