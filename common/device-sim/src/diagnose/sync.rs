//! Barriers, races, and functions of a warp.

use super::cure::{Missing, Pair};
use super::memory::{declaration, name, noun};
use super::{Case, count, triple};
use simt::{AccessKind, NoteReason, RacingAccess, SearchLimit, Target};
use simt_ir::{AtomicOp, InstKind, Kernel, for_each_inst};
use source::{Code, Diagnostic, MissingBarrier, Race, RaceAccess, RaceKind, SourceMap, Span, ThreadPosition};

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
            .help(if exited && returned {
                "do not `return` before a `__syncthreads()`: let every thread reach it, and guard only the accesses, as in \
                 `if (i < n)`"
            } else {
                "move `__syncthreads()` out of the condition or loop that not every thread of the block runs"
            })
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
            .help(
                "let every thread of the launch reach `grid.sync()` the same number of times: guard only the \
            accesses, as in `if (i < n)`",
            )
    }

    pub(super) fn not_cooperative(&self) -> Diagnostic {
        let title = "a barrier of the grid in a launch that is not cooperative";
        self.at_thread(Code::NotCooperative, title, "this barrier")
            .note("blocks of such a launch are not guaranteed to run at the same time, so they cannot wait for each \
            other")
            .help("launch with `cudaLaunchCooperativeKernel`; here, `cargo lab launch --cooperative`")
            .help("`is_valid()` of the group tells a kernel how it was launched")
    }

    pub(super) fn barrier_mismatch(&self, thread: [u32; 3]) -> Diagnostic {
        let title = "threads of one block wait at different barriers";
        let mut diagnostic = self.at_thread(Code::BarrierDivergence, title, "some wait here");
        diagnostic =
            self.labelled(diagnostic, self.fault.other, format!("thread {} waits here", triple(thread)));
        diagnostic.help(
            "every thread of the block must reach the same `__syncthreads()`: move it out of the branches",
        )
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
        let BarrierCure { text, barrier, is_next } = self.barrier_cure(this, previous, same_warp);
        let element = self.element_at(target, offset);
        let diagnostic = diagnostic.with_race(self.race_of(element, (this, previous), barrier, is_next));
        let diagnostic = text.into_iter().fold(diagnostic, Diagnostic::help);
        if !same_warp || both_write(this, previous) || self.update_of(this, previous) != Update::No {
            return diagnostic;
        }
        diagnostic.help(
            "the threads of one warp need a barrier, too, because they are not guaranteed to run in lockstep; \
             `__syncwarp()` is enough if only threads of one warp share these elements",
        )
    }

    /// A race as data; `is_next` is whether each of the two, the later one first, is of a later iteration than the other.
    fn race_of(
        &self,
        element: String,
        (this, previous): (&RacingAccess, &RacingAccess),
        barrier: MissingBarrier,
        [this_next, previous_next]: [bool; 2],
    ) -> Race {
        let access = |access: &RacingAccess, is_of_next_iteration| RaceAccess {
            span: self.span(access.location),
            kind: match access.kind {
                AccessKind::Load => RaceKind::Read,
                AccessKind::Store => RaceKind::Write,
                AccessKind::Atomic => RaceKind::Atomic,
            },
            at: ThreadPosition { thread: access.thread, block: access.block },
            is_of_next_iteration,
        };
        let accesses = [access(previous, previous_next), access(this, this_next)];
        Race { element, accesses, barrier }
    }

    /// What orders two accesses of threads of one block.
    fn barrier_cure(&self, this: &RacingAccess, previous: &RacingAccess, same_warp: bool) -> BarrierCure {
        let unknown = |text: Option<&str>| BarrierCure {
            text: text.map(str::to_owned),
            barrier: MissingBarrier::Unknown,
            is_next: [false; 2],
        };
        let both_write = both_write(this, previous);
        let own = both_write.then_some("give every thread its own element to write");
        match self.update_of(this, previous) {
            Update::Yes => {
                return unknown(Some(
                    "several threads read this element, change the value and write it back, so updates are lost: use an \
                     atomic operation, such as `atomicAdd`",
                ));
            }
            Update::Perhaps => return unknown(None),
            Update::No => {}
        }
        let line = |access: &RacingAccess| {
            let (sources, span) = self.sources.zip(self.span(access.location))?;
            Some((span.file, sources.position(span).line))
        };
        let (Some(kernel), Some(here), Some(there)) = (self.kernel, line(this), line(previous)) else {
            return unknown(own);
        };
        let one_line = here == there;
        let start = |access: &RacingAccess| self.span(access.location).map(|span| (span.file, span.start));
        let in_order = start(this) < start(previous);
        let (first, second) = if in_order { (this, previous) } else { (previous, this) };
        let [Some(first), Some(second)] = [first.location, second.location] else { return unknown(own) };
        let missing = Pair { first, second, one_line, one_warp: same_warp }.missing(kernel);
        let spans = self.span(Some(first)).zip(self.span(Some(second)));
        let body = self.sources.zip(spans).and_then(|(sources, spans)| loop_around(sources, spans));
        let leaves = |word| body.is_some_and(|body| body.contains(word));
        // In the code, a `continue` may be a condition around the rest of the body.
        let missing = match missing {
            Missing::InLoop { at_end, has_other } => {
                Missing::InLoop { at_end: at_end && !leaves("continue"), has_other }
            }
            Missing::InUnrolledLoop { has_other } if body.is_some() && !leaves("break") => {
                Missing::InLoop { at_end: !leaves("continue"), has_other }
            }
            other => other,
        };
        match (missing, both_write) {
            (Missing::Before(statement), _) => {
                let from = here.1.min(there.1);
                let statement = self.sources.zip(self.span(Some(statement)));
                let to = statement.and_then(|(sources, span)| first_line(sources, span, from));
                let Some(to) = to.filter(|_| here.0 == there.0) else { return unknown(own) };
                let why = match (both_write, previous.kind) {
                    (true, _) => "; or give every thread its own element to write",
                    (false, AccessKind::Load) => ", so that every thread has read before any thread writes",
                    (false, AccessKind::Store | AccessKind::Atomic) => {
                        ", so that every write finishes before the first read"
                    }
                };
                BarrierCure {
                    text: Some(format!("put `__syncthreads()` before line {to}{why}")),
                    barrier: MissingBarrier::Between { after: from, before: to },
                    is_next: [false; 2],
                }
            }
            (Missing::InLoop { .. }, true) if one_line => unknown(own),
            (Missing::InLoop { at_end, has_other }, _) => {
                let (place, barrier) = match at_end {
                    true => ("end", MissingBarrier::LoopEnd),
                    false => ("start", MissingBarrier::LoopStart),
                };
                let why = match has_other {
                    true => {
                        ", too: the barrier between the two lines does not keep a thread from starting the next \
                         iteration of the loop while others are still in this one"
                    }
                    false => {
                        ", so that no thread starts the next iteration of the loop while others are still in this one"
                    }
                };
                // With a barrier between the two lines, the one that comes first in the code is of the later iteration.
                let is_next = if has_other { [in_order, !in_order] } else { [false; 2] };
                let text = Some(format!("put `__syncthreads()` at the {place} of the loop's body{why}"));
                BarrierCure { text, barrier, is_next }
            }
            (Missing::Unknown | Missing::InUnrolledLoop { .. }, false) if one_line => unknown(Some(
                "read into a variable first; then let all threads of the block reach a `__syncthreads()`; then write",
            )),
            (Missing::Unknown | Missing::InUnrolledLoop { .. }, _) => unknown(own),
        }
    }

    /// Whether two accesses are of updates of one element, such as `x += v` or `x = max(x, v)`: one reads what the other one writes, by the
    /// same expression. With a barrier between read and write, updates would be lost all the same.
    fn update_of(&self, this: &RacingAccess, previous: &RacingAccess) -> Update {
        let spans = [this, previous].map(|access| self.span(access.location));
        let (Some(sources), [Some(this_span), Some(previous_span)]) = (self.sources, spans) else {
            return Update::No;
        };
        let (read, write) = match (this.kind, previous.kind) {
            (AccessKind::Load, AccessKind::Store) => (this_span, previous_span),
            (AccessKind::Store, AccessKind::Load) | (AccessKind::Store, AccessKind::Store) => {
                (previous_span, this_span)
            }
            _ => return Update::No,
        };
        let text = |span| sources.text(span).split_whitespace().collect::<String>();
        let (read_text, write_text) = (text(read), text(write));
        if read.file != write.file || target_of(&read_text) != target_of(&write_text) {
            return Update::No;
        }
        let all = Span::new(read.file, read.start.min(write.start), read.end.max(write.end));
        let is_one_statement = !sources.text(all).contains(';');
        match (is_one_statement, this.kind == previous.kind) {
            // Of a plain store, both are the same text, too.
            (true, true) if !is_compound(&write_text) => Update::No,
            (true, _) => Update::Yes,
            (false, false) if read.start < write.start => Update::Perhaps,
            (false, _) => Update::No,
        }
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
        let (what, advice) = match (both_write(this, previous), one_block) {
            (true, _) => (
                "both write",
                "does each thread write its own elements: does the index use the right row length, row and column in \
                 order, `<` against each size, and `blockIdx`?",
            ),
            (false, true) => (
                "one of them writes",
                "let each thread write its own elements, and where possible to a different array than the one that is \
                 read; or use atomics for all accesses",
            ),
            (false, false) => (
                "one of them writes",
                "let only one block write each element, and write to a different array than the one that is read; or \
                 use atomics; within one launch nothing makes a block wait for another's plain stores",
            ),
        };
        let diagnostic = self.race(Code::GlobalMemoryRace, format!("{who}, and {what}"), this, previous);
        let race = |barrier, is_next| self.race_of(element.clone(), (this, previous), barrier, is_next);
        if one_block {
            let BarrierCure { text, barrier, is_next } = self.barrier_cure(this, previous, false);
            let diagnostic = diagnostic
                .with_race(race(barrier, is_next))
                .note("threads run in any order, even those of one warp, unless something orders them")
                .help(advice);
            // A barrier orders the threads of a block, and no others.
            let alone = self.launch.is_none_or(|launch| launch.blocks == 1);
            return match text {
                Some(text) if alone => diagnostic.help(format!("or {text}")),
                _ => diagnostic,
            };
        }
        let diagnostic = diagnostic.with_race(race(MissingBarrier::None, [false; 2]));
        let diagnostic = match this.thread == previous.thread {
            true => diagnostic.help(format!(
                "both are thread {} of their block: is `blockIdx` missing from the index?",
                triple(this.thread)
            )),
            false => diagnostic,
        };
        diagnostic.note("blocks run in any order, and at the same time").help(advice)
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
            .note("the read-only cache may keep the value from before the launch, whatever orders the two accesses")
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

    /// Labels both accesses.
    fn race_labels(
        &self,
        mut diagnostic: Diagnostic,
        this: &RacingAccess,
        previous: &RacingAccess,
    ) -> Diagnostic {
        let text = |access: &RacingAccess| {
            let (thread, block) = (triple(access.thread), triple(access.block));
            format!("{} by thread {thread} of block {block}", noun(access.kind))
        };
        let spans = (self.span(this.location), self.span(previous.location));
        match spans {
            (Some(a), Some(b)) if a == b => {
                diagnostic = diagnostic.label(a, format!("{}, after a {}", text(this), text(previous)));
            }
            (a, b) => {
                for (span, access) in [(a, this), (b, previous)] {
                    if let Some(span) = span {
                        diagnostic = diagnostic.label(span, text(access));
                    }
                }
            }
        }
        diagnostic.at_thread(ThreadPosition { thread: this.thread, block: this.block })
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

/// Advice for two accesses of one block that nothing orders.
struct BarrierCure {
    /// Nothing where no advice is certain to help.
    text: Option<String>,
    barrier: MissingBarrier,
    /// Whether each access, the later one first, is of a later iteration of the loop than the other.
    is_next: [bool; 2],
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

/// What the text of an assignment, or of `x++`, assigns to; white space is left out.
fn target_of(text: &str) -> &str {
    let text = text.trim_start_matches(['+', '-']);
    let assigned = text.match_indices('=').map(|(at, _)| at).find(|&at| {
        let bytes = text.as_bytes();
        let before = at.checked_sub(1).map_or(0, |i| bytes[i]);
        let shifts = at > 1 && matches!(&bytes[at - 2..at], b"<<" | b">>");
        bytes.get(at + 1) != Some(&b'=') && (shifts || !matches!(before, b'=' | b'!' | b'<' | b'>'))
    });
    text[..assigned.unwrap_or(text.len())]
        .trim_end_matches(['+', '-', '*', '/', '%', '&', '|', '^', '<', '>'])
}

/// Whether the text of a write, white space left out, also reads what it writes: `x+=v`, `x++`.
fn is_compound(write: &str) -> bool {
    let target = target_of(write);
    let (_, rest) = write.split_once(target).unwrap_or_default();
    write.starts_with("++")
        || write.starts_with("--")
        || !rest.is_empty() && !rest.starts_with('=')
        || rest.contains(target)
}

/// Whether threads update one element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Update {
    No,
    Yes,
    /// A read, and later a write of the same expression.
    Perhaps,
}

/// The text of the body of the innermost loop around two places, which has braces.
fn loop_around(sources: &SourceMap, (one, other): (Span, Span)) -> Option<&str> {
    if one.file != other.file {
        return None;
    }
    let whole = sources.text(Span::new(one.file, 0, u32::MAX));
    let (from, to) = (one.start.min(other.start) as usize, one.end.max(other.end) as usize);
    let mut depth = 0;
    for (at, char) in whole.get(..from)?.char_indices().rev() {
        match char {
            '}' => depth += 1,
            '{' if depth > 0 => depth -= 1,
            '{' => {
                let mut inside = 0;
                let length = whole[at..].char_indices().find(|(_, char)| {
                    inside += i32::from(*char == '{') - i32::from(*char == '}');
                    inside == 0
                });
                let body = &whole[at..at + length?.0];
                if at + body.len() >= to && is_loop_head(whole[..at].trim_end()) {
                    return Some(body);
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether a text ends with what stands before the body of a loop.
fn is_loop_head(text: &str) -> bool {
    let word = |text: &str, word| {
        text.strip_suffix(word).is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    let mut depth = 0;
    let head = text.ends_with(')').then(|| {
        text.rfind(|char| {
            depth += i32::from(char == ')') - i32::from(char == '(');
            depth == 0
        })
    });
    match head.flatten() {
        Some(at) => word(text[..at].trim_end(), "for") || word(text[..at].trim_end(), "while"),
        None => word(text, "do"),
    }
}

/// The line on which the statement begins that has this position, if it begins there and nothing else does: a line that can be put before it
/// is then a statement of its own. `None` if it begins before or on the line `after`.
fn first_line(sources: &SourceMap, span: Span, after: u32) -> Option<u32> {
    let whole = sources.text(Span::new(span.file, 0, span.start));
    let lines: Vec<&str> =
        whole.split('\n').map(|line| line.split("//").next().unwrap_or("").trim()).collect();
    let mut at = lines.len().checked_sub(1)?;
    // What stands on its own line before the position belongs to the statement, or is another one.
    if lines[at].contains([';', '{', '}']) {
        return None;
    }
    let before = loop {
        let before = lines[..at].iter().rposition(|line| !line.is_empty())?;
        if lines[before].ends_with([';', '{', '}']) || lines[before].starts_with('#') {
            break before;
        }
        at = before;
    };
    let opened = lines[before].matches('(').count() > lines[before].matches(')').count();
    let cannot_begin = ["else", "case ", "default:"].iter().any(|word| lines[at].starts_with(word));
    (!opened && !cannot_begin && at as u32 + 1 > after).then_some(at as u32 + 1)
}
