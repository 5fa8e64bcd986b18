//! What comes before what: causality order (PTX ISA, 8.9), as clocks and tokens of each thread.
//!
//! The synchronization of fences and strong accesses is in [`Order::read`], [`Order::write`] and [`Order::fence`], that of barriers in
//! [`Order::meet`] and the phases, that of asynchronous copies in the copies' own clocks.

use super::clock::{Agent, Clock, Release, Tokens, mutual};
use super::record::Record;
use simt_ir::{FenceOrder, MemoryScope};
use std::collections::BTreeMap;

/// What one agent knows.
#[derive(Clone, Debug, Default)]
pub(super) struct Knowledge {
    /// What comes before it.
    pub(super) causality: Clock,
    /// The same, and what would come before it if it had fenced after its strong reads (O9).
    pub(super) almost: Clock,
    /// Releases that its strong writes carry.
    released: Tokens,
    /// Releases that its strong reads have seen, or that came to it by a barrier from a thread whose reads had: a fence of its own
    /// acquires these as well, by the argument at [`Order::acquire`].
    seen: Tokens,
}

impl Knowledge {
    fn join(&mut self, agent: Option<Agent>, other: &Knowledge) {
        self.causality.join(&other.causality);
        self.almost.join(&other.almost);
        match agent {
            Some(heir) => {
                self.released.inherit(heir, &other.released);
                self.seen.inherit(heir, &other.seen);
            }
            None => {
                self.released.extend(&other.released);
                self.seen.extend(&other.seen);
            }
        }
    }
}

/// A location as one agent accesses it.
type Spot = (Agent, super::record::Bytes);

/// A phase of a barrier in shared memory: block, first byte, number.
type Phase = (u32, u64, u64);

#[derive(Debug)]
pub(super) struct Order {
    agents: BTreeMap<Agent, Knowledge>,
    /// The releases that the agent's strong reads of a location have seen, for an acquire of
    /// that location (section 8.8, second acquire pattern).
    seen_at: BTreeMap<Spot, Tokens>,
    /// Releases of a location, for later strong writes of it (section 8.8, second release pattern).
    released_at: BTreeMap<Spot, Tokens>,
    /// What those who have arrived at a phase knew.
    phases: BTreeMap<Phase, Knowledge>,
    /// The phase that ended last, by block and barrier.
    ended: BTreeMap<(u32, u64), u64>,
    /// The barrier that waits for a copy.
    bound: BTreeMap<u64, u64>,
}

impl Order {
    pub(super) fn new() -> Order {
        Order {
            agents: BTreeMap::new(),
            seen_at: BTreeMap::new(),
            released_at: BTreeMap::new(),
            phases: BTreeMap::new(),
            ended: BTreeMap::new(),
            bound: BTreeMap::new(),
        }
    }

    pub(super) fn knowledge(&mut self, agent: Agent) -> &mut Knowledge {
        self.agents.entry(agent).or_default()
    }

    /// Counts an access; gives its number among those of its agent.
    pub(super) fn tick(&mut self, agent: Agent) -> u64 {
        let knowledge = self.knowledge(agent);
        knowledge.almost.tick(agent);
        knowledge.causality.tick(agent)
    }

    /// A fence, or an acquire, of releases that the agent has seen. One that was inherited counts only if both ends are fences
    /// that are sequentially consistent: were the acquiring one first, its read would come before the write that it has read,
    /// so the releasing one is first and synchronizes with it (8.9.3, 8.9.4).
    fn acquire(&mut self, agent: Agent, scope: MemoryScope, tokens: &Tokens, sequential: bool) {
        let knowledge = self.knowledge(agent);
        for (release, clock) in tokens.iter() {
            let counts = !release.inherited || release.sequential && sequential;
            if counts && mutual((release.by, release.scope), (agent, scope)) {
                knowledge.causality.join(clock);
                knowledge.almost.join(clock);
                let inherited = release.by != agent;
                knowledge.released.insert(Release { inherited, ..*release }, clock);
            }
        }
    }

    /// A strong read that uses the value, which came with these releases.
    pub(super) fn read(&mut self, e: &Record, scope: MemoryScope, tokens: &Tokens) {
        self.knowledge(e.agent).seen.extend(tokens);
        let at = self.seen_at.entry((e.agent, e.bytes.clone())).or_default();
        at.extend(tokens);
        if e.acquires() {
            let all = at.clone();
            self.acquire(e.agent, scope, &all, false);
        } else if !e.is_compare_swap() {
            let almost = &mut self.knowledge(e.agent).almost;
            for (release, clock) in tokens.iter() {
                let counts = !release.inherited || release.sequential;
                if counts && mutual((release.by, release.scope), (e.agent, scope)) {
                    almost.join(clock);
                }
            }
        }
    }

    /// The releases that a strong write carries, besides those that a read-modify-write hands on.
    pub(super) fn write(&mut self, e: &Record, scope: MemoryScope) -> Tokens {
        let spot = (e.agent, e.bytes.clone());
        if e.releases() {
            let release = Release { by: e.agent, scope, sequential: false, inherited: false };
            let clock = self.knowledge(e.agent).causality.clone();
            self.released_at.entry(spot.clone()).or_default().insert(release, &clock);
        }
        let mut tokens = self.knowledge(e.agent).released.clone();
        if let Some(earlier) = self.released_at.get(&spot) {
            tokens.extend(earlier);
        }
        // A copy for each byte.
        tokens
    }

    /// A fence acquires what the thread's strong reads have seen, and releases what came before it for its strong writes.
    pub(super) fn fence(&mut self, agent: Agent, order: FenceOrder, scope: MemoryScope) {
        let sequential = order == FenceOrder::SequentiallyConsistent;
        let seen = self.knowledge(agent).seen.clone();
        self.acquire(agent, scope, &seen, sequential);
        let knowledge = self.knowledge(agent);
        let release = Release { by: agent, scope, sequential, inherited: false };
        let clock = knowledge.causality.clone();
        knowledge.released.insert(release, &clock);
    }

    /// A barrier of these threads.
    pub(super) fn meet(&mut self, threads: impl Iterator<Item = Agent> + Clone) {
        let mut all = Knowledge::default();
        for thread in threads.clone() {
            all.join(None, self.knowledge(thread));
        }
        threads.for_each(|thread| self.knowledge(thread).join(Some(thread), &all));
    }

    /// A barrier in shared memory is made again.
    pub(super) fn init(&mut self, block: u32, barrier: u64) {
        self.phases.retain(|(b, at, _), _| (*b, *at) != (block, barrier));
        self.ended.remove(&(block, barrier));
    }

    /// Arriving releases, and acquires nothing.
    pub(super) fn arrive(&mut self, agent: Agent, phase: Phase, ends: bool) {
        let own = self.knowledge(agent).clone();
        self.phases.entry(phase).or_default().join(None, &own);
        if ends {
            self.ended.insert((phase.0, phase.1), phase.2);
        }
    }

    /// The wait for a phase is over.
    pub(super) fn awaited(&mut self, agent: Agent, phase: Phase) {
        if let Some(all) = self.phases.get(&phase).cloned() {
            self.knowledge(agent).join(Some(agent), &all);
        }
    }

    /// A copy begins, with what its thread knows.
    pub(super) fn begin_copy(&mut self, agent: Agent, copy: u64) {
        let Knowledge { causality, almost, .. } = self.knowledge(agent).clone();
        self.agents.insert(Agent::Copy(copy), Knowledge { causality, almost, ..Knowledge::default() });
    }

    pub(super) fn bind(&mut self, copy: u64, barrier: u64) {
        self.bound.insert(copy, barrier);
    }

    /// A copy is complete: for the thread that has waited, or for the phase that has ended and those who wait for it.
    pub(super) fn end_copy(&mut self, agent: Agent, block: u32, copy: u64) {
        let done = self.knowledge(Agent::Copy(copy)).clone();
        let phase = self.bound.get(&copy).and_then(|barrier| {
            let number = self.ended.get(&(block, *barrier))?;
            Some((block, *barrier, *number))
        });
        match phase {
            Some(phase) => self.phases.entry(phase).or_default().join(None, &done),
            None => self.knowledge(agent).join(Some(agent), &done),
        }
    }
}
