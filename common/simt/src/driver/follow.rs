//! Follows the elements of a launch to its outputs.
//!
//! Some of its blocks run several times on copies of the memory: as they are, with other values for one part of the elements after the other,
//! and with other values for all. What threads get each time is kept. Then they run once more, and what comes to threads on the path is as in
//! the run with other values. As far as outputs then come out as in that run, they are computed from what takes the path.

use crate::driver::accepted::{Accepted, KernelRef, Purpose};
use crate::driver::{PlanCache, Simulator};
use crate::fault::LaunchFailure;
use crate::launch::{Launch, Options};
use crate::machine::memory::device::{DeviceMemory, Symbol, Symbols};
use crate::machine::watching::{Watching, WordLogs};
use crate::watch::{OutputChange, Watch, Watched};
use source::hash::Mixer;
use std::hash::Hasher;

/// Parts of the elements: few elements of a computed value are all of the same.
const PARTS: u64 = 4;

/// Which elements have other values in a run.
#[derive(Clone, Copy, PartialEq)]
enum ChangedElements {
    None,
    Part(u64),
    All,
}

impl Simulator {
    /// Follows the elements of a launch to its outputs. Memory stays as it is.
    ///
    /// # Errors
    /// As [`Simulator::run`], of any of the runs.
    pub fn follow(
        &self,
        kernel: KernelRef,
        launch: &Launch,
        options: &Options,
        watch: Watch,
    ) -> Result<Watched, Box<LaunchFailure>> {
        let options = Options {
            checks: false,
            counters: false,
            proves: false,
            every_mode: false,
            further: 0,
            ..options.clone()
        };
        let mut plans = PlanCache::default();
        let size = (launch.grid.iter().product(), launch.block.iter().product());
        let mut run = |memory: &mut DeviceMemory, changed, others: Option<&WordLogs>| {
            let mut accepted = Accepted::of(memory, kernel, launch, &options)?;
            change(memory, &mut accepted.symbols, watch, changed);
            let watching = Watching::new(watch, size, others);
            let purpose = Purpose { watching: Some(&watching), ..Purpose::default() };
            accepted.run_job(memory, &mut plans, &options, purpose)?;
            Ok::<_, Box<LaunchFailure>>(watching.into_found())
        };
        let [mut plain, mut all, mut last] = [(); 3].map(|()| self.memory.copied());
        let parts = (0..PARTS).map(|part| {
            let (log, _) = run(&mut last, ChangedElements::Part(part), None)?;
            last.copy_again(&self.memory);
            Ok(log)
        });
        let logs = WordLogs {
            parts: parts.collect::<Result<_, Box<LaunchFailure>>>()?,
            plain: run(&mut plain, ChangedElements::None, None)?.0,
            all: run(&mut all, ChangedElements::All, None)?.0,
        };
        let (_, most) = run(&mut last, ChangedElements::None, Some(&logs))?;
        let outputs = (0..plain.buffers.len() as u32).filter(|id| Some(*id) != watch.from);
        let outputs = outputs.filter_map(|id| Some((id, output_change([&plain, &all, &last], id)?)));
        Ok(Watched { outputs: outputs.collect(), most })
    }
}

/// Gives elements other values.
fn change(memory: &mut DeviceMemory, symbols: &mut Symbols, watch: Watch, changed: ChangedElements) {
    let other = |words: &mut [u32]| {
        for (place, word) in (0..).zip(words) {
            let value = f32::from_bits(*word);
            let (part, factor) = factor(watch.seed, place);
            if value.is_normal()
                && (changed == ChangedElements::All || changed == ChangedElements::Part(part))
            {
                *word = (value * factor).to_bits();
            }
        }
    };
    match watch.from {
        Some(id) => {
            memory.buffers[id as usize].as_mut().into_iter().for_each(|buffer| other(&mut buffer.words))
        }
        None => symbols.globals.iter_mut().for_each(|symbol| match symbol {
            Symbol::Constant(buffer) => other(&mut buffer.words),
            Symbol::Device(_) => {}
        }),
    }
}

/// The part that an element is of, and by how much its other value is greater.
fn factor(seed: u64, place: u64) -> (u64, f32) {
    let mut hash = Mixer::default();
    hash.mix(seed);
    hash.mix(place + 1);
    let hash = hash.finish();
    ((hash >> 32) % PARTS, 1.5 + (hash >> 40) as f32 / (1 << 24) as f32)
}

/// How a buffer changes; `None` if it does not. The memories are as it is, with other values, and with those only on the path.
fn output_change(memories: [&DeviceMemory; 3], id: u32) -> Option<OutputChange> {
    let [plain, all, on_path] = memories.map(|memory| memory.buffers[id as usize].as_ref());
    let mut change = OutputChange::default();
    for ((plain, all), on_path) in plain?.words.iter().zip(all?.words.iter()).zip(on_path?.words.iter()) {
        let value = |bits: &u32| f64::from(f32::from_bits(*bits));
        let (plain, all, on_path) = (value(plain), value(all), value(on_path));
        // Not the change with all elements: in a sum, it may be next to nothing.
        let square = |change: f64| change * change;
        let (on_path, besides) = (square(on_path - plain), square(all - on_path));
        if (on_path + besides).is_finite() {
            change.all += on_path + besides;
            change.on_path += on_path;
        }
    }
    (change.all > 0.0).then_some(change)
}
