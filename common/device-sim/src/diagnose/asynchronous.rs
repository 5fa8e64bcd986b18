//! Tensor cores, asynchronous copies and the barriers that wait for them.

use super::memory::{declaration, name, noun};
use super::{Case, count, triple};
use simt::{AccessKind, Target, TileProblem};
use source::{Code, Diagnostic};

impl Case<'_> {
    pub(super) fn part_of_warp(&self, active: u32, missing: u32) -> Diagnostic {
        let title = "a warp-wide operation that only some of the warp's threads run";
        let diagnostic =
            self.at_thread(Code::PartOfWarp, title, "all lanes of the warp must run this together");
        let short = active.count_ones() + missing.count_ones() < 32;
        let diagnostic = diagnostic.note(format!(
            "{} of the warp {} here{}",
            count(u64::from(active.count_ones()), "thread"),
            if active.count_ones() == 1 { "is" } else { "are" },
            if short { "; the block's last warp is not full" } else { "" }
        ));
        diagnostic.help(if short {
            "launch blocks with a multiple of 32 threads"
        } else {
            "tensor-core operations and `bar` need the whole warp: move them out of conditions on the thread, and let the \
             condition depend only on the warp (`threadIdx.x / 32`)"
        })
    }

    pub(super) fn matrix_tile(&self, problem: TileProblem, row: u32, bytes: u32) -> Diagnostic {
        let (title, help) = match problem {
            TileProblem::Differs => (
                "the threads of a warp pass different pointers or row lengths to one load or store of a fragment".to_owned(),
                "the pointer must be that of the tile's first element, the same for the whole warp: it may depend on \
                 `threadIdx.x / 32`, but not on the lane",
            ),
            TileProblem::Pointer(past) => (
                format!("a fragment at an address that is {past} bytes past a multiple of 32"),
                "`load_matrix_sync` and `store_matrix_sync` need a tile aligned to 256 bits: declare the shared array with \
                 `__align__(32)`, and start tiles at multiples of 16 halves or 8 floats",
            ),
            TileProblem::Rows => (
                format!("a fragment with rows {row} elements of {bytes} bytes apart, which is not a multiple of 16 \
                bytes"),
                "the leading dimension must be a multiple of 8 for `half` and of 4 for `float`; pad the rows \
                accordingly",
            ),
        };
        let diagnostic = self.at_thread(Code::MatrixTile, title, "here");
        diagnostic.help(help)
    }

    pub(super) fn wrong_space(&self, target: &Target, wanted: &str) -> Diagnostic {
        let name = name(target);
        let title = format!("`{name}` is used where an address in {wanted} memory is needed");
        self.at_thread(Code::WrongMemory, title, "here").help(
            "an asynchronous copy goes from global to shared memory; `ldmatrix` and barriers work on shared memory",
        )
    }

    pub(super) fn copy_size(&self, used: u32, bytes: u32) -> Diagnostic {
        let title = format!("an asynchronous copy of {bytes} bytes that reads {used} from its source");
        self.at_thread(Code::AsyncCopySize, title, "this copy")
            .help("the source's size may be at most the copy's; the rest of the copy is filled with zeros")
    }

    pub(super) fn not_awaited(
        &self,
        target: &Target,
        offset: i64,
        access: AccessKind,
        copier: [u32; 3],
        committed: bool,
    ) -> Diagnostic {
        let name = name(target);
        let (verb, own) = (noun(access), self.fault.thread == copier);
        let what = match access {
            AccessKind::Load => "is read",
            AccessKind::Store | AccessKind::Atomic => "is written",
        };
        let title = format!(
            "`{}` {what} while an asynchronous copy to it is in flight",
            self.element_at(target, offset)
        );
        let mut diagnostic = self.at_thread(Code::AsyncCopyNotAwaited, title, &format!("this {verb}"));
        if let Some(span) = self.span(self.fault.other) {
            let by = if own { "the same thread".to_owned() } else { format!("thread {}", triple(copier)) };
            diagnostic = diagnostic
                .label(span, "the copy begins here")
                .note(format!("the copy is by {by}, and nothing waited for it"));
        }
        diagnostic =
            self.labelled(diagnostic, declaration(self, target), format!("`{name}` is declared here"));
        diagnostic.help(match (committed, own) {
            (false, _) => {
                "the copy is not in a group yet: commit it (`__pipeline_commit()`, `cp.async.commit_group`, \
                 `producer_commit()`), and then wait for the group"
            }
            (true, true) => {
                "wait for the copy before its data is used: `__pipeline_wait_prior(n)`, `cp.async.wait_group n` or \
                 `consumer_wait()`, where `n` is the number of later groups that may still be in flight"
            }
            (true, false) => {
                "the copying thread must wait for its copy, and then a block barrier makes the data visible to the \
                 others: wait, `__syncthreads()`, read"
            }
        })
    }

    pub(super) fn source_written(&self, target: &Target, offset: i64) -> Diagnostic {
        let title = format!(
            "`{}` is written while an asynchronous copy from it is in flight",
            self.element_at(target, offset)
        );
        let mut diagnostic = self.at_thread(Code::AsyncCopyNotAwaited, title, "this write");
        diagnostic = self.labelled(diagnostic, self.fault.other, "the copy begins here");
        diagnostic.help("wait for the copy before changing its source")
    }

    pub(super) fn barrier_not_made(&self, target: &Target) -> Diagnostic {
        let name = name(target);
        let title = format!("`{name}` is used as a barrier, but was never initialised as one");
        self.at_thread(Code::BarrierNotInitialized, title, "here").help(
            "let one thread call `init(&barrier, count)`, then let all threads pass a `__syncthreads()`",
        )
    }

    pub(super) fn barrier_count(&self, number: u32) -> Diagnostic {
        let title = format!("a barrier cannot have {} here", count(u64::from(number), "arrival"));
        self.at_thread(Code::BarrierCount, title, "here").help(
            "`init` takes the number of threads that arrive in each phase, at least 1; no more than that may arrive \
            in one phase",
        )
    }

    pub(super) fn named_barrier(&self, number: u64, threads: u32) -> Diagnostic {
        let title = format!("barrier {number} cannot wait for {} here", count(u64::from(threads), "thread"));
        self.at_thread(Code::BarrierCount, title, "here").help(
            "`bar` takes the number of one of the block's 16 barriers (0 to 15), and how many threads it waits for: a \
            multiple of 32 up to 1024, the same in all threads of a warp, and in all warps that meet there",
        )
    }

    pub(super) fn barrier_phase(&self, arrived: u32, expected: u32, same_warp: bool) -> Diagnostic {
        if same_warp {
            let title = "threads that wait at a barrier for other threads of their own warp are not supported by the simulator";
            let diagnostic = Diagnostic::new(Code::SpinWait, title);
            let diagnostic = self.labelled(diagnostic, self.fault.location, "this wait does not end");
            return diagnostic
                .note(format!("{arrived} of {expected} arrivals so far"))
                .help("let whole warps wait, or let all threads of the warp arrive first");
        }
        let title = "threads wait at a barrier at which too few threads arrive";
        let mut diagnostic = self.at_thread(Code::BarrierNeverCompletes, title, "this wait does not end");
        diagnostic = self.labelled(diagnostic, self.fault.other, "other threads of the block wait here");
        diagnostic
            .note(format!("{arrived} of {expected} arrivals so far; no thread of the block can continue"))
            .help(
                "`init` the barrier with the number of threads that arrive in each phase, and let all of them arrive; \
                `bar` says that number with each call",
            )
    }
}
