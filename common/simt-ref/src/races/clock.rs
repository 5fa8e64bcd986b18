//! Vector clocks, and the tokens by which a release travels to those that acquire it.

use simt_ir::MemoryScope;
use std::collections::BTreeMap;

/// Who accesses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Agent {
    /// A thread, by the linear indices of its block and of itself in it.
    Thread { block: u32, thread: u32 },
    /// An asynchronous copy, by its number in the launch: it acts beside the thread that began it.
    Copy(u64),
}

impl Agent {
    /// Whether another one is among the threads that a scope means around this one. (There are no launches with clusters, so a
    /// cluster is a block.)
    fn includes(self, scope: MemoryScope, other: Agent) -> bool {
        let (Agent::Thread { block, .. }, Agent::Thread { block: theirs, .. }) = (self, other) else {
            return false;
        };
        match scope {
            MemoryScope::Block | MemoryScope::Cluster => block == theirs,
            MemoryScope::Device | MemoryScope::System => true,
        }
    }
}

/// Whether each of two is in the other's scope.
pub(super) fn mutual((one, scope): (Agent, MemoryScope), (other, theirs): (Agent, MemoryScope)) -> bool {
    one.includes(scope, other) && other.includes(theirs, one)
}

/// Of each agent, the number of its accesses up to the last one that comes before; 0 if it is not there.
#[derive(Clone, Debug, Default)]
pub(super) struct Clock(BTreeMap<Agent, u64>);

impl Clock {
    /// The last access of an agent that comes before.
    pub(super) fn of(&self, agent: Agent) -> u64 {
        self.0.get(&agent).copied().unwrap_or(0)
    }

    /// Counts an access of an agent; gives its number.
    pub(super) fn tick(&mut self, agent: Agent) -> u64 {
        let count = self.0.entry(agent).or_insert(0);
        *count += 1;
        *count
    }

    /// What comes before either.
    pub(super) fn join(&mut self, other: &Clock) {
        for (agent, count) in &other.0 {
            let own = self.0.entry(*agent).or_insert(0);
            *own = (*own).max(*count);
        }
    }
}

/// A release: which agent, by what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Release {
    pub(super) by: Agent,
    pub(super) scope: MemoryScope,
    /// Whether by a fence that is sequentially consistent.
    pub(super) sequential: bool,
    /// Whether it came to the thread that has it by a barrier or an acquire, instead of being its own.
    pub(super) inherited: bool,
}

/// Releases, each with what came before it. Of several that are alike the last one is enough, as a thread's clock only grows.
#[derive(Clone, Debug, Default)]
pub(super) struct Tokens(BTreeMap<Release, Clock>);

impl Tokens {
    pub(super) fn insert(&mut self, release: Release, clock: &Clock) {
        self.0.entry(release).or_default().join(clock);
    }

    pub(super) fn extend(&mut self, other: &Tokens) {
        other.iter().for_each(|(release, clock)| self.insert(*release, clock));
    }

    /// Takes over what came by a barrier: all but its own releases are inherited then.
    pub(super) fn inherit(&mut self, heir: Agent, other: &Tokens) {
        for (release, clock) in other.iter() {
            self.insert(Release { inherited: release.by != heir, ..*release }, clock);
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Release, &Clock)> {
        self.0.iter()
    }
}
