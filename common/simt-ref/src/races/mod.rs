//! The race oracle: which accesses of a launch race, decided exactly for the order in which the log tells them.
//!
//! It is the definition of what this project calls a data race, written to be obviously right rather than fast: it remembers each
//! element that each lane accesses, and compares each access with all earlier ones of its bytes. Whatever looks for races faster is
//! compared with it. It sees one execution: a lock or counter whose lucky order hides a race hides it here, too, so run it under
//! several [`Schedule`](crate::Schedule)s. What follows a fault is not seen.
//!
//! # Semantics
//!
//! Section numbers are those of the PTX ISA, chapter 8 (memory consistency model). Two accesses of different threads with common
//! bytes, at least one of them a write, race if neither comes before the other in causality order and they are not *morally
//! strong* (8.7, 8.7.1): both strong, each in the other's scope, of the same bytes, by the same path. Atomics, volatile accesses
//! (relaxed at system scope, 8.4.2) and those with an order are strong. A warp is no scope (8.5), and its lanes are threads as any.
//!
//! | pair that nothing orders, one writes | verdict |
//! |---|---|
//! | P1: plain read and write; plain writes of different values | race; also of two lanes of one store |
//! | P2: plain writes of one value | clean in one instruction, otherwise a note: no result depends on it |
//! | P3: plain and atomic or relaxed | race; P3n, a note, if the plain read is the guess of a compare-and-swap that follows |
//! | P4: plain and volatile | race |
//! | P5: volatile and volatile, volatile write and atomic | race; clean for a synchronization word; volatile writes of one value as plain ones: P2 |
//! | P6: volatile read and atomic | clean; race if the atomic's scope is too narrow |
//! | P7: atomic, relaxed, acquire, release among themselves | clean; race if a scope is too narrow (8.10.3) |
//! | P8: bytes that overlap in part | race (8.7.2); a note for two read-modify-writes in mutual scopes |
//! | P9: different bytes of one word | clean: the unit is the byte (8.2) |
//! | P10: read-only path, texture or surface read, and any write of the launch | race, even if ordered, even by one thread (8.1) |
//! | P11: asynchronous copy and access to its bytes before it is awaited | race, even by one's own thread (8.9.1.1) |
//!
//! P3n: the lane's next access to the word is a compare-and-swap with the value that was read. A synchronization word: a fence comes
//! before the volatile write with no other store between, and the reader polls (it depends on the value whether a loop ends, or its next access to the word is the same
//! instruction again) or fences before its next access to it; two writes of different values need some thread that does. P5 is stricter than PTX, where all volatile pairs are morally strong.
//! An access to a vector is one access per element (8.2.4).
//!
//! | what orders | |
//! |---|---|
//! | O1 | program order; the start and end of a launch |
//! | O2 | not: convergence, branches, shuffles, votes, matrix operations |
//! | O3 | `__syncwarp(m)` and tiles: the lanes of `m`, any memory |
//! | O4, O5 | barriers of the block and of the grid: all of their threads, any memory |
//! | O6 | barriers in shared memory and pipelines: who has arrived at a phase before who has waited for it |
//! | O7 | fence, strong write … strong read of it, fence; or release and acquire; all scopes mutual, and transitive (8.8, 8.9.4) |
//! | O8 | not: the same with a scope too narrow, or without the release |
//! | O9 | the same without the acquiring fence: a note; not if the read is a compare-and-swap, as of a lock |
//! | O10 | read-modify-writes between write and read hand on (8.9.2), another thread's store does not; an atomic whose result is not used acquires nothing |
//! | O13 | strong writes before what follows a read that has observed them, itself or by read-modify-writes between (8.9.2, 8.9.5) |
//! | O11 | not: a fence alone, clocks, sleep |
//! | O12 | a fence and a barrier, then another thread's strong write: ordered for all of the barrier, if the reader fences (8.9.3); and a strong read and a barrier, then another thread's fence |
//!
//! # How
//!
//! `order` has a vector clock for each thread and copy, and tokens: what came before a release. A strong write carries its thread's
//! tokens, a strong read sees them, and a fence or acquire joins the clocks of those whose scopes are mutual. `record` is what is
//! known of an access, `verdict` the table of pairs. P3n and P5 look ahead, so all pairs that nothing orders are kept to the end.

mod clock;
mod order;
mod record;
mod verdict;

pub use verdict::{Outcome, Rule, Side, Verdict};

use crate::Launch;
use crate::log::{Access, AccessKind, Event, EventKind, Place, Who};
use clock::{Agent, Tokens};
use order::{Knowledge, Order};
use record::{Bytes, Next, Record, Region};
use simt_ir::{AccessOrder, Kernel, Location, polling_reads};
use std::collections::{BTreeMap, BTreeSet};

/// An access that was recorded.
type Id = usize;

/// The last write of a byte, and the releases that it carries.
#[derive(Clone, Debug)]
struct Newest {
    write: Id,
    tokens: Tokens,
    /// What it was before the first lane of this instruction wrote: lanes of one instruction do not see each other's releases, as
    /// their order is undefined.
    before: Option<(Id, Tokens)>,
}

/// What is known of a byte.
#[derive(Debug, Default)]
struct Cell {
    /// Accesses that only read, and those that write.
    reads: BTreeMap<Agent, Vec<Id>>,
    writes: BTreeMap<Agent, Vec<Id>>,
    newest: Option<Newest>,
    /// Strong reads whose value is used, each with the write that it has read.
    observations: Vec<(Id, Id)>,
    /// Whether any read was by a path that is not coherent, so that own accesses matter, too.
    incoherent: bool,
}

/// Two accesses that no rule orders.
struct Suspect {
    first: Id,
    second: Id,
    /// Whether a fence after the second one's strong read would order them.
    almost: bool,
}

/// Watches one launch.
pub struct Races<'m> {
    blocks: u32,
    /// Of each block.
    threads: u32,
    /// Where the kernel polls.
    polling: BTreeSet<Location>,
    order: Order,
    records: Vec<Record<'m>>,
    cells: BTreeMap<(Region, u64), Cell>,
    /// The last access of each agent to each byte.
    last: BTreeMap<(Agent, Region, u64), Id>,
    /// Of each thread, its accesses since its last fence.
    unfenced: BTreeMap<Agent, Vec<Id>>,
    /// Threads that have fenced and not stored since.
    published: BTreeSet<Agent>,
    suspects: Vec<Suspect>,
}

fn thread_of(who: &Who) -> Agent {
    Agent::Thread { block: who.block, thread: who.thread }
}

impl<'m> Races<'m> {
    /// For a launch of that shape, of that kernel.
    pub fn new(launch: &Launch, kernel: &Kernel) -> Races<'m> {
        Races {
            polling: polling_reads(kernel),
            blocks: launch.grid.iter().product(),
            threads: launch.block.iter().product(),
            order: Order::new(),
            records: Vec::new(),
            cells: BTreeMap::new(),
            last: BTreeMap::new(),
            unfenced: BTreeMap::new(),
            published: BTreeSet::new(),
            suspects: Vec::new(),
        }
    }

    /// The next event of the log.
    pub fn observe(&mut self, event: &Event<'m>) {
        let Event { who, kind } = event;
        let (agent, block) = (thread_of(who), who.block);
        match kind {
            EventKind::Access(access) => self.thread_access(who, access),
            EventKind::Frame { .. } | EventKind::CopyCommit => {}
            EventKind::Fence { order, scope } => {
                self.order.fence(agent, *order, *scope);
                self.published.insert(agent);
                for access in self.unfenced.remove(&agent).unwrap_or_default() {
                    self.records[access].fenced |= self.records[access].next.is_none();
                }
            }
            EventKind::WarpBarrier { members } => {
                let (members, first) = (*members, who.thread / 32 * 32);
                let lanes = (0..32).filter(move |lane| members >> lane & 1 == 1);
                self.order.meet(lanes.map(|lane| Agent::Thread { block, thread: first + lane }));
            }
            EventKind::BlockBarrier => {
                self.order.meet((0..self.threads).map(|thread| Agent::Thread { block, thread }));
            }
            EventKind::GridBarrier => {
                let threads = self.threads;
                let all = (0..self.blocks)
                    .flat_map(move |block| (0..threads).map(move |thread| Agent::Thread { block, thread }));
                self.order.meet(all);
            }
            EventKind::CopyBegin { copy, from, unwritten: _, to } => {
                self.order.begin_copy(agent, *copy);
                self.copy_access(who, *copy, AccessKind::Load, from);
                self.copy_access(who, *copy, AccessKind::Store, to);
            }
            EventKind::CopyBind { copy, barrier } => self.order.bind(*copy, *barrier),
            EventKind::CopyEnd { copy } => self.order.end_copy(agent, block, *copy),
            EventKind::PhaseInit { barrier, expected: _ } => self.order.init(block, *barrier),
            EventKind::PhaseArrive { barrier, phase, count: _, ends } => {
                self.order.arrive(agent, (block, *barrier, *phase), *ends);
            }
            EventKind::PhaseAwait { barrier, phase } => {
                if let Some(ended) = phase.checked_sub(1) {
                    self.order.awaited(agent, (block, *barrier, ended));
                }
            }
        }
    }

    /// All that is to say, once for each rule and word of four bytes.
    pub fn finish(self) -> Vec<Verdict> {
        let mut told = BTreeSet::new();
        let mut verdicts = Vec::new();
        let looks = self.records.iter().filter(|record| verdict::looks(record));
        let looked_at: BTreeSet<(Region, u64)> = looks.flat_map(|record| record.bytes.each()).collect();
        for Suspect { first, second, almost } in &self.suspects {
            let (f, e) = (&self.records[*first], &self.records[*second]);
            let is_looked_at = e.bytes.each().any(|byte| looked_at.contains(&byte));
            if let Some(verdict) = verdict::judge(f, e, *almost, is_looked_at)
                && told.insert((e.bytes.region, verdict.word.bytes.start / 4, verdict.rule))
            {
                verdicts.push(verdict);
            }
        }
        verdicts
    }

    fn thread_access(&mut self, who: &Who<'m>, access: &Access) {
        let agent = thread_of(who);
        let Some(bytes) = Bytes::of(who.block, &access.place) else { return };
        let mut record = Record {
            agent,
            thread: (who.block, who.thread),
            instruction: who.instruction,
            instance: who.instance,
            kind: access.kind,
            place: access.place.clone(),
            bytes,
            order: access.order,
            coherent: access.coherent,
            used: access.used,
            read: access.old,
            written: access.new,
            atomic: access.atomic,
            chain: 0,
            tick: 0,
            published: false,
            next: None,
            fenced: false,
        };
        record.fenced = record.acquires() || self.polling.contains(&record.instruction.location);
        if record.writes() {
            record.published = self.published.remove(&agent) || record.releases();
        }
        self.access(record);
    }

    /// An access of a copy, to all of its bytes at once; none to memory that it does not use.
    fn copy_access(&mut self, who: &Who<'m>, copy: u64, kind: AccessKind, place: &Place) {
        let Some(bytes) = Bytes::of(who.block, place) else { return };
        self.access(Record {
            agent: Agent::Copy(copy),
            thread: (who.block, who.thread),
            instruction: who.instruction,
            instance: who.instance,
            kind,
            place: place.clone(),
            bytes,
            order: AccessOrder::Weak,
            coherent: true,
            used: true,
            read: 0,
            written: 0,
            atomic: None,
            chain: 0,
            tick: 0,
            published: false,
            next: None,
            fenced: false,
        });
    }

    fn access(&mut self, mut e: Record<'m>) {
        e.tick = self.order.tick(e.agent);
        self.suspect(&e);
        let id = self.records.len();
        if let Some(scoped) = e.order.scoped()
            && e.reads()
            && e.used
        {
            let (write, tokens) = self.seen(&e).unzip();
            self.order.read(&e, scoped.scope, &tokens.unwrap_or_default());
            for byte in e.bytes.each() {
                let observations = &mut self.cells.entry(byte).or_default().observations;
                observations.extend(write.map(|write| (id, write)));
            }
        }
        if e.writes() {
            self.write(&mut e, id);
        }
        self.look_back(&e, id);
        for byte in e.bytes.each() {
            let cell = self.cells.entry(byte).or_default();
            let list = if e.writes() { &mut cell.writes } else { &mut cell.reads };
            list.entry(e.agent).or_default().push(id);
            cell.incoherent |= !e.coherent;
        }
        self.records.push(e);
    }

    /// Compares an access with all earlier ones of its bytes, of which one writes.
    fn suspect(&mut self, e: &Record) {
        let mut earlier: BTreeSet<Id> = BTreeSet::new();
        for byte in e.bytes.each() {
            let Some(cell) = self.cells.get(&byte) else { continue };
            let matters = |agent: &Agent| *agent != e.agent || cell.incoherent || !e.coherent;
            let reads = e.writes().then_some(&cell.reads).into_iter().flatten();
            let others = reads.chain(&cell.writes).filter(|(agent, _)| matters(agent));
            earlier.extend(others.flat_map(|(_, ids)| ids).copied());
        }
        let mut observed = BTreeMap::new();
        let knowledge = self.order.knowledge(e.agent).clone();
        for id in earlier {
            let f = &self.records[id];
            let coherent = f.coherent && e.coherent;
            let ordered = f.agent == e.agent || knowledge.causality.of(f.agent) >= f.tick;
            let strong = f.is_morally_strong_with(e) && !verdict::is_volatile_pair(f, e);
            if !(coherent && (ordered || strong)) {
                if coherent && f.writes() && f.order.scoped().is_some() {
                    let byte = (e.bytes.region, f.bytes.start.max(e.bytes.start));
                    let observed =
                        observed.entry(byte).or_insert_with(|| self.observed(byte, e.agent, &knowledge));
                    if observed.get(&f.chain).is_some_and(|last| id <= *last) {
                        continue;
                    }
                }
                let almost = knowledge.almost.of(f.agent) >= f.tick;
                self.suspects.push(Suspect { first: id, second: self.records.len(), almost });
            }
        }
    }

    /// Of each chain of writes of a byte, the last one that comes before what an agent does because a read that does has observed it, itself or
    /// by read-modify-writes that hand it on (8.9.2, 8.9.5): so the last of all threads that count may set the counter back.
    fn observed(&self, byte: (Region, u64), agent: Agent, knowledge: &Knowledge) -> BTreeMap<Id, Id> {
        let mut observed = BTreeMap::new();
        for (reader, write) in self.cells.get(&byte).map_or(&[][..], |cell| &cell.observations) {
            let r = &self.records[*reader];
            if r.agent == agent || knowledge.causality.of(r.agent) >= r.tick {
                let last = observed.entry(self.records[*write].chain).or_insert(*write);
                *last = (*last).max(*write);
            }
        }
        observed
    }

    /// The last write of all bytes of an access, if it is one.
    fn newest(&self, e: &Record) -> Option<&Newest> {
        let mut all = e.bytes.each().map(|byte| self.cells.get(&byte)?.newest.as_ref());
        let first = all.next()??;
        all.all(|other| other.is_some_and(|other| other.write == first.write)).then_some(first)
    }

    /// The write that a strong read sees, and the releases that come with it.
    fn seen(&self, e: &Record) -> Option<(Id, Tokens)> {
        let newest = self.newest(e)?;
        let last = &self.records[newest.write];
        let (write, tokens) = match &newest.before {
            Some((write, tokens)) if last.instance == e.instance && last.agent != e.agent => (*write, tokens),
            None if last.instance == e.instance && last.agent != e.agent => return None,
            _ => (newest.write, &newest.tokens),
        };
        self.records[write].is_morally_strong_with(e).then(|| (write, tokens.clone()))
    }

    /// A write becomes the newest one. A strong one carries its thread's releases, and a read-modify-write also hands on those of
    /// the write before it.
    fn write(&mut self, e: &mut Record, id: Id) {
        e.chain = id;
        let mut tokens = match e.order.scoped() {
            Some(scoped) => self.order.write(e, scoped.scope),
            None => Tokens::default(),
        };
        let mut before = None;
        if let Some(newest) = self.newest(e) {
            let last = &self.records[newest.write];
            if e.modifies() && last.is_morally_strong_with(e) {
                tokens.extend(&newest.tokens);
                e.chain = last.chain;
            }
            before = if last.instance == e.instance {
                newest.before.clone()
            } else {
                Some((newest.write, newest.tokens.clone()))
            };
        }
        for byte in e.bytes.each() {
            let newest = Newest { write: id, tokens: tokens.clone(), before: before.clone() };
            self.cells.entry(byte).or_default().newest = Some(newest);
        }
    }

    /// Says of the agent's last accesses to these bytes what it does next.
    fn look_back(&mut self, e: &Record, id: Id) {
        for (region, byte) in e.bytes.each() {
            let Some(last) = self.last.insert((e.agent, region, byte), id) else { continue };
            let last = &mut self.records[last];
            let again = std::ptr::eq(last.instruction, e.instruction);
            let next = Next { again, guessed: e.compares_with(last) };
            last.next.get_or_insert(next);
        }
        self.unfenced.entry(e.agent).or_default().push(id);
    }
}
