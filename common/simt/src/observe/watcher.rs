//! The watcher: what words threads get from memory and from each other, and what they get in their place.
//!
//! A word is told by what happens to it if the elements that are followed have other values: an element in any encoding, or a part of one,
//! changes with a single element, and what is computed from several changes with each of them.

use crate::machine::event::{LoadedWords, WordSource, WordWrite};
use crate::machine::mask::lanes;
use crate::machine::watching::{LoggedWords, WordLog, WordLogs};
use crate::machine::{InstSite, Machine};
use crate::watch::{Watch, WatchedPath};
use source::hash::KeyedMap;

/// The watcher of one worker.
pub(crate) struct Watcher {
    watch: Watch,
    /// Of blocks that have begun and not ended, by index.
    blocks: KeyedMap<u32, WatchedBlock>,
}

/// What is known of a block.
struct WatchedBlock {
    /// By byte of shared memory: the thread that has written it last, from 1 on, and how often that was another than before.
    writers: Vec<(u32, u64)>,
    /// By thread: how many computed values it has taken from others.
    taken: Vec<u64>,
    /// By warp: how many times it has got words, and which.
    got: Vec<usize>,
    logs: Vec<Vec<LoggedWords>>,
}

impl WatchedBlock {
    fn new(machine: &Machine) -> WatchedBlock {
        let warps = machine.warps() as usize;
        WatchedBlock {
            writers: vec![(0, 0); machine.shared_bytes as usize],
            taken: vec![0; 32 * warps],
            got: vec![0; warps],
            logs: vec![Vec::new(); warps],
        }
    }

    /// The bits of a word that a lane gets from another thread of the block.
    fn bits_of_others(&self, source: &WordSource, lane: usize, thread: u32) -> u32 {
        match source {
            WordSource::Path => 0,
            WordSource::Shared(words) => {
                let bytes = self.writers.iter().skip(4 * words[lane] as usize).take(4);
                let others = (0..).zip(bytes).filter(|(_, (by, _))| *by != 0 && *by != thread + 1);
                others.fold(0, |mask, (byte, _)| mask | 0xff << (8 * byte))
            }
            WordSource::Lanes(from) if from[lane] == lane => 0,
            WordSource::Lanes(_) => u32::MAX,
        }
    }
}

/// A word as it is in other runs.
struct OtherWords {
    plain: u32,
    all: u32,
    /// The bits of it that change with one part of the elements alone, and with several.
    elements: u32,
    computed: u32,
}

impl OtherWords {
    /// `unit`: how many bits change together.
    fn of([plain, all]: [u32; 2], parts: &[u32], unit: u32) -> OtherWords {
        let (mut elements, mut computed) = (0, 0);
        for mask in (0..32).step_by(unit as usize).map(|shift| ((1 << unit) - 1) << shift) {
            match parts.iter().filter(|part| (**part ^ plain) & mask != 0).count() {
                0 => {}
                1 => elements |= mask,
                _ => computed |= mask,
            }
        }
        OtherWords { plain, all, elements, computed }
    }
}

/// The bits of one word in a mask, and those of another elsewhere.
fn mixed(mask: u32, within: u32, elsewhere: u32) -> u32 {
    within & mask | elsewhere & !mask
}

impl Watcher {
    /// The watcher of a launch that is followed.
    pub(crate) fn of(machine: &Machine) -> Option<Watcher> {
        let watch = machine.watching?.watch;
        Some(Watcher { watch, blocks: KeyedMap::default() })
    }

    /// Whether it asks for what comes on this path.
    pub(crate) fn watches(&self, path: WatchedPath) -> bool {
        path == WatchedPath::Shared || self.watch.path == path
    }

    fn block(&mut self, machine: &Machine, block: u32) -> &mut WatchedBlock {
        self.blocks.entry(block).or_insert_with(|| WatchedBlock::new(machine))
    }

    /// A word of shared memory is written.
    pub(crate) fn shared_write(&mut self, machine: &Machine, at: &InstSite, write: &WordWrite) {
        let thread = at.thread(write.lane) + 1;
        let first = (4 * write.word + write.first) as usize;
        let writers = &mut self.block(machine, at.block).writers;
        for (by, others) in writers.iter_mut().skip(first).take(write.len as usize) {
            *others += u64::from(*by != 0 && *by != thread);
            *by = thread;
        }
    }

    /// Lanes get words: notes them, or replaces them.
    pub(crate) fn give(&mut self, machine: &Machine, at: &InstSite, words: &mut LoadedWords) {
        let Some(watching) = machine.watching else { return };
        let path = self.watch.path;
        let block = self.block(machine, at.block);
        let warp = at.warp as usize;
        let place = block.got[warp];
        block.got[warp] += 1;
        match watching.others {
            None => block.logs[warp].push(LoggedWords { pc: at.pc, bits: words.bits }),
            Some(others) => block.replace(path, at, words, (others, place)),
        }
    }

    /// A block has ended: adds what was found to what the launch has.
    pub(crate) fn flush(&mut self, machine: &Machine, block: u32) {
        let (Some(watching), Some(ended)) = (machine.watching, self.blocks.remove(&block)) else { return };
        let taken = ended.taken.iter().max().copied().unwrap_or(0);
        let added = ended.writers.iter().map(|(_, others)| *others).max().unwrap_or(0);
        watching.add(block, ended.logs, taken.max(added));
    }
}

impl WatchedBlock {
    /// Gives lanes words of other runs, which each warp got at the same place in its order. What another order leaves without such stays.
    fn replace(
        &mut self,
        path: WatchedPath,
        at: &InstSite,
        words: &mut LoadedWords,
        (others, place): (&WordLogs, usize),
    ) {
        let find = |log| found(log, at, place);
        let (Some(plain), Some(all)) = (find(&others.plain), find(&others.all)) else { return };
        let Some(parts) = others.parts.iter().map(find).collect::<Option<Vec<_>>>() else { return };
        for lane in lanes(words.lanes) {
            let thread = at.thread(lane);
            let parts: Vec<u32> = parts.iter().map(|part| part.bits[lane]).collect();
            let other = OtherWords::of([plain.bits[lane], all.bits[lane]], &parts, words.unit);
            let from_another = self.bits_of_others(&words.source, lane, thread);
            let bits = &mut words.bits[lane];
            match (path, &words.source) {
                (WatchedPath::Shared, WordSource::Shared(_)) => {
                    *bits = mixed(other.elements & from_another, other.all, *bits);
                }
                // An element that was read there and goes on by a shuffle; what is computed from several may.
                (WatchedPath::Shared, WordSource::Lanes(_)) => {
                    *bits = mixed(other.elements & from_another, other.plain, *bits);
                }
                (WatchedPath::Sums, _) if other.computed & from_another != 0 => {
                    self.taken[thread as usize] += 1;
                    *bits = other.all;
                }
                (WatchedPath::Shared | WatchedPath::Sums, _) => {}
                // The thread reads by itself: what it gets from others is as if nothing had changed.
                (_, WordSource::Path) => *bits = other.all,
                (_, WordSource::Shared(_) | WordSource::Lanes(_)) => {
                    *bits = mixed(from_another, other.plain, *bits);
                }
            }
        }
    }
}

/// The words that a warp got at a place in another run, if it got them from the same instruction.
fn found<'l>(log: &'l WordLog, at: &InstSite, place: usize) -> Option<&'l LoggedWords> {
    log.get(&(at.block, at.warp))?.get(place).filter(|words| words.pc == at.pc)
}
