//! What a thread has learned from others: clocks, and the releases by which they travel (PTX ISA, 8.8 and 8.9).

use super::clock::Clock;
use simt_ir::MemoryScope;
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
pub(super) struct Tokens(Vec<(Release, Rc<Clock>)>);

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

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
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
    /// Releases that its strong reads have seen, for a fence of its own to acquire.
    pub(super) seen: Tokens,
}

impl Knowledge {
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
