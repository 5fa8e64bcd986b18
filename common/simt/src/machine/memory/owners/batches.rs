//! Whole lines beside parts of them, logs of several buffers that are emptied in batches, the ends of shards, and what the
//! tables take.

use crate::fault::AccessKind;
use crate::host_threads;
use crate::machine::memory::owners::log::AccessLog;
use crate::machine::memory::owners::owner_table::*;
use crate::machine::memory::owners::table::*;
use crate::machine::memory::owners::tests::{access, hammer};
use proptest::prelude::*;
use source::hash::Map;
use std::ops::Range;

/// Words of a shard.
const SHARD_WORDS: usize = LINE << SHARD_BITS;
const SHARD_BITS: u32 = 9;

impl OwnerTable {
    /// A run of words, put into the tables at once.
    fn touch(&self, kind: AccessKind, words: Range<usize>, block: u32) -> bool {
        let mut log = AccessLog::default();
        log.run(access(kind, 0, block), words);
        log.flush(|_| Some(self))
    }

    fn write(&self, words: Range<usize>, block: u32) -> bool {
        self.touch(AccessKind::Store, words, block)
    }

    fn read(&self, words: Range<usize>, block: u32) -> bool {
        self.touch(AccessKind::Load, words, block)
    }
}

fn owners(words: usize) -> OwnerTable {
    let mut owners = OwnerTable::with_shards(words, SHARD_BITS);
    owners.begin(true, false);
    owners
}

fn written(owners: &mut OwnerTable) -> Vec<usize> {
    let words = owners.capacity();
    let bits = crate::machine::memory::owners::tests::written(owners, words);
    (0..words).filter(|word| bits[word / 64] >> (word % 64) & 1 == 1).collect()
}

const LINE_1: Range<usize> = LINE..2 * LINE;

#[test]
fn a_line_owned_whole_keeps_its_owner_when_it_is_split() {
    // By its owner, at a word; by another beside it, which does not split it; by another in it.
    let mut m = owners(100);
    assert!(!m.write(LINE_1, 1));
    assert!(!m.write(31..32, 2) && !m.write(64..65, 2) && !m.write(40..41, 1));
    assert_eq!(written(&mut m), (31..65).collect::<Vec<_>>());
    for word in [32, 39, 40, 41, 63] {
        let m = owners(100);
        assert!(!m.write(LINE_1, 1) && !m.write(40..41, 1));
        assert!(m.write(word..word + 1, 2), "word {word}");
    }
    let m = owners(100);
    assert!(!m.write(LINE_1, 1));
    assert!(m.write(60..70, 2), "across the end of the line");
}

#[test]
fn a_line_that_others_have_split_is_not_to_be_had_whole() {
    for word in LINE_1 {
        let m = owners(100);
        assert!(!m.write(word..word + 1, 2));
        assert!(!m.write(LINE..word, 1) && !m.write(word + 1..2 * LINE, 1), "all but word {word}");
        assert!(!m.write(word..word + 1, 2), "its owner again");
        assert!(m.write(LINE_1, 1), "word {word} is another's");
        let m = owners(100);
        assert!(!m.read(word..word + 1, 2));
        assert!(m.write(LINE_1, 1), "another has read word {word}");
    }
}

#[test]
fn a_line_that_many_have_read_is_nobodys_to_write() {
    for readers in 1..5 {
        for writer in 1..6 {
            let m = owners(100);
            (1..=readers).for_each(|block| assert!(!m.read(LINE_1, block)));
            // Also when it was split since, by one more reader of a word.
            if writer % 2 == 0 {
                assert!(!m.read(50..51, 1));
            }
            assert_eq!(m.write(44..45, writer), readers > 1 || writer != 1, "{readers} readers, {writer}");
        }
    }
    // One has read all of it, another a word: the first may write all but that.
    let m = owners(100);
    assert!(!m.read(LINE_1, 1) && !m.read(37..38, 2));
    assert!(!m.write(LINE..37, 1) && !m.write(38..64, 1));
    assert!(m.write(37..38, 1));
    // A reader of the line that another writes as a whole, and of one that it has split.
    let m = owners(100);
    assert!(!m.write(LINE_1, 3));
    assert!(!m.read(LINE_1, 3) && m.read(LINE_1, 1));
    let m = owners(100);
    assert!(!m.write(33..35, 3) && !m.read(35..64, 1) && m.read(LINE_1, 1));
}

#[test]
fn nothing_is_left_of_lines_sectors_and_words_of_the_launch_before() {
    let mut m = owners(100);
    assert!(!m.write(0..1, 1) && !m.write(1..2, 2) && !m.write(2..8, 3), "a spilled sector");
    assert!(!m.write(LINE_1, 4) && !m.read(64..90, 5));
    m.begin(true, false);
    assert!(written(&mut m).is_empty());
    // Split anew: the other words of the line are nobody's.
    assert!(!m.write(3..4, 7) && !m.write(0..3, 8) && !m.write(4..LINE, 9));
    assert!(!m.write(LINE_1, 7) && !m.write(64..96, 8));
    assert_eq!(written(&mut m), (0..96).collect::<Vec<_>>());
}

#[test]
fn a_run_may_end_in_another_shard_than_it_begins() {
    let around = SHARD_WORDS - 70..SHARD_WORDS + 45;
    let mut m = owners(2 * SHARD_WORDS + 10);
    assert!(!m.write(around.clone(), 1));
    assert!(!m.write(around.start - 10..around.start, 2) && !m.write(around.end..around.end + 10, 2));
    assert_eq!(written(&mut m), (around.start - 10..around.end + 10).collect::<Vec<_>>());
    for word in
        [around.start, SHARD_WORDS - 33, SHARD_WORDS - 1, SHARD_WORDS, SHARD_WORDS + 32, around.end - 1]
    {
        let m = owners(2 * SHARD_WORDS + 10);
        assert!(!m.read(around.clone(), 1) && !m.read(around.clone(), 2));
        assert!(m.write(word..word + 1, 2), "word {word}");
    }
    // Longer than an entry of the log.
    let mut m = owners(2 * SHARD_WORDS + 10);
    assert!(!m.write(5..SHARD_WORDS * 2, 1));
    assert_eq!(written(&mut m).len(), SHARD_WORDS * 2 - 5);
    assert!(m.write(SHARD_WORDS * 2 - 1..SHARD_WORDS * 2, 2));
}

/// An access to words of a buffer.
#[derive(Clone, Debug)]
struct Note {
    kind: AccessKind,
    buffer: u32,
    block: u32,
    words: Range<usize>,
    /// Noted word by word, not as a run.
    gathered: bool,
}

/// Words around the end of a shard, in two buffers, in pieces: each is written by one block, or read by several.
fn notes() -> impl Strategy<Value = Vec<Note>> {
    let piece = (prop_oneof![1usize..10, Just(32), 20usize..90], 1u32..5, 0u32..3, any::<bool>());
    let lists = prop::collection::vec(piece, 1..14);
    lists.prop_map(|pieces| {
        let mut notes = Vec::new();
        let mut at = [SHARD_WORDS - 200; 2];
        for (k, (count, block, readers, gathered)) in pieces.into_iter().enumerate() {
            let words = at[k % 2]..at[k % 2] + count;
            at[k % 2] = words.end;
            let note =
                |kind, block| Note { kind, buffer: k as u32 % 2, block, words: words.clone(), gathered };
            match readers {
                0 => notes.extend([note(AccessKind::Store, block), note(AccessKind::Load, block)]),
                n => notes.extend((0..=n).map(|more| note(AccessKind::Load, block + more))),
            }
        }
        notes
    })
}

/// Whether different blocks touch a word and one of them writes it.
fn conflicts_exist(notes: &[Note]) -> bool {
    let mut by_word: Map<(u32, usize), Vec<(bool, u32)>> = Map::default();
    for note in notes {
        for word in note.words.clone() {
            by_word
                .entry((note.buffer, word))
                .or_default()
                .push((note.kind == AccessKind::Store, note.block));
        }
    }
    by_word.values().any(|all| all.iter().any(|(writes, a)| *writes && all.iter().any(|(_, b)| a != b)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Whichever worker notes what, in any order, with logs emptied at any time: a clash is found just if there is one.
    #[test]
    fn logs_of_several_workers_and_buffers_give_what_there_is(
        notes in notes(),
        more in prop::option::of((0usize..400, 1u32..7, any::<bool>())),
        order in prop::collection::vec((0usize..1000, 0usize..3, any::<bool>()), 60),
    ) {
        let mut notes = notes;
        if let Some((at, block, writes)) = more {
            let kind = if writes { AccessKind::Store } else { AccessKind::Load };
            let words = SHARD_WORDS - 200 + at..SHARD_WORDS - 199 + at;
            notes.push(Note { kind, buffer: 0, block, words, gathered: false });
        }
        let mut at: Vec<usize> = (0..notes.len()).collect();
        at.sort_by_key(|k| order[*k % order.len()].0);
        let mut buffers = [owners(2 * SHARD_WORDS), owners(2 * SHARD_WORDS)];
        let mut logs: [AccessLog; 3] = Default::default();
        let mut conflict = false;
        for k in at {
            let Note { kind, buffer, block, words, gathered } = notes[k].clone();
            let (_, worker, empty) = order[k % order.len()];
            let log = &mut logs[worker];
            match gathered {
                true => log.words(access(kind, buffer, block), words),
                false => log.run(access(kind, buffer, block), words),
            }
            if empty {
                conflict |= log.flush(|buffer| buffers.get(buffer as usize));
            }
        }
        for log in &mut logs {
            conflict |= log.flush(|buffer| buffers.get(buffer as usize));
            prop_assert!(log.is_empty());
        }
        prop_assert_eq!(conflict, conflicts_exist(&notes));
        if conflict {
            return Ok(());
        }
        for (buffer, owners) in (0..).zip(&mut buffers) {
            let writes = notes.iter().filter(|note| note.buffer == buffer && note.kind == AccessKind::Store);
            let mut expected: Vec<usize> = writes.flat_map(|note| note.words.clone()).collect();
            expected.sort_unstable();
            expected.dedup();
            prop_assert_eq!(written(owners), expected);
        }
    }
}

/// Workers that empty logs of two buffers into the same shards, in different orders, while others do.
#[test]
fn logs_emptied_at_the_same_moment_lose_nothing() {
    const AROUND: usize = 40 * LINE;
    for blocks in 2..=6u32 {
        for round in 0..40 {
            let buffers = [owners(2 * SHARD_WORDS), owners(2 * SHARD_WORDS)];
            let shared = SHARD_WORDS - AROUND + round * 61 % (2 * AROUND);
            let offence = round % 2 == 1;
            let conflict = hammer(&buffers[0], blocks, |_, block| {
                let (mut log, mut conflict) = (AccessLog::default(), false);
                // Pieces of 1 to 76 words, each block's in turn.
                let (mut at, mut turn) = (SHARD_WORDS - AROUND, 0);
                while at < SHARD_WORDS + AROUND {
                    let end = at + 1 + turn * 37 % 76;
                    if turn as u32 % blocks + 1 == block {
                        for buffer in if block % 2 == 0 { [0, 1] } else { [1, 0] } {
                            log.run(access(AccessKind::Store, buffer, block), at..end);
                            log.run(access(AccessKind::Load, buffer, block), at..end);
                        }
                    } else if offence && block == 1 && (at..end).contains(&shared) {
                        log.run(access(AccessKind::Load, 1, block), shared..shared + 1);
                    }
                    if turn % 5 == block as usize % 5 {
                        conflict |= log.flush(|buffer| buffers.get(buffer as usize));
                    }
                    (at, turn) = (end, turn + 1);
                }
                log.flush(|buffer| buffers.get(buffer as usize)) | conflict
            });
            // Block 1 offends unless the word is its own.
            let (mut at, mut turn) = (SHARD_WORDS - AROUND, 0);
            while at + 1 + turn * 37 % 76 <= shared {
                (at, turn) = (at + 1 + turn * 37 % 76, turn + 1);
            }
            let own = (turn as u32).is_multiple_of(blocks);
            assert_eq!(conflict, offence && !own, "{blocks} blocks, round {round}");
        }
    }
}

#[test]
fn tables_take_what_the_module_says() {
    let bytes = |table: &RoleTable| 8 * (table.lines.len() + table.sectors.len());
    let pages =
        |table: &RoleTable| table.pages.iter().flatten().map(|page| size_of_val(&**page)).sum::<usize>();
    let words = SHARD_WORDS + 3 * LINE - 5;
    let mut m = OwnerTable::with_shards(words, SHARD_BITS);
    assert_eq!((m.capacity(), m.shards.len()), (SHARD_WORDS + 3 * LINE, 2));
    let total = |m: &mut OwnerTable, of: fn(&Shard) -> &RoleTable| {
        let mut sums = (0, 0);
        for shard in &mut m.shards {
            let table = of(shard.get_mut().unwrap());
            sums = (sums.0 + bytes(table), sums.1 + pages(table));
        }
        sums
    };
    let of_buffer = m.capacity() * 4 * 5 / 16;
    m.begin(false, false);
    assert_eq!(total(&mut m, |shard| &shard.writers), (of_buffer, 0));
    assert_eq!(total(&mut m, |shard| &shard.readers), (0, 0), "no thread reads");
    m.begin(true, false);
    assert_eq!(total(&mut m, |shard| &shard.readers), (of_buffer, 0));
    // Lines and sectors of one owner each need no more; sectors of two need pages as large as what they are of.
    assert!(!m.write(0..words, 1) && !m.write(100..103, 1) && !m.read(0..words, 1));
    assert_eq!(total(&mut m, |shard| &shard.writers), (of_buffer, 0));
    m.begin(true, false);
    assert!(!m.write(0..1, 1) && !m.write(1..2, 2) && !m.write(PAGE * LINE - 1..PAGE * LINE, 3));
    assert_eq!(total(&mut m, |shard| &shard.writers), (of_buffer, PAGE * LINE * 4));
    // At worst all of them, which is no more than the buffer.
    m.begin(true, false);
    assert!((0..words).all(|word| !m.write(word..word + 1, word as u32 % 2 + 1)));
    let (_, most) = total(&mut m, |shard| &shard.writers);
    assert_eq!(most, m.capacity().next_multiple_of(PAGE * LINE) * 4);
}

#[test]
fn there_are_shards_for_all_cores() {
    let cores = host_threads::cores();
    for lines in [1, 100, 5000, 40_000, 1 << 20] {
        let (m, least, most) =
            (OwnerTable::new(lines * LINE), 1 << SHARD_LINE_BITS.start(), 1 << SHARD_LINE_BITS.end());
        let of_shard = 1 << m.shard_bits;
        assert_eq!(m.shards.len(), lines.div_ceil(of_shard));
        assert!((least..=most).contains(&of_shard), "{of_shard} of {lines} lines");
        assert!(
            m.shards.len() >= SHARDS * cores || of_shard == least,
            "{} for {cores} cores",
            m.shards.len()
        );
        assert!(
            m.shards.len() <= 2 * SHARDS * cores + 1 || of_shard == most,
            "{} for {cores} cores",
            m.shards.len()
        );
    }
}
