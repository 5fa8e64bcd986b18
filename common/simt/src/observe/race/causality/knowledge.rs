//! What a thread has learned from others: clocks, and the releases by which they travel (PTX ISA, 8.8 and 8.9).

use super::clock::{Clock, Time};
use simt_ir::MemoryScope;
use smallvec::SmallVec;
use std::rc::Rc;

/// What distinguishes one release from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Release {
    /// Whether it is meant for threads of other blocks, too.
    pub(super) device: bool,
    /// The block of the thread that released, where that matters: to those who acquire at block scope. In kernels in which no thread does, releases for the
    /// device need not be told apart.
    pub(super) block: Option<u32>,
    /// Whether it is a fence that is sequentially consistent.
    pub(super) sequential: bool,
    /// Whether it came to the thread that has it by a barrier or an acquire, instead of being its own, or that does not matter.
    pub(super) inherited: bool,
}

impl Release {
    /// Whether it counts for a thread of a block that acquires at a scope, by a fence that is sequentially consistent or not.
    fn reaches(&self, block: u32, scope: MemoryScope, sequential: bool) -> bool {
        let is_own_block = self.block == Some(block);
        let mutual = is_own_block || self.device && scope.covers_other_blocks();
        mutual && (!self.inherited || self.sequential && sequential)
    }
}

/// Releases, each with what came before it.
#[derive(Clone, Debug, Default)]
pub(super) struct Tokens(SmallVec<[(Release, Rc<Clock>); 1]>);

impl Tokens {
    /// Adds a release. Returns how much there was to do.
    pub(super) fn insert(&mut self, release: Release, clock: &Rc<Clock>) -> u64 {
        // In a kernel whose blocks release for their own block alone there are as many as blocks.
        let looked_at = self.0.len() as u64 / 8;
        let added = match self.0.iter_mut().find(|(known, _)| *known == release) {
            Some((_, known)) => Clock::join(known, clock),
            None => {
                self.0.push((release, clock.clone()));
                1
            }
        };
        looked_at + added
    }

    pub(super) fn extend(&mut self, other: &Tokens) -> u64 {
        other.0.iter().map(|(release, clock)| self.insert(*release, clock)).sum()
    }

    /// The same of what came by a barrier.
    pub(super) fn inherit(&mut self, other: &Tokens) -> u64 {
        let inherited =
            other.0.iter().map(|(release, clock)| (Release { inherited: true, ..*release }, clock));
        inherited.map(|(release, clock)| self.insert(release, clock)).sum()
    }

    /// Takes over what all of those know that met, of which the owner of these was one. Returns whether it has more.
    fn adopt(&mut self, common: &Tokens) -> bool {
        self.0.retain(|(release, _)| !release.inherited);
        let has_more = !self.0.is_empty();
        self.0.extend(common.0.iter().cloned());
        has_more
    }

    /// Whether they have all that others have.
    pub(super) fn covers(&self, other: &Tokens) -> bool {
        other.0.iter().all(|(release, clock)| {
            let own = self.0.iter().find(|(known, _)| known == release);
            own.is_some_and(|(_, own)| Rc::ptr_eq(own, clock) || own.covers(clock))
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What the last strong reads of a word have seen. It counts when the thread fences or meets others; until then, a later read of the word takes its
/// place, if what that has seen has all of this: so a thread that waits for a lock learns once, however often it tries.
#[derive(Clone, Debug)]
struct LastSeen {
    /// See [`Seen::chain`].
    chain: u64,
    tokens: Rc<Tokens>,
    /// The same of those that a fence would acquire, and their scope.
    almost: Option<(Rc<Tokens>, MemoryScope)>,
}

/// What a strong read sees.
pub(super) struct Seen {
    /// The writes that hand on each other's releases: of one chain the later write has all that the earlier one has.
    pub(super) chain: u64,
    pub(super) tokens: Rc<Tokens>,
    /// If a fence would acquire them: the scope of the read.
    pub(super) almost: Option<MemoryScope>,
}

/// What a thread knows of others, besides what barriers of its block and warp order.
#[derive(Clone, Debug, Default)]
pub(super) struct Knowledge {
    /// What comes before it.
    pub(super) causality: Rc<Clock>,
    /// The same, and what would come before it if it had fenced after its strong reads.
    pub(super) almost: Rc<Clock>,
    /// Releases that its strong writes carry.
    pub(super) released: Tokens,
    /// Releases that its strong reads have seen, for a fence of its own to acquire: but for the last ones ([`Knowledge::settle`]).
    pub(super) seen: Tokens,
    last_seen: Option<LastSeen>,
    /// The last fence, of which [`Knowledge::released`] does not know yet, and its time.
    pub(super) last_fence: Option<(Release, Time)>,
    /// Whether it has learned something since all threads of its block last met.
    pub(super) has_learned: bool,
}

impl Knowledge {
    /// Notes what a strong read sees, for a thread of a block. Returns how much there was to do.
    pub(super) fn see(&mut self, block: u32, Seen { chain, tokens, almost }: Seen) -> u64 {
        let almost = almost.map(|scope| (tokens.clone(), scope));
        if let Some(last) = &mut self.last_seen
            && last.chain == chain
            && (last.almost.is_none()
                || almost.is_none()
                || last.almost.as_ref().map(|(_, scope)| *scope) == almost.as_ref().map(|(_, scope)| *scope))
        {
            last.tokens = tokens;
            last.almost = almost.or(last.almost.take());
            return 1;
        }
        let work = self.settle(block);
        self.last_seen = Some(LastSeen { chain, tokens, almost });
        1 + work
    }

    /// Takes in what the last strong reads have seen. Returns how much there was to do.
    pub(super) fn settle(&mut self, block: u32) -> u64 {
        let Some(LastSeen { tokens, almost, .. }) = self.last_seen.take() else { return 0 };
        let nearly = almost.map_or(0, |(tokens, scope)| self.nearly_acquire(block, scope, &tokens));
        nearly + self.seen.extend(&tokens)
    }

    /// Learns by a barrier what another thread knows. Returns how much there was to do.
    pub(super) fn meet(&mut self, other: &Knowledge) -> u64 {
        Clock::join(&mut self.causality, &other.causality)
            + Clock::join(&mut self.almost, &other.almost)
            + self.released.inherit(&other.released)
            + self.seen.inherit(&other.seen)
    }

    /// Takes over what all of those know that met, of which it was one. Returns whether it has more.
    pub(super) fn adopt(&mut self, common: &Knowledge) -> bool {
        (self.causality, self.almost) = (common.causality.clone(), common.almost.clone());
        self.released.adopt(&common.released) | self.seen.adopt(&common.seen)
    }

    /// Forgets what it has seen of which a fence would learn nothing more.
    pub(super) fn forget_seen(&mut self) {
        let Knowledge { causality, almost, released, seen, .. } = self;
        seen.0.retain(|(release, clock)| {
            let inherited = Release { inherited: true, ..*release };
            let is_released = released.0.iter().any(|(known, own)| *known == inherited && own.covers(clock));
            !(is_released && causality.covers(clock) && almost.covers(clock))
        });
    }

    /// Acquires the releases that reach it. Returns how much there was to do.
    pub(super) fn acquire(
        &mut self,
        block: u32,
        scope: MemoryScope,
        sequential: bool,
        tokens: &Tokens,
    ) -> u64 {
        let mut work = 0;
        for (release, clock) in tokens.0.iter().filter(|(r, _)| r.reaches(block, scope, sequential)) {
            work += Clock::join(&mut self.causality, clock) + Clock::join(&mut self.almost, clock);
            work += self.released.insert(Release { inherited: true, ..*release }, clock);
        }
        work
    }

    /// Notes what a fence would have acquired. Returns how much there was to do.
    pub(super) fn nearly_acquire(&mut self, block: u32, scope: MemoryScope, tokens: &Tokens) -> u64 {
        let reached = tokens.0.iter().filter(|(release, _)| release.reaches(block, scope, true));
        reached.map(|(_, clock)| Clock::join(&mut self.almost, clock)).sum()
    }
}
