//! Proposals for two accesses that nothing orders.

use super::Advice;
use super::guarded::NewBarrier;
use super::places::{Place, target};
use cuda_syntax::outline::{PartKind, StatementId, StatementKind};
use simt::RacingAccess;
use simt_ir::{AccessOrder, ElementType, InstKind, for_each_inst};
use source::{Edit, FileId, MAX_EDITS, Span, Suggestion};

const BLOCK_BARRIER: &str = "__syncthreads();";
const WARP_BARRIER: &str = "__syncwarp();";

/// Why a barrier helps, by what the accesses do.
const WRITTEN_FIRST: &str = "so that every write finishes before the first read";
const READ_FIRST: &str = "so that every thread has read before any thread writes";
const NEXT_ITERATION: &str =
    "so that no thread starts the next iteration of the loop while others are still in this one";
const AT_ONCE: &str = "because other threads change it at the same time";
const ONE_BY_ONE: &str = "so that no update is lost";

impl Advice<'_> {
    /// Two threads of one block.
    pub(super) fn block_race(
        &self,
        this: &RacingAccess,
        previous: &RacingAccess,
        same_warp: bool,
    ) -> Vec<Suggestion> {
        let (Some(first), Some(second)) = (self.span(previous.location), self.span(this.location)) else {
            return Vec::new();
        };
        if let Some(updates) = self.updates(first, second) {
            return updates.into_iter().map(|edits| Suggestion::new(edits, ONE_BY_ONE)).collect();
        }
        if let Some(edits) = self.read_of_guard(first, second) {
            return vec![Suggestion::new(edits, AT_ONCE)];
        }
        let ty = self.element_type(first).or(self.element_type(second)).unwrap_or("auto");
        let mut all = Vec::new();
        let by_warp = same_warp && self.is_of_warps(second);
        if by_warp {
            all.extend(self.barriers((first, second), WARP_BARRIER));
        }
        all.extend(self.barriers((first, second), BLOCK_BARRIER));
        all.extend(self.text.read_before_write((first, second), ty, BLOCK_BARRIER));
        all.extend(self.parted(first, second));
        for (first, second) in self.callers(first, second) {
            all.extend(self.barriers((first, second), BLOCK_BARRIER));
            all.extend(self.parted(first, second));
        }
        if by_warp {
            all.extend(self.text.read_before_write((first, second), ty, WARP_BARRIER));
        }
        all.extend(self.fences(first, second, "__threadfence_block();"));
        // Where threads of two blocks meet as well.
        all.extend(self.grid_barriers(first, second));
        all
    }

    /// Whether a function is written for warps: it names them, or takes an index apart into warp and lane, or has a branch for one warp. In
    /// another function, the size of the block alone put both threads into one warp.
    fn is_of_warps(&self, span: Span) -> bool {
        let text = &self.text;
        let Some(body) = text.path(span).last().map(|id| text.statement(*id).span) else { return false };
        let names_warps = text.words_of(body).any(|word| {
            let word = word.to_lowercase();
            word.contains("warp") || word.contains("lane") || word.starts_with("__shfl")
        });
        let in_branch = |span: Span| {
            text.path(span).into_iter().any(|id| match text.statement(id).kind {
                StatementKind::If { condition, .. } => condition.contains(span),
                _ => false,
            })
        };
        let divides = |kind: &PartKind, span: Span| match kind {
            PartKind::Binary { op, sides: [_, right], .. } => {
                match (*op, text.word(*right).trim_end_matches(['u', 'U'])) {
                    ("&", "31") | ("%" | "/", "32") | (">>", "5") => true,
                    ("<" | ">=", "32") | ("<=" | ">", "31") => in_branch(span),
                    _ => false,
                }
            }
            _ => false,
        };
        names_warps || text.parts(body).any(|part| divides(&part.kind, part.span))
    }

    /// A barrier where only some threads are: what they do is taken apart.
    fn parted(&self, first: Span, second: Span) -> Vec<Suggestion> {
        let text = &self.text;
        let mut all = text.split(first, second, BLOCK_BARRIER);
        let (one, two) = (text.path(first), text.path(second));
        let next = two.iter().copied().rfind(|id| !one.contains(id) && text.statement(*id).is_in_list);
        if let Some(before) = next {
            let new = NewBarrier { before, code: BLOCK_BARRIER };
            all.extend(text.guard_after_exits(text.statement(before).span, Some(new)));
        }
        all
    }

    /// Both accesses as the calls of the functions that have them.
    fn callers(&self, first: Span, second: Span) -> Vec<(Span, Span)> {
        const MOST: usize = 4;
        let text = &self.text;
        let of = |span: Span| [vec![span], text.calls_of(span)].concat();
        let (ones, twos) = (of(first), of(second));
        let pairs = ones.iter().flat_map(|one| twos.iter().map(|two| (*one, *two)));
        let in_one = pairs.filter(|(one, two)| {
            one != two && (*one, *two) != (first, second) && text.function_of(*one) == text.function_of(*two)
        });
        in_one.take(MOST).collect()
    }

    /// Threads of two blocks.
    pub(super) fn grid_race(&self, this: &RacingAccess, previous: &RacingAccess) -> Vec<Suggestion> {
        let (Some(first), Some(second)) = (self.span(previous.location), self.span(this.location)) else {
            return Vec::new();
        };
        let mut all = self.wider_scope();
        if let Some(updates) = self.updates(first, second) {
            all.extend(updates.into_iter().map(|edits| Suggestion::new(edits, ONE_BY_ONE)));
            return all;
        }
        all.extend(self.read_of_guard(first, second).map(|edits| Suggestion::new(edits, AT_ONCE)));
        all.extend(self.grid_barriers(first, second));
        all.extend(self.fences(first, second, "__threadfence();"));
        if this.thread == previous.thread {
            all.extend(self.block_index(first).into_iter().chain(self.block_index(second)));
        }
        all
    }

    /// In a cooperative launch, a barrier of the grid at each place that may order two accesses.
    fn grid_barriers(&self, first: Span, second: Span) -> Vec<Suggestion> {
        if !self.cooperative {
            return Vec::new();
        }
        let barriers = self.barriers((first, second), "cooperative_groups::this_grid().sync();");
        barriers.into_iter().map(|barrier| self.with_header(barrier)).collect()
    }

    /// The same with the header of cooperative groups, unless the file has it.
    fn with_header(&self, barrier: Suggestion) -> Suggestion {
        if self.text.text.contains("cooperative_groups.h") {
            return barrier;
        }
        let start = Span { file: FileId(0), start: 0, end: 0 };
        let header = Edit { span: start, replacement: "#include <cooperative_groups.h>\n".into() };
        Suggestion::new([vec![header], barrier.edits].concat(), barrier.reason)
    }

    /// How the file would spell the type of what is stored there, of the types that a variable takes as they are.
    pub(super) fn element_type(&self, store: Span) -> Option<&'static str> {
        let mut found = None;
        for body in self.program.module.kernels.iter().flat_map(|kernel| kernel.bodies()) {
            for_each_inst(body, &mut |inst| {
                if let InstKind::Store { ty, .. } = inst.kind
                    && self.span(Some(inst.location)) == Some(store)
                {
                    found = Some(ty);
                }
            });
        }
        match found? {
            ElementType::F32 => Some("float"),
            ElementType::F64 => Some("double"),
            ElementType::I32 => Some("int"),
            ElementType::I64 => Some("long long"),
            ElementType::Bool
            | ElementType::S8
            | ElementType::U8
            | ElementType::S16
            | ElementType::U16
            | ElementType::Ptr => None,
        }
    }

    /// A barrier at each place that may order two accesses.
    fn barriers(&self, (first, second): (Span, Span), code: &str) -> Vec<Suggestion> {
        let places = self.places(first, second);
        let edits = places.into_iter().filter_map(|(place, why)| {
            let place_words = self.text.words(place);
            Some((self.text.put(place, code)?, format!("{place_words}{why}")))
        });
        edits.map(|(edits, why)| Suggestion::new(edits, why)).collect()
    }

    /// Where a statement may order two accesses, the likely places first: between the statements that have one of them each, at the ends of
    /// loops around both, and then beside every statement around one of them.
    fn places(&self, first: Span, second: Span) -> Vec<(Place, &'static str)> {
        let text = &self.text;
        let (one, two) = (text.path(first), text.path(second));
        let reason = match text.store(first) {
            Some(_) => WRITTEN_FIRST,
            None => READ_FIRST,
        };
        let mut places = Vec::new();
        let common: Vec<StatementId> = one.iter().copied().filter(|id| two.contains(id)).collect();
        let inside = |path: &[StatementId]| -> Vec<StatementId> {
            let outwards = path.iter().copied().take_while(|id| !common.contains(id));
            let mut inwards: Vec<_> = outwards.collect();
            inwards.reverse();
            // In a loop that has only one of the accesses, a barrier does what one beside the loop does, again and again.
            let is_loop = |id: &StatementId| matches!(text.statement(*id).kind, StatementKind::Loop(_));
            let end = inwards.iter().position(is_loop).map_or(inwards.len(), |at| at + 1);
            inwards.truncate(end);
            inwards
        };
        let (first_only, second_only) = (inside(&one), inside(&two));
        places.extend(second_only.first().map(|id| (Place::Before(*id), reason)));
        places.extend(first_only.first().map(|id| (Place::After(*id), reason)));
        for id in &common {
            if let StatementKind::Loop(body) = text.statement(*id).kind {
                places.push((Place::End(body), NEXT_ITERATION));
                places.push((Place::Start(body), NEXT_ITERATION));
            }
        }
        // Functions that are called more than once.
        for path in [&one, &two] {
            if let Some(body) = path.iter().find(|id| text.statement(**id).kind == StatementKind::Body) {
                places.push((Place::Start(*body), reason));
                places.push((Place::End(*body), reason));
            }
        }
        for id in second_only.iter().chain(&common) {
            places.push((Place::Before(*id), reason));
            places.push((Place::After(*id), reason));
        }
        for id in &first_only {
            places.push((Place::After(*id), reason));
            places.push((Place::Before(*id), reason));
        }
        places
    }

    /// A fence between data and flag, of a kernel that has what flags and locks are made of.
    fn fences(&self, first: Span, second: Span, code: &str) -> Vec<Suggestion> {
        let mut signals = false;
        for kernel in &self.program.module.kernels {
            for_each_inst(&kernel.body, &mut |inst| {
                signals |= matches!(inst.kind, InstKind::Fence { .. } | InstKind::Atomic { .. })
                    || is_volatile(&inst.kind);
            });
        }
        if !signals {
            return Vec::new();
        }
        let near = |span: Span, after: bool| {
            let path = self.text.path(span);
            let id = path.into_iter().find(|id| self.text.statement(*id).is_in_list)?;
            self.text.put(if after { Place::After(id) } else { Place::Before(id) }, code)
        };
        let (written, read) =
            if self.text.store(first).is_some() { (first, second) } else { (second, first) };
        // Of the data: after the write and before the read. Of the flag itself the other way round.
        let all = [false, true].into_iter().flat_map(|of_flag| {
            let (release, acquire) = (near(written, !of_flag), near(read, of_flag));
            let both = release.clone().zip(acquire.clone());
            [release, acquire, both.map(|(release, acquire)| [release, acquire].concat())]
        });
        let all = all.flatten();
        let reason = "so that the data is seen by all who see the flag or hold the lock";
        all.filter(|edits| edits.len() <= MAX_EDITS).map(|edits| Suggestion::new(edits, reason)).collect()
    }

    /// The index of the block in the index of an element.
    fn block_index(&self, access: Span) -> Vec<Suggestion> {
        let reason = "so that each block has its own elements";
        let thread = "threadIdx.x";
        let text = &self.text;
        let place = text.store(access).and_then(target).unwrap_or(access);
        let lacks = |span: Span| text.of(span).contains(thread) && !text.of(span).contains("blockIdx");
        let at = |span: Span| {
            let offset = text.of(span).find(thread)? as u32;
            let start = span.start + offset;
            let all = Span { start, end: start + thread.len() as u32, ..span };
            // `(…)`, because it may be a factor.
            let is_all = text.of(span).trim() == thread;
            let sum = "blockIdx.x * blockDim.x + threadIdx.x";
            Some(Edit::replace(all, if is_all { sum.to_owned() } else { format!("({sum})") }))
        };
        let mut edits = Vec::new();
        for part in text.parts(place) {
            match part.kind {
                PartKind::Index { index, .. } if lacks(index) => edits.extend(at(index)),
                _ => {}
            }
        }
        let names: Vec<&str> = text.words_of(place).collect();
        for part in &text.outline.parts {
            match part.kind {
                PartKind::Variable { name, value } if lacks(value) && names.contains(&text.of(name)) => {
                    edits.extend(at(value));
                }
                _ => {}
            }
        }
        edits.into_iter().map(|edit| Suggestion::new(vec![edit], reason)).collect()
    }
}

fn is_volatile(kind: &InstKind) -> bool {
    matches!(
        kind,
        InstKind::Load { order: AccessOrder::Volatile, .. }
            | InstKind::Store { order: AccessOrder::Volatile, .. }
    )
}
