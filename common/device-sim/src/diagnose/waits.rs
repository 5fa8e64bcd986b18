//! Threads that wait for each other, and none can continue.

use super::memory::name;
use super::{Case, count, triple};
use simt::{PolledElement, WaitPlace, WaitingThread};
use source::{Code, Diagnostic};

impl Case<'_> {
    /// The blocks are those that wait, those that have not begun, and how many can be resident.
    pub(super) fn deadlock(
        &self,
        (spinning, place): (u32, WaitPlace),
        polled: Option<&PolledElement>,
        other: Option<&WaitingThread>,
        (waiting, not_begun, limit): (u64, u64, u64),
    ) -> Diagnostic {
        let lanes = other.is_some_and(|other| other.place == WaitPlace::Lanes);
        let title = match (not_begun, lanes, other) {
            (1.., ..) => format!(
                "a deadlock: {} wait, and {} cannot begin before one of them ends",
                count(waiting, "resident block"),
                count(not_begun, "block"),
            ),
            (0, true, _) => "a deadlock: threads wait for other threads of their own warp".into(),
            (0, false, Some(_)) => {
                "a deadlock: threads wait for each other, and none of them can continue".into()
            }
            (0, false, None) => {
                "a deadlock: threads wait for a write that no remaining thread can make".into()
            }
        };
        let who = if spinning == 1 { "1 thread waits".into() } else { format!("{spinning} threads wait") };
        let element = polled.map(|polled| self.element_at(&polled.target, polled.offset));
        let label = match (&element, place) {
            (Some(element), WaitPlace::Loop) => format!("{who} here for `{element}` to change"),
            (None, _) | (_, WaitPlace::WarpFunction) => format!("{who} here"),
            (Some(_), WaitPlace::Barrier | WaitPlace::GridBarrier | WaitPlace::Phase | WaitPlace::Lanes) => {
                format!("{who} here")
            }
        };
        let mut diagnostic = self.at_thread(Code::Deadlock, title, &label);
        if let Some(other) = other {
            diagnostic = self.other_side(diagnostic, other);
        } else {
            diagnostic = diagnostic.note("all other threads have ended");
        }
        if not_begun > 0 {
            return diagnostic
                .note(format!(
                    "the device can have {} of this size resident at once; the others begin as these end",
                    count(limit, "block")
                ))
                .help(format!("launch at most {}, and let each do more in a loop", count(limit, "block")))
                .help(
                    "or wait only for blocks that have begun: number them in the order in which they begin, with an \
                     `atomicAdd` on a counter, and wait for lower numbers",
                );
        }
        if lanes {
            return diagnostic
                .note("this device runs the lanes of a warp in lockstep, as devices before Volta do")
                .help(
                    "let one thread of the warp take the lock for all, or use an atomic operation instead",
                );
        }
        match polled {
            Some(polled) => diagnostic.help(format!(
                "which thread should write `{}`? It must reach that write before it waits itself, and must not wait \
                for these threads",
                name(&polled.target)
            )),
            None => diagnostic.help("let no thread wait for one that waits for it"),
        }
    }

    /// The other thread that waits.
    fn other_side(&self, diagnostic: Diagnostic, other: &WaitingThread) -> Diagnostic {
        let who = format!("thread {} of block {}", triple(other.thread), triple(other.block));
        let at = match other.place {
            WaitPlace::Loop => "in a loop",
            WaitPlace::Barrier => "at a barrier, which all threads of its block have to reach",
            WaitPlace::GridBarrier => "at a barrier of the grid, which all blocks have to reach",
            WaitPlace::Phase => "at a barrier in shared memory",
            WaitPlace::WarpFunction => "at a warp function, which all threads of its mask have to reach",
            WaitPlace::Lanes => "for these threads to leave the loop",
        };
        let span = self.span(self.fault.other);
        match span {
            Some(span)
                if span != self.span(self.fault.location).unwrap_or(span)
                    || other.place != WaitPlace::Loop =>
            {
                diagnostic.label(span, "another thread waits here").note(format!("{who} waits {at}"))
            }
            Some(_) | None if other.place == WaitPlace::Loop => {
                diagnostic.note(format!("{who} waits in the same loop"))
            }
            Some(_) | None => diagnostic.note(format!("{who} waits {at}")),
        }
    }

    pub(super) fn lanes_apart(&self, other: [u32; 3]) -> Diagnostic {
        let title = "a warp function whose lanes waited for each other before, and reach it with different loop \
                     counters or other values that a warp shares, is not supported by the simulator";
        let diagnostic = Diagnostic::new(Code::SpinWait, title);
        let diagnostic = self.labelled(diagnostic, self.fault.location, "lanes arrive here separately");
        diagnostic
            .note(format!("thread {} and thread {} are two of them", triple(self.fault.thread), triple(other)))
            .help("let all lanes reach the end of the loop in which they wait together, with `__syncwarp()` in it")
    }
}
