use crate::fault::AccessKind;
use crate::machine::memory::owners::log::{AccessLog, BufferAccess};
use crate::machine::memory::owners::owner_table::*;
use crate::machine::memory::owners::table::*;
use proptest::prelude::*;
use std::sync::Barrier;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU32};

/// An access of a block, by its linear index.
pub(super) fn access(kind: AccessKind, buffer: u32, block: u32) -> BufferAccess {
    BufferAccess { kind, buffer, block }
}

/// One access at a time, flushed at once.
impl OwnerTable {
    fn now(&self, note: impl FnOnce(&mut AccessLog)) -> bool {
        let mut log = AccessLog::default();
        note(&mut log);
        log.flush(|buffer| (buffer == 0).then_some(self))
    }

    fn write_run(&self, first: usize, count: usize, block: u32) -> bool {
        self.now(|log| log.run(access(AccessKind::Store, 0, block), first..first + count))
    }

    fn write_word(&self, word: usize, block: u32) -> bool {
        self.write_run(word, 1, block)
    }

    fn write_words(&self, words: impl Iterator<Item = usize>, block: u32) -> bool {
        self.now(|log| log.words(access(AccessKind::Store, 0, block), words))
    }

    fn read_run(&self, first: usize, count: usize, block: u32) -> bool {
        self.now(|log| log.run(access(AccessKind::Load, 0, block), first..first + count))
    }

    fn read_word(&self, word: usize, block: u32) -> bool {
        self.read_run(word, 1, block)
    }

    fn atomic_word(&self, word: usize, block: u32) -> bool {
        self.now(|log| log.run(access(AccessKind::Atomic, 0, block), word..word + 1))
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Write(usize, usize),
    Read(usize, usize),
    Atomic(usize),
}

fn touch(owners: &OwnerTable, step: Step, block: u32) -> bool {
    match step {
        Step::Write(word, 1) => owners.write_word(word, block),
        Step::Write(first, count) => owners.write_run(first, count, block),
        Step::Read(word, 1) => owners.read_word(word, block),
        Step::Read(first, count) => owners.read_run(first, count, block),
        Step::Atomic(word) => owners.atomic_word(word, block),
    }
}

/// The rule itself, one word after another: who wrote it last, and who has read it.
struct ReferenceOwners {
    writers: Vec<u32>,
    readers: Vec<Vec<u32>>,
}

impl ReferenceOwners {
    fn new(words: usize) -> ReferenceOwners {
        ReferenceOwners { writers: vec![0; words], readers: vec![Vec::new(); words] }
    }

    fn touch(&mut self, step: Step, block: u32) -> bool {
        let (first, count) = match step {
            Step::Write(first, count) | Step::Read(first, count) => (first, count),
            Step::Atomic(word) => (word, 1),
        };
        let mut conflict = false;
        for word in first..first + count {
            let writer = self.writers[word];
            let owner = if matches!(step, Step::Atomic(_)) { u32::MAX } else { block };
            conflict |= writer != 0 && writer != owner;
            if matches!(step, Step::Read(..)) {
                self.readers[word].push(block);
            } else {
                conflict |= self.readers[word].iter().any(|r| *r != block);
                self.writers[word] = owner;
            }
        }
        conflict
    }
}

const WORDS: usize = 150;

fn accesses() -> impl Strategy<Value = Vec<(Step, u32)>> {
    let span = (0..WORDS, prop_oneof![Just(1usize), 1usize..20, 60usize..120]);
    let span = span.prop_map(|(first, count)| (first, count.min(WORDS - first)));
    let step = prop_oneof![
        span.clone().prop_map(|(first, count)| Step::Write(first, count)),
        span.prop_map(|(first, count)| Step::Read(first, count)),
        (0..WORDS).prop_map(Step::Atomic),
    ];
    prop::collection::vec((step, 1u32..5), 1..40)
}

/// A bit for each of the first `words` that any block has written.
pub(crate) fn written(owners: &mut OwnerTable, words: usize) -> Vec<u64> {
    let mut bits = vec![u64::MAX; words.div_ceil(64)];
    owners.unwritten(words, |at, unwritten| bits[at] = !unwritten);
    bits
}

fn check(owners: &mut OwnerTable, sequence: &[(Step, u32)]) -> Result<(), TestCaseError> {
    let mut naive = ReferenceOwners::new(WORDS);
    for (step, block) in sequence {
        let expected = naive.touch(*step, *block);
        prop_assert_eq!(touch(owners, *step, *block), expected, "{:?} of {}", step, block);
        if expected {
            return Ok(());
        }
        let written = written(owners, WORDS);
        for word in 0..WORDS {
            prop_assert_eq!(owners.is_written(word), naive.writers[word] != 0, "word {}", word);
            prop_assert_eq!(
                written[word / 64] >> (word % 64) & 1 == 1,
                naive.writers[word] != 0,
                "word {}",
                word
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// One after the other: exactly what the rule says, up to the first clash, and nothing left of the launch before.
    #[test]
    fn as_the_rule_word_by_word(first in accesses(), second in accesses()) {
        let mut owners = OwnerTable::new(WORDS);
        for sequence in [first, second] {
            owners.begin(true, false);
            check(&mut owners, &sequence)?;
        }
    }

    /// Words that are gathered into sectors are marked as if one by one.
    #[test]
    fn gathered_words_are_single_words(list in prop::collection::vec((0..WORDS, 1u32..4), 1..30)) {
        let (mut single, mut gathered) = (OwnerTable::new(WORDS), OwnerTable::new(WORDS));
        single.begin(true, false);
        gathered.begin(true, false);
        for block in 1..4 {
            let mine = || list.iter().filter(|(_, b)| *b == block).map(|(w, _)| *w);
            let one_by_one = mine().fold(false, |any, word| single.write_word(word, block) | any);
            let at_once = gathered.write_words(mine(), block);
            prop_assert_eq!(one_by_one, at_once);
            if at_once {
                return Ok(());
            }
        }
        prop_assert!(written(&mut single, WORDS) == written(&mut gathered, WORDS));
    }
}

/// Runs `work` for blocks 1 to `blocks`, each on a thread of its own and all at the same moment; whether any clashed.
pub(crate) fn hammer(
    owners: &OwnerTable,
    blocks: u32,
    work: impl Fn(&OwnerTable, u32) -> bool + Sync,
) -> bool {
    let (start, conflict) = (Barrier::new(blocks as usize), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for block in 1..=blocks {
            let (start, conflict, work) = (&start, &conflict, &work);
            scope.spawn(move || {
                start.wait();
                if work(owners, block) {
                    conflict.store(true, Relaxed);
                }
            });
        }
    });
    conflict.load(Relaxed)
}

/// Rounds of a hammering: enough that threads meet in each state of a sector.
const ROUNDS: usize = 150;
const LONG: usize = 2048;

/// The words of a block when `blocks` of them share every sector.
fn own_words(block: u32, blocks: u32) -> impl Iterator<Item = usize> {
    (block as usize - 1..LONG).step_by(blocks as usize)
}

#[test]
fn interleaved_words_do_not_clash_and_are_all_seen() {
    for blocks in 1..=8 {
        let mut owners = OwnerTable::new(LONG);
        for round in 0..ROUNDS {
            owners.begin(true, false);
            let conflict = hammer(&owners, blocks, |owners, block| {
                let mut conflict = false;
                for word in own_words(block, blocks) {
                    conflict |= owners.read_word(word, block);
                    conflict |= owners.write_word(word, block);
                }
                conflict
            });
            assert!(!conflict, "{blocks} blocks, round {round}");
            assert!(
                written(&mut owners, LONG).iter().all(|bits| *bits == u64::MAX),
                "{blocks} blocks, round {round}"
            );
            // The owners are right, not only their number: each block may come again, and no other.
            let word = round * 13 % LONG;
            let owner = (word % blocks as usize) as u32 + 1;
            assert!(!owners.write_word(word, owner));
            assert!(owners.write_word(word, owner + 1));
        }
    }
}

#[test]
fn one_shared_word_is_always_found() {
    for round in 0..ROUNDS * 10 {
        let mut owners = OwnerTable::new(64);
        owners.begin(true, false);
        let shared = round % 64;
        // Blocks 1 and 2 touch `shared`, at least one of them writing; besides, both write words around it.
        let conflict = hammer(&owners, 2, |owners, block| {
            let mut conflict = false;
            for step in 0..8 {
                let word = shared / 8 * 8 + step;
                if word == shared {
                    conflict |= match (block, round % 3) {
                        (1, _) | (_, 0) => owners.write_word(word, block),
                        (_, 1) => owners.read_word(word, block),
                        (_, _) => owners.atomic_word(word, block),
                    };
                } else if step % 2 == block as usize % 2 {
                    conflict |= owners.write_word(word, block);
                }
            }
            conflict
        });
        assert!(conflict, "round {round}");
    }
}

/// A reader and a writer that meet at each word at the same moment: one of them sees the other, at every word.
#[test]
fn a_reader_and_a_writer_never_miss_each_other() {
    const MEETINGS: usize = 2000;
    for round in 0..WIDTH {
        let mut owners = OwnerTable::new(MEETINGS * WIDTH);
        owners.begin(true, false);
        let arrived = AtomicU32::new(0);
        let seen: Vec<AtomicBool> = (0..MEETINGS).map(|_| AtomicBool::new(false)).collect();
        hammer(&owners, 2, |owners, block| {
            for (meeting, seen) in seen.iter().enumerate() {
                let word = meeting * WIDTH + round;
                arrived.fetch_add(1, SeqCst);
                let mut waited = 0u32;
                while arrived.load(SeqCst) < 2 * (meeting as u32 + 1) {
                    waited += 1;
                    if waited.is_multiple_of(4096) {
                        // The other does not run at all.
                        std::thread::yield_now();
                    }
                    std::hint::spin_loop();
                }
                let conflict = match block {
                    1 => owners.write_word(word, block),
                    _ => owners.read_word(word, block),
                };
                if conflict {
                    seen.store(true, Relaxed);
                }
            }
            false
        });
        let missed = seen.iter().filter(|seen| !seen.load(Relaxed)).count();
        assert_eq!(missed, 0, "round {round}");
    }
}

#[test]
fn atomics_and_shared_reads_do_not_clash() {
    for blocks in 2..=8 {
        let mut owners = OwnerTable::new(LONG);
        for _ in 0..ROUNDS {
            owners.begin(true, false);
            let conflict = hammer(&owners, blocks, |owners, block| {
                let mut conflict = false;
                for at in (0..LONG).step_by(16) {
                    conflict |= owners.read_run(at, 5 + block as usize % 3, block);
                    conflict |= owners.atomic_word(at + 9, block);
                    // As if a block had several threads: never a clash with itself, beside the atomics.
                    conflict |= owners.write_word(at + 10, 1);
                }
                conflict
            });
            assert!(!conflict, "{blocks} blocks");
            // A word that many have read is nobody's to write.
            assert!(owners.write_word(4, 1));
            assert!(owners.read_word(9, 1), "atomics have changed it");
        }
    }
}

#[test]
fn blocks_in_order_are_not_told_apart() {
    let mut owners = OwnerTable::new(WORDS);
    owners.begin(true, true);
    assert!(!owners.write_run(3, 12, 1));
    assert!(!owners.write_run(0, 9, 2));
    assert!(!owners.atomic_word(5, 3));
    assert!(!owners.read_word(5, 4));
    let written: Vec<usize> = (0..WORDS).filter(|word| owners.is_written(*word)).collect();
    assert_eq!(written, (0..15).collect::<Vec<_>>());
}

#[test]
fn launches_are_told_apart_when_their_numbers_begin_again() {
    let mut owners = OwnerTable::new(WORDS);
    owners.begin(true, false);
    assert!(!owners.write_word(7, 1));
    assert!(!owners.read_word(8, 1));
    owners.stamp = Stamp::LAST;
    owners.begin(true, false);
    assert_eq!(owners.stamp, Stamp::FIRST);
    assert!(!owners.is_written(7));
    assert!(!owners.write_word(8, 2), "the reader is of another launch");
    assert!(!owners.write_word(7, 2), "the writer is of another launch");
}
