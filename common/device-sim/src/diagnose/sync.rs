//! Barriers, races, and functions of a warp.

use super::memory::{declaration, name, noun};
use super::{Case, count, triple};
use simt::{AccessKind, NoteReason, RacingAccess, SearchLimit, Target};
use simt_ir::{AtomicOp, InstKind, Kernel, for_each_inst};
use source::{Code, Diagnostic, Race, RaceAccess, RaceKind, ThreadPosition};

impl Case<'_> {
    pub(super) fn barrier_divergence(
        &self,
        missing: [u32; 3],
        exited: bool,
        waiting: u32,
        absent: u32,
    ) -> Diagnostic {
        let title = "a barrier that not all threads of the block reach";
        let waits = format!("{} here", if waiting == 1 { "1 thread waits" } else { "threads wait" });
        let mut diagnostic = self.at_thread(Code::BarrierDivergence, title, &waits);
        diagnostic = self.labelled(diagnostic, self.fault.other, "threads diverge here");
        let returned = self.fault.other.is_some();
        let why = match (exited, returned) {
            (true, true) => "has already returned",
            (true, false) => "has reached the end of the kernel",
            (false, _) => "is elsewhere",
        };
        diagnostic
            .note(format!(
                "{} of the block {} at the barrier, {} not; thread {} {why}",
                count(u64::from(waiting), "thread"),
                if waiting == 1 { "waits" } else { "wait" },
                if absent == 1 { "1 does".to_owned() } else { format!("{absent} do") },
                triple(missing)
            ))
            .note(
                "all threads of the block must reach a `__syncthreads()`, including threads that have nothing to do",
            )
    }

    pub(super) fn grid_barrier_divergence(&self, missing: [u32; 3], waiting: u32, absent: u32) -> Diagnostic {
        let title = "a barrier of the grid that not all blocks reach";
        self.at_thread(Code::GridBarrierDivergence, title, "blocks wait here")
            .note(format!(
                "{} at the barrier, and {} ended without it; block {} is one of those",
                if waiting == 1 { "1 block waits".into() } else { format!("{waiting} blocks wait") },
                if absent == 1 { "1 has".into() } else { format!("{absent} have") },
                triple(missing)
            ))
            .note("every thread of the launch must reach `grid.sync()` the same number of times")
    }

    pub(super) fn not_cooperative(&self) -> Diagnostic {
        let title = "a barrier of the grid in a launch that is not cooperative";
        self.at_thread(Code::NotCooperative, title, "this barrier")
            .note("blocks of such a launch are not guaranteed to run at the same time, so they cannot wait for each \
            other")
            .help(source::worded(
                "launch with `cudaLaunchCooperativeKernel`; here, `cargo lab launch --cooperative`",
                "launch with `cudaLaunchCooperativeKernel`; here, with a cooperative launch line",
            ))
            .help("`is_valid()` of the group tells a kernel how it was launched")
    }

    pub(super) fn barrier_mismatch(&self, thread: [u32; 3]) -> Diagnostic {
        let title = "threads of one block wait at different barriers";
        let mut diagnostic = self.at_thread(Code::BarrierDivergence, title, "some wait here");
        diagnostic = self.labelled(diagnostic, self.fault.other, "others wait here");
        diagnostic
            .note(format!("thread {} waits at the other barrier", triple(thread)))
            .note("every thread of the block must reach the same `__syncthreads()`")
    }

    pub(super) fn shared_race(
        &self,
        target: &Target,
        offset: i64,
        this: &RacingAccess,
        previous: &RacingAccess,
        same_warp: bool,
    ) -> Diagnostic {
        let name = name(target);
        let title = format!(
            "two threads use `{}` with no barrier between them, and {}",
            self.element_at(target, offset),
            if both_write(this, previous) { "both write" } else { "one of them writes" }
        );
        let mut diagnostic = self.race(Code::SharedMemoryRace, title, this, previous);
        diagnostic =
            self.labelled(diagnostic, declaration(self, target), format!("`{name}` is declared here"));
        let element = self.element_at(target, offset);
        let diagnostic = diagnostic.with_race(self.race_of(element, this, previous));
        match same_warp && !both_write(this, previous) {
            true => diagnostic.note(
                "the threads of one warp need a barrier, too, because they are not guaranteed to run in lockstep",
            ),
            false => diagnostic,
        }
    }

    /// A race as data.
    fn race_of(&self, element: String, this: &RacingAccess, previous: &RacingAccess) -> Race {
        let access = |access: &RacingAccess| RaceAccess {
            span: self.span(access.location),
            kind: match access.kind {
                AccessKind::Load => RaceKind::Read,
                AccessKind::Store => RaceKind::Write,
                AccessKind::Atomic => RaceKind::Atomic,
            },
            at: ThreadPosition { thread: access.thread, block: access.block },
        };
        Race { element, accesses: [access(previous), access(this)] }
    }

    pub(super) fn global_race(
        &self,
        target: &Target,
        offset: i64,
        this: &RacingAccess,
        previous: &RacingAccess,
    ) -> Diagnostic {
        let one_block = this.block == previous.block;
        let element = self.element_at(target, offset);
        let who = match one_block {
            true => format!("two threads of a block use `{element}` with no barrier between them"),
            false => format!("two blocks use `{element}` in one launch"),
        };
        let both_write = both_write(this, previous);
        let what = if both_write { "both write" } else { "one of them writes" };
        let diagnostic = self.race(Code::GlobalMemoryRace, format!("{who}, and {what}"), this, previous);
        let diagnostic = diagnostic.with_race(self.race_of(element, this, previous));
        let diagnostic = diagnostic.note(match one_block {
            true => "threads run in any order, even those of one warp, unless something orders them",
            false => {
                "blocks run in any order, and at the same time: in one launch, nothing makes a block wait for \
                 another's plain stores"
            }
        });
        match both_write {
            true => diagnostic.help(
                "does each thread write its own elements: does the index use the right row length, row and column in \
                 order, `<` against each size, and `blockIdx`?",
            ),
            false => diagnostic,
        }
    }

    /// What is not an error, though PTX calls it a race.
    pub(super) fn race_note(
        &self,
        reason: NoteReason,
        (target, offset): (&Target, i64),
        this: &RacingAccess,
        previous: &RacingAccess,
    ) -> Diagnostic {
        let element = self.element_at(target, offset);
        let told = |code, title| self.race_labels(Diagnostic::new(code, title), this, previous);
        match reason {
            NoteReason::SameValue => {
                told(Code::SameValue, format!("several threads store the same value to `{element}`"))
                    .note("no result depends on which store is last, but the language calls it a data race")
                    .help("let one thread store it, if one is enough; or use an atomic operation")
            }
            NoteReason::CasGuess => {
                let title = format!("`{element}` is read plainly while other threads change it by atomics");
                told(Code::CasGuess, title)
                    .note("the `atomicCAS` that follows checks the value, so a stale one only costs another iteration")
                    .help("read it as `volatile`, or by an atomic load")
            }
            NoteReason::MissingAcquire => {
                let title = format!(
                    "there is no fence between the read of the flag or counter and the use of `{element}`"
                );
                told(Code::MissingAcquire, title)
                    .note("the thread that wrote it has fenced, but the reader may still see the old value")
                    .help(
                        "put `__threadfence()` after the read of the flag or counter (`__threadfence_block()` is enough \
                         within a block)",
                    )
            }
            NoteReason::MixedSizes => {
                let title = format!("atomic operations of different sizes share bytes of `{element}`");
                told(Code::MixedSizeAtomics, title).help("use operations of one size for each element")
            }
        }
    }

    /// An access was not compared with all before it.
    pub(super) fn race_search_limit(&self, limit: SearchLimit) -> Diagnostic {
        let why = match limit {
            SearchLimit::Elements => "the launch accesses too many elements for a record of each",
            SearchLimit::Accesses => "too many accesses to this element are ordered by nothing",
        };
        let title = "an access was not compared with all accesses before it";
        self.at(Code::RaceSearchLimit, title, "the first such access")
            .note(why)
            .help("run it with fewer threads or on a smaller input, where the search is complete")
    }

    pub(super) fn read_only_written(
        &self,
        target: &Target,
        offset: i64,
        this: &RacingAccess,
        previous: &RacingAccess,
    ) -> Diagnostic {
        let element = self.element_at(target, offset);
        let title =
            format!("`{element}` is read through the read-only cache, and written in the same launch");
        self.race(Code::ReadOnlyWritten, title, this, previous)
            .note("the read-only cache may keep the value from before the launch, even if the two accesses are ordered")
            .help("read it without `__ldg`, or write to a different array")
    }

    /// Both accesses, the later one first.
    fn race(&self, code: Code, title: String, this: &RacingAccess, previous: &RacingAccess) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(code, title);
        if self.kernel.is_some_and(has_fence_or_swap) {
            diagnostic = diagnostic.help(
                "a flag or a lock orders threads only with a fence on both sides, and an atomic or volatile access of it: \
                 `__threadfence()` before it is set, and again after it is seen to be set (`__threadfence_block()` is enough \
                 within a block)",
            );
        }
        self.race_labels(diagnostic, this, previous)
    }

    /// Labels both accesses. The labels are short: the notes name the threads.
    fn race_labels(
        &self,
        mut diagnostic: Diagnostic,
        this: &RacingAccess,
        previous: &RacingAccess,
    ) -> Diagnostic {
        let (own, earlier) = (noun(this.kind), noun(previous.kind));
        match (self.span(this.location), self.span(previous.location)) {
            (Some(a), Some(b)) if a == b => {
                diagnostic = diagnostic.label(a, format!("{own} after an earlier {earlier}"));
            }
            (a, b) => {
                for (span, label) in [(a, own.to_owned()), (b, format!("earlier {earlier}"))] {
                    if let Some(span) = span {
                        diagnostic = diagnostic.label(span, label);
                    }
                }
            }
        }
        let (thread, block) = (triple(previous.thread), triple(previous.block));
        diagnostic
            .note(format!("the earlier {earlier} is by thread {thread} of block {block}"))
            .at_thread(ThreadPosition { thread: this.thread, block: this.block })
    }

    pub(super) fn inactive_lane(&self, lane: u32) -> Diagnostic {
        let title = format!("a shuffle reads from lane {lane}, which does not take part");
        self.at_thread(Code::InactiveShuffleLane, title, "this shuffle")
            .help("all lanes that are read must run the same shuffle: move it out of the condition")
    }

    pub(super) fn warp_members(&self, members: u32, active: u32) -> Diagnostic {
        let title = "the member mask of a warp function does not match the threads that run it";
        self.at_thread(Code::WarpMembers, title, "this call")
            .note(format!("the mask is {members:#010x}; the active lanes are {active:#010x}"))
            .help("every lane of the mask must run the call, and every lane that runs it must be in the mask")
    }
}

fn both_write(this: &RacingAccess, previous: &RacingAccess) -> bool {
    this.kind != AccessKind::Load && previous.kind != AccessKind::Load
}

/// Whether a kernel has what flags and locks are made of.
fn has_fence_or_swap(kernel: &Kernel) -> bool {
    let mut found = false;
    for_each_inst(&kernel.body, &mut |inst| {
        found |=
            matches!(inst.kind, InstKind::Fence { .. } | InstKind::Atomic { op: AtomicOp::CompareSwap, .. });
    });
    found
}
