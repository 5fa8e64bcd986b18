//! The watcher: who has written each word of shared memory, which words threads get on the path that is watched, and what they get in
//! their place.

use crate::fault::AccessKind;
use crate::machine::event::{LoadedWords, WordWrite};
use crate::machine::mask::lanes;
use crate::machine::{InstSite, Machine, ResolvedAccess};
use crate::watch::{Watch, Watched, WatchedPath};
use simt_ir::pointer::Space;
use source::hash::{KeyedMap, Mixer};
use std::hash::Hasher;

/// The watcher of one worker.
pub(crate) struct Watcher {
    watch: Watch,
    /// Of blocks that have begun and not ended, by index.
    blocks: KeyedMap<u32, WatchedBlock>,
}

/// What is known of a block.
struct WatchedBlock {
    warps: usize,
    /// By word of shared memory: the thread that has written it last, from 1 on.
    writers: Vec<u32>,
    /// By word of shared memory and warp: the lanes that have got it since.
    shared: Vec<u32>,
    /// The same of other memory, by allocation, word and warp.
    others: KeyedMap<(u32, u64, u32), u32>,
    /// By warp: the lanes that have stored to global memory.
    storing: Vec<u32>,
    found: Watched,
}

impl WatchedBlock {
    fn new(machine: &Machine, path: WatchedPath) -> WatchedBlock {
        let warps = machine.warps() as usize;
        let words = if path == WatchedPath::Shared { machine.shared_bytes.div_ceil(4) as usize } else { 0 };
        WatchedBlock {
            warps,
            writers: vec![0; words],
            shared: vec![0; words * warps],
            others: KeyedMap::default(),
            storing: vec![0; warps],
            found: Watched::default(),
        }
    }

    /// Whether a thread other than this one has written a word of shared memory last.
    fn has_from_another(&self, word: usize, thread: u32) -> bool {
        self.writers.get(word).is_some_and(|writer| *writer != 0 && *writer != thread + 1)
    }

    /// A lane gets a word.
    fn note(&mut self, path: WatchedPath, (allocation, place): (u32, u64), warp: u32, lane: usize) {
        let got = match path {
            WatchedPath::Shared => &mut self.shared[place as usize * self.warps + warp as usize],
            _ => self.others.entry((allocation, place, warp)).or_insert(0),
        };
        self.found.words += u64::from(*got >> lane & 1 == 0);
        *got |= 1 << lane;
    }
}

impl Watcher {
    /// The watcher of a launch that asks for one.
    pub(crate) fn of(machine: &Machine) -> Option<Watcher> {
        let watch = machine.options.watch?;
        Some(Watcher { watch, blocks: KeyedMap::default() })
    }

    /// Whether it watches this path.
    pub(crate) fn watches(&self, path: WatchedPath) -> bool {
        self.watch.path == path
    }

    fn block(&mut self, machine: &Machine, block: u32) -> &mut WatchedBlock {
        let path = self.watch.path;
        self.blocks.entry(block).or_insert_with(|| WatchedBlock::new(machine, path))
    }

    /// Notes an access, for which threads store.
    pub(crate) fn access(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        access: &ResolvedAccess,
        kind: AccessKind,
    ) {
        if access.space != Space::Global || kind == AccessKind::Load {
            return;
        }
        let block = self.block(machine, at.block);
        block.storing[at.warp as usize] |= access.mask;
        block.found.stored += u64::from(access.mask.count_ones() * access.bytes.div_ceil(4));
    }

    /// A word of shared memory is written.
    pub(crate) fn shared_write(&mut self, machine: &Machine, at: &InstSite, write: &WordWrite) {
        let block = self.block(machine, at.block);
        let (word, warps) = (write.word as usize, block.warps);
        if let Some(writer) = block.writers.get_mut(word) {
            *writer = at.thread(write.lane) + 1;
            block.shared[word * warps..][..warps].fill(0);
        }
    }

    /// Lanes get words on the path that is watched: notes it, and what they get.
    pub(crate) fn give(&mut self, machine: &Machine, at: &InstSite, words: &mut LoadedWords) {
        let Some(watching) = &machine.watching else { return };
        let Watch { path, change, .. } = self.watch;
        let block = self.block(machine, at.block);
        let seed = change.filter(|_| words.are_numbers);
        // Lanes often get the same word.
        let (mut place, mut from, mut to) = (u64::MAX, 0, None);
        for lane in lanes(words.lanes) {
            let bits = words.bits[lane];
            if (place, from) != (words.places[lane], bits) {
                (place, from) = (words.places[lane], bits);
                to = watching.is_of_origin(bits).then(|| match seed {
                    Some(seed) => changed(seed, (words.allocation, place), bits),
                    None => bits,
                });
            }
            let Some(to) = to else { continue };
            if path == WatchedPath::Shared && !block.has_from_another(place as usize, at.thread(lane)) {
                continue;
            }
            block.note(path, (words.allocation, place), at.warp, lane);
            words.bits[lane] = to;
        }
    }

    /// A block has ended: adds what was found to what the launch has.
    pub(crate) fn flush(&mut self, machine: &Machine, block: u32) {
        let (Some(watching), Some(mut ended)) = (&machine.watching, self.blocks.remove(&block)) else {
            return;
        };
        ended.found.threads = ended.storing.iter().map(|mask| lanes(*mask).count() as u64).sum();
        watching.add(&ended.found);
    }
}

/// A float at a place as a seed changes it; other words as they are.
fn changed(seed: u64, (allocation, word): (u32, u64), bits: u32) -> u32 {
    let value = f32::from_bits(bits);
    if !value.is_normal() {
        return bits;
    }
    let mut hash = Mixer::default();
    [seed, u64::from(allocation), word].into_iter().for_each(|part| hash.mix(part));
    let share = (hash.finish() >> 40) as f32 / (1 << 24) as f32;
    (value * (1.5 + share)).to_bits()
}
