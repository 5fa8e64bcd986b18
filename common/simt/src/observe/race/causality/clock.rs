//! What comes before what a thread does: vector clocks, compressed by the hierarchy of threads.
//!
//! Blocks run one after the other here, so a time is a number that counts what synchronizes in the whole launch. What a barrier orders is said of
//! a whole group of threads at once: all that they did up to a time. So a clock has an entry for a block or a warp where vector
//! clocks have one for each thread (as in Barracuda: Eizenberg and others, PLDI 2017). Clocks share the parts that they have in common.

use std::rc::Rc;

/// When something was done; 0 is before all.
pub(crate) type Time = u64;

/// A strong write: of those that are of one chain each but the first is an atomic operation that reads the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChainedWrite {
    pub(super) chain: u64,
    /// Counts the writes of the launch.
    pub(super) number: u64,
}

/// A thread of the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Thread {
    /// Linear index of the block.
    pub(crate) block: u32,
    /// Linear index in the block.
    pub(crate) index: u32,
}

impl Thread {
    pub(crate) fn warp(self) -> u32 {
        self.index / 32
    }

    pub(super) fn lane(self) -> usize {
        self.index as usize % 32
    }
}

/// Times by index of a warp or thread, in order of the indices.
#[derive(Clone, Debug, Default)]
struct Times(Vec<(u32, Time)>);

impl Times {
    fn of(&self, index: u32) -> Time {
        self.0.binary_search_by_key(&index, |(known, _)| *known).map_or(0, |at| self.0[at].1)
    }

    fn add(&mut self, index: u32, time: Time) {
        match self.0.binary_search_by_key(&index, |(known, _)| *known) {
            Ok(at) => self.0[at].1 = self.0[at].1.max(time),
            Err(at) => self.0.insert(at, (index, time)),
        }
    }

    /// The later of both for each index, but for what is not after `all`.
    fn join(&mut self, other: &Times, all: Time) {
        match &other.0[..] {
            [] => {}
            [(index, time)] if *time > all => self.add(*index, *time),
            [_] => {}
            many => {
                let mut joined = Vec::with_capacity(self.0.len().max(many.len()));
                let (mut own, mut theirs) = (self.0.iter().peekable(), many.iter().peekable());
                while let Some((index, time)) = match (own.peek(), theirs.peek()) {
                    (Some(a), Some(b)) if a.0 == b.0 => {
                        own.next().zip(theirs.next()).map(|(a, b)| (a.0, a.1.max(b.1)))
                    }
                    (Some(a), Some(b)) if a.0 > b.0 => theirs.next().copied(),
                    (None, _) => theirs.next().copied(),
                    (Some(_), _) => own.next().copied(),
                } {
                    joined.push((index, time));
                }
                self.0 = joined;
                self.forget(all);
            }
        }
    }

    /// Forgets what is not after a time.
    fn forget(&mut self, all: Time) {
        self.0.retain(|(_, time)| *time > all);
    }
}

/// What is known of a block's threads: for all of them, for those of a warp, and for single ones, the time up to which what they
/// did comes before.
#[derive(Clone, Debug, Default)]
struct BlockPart {
    all: Time,
    warps: Times,
    threads: Times,
    /// The latest of these times.
    latest: Time,
}

impl BlockPart {
    fn has(&self, thread: Thread, time: Time) -> bool {
        time <= self.all || time <= self.warps.of(thread.warp()) || time <= self.threads.of(thread.index)
    }

    /// Whether all that the lanes of a warp did up to a time comes before.
    fn has_warp(&self, warp: u32, time: Time) -> bool {
        time <= self.all || time <= self.warps.of(warp)
    }

    /// Whether it says all that another one does.
    fn covers(&self, other: &BlockPart) -> bool {
        if other.latest > self.latest || other.all > self.all {
            return false;
        }
        let warp_is_known = |(warp, time): &(u32, Time)| *time <= self.all || *time <= self.warps.of(*warp);
        let mut own = &self.threads.0[..];
        other.warps.0.iter().all(warp_is_known)
            && other.threads.0.iter().all(|(index, time)| {
                // Both are in order of the indices.
                let skipped = own.iter().take_while(|(known, _)| known < index).count();
                own = &own[skipped..];
                let is_known = own.first().is_some_and(|(known, until)| known == index && time <= until);
                is_known || *time <= self.all || *time <= self.warps.of(index / 32)
            })
    }

    fn join(&mut self, other: &BlockPart) {
        self.latest = self.latest.max(other.latest);
        if other.all > self.all {
            self.all = other.all;
            self.warps.forget(self.all);
            self.threads.forget(self.all);
        }
        self.warps.join(&other.warps, self.all);
        self.threads.join(&other.threads, self.all);
    }
}

/// Blocks whose parts are shared as one.
const CHUNK: usize = 32;

/// The parts of some blocks.
type Chunk = [Option<Rc<BlockPart>>; CHUNK];

/// Where a block's part is: its chunk, and its place in it.
fn place(block: u32) -> (usize, usize) {
    (block as usize / CHUNK, block as usize % CHUNK)
}

/// What comes before, block by block.
#[derive(Clone, Debug, Default)]
pub(super) struct Clock(Vec<Option<Rc<Chunk>>>);

impl Clock {
    /// Whether what a thread did at a time comes before.
    pub(super) fn has(&self, thread: Thread, time: Time) -> bool {
        self.known(thread.block).is_some_and(|part| part.has(thread, time))
    }

    /// Whether what any lane of a warp did up to a time comes before.
    pub(super) fn has_warp(&self, (block, warp): (u32, u32), time: Time) -> bool {
        self.known(block).is_some_and(|part| part.has_warp(warp, time))
    }

    /// Whether what any thread of a block did up to a time comes before.
    pub(super) fn has_block(&self, block: u32, time: Time) -> bool {
        self.known(block).is_some_and(|part| time <= part.all)
    }

    fn known(&self, block: u32) -> Option<&BlockPart> {
        let (chunk, at) = place(block);
        self.0.get(chunk)?.as_ref()?[at].as_deref()
    }

    fn part(&mut self, block: u32) -> &mut BlockPart {
        let (chunk, at) = place(block);
        if self.0.len() <= chunk {
            self.0.resize(chunk + 1, None);
        }
        let chunk = Rc::make_mut(self.0[chunk].get_or_insert_default());
        Rc::make_mut(chunk[at].get_or_insert_default())
    }

    /// Adds all that a block's threads did up to a time.
    pub(super) fn add_block(&mut self, block: u32, time: Time) {
        let part = self.part(block);
        part.all = part.all.max(time);
        part.latest = part.latest.max(time);
    }

    /// Adds all that a warp's threads did.
    pub(super) fn add_warp(&mut self, block: u32, warp: u32, time: Time) {
        let part = self.part(block);
        part.warps.add(warp, time);
        part.latest = part.latest.max(time);
    }

    /// Adds what one thread did.
    pub(super) fn add_thread(&mut self, thread: Thread, time: Time) {
        let part = self.part(thread.block);
        part.threads.add(thread.index, time);
        part.latest = part.latest.max(time);
    }

    /// Whether it says all that another one does.
    pub(super) fn covers(&self, other: &Clock) -> bool {
        if std::ptr::eq(self, other) {
            return true;
        }
        let known = self.0.iter().map(Option::as_ref).chain(std::iter::repeat(None));
        other.0.iter().zip(known).all(|(theirs, own)| covers(own, theirs.as_ref(), chunk_covers))
    }

    /// What comes before either. Shares as much as possible with both. Returns how much there was to do.
    pub(super) fn join(own: &mut Rc<Clock>, other: &Rc<Clock>) -> u64 {
        if Rc::ptr_eq(own, other) {
            return 0;
        }
        let work = 1 + other.0.len() as u64;
        if other.covers(own) {
            *own = other.clone();
            return work;
        }
        if own.covers(other) {
            return work;
        }
        let clock = Rc::make_mut(own);
        if clock.0.len() < other.0.len() {
            clock.0.resize(other.0.len(), None);
        }
        clock
            .0
            .iter_mut()
            .zip(&other.0)
            .for_each(|(own, theirs)| join(own, theirs.as_ref(), chunk_covers, join_chunks));
        work + CHUNK as u64
    }

    /// How much there is to copy.
    pub(super) fn size(&self) -> u64 {
        self.0.len() as u64
    }
}

/// Whether one part says all that another one does.
fn covers<T>(own: Option<&Rc<T>>, other: Option<&Rc<T>>, is_covered: impl Fn(&T, &T) -> bool) -> bool {
    match (own, other) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(own), Some(theirs)) => Rc::ptr_eq(own, theirs) || is_covered(own, theirs),
    }
}

/// Makes a part say what another one does, too; if one of them does so already, they share it then.
fn join<T: Clone>(
    own: &mut Option<Rc<T>>,
    other: Option<&Rc<T>>,
    is_covered: impl Fn(&T, &T) -> bool,
    join: impl Fn(&mut T, &T),
) {
    let Some(theirs) = other else { return };
    match own {
        Some(own) if Rc::ptr_eq(own, theirs) => {}
        // Of two that say the same one is kept, so that the next comparison is short.
        Some(known) if is_covered(theirs, known) => *known = theirs.clone(),
        Some(own) if is_covered(own, theirs) => {}
        Some(own) => join(Rc::make_mut(own), theirs),
        None => *own = Some(theirs.clone()),
    }
}

fn chunk_covers(own: &Chunk, other: &Chunk) -> bool {
    own.iter().zip(other).all(|(own, theirs)| covers(own.as_ref(), theirs.as_ref(), BlockPart::covers))
}

fn join_chunks(own: &mut Chunk, other: &Chunk) {
    own.iter_mut()
        .zip(other)
        .for_each(|(own, theirs)| join(own, theirs.as_ref(), BlockPart::covers, BlockPart::join));
}
