//! What a thread has learned from others: clocks, and the releases by which they travel (PTX ISA, 8.8 and 8.9).

use super::clock::{Clock, Clocks, Time};
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

    fn inherited(self) -> Release {
        Release { inherited: true, ..self }
    }
}

/// A release, and what came before it.
type Token = (Release, Clock);

/// Releases, each with what came before it: in most kernels there is only one kind of them, so that they are copied as fast as a clock.
#[derive(Clone, Debug, Default)]
pub(super) struct Tokens {
    first: Option<Token>,
    more: Option<Rc<Vec<Token>>>,
}

impl Tokens {
    fn iter(&self) -> impl Iterator<Item = Token> {
        let more = self.more.as_deref().map_or(&[][..], Vec::as_slice);
        self.first.into_iter().chain(more.iter().copied())
    }

    fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.more.as_ref().map_or(0, |more| more.len())
    }

    fn find(&mut self, release: Release) -> Option<&mut Clock> {
        match &mut self.first {
            Some((first, clock)) if *first == release => return Some(clock),
            _ => {}
        }
        let more = self.more.as_mut()?;
        let at = more.iter().position(|(known, _)| *known == release)?;
        Some(&mut Rc::make_mut(more)[at].1)
    }

    fn push(&mut self, token: Token) {
        if self.first.is_none() {
            self.first = Some(token);
        } else {
            Rc::make_mut(self.more.get_or_insert_default()).push(token);
        }
    }

    fn retain(&mut self, mut keeps: impl FnMut(Token) -> bool) {
        let kept: Vec<Token> = self.iter().filter(|token| keeps(*token)).collect();
        if kept.len() < self.len() {
            *self = Tokens::default();
            kept.into_iter().for_each(|token| self.push(token));
        }
    }

    /// Adds a release. Adds to `work` how much there was to do.
    pub(super) fn insert(&mut self, clocks: &mut Clocks, (release, clock): Token, work: &mut u64) {
        // In a kernel whose blocks release for their own block alone there are as many as blocks.
        *work += self.len() as u64 / 8;
        match self.find(release) {
            Some(known) => *known = clocks.join(*known, clock, work),
            None => {
                self.push((release, clock));
                *work += 1;
            }
        }
    }

    pub(super) fn extend(&mut self, clocks: &mut Clocks, other: &Tokens, work: &mut u64) {
        other.iter().for_each(|token| self.insert(clocks, token, work));
    }

    /// The same of what came by a barrier.
    fn inherit(&mut self, clocks: &mut Clocks, other: &Tokens, work: &mut u64) {
        other.iter().for_each(|(release, clock)| self.insert(clocks, (release.inherited(), clock), work));
    }

    /// Takes over what all of those know that met, of which the owner of these was one. Returns whether it has more.
    fn adopt(&mut self, common: &Tokens) -> bool {
        self.retain(|(release, _)| !release.inherited);
        if self.is_empty() {
            self.clone_from(common);
            return false;
        }
        common.iter().for_each(|token| self.push(token));
        true
    }

    /// Whether they have all that others have.
    pub(super) fn covers(&self, clocks: &Clocks, other: &Tokens) -> bool {
        other.iter().all(|(release, clock)| {
            let own = self.iter().find(|(known, _)| *known == release);
            own.is_some_and(|(_, own)| clocks.covers(own, clock))
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// Gives all clocks.
    pub(super) fn each_clock(&mut self, each: &mut dyn FnMut(&mut Clock)) {
        self.first.iter_mut().for_each(|(_, clock)| each(clock));
        if let Some(more) = &mut self.more {
            Rc::make_mut(more).iter_mut().for_each(|(_, clock)| each(clock));
        }
    }
}

/// What the last strong reads of a word have seen. It counts when the thread fences or meets others; until then, a later read of the word takes its
/// place, if what that has seen has all of this: so a thread that waits for a lock learns once, however often it tries.
#[derive(Clone, Debug)]
struct LastSeen {
    /// See [`Seen::chain`].
    chain: u64,
    tokens: Tokens,
    /// The same of those that a fence would acquire, and their scope.
    almost: Option<(Tokens, MemoryScope)>,
}

/// What a strong read sees.
pub(super) struct Seen<'a> {
    /// The writes that hand on each other's releases: of one chain the later write has all that the earlier one has.
    pub(super) chain: u64,
    pub(super) tokens: &'a Tokens,
    /// If a fence would acquire them: the scope of the read.
    pub(super) almost: Option<MemoryScope>,
}

/// What a thread knows of others, besides what barriers of its block and warp order.
#[derive(Clone, Debug, Default)]
pub(super) struct Knowledge {
    /// What comes before it.
    pub(super) causality: Clock,
    /// The same, and what would come before it if it had fenced after its strong reads.
    pub(super) almost: Clock,
    /// Releases that its strong writes carry.
    released: Tokens,
    /// The last chain of writes that carries all of them.
    told: u64,
    /// Releases that its strong reads have seen, for a fence of its own to acquire: but for the last ones ([`Knowledge::settle`]).
    pub(super) seen: Tokens,
    last_seen: Option<LastSeen>,
    /// The last fence, of which [`Knowledge::released`] does not know yet, and its time.
    pub(super) last_fence: Option<(Release, Time)>,
    /// Whether it has learned something since all threads of its block last met.
    pub(super) has_learned: bool,
}

impl Knowledge {
    /// Releases that its strong writes carry.
    pub(super) fn released(&self) -> &Tokens {
        &self.released
    }

    /// The same, to add some.
    pub(super) fn released_mut(&mut self) -> &mut Tokens {
        self.told = 0;
        &mut self.released
    }

    /// A write of a chain is about to carry the releases. Returns whether one of the same chain has carried them before.
    pub(super) fn tell(&mut self, chain: u64) -> bool {
        std::mem::replace(&mut self.told, chain) == chain
    }

    /// Notes what a strong read sees, for a thread of a block. Adds to `work` how much there was to do.
    pub(super) fn see(&mut self, clocks: &mut Clocks, block: u32, seen: Seen, work: &mut u64) {
        *work += 1;
        let Seen { chain, tokens, almost } = seen;
        let scope = |known: &Option<(Tokens, MemoryScope)>| known.as_ref().map(|(_, scope)| *scope);
        if let Some(last) = &mut self.last_seen
            && last.chain == chain
            && (last.almost.is_none() || almost.is_none() || scope(&last.almost) == almost)
        {
            last.tokens.clone_from(tokens);
            if let Some(scope) = almost {
                last.almost = Some((tokens.clone(), scope));
            }
            return;
        }
        self.settle(clocks, block, work);
        let almost = almost.map(|scope| (tokens.clone(), scope));
        self.last_seen = Some(LastSeen { chain, tokens: tokens.clone(), almost });
    }

    /// Takes in what the last strong reads have seen. Adds to `work` how much there was to do.
    pub(super) fn settle(&mut self, clocks: &mut Clocks, block: u32, work: &mut u64) {
        let Some(LastSeen { tokens, almost, .. }) = self.last_seen.take() else { return };
        if let Some((tokens, scope)) = almost {
            self.nearly_acquire(clocks, (block, scope), &tokens, work);
        }
        self.seen.extend(clocks, &tokens, work);
    }

    /// Learns by a barrier what another thread knows. Adds to `work` how much there was to do.
    pub(super) fn meet(&mut self, clocks: &mut Clocks, other: &Knowledge, work: &mut u64) {
        self.causality = clocks.join(self.causality, other.causality, work);
        self.almost = clocks.join(self.almost, other.almost, work);
        self.released_mut().inherit(clocks, &other.released, work);
        self.seen.inherit(clocks, &other.seen, work);
    }

    /// Takes over what all of those know that met, of which it was one. Returns whether it has more.
    pub(super) fn adopt(&mut self, common: &Knowledge) -> bool {
        (self.causality, self.almost) = (common.causality, common.almost);
        self.released_mut().adopt(&common.released) | self.seen.adopt(&common.seen)
    }

    /// Forgets what it has seen of which a fence would learn nothing more.
    pub(super) fn forget_seen(&mut self, clocks: &Clocks) {
        let Knowledge { causality, almost, released, seen, .. } = self;
        seen.retain(|(release, clock)| {
            let inherited = release.inherited();
            let is_released =
                released.iter().any(|(known, own)| known == inherited && clocks.covers(own, clock));
            !(is_released && clocks.covers(*causality, clock) && clocks.covers(*almost, clock))
        });
    }

    /// Acquires the releases that reach it, by a fence or access at a scope that is sequentially consistent or not. Adds to `work` how much there was to do.
    pub(super) fn acquire(
        &mut self,
        clocks: &mut Clocks,
        (block, scope, sequential): (u32, MemoryScope, bool),
        tokens: &Tokens,
        work: &mut u64,
    ) {
        for (release, clock) in tokens.iter().filter(|(r, _)| r.reaches(block, scope, sequential)) {
            self.causality = clocks.join(self.causality, clock, work);
            self.almost = clocks.join(self.almost, clock, work);
            self.released_mut().insert(clocks, (release.inherited(), clock), work);
        }
    }

    /// Notes what a fence would have acquired. Adds to `work` how much there was to do.
    pub(super) fn nearly_acquire(
        &mut self,
        clocks: &mut Clocks,
        (block, scope): (u32, MemoryScope),
        tokens: &Tokens,
        work: &mut u64,
    ) {
        for (_, clock) in tokens.iter().filter(|(release, _)| release.reaches(block, scope, true)) {
            self.almost = clocks.join(self.almost, clock, work);
        }
    }

    /// Gives all clocks.
    pub(super) fn each_clock(&mut self, each: &mut dyn FnMut(&mut Clock)) {
        let Knowledge { causality, almost, released, seen, last_seen, .. } = self;
        each(causality);
        each(almost);
        released.each_clock(each);
        seen.each_clock(each);
        if let Some(LastSeen { tokens, almost, .. }) = last_seen {
            tokens.each_clock(each);
            almost.iter_mut().for_each(|(tokens, _)| tokens.each_clock(each));
        }
    }
}
