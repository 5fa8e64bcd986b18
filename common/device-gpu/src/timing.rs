//! Measuring a kernel's time.
//!
//! - **Launches in batches.** The host needs a few microseconds to launch a kernel, longer than many kernels run. So
//!   launches are captured into a graph that runs for about [`BATCH`], and events around a replay of the graph
//!   measure the device alone. Per launch this leaves only the gap of under a microsecond that the device needs
//!   between two kernels.
//! - **Cold L2.** The second launch would read buffers that fit in the L2 cache from that cache. So a batch cycles
//!   through copies of the buffers that together are twice as large as L2. If that takes more than [`MOST_COPIES`],
//!   the time is marked as measured with a warm cache.
//! - **Enough batches.** After two warm-up batches, at least [`FEWEST`] batches are measured. Measuring stops when
//!   the 95 % confidence interval of the median is within [`CONFIDENCE`] of the median, or after [`LONGEST`].
//! - **Nothing changes.** Buffers and variables that the kernel may write are reset to their earlier content before
//!   the copies are made and before the last launch. The results of the last launch must equal those of the first.
//!   Afterwards the first launch's results are restored. A kernel that continues from its own output sees that output
//!   within a batch, so its time covers several steps. A surface keeps what launches wrote during the measurement, so
//!   results are not compared for launches with surfaces.
//!
//! Only one thread of the process measures at a time; parallel measurements would share the device.

use crate::arguments::Packed;
use crate::fault::{Fault, check, checked};
use crate::memory::{self, Held, Region};
use crate::program::Function;
use crate::properties::free_memory;
use ::device::{LaunchShape, MeasuredTime, SurfaceId};
use cust::event::{Event, EventFlags};
use cust::stream::Stream;
use cust::sys::*;
use std::ffi::c_void;
use std::ptr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Target duration of a batch, seconds.
const BATCH: f64 = 400e-6;
/// Maximum launches per batch.
const MOST_LAUNCHES: usize = 512;
/// Maximum copies of the buffers that a batch cycles through.
const MOST_COPIES: u64 = 256;
/// Maximum duration of a batch that uses every copy once, seconds.
const LONGEST_BATCH: f64 = 20e-3;
/// Minimum number of measured batches.
const FEWEST: usize = 11;
/// Measuring stops when half of the confidence interval is below this fraction of the median.
const CONFIDENCE: f64 = 0.005;
/// Measuring stops after this time even if the confidence interval is still wide.
const LONGEST: Duration = Duration::from_millis(60);

/// A launch with its arguments in the form that the driver expects.
pub(crate) struct Bound {
    pub(crate) function: Function,
    pub(crate) shape: LaunchShape,
    /// Whether to use `cudaLaunchCooperativeKernel`.
    pub(crate) cooperative: bool,
    /// The packed bytes of the arguments.
    pub(crate) arguments: Packed,
    /// Arguments that point to a buffer: index of the scalar in `arguments`, index of the buffer in `buffers`.
    pub(crate) pointers: Vec<(usize, usize)>,
    /// The buffers among the arguments, each listed once.
    pub(crate) buffers: Vec<Region>,
    /// Buffers and variables that the kernel may write.
    pub(crate) changeable: Vec<Region>,
    /// Surfaces among the arguments, each with the memory of its buffer.
    pub(crate) surfaces: Vec<(SurfaceId, Region)>,
}

impl Bound {
    /// Enqueues the launch in the stream.
    pub(crate) fn launch(&self, stream: &Stream) -> Result<(), Fault> {
        self.launch_with(&self.arguments, stream)
    }

    fn launch_with(&self, arguments: &Packed, stream: &Stream) -> Result<(), Fault> {
        let mut packed = arguments.clone();
        let mut arguments: Vec<*mut c_void> = packed.each().map(|a| a.as_mut_ptr().cast()).collect();
        let ([gx, gy, gz], [bx, by, bz]) = (self.shape.grid, self.shape.block);
        // SAFETY: there is one argument per parameter, of the parameter's size, and the driver copies the arguments
        // before it returns. The kernel cannot reach host memory, whatever it does on the device.
        check("launching the kernel", unsafe {
            let (function, shared, stream) = (self.function.0, self.shape.dynamic_shared, stream.as_inner());
            let arguments = arguments.as_mut_ptr();
            match self.cooperative {
                true => {
                    cuLaunchCooperativeKernel(function, gx, gy, gz, bx, by, bz, shared, stream, arguments)
                }
                false => {
                    let extra = ptr::null_mut();
                    cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra)
                }
            }
        })
    }
}

/// Copies `regions` to new device memory, for [`restore`] to copy back later.
pub(crate) fn keep(regions: &[Region], stream: &Stream) -> Result<Vec<Held>, Fault> {
    let copy = |region: &Region| {
        let held = Held::new(region.bytes)?;
        // SAFETY: both have `region.bytes` bytes, and nothing else uses the new memory.
        unsafe { memory::copy(held.address(), region.address, region.bytes, stream) }?;
        Ok(held)
    };
    let kept = regions.iter().map(copy).collect::<Result<_, Fault>>()?;
    checked("copying on the device", stream.synchronize())?;
    Ok(kept)
}

fn restore(regions: &[Region], kept: &[Held], stream: &Stream) -> Result<(), Fault> {
    for (region, held) in regions.iter().zip(kept) {
        // SAFETY: [`keep`] made `kept` from these regions, so the sizes agree.
        unsafe { memory::copy(region.address, held.address(), region.bytes, stream) }?;
    }
    Ok(())
}

/// Result of a measurement.
pub(crate) struct Measured {
    pub(crate) time: MeasuredTime,
    /// Whether the last launch left the same results as the first.
    pub(crate) repeats: bool,
}

/// Measures a launch that has run once. `before`: the content of `bound.changeable` before that run, from [`keep`].
pub(crate) fn measure(
    bound: &Bound,
    before: &[Held],
    l2_bytes: u64,
    stream: &Stream,
) -> Result<Measured, Fault> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let after = keep(&bound.changeable, stream)?;
    restore(&bound.changeable, before, stream)?;
    let footprint: u64 = bound.buffers.iter().map(|b| b.bytes).sum();
    let (copies, cold) = copies(footprint, l2_bytes, free_memory()?.0);
    let held = rotation(bound, copies, stream)?;
    let time = batches(bound, &argument_sets(bound, &held), cold, stream)?;
    restore(&bound.changeable, before, stream)?;
    bound.launch(stream)?;
    checked("running the kernel", stream.synchronize())?;
    let repeats = !bound.surfaces.is_empty() || same(&bound.changeable, &after)?;
    restore(&bound.changeable, &after, stream)?;
    checked("copying on the device", stream.synchronize())?;
    Ok(Measured { time, repeats })
}

/// Number of sets of the buffers that a batch cycles through, including the original, and whether the L2 cache is
/// then cold.
fn copies(footprint: u64, l2_bytes: u64, free: u64) -> (u64, bool) {
    if footprint == 0 {
        return (1, false);
    }
    let wanted = (2 * l2_bytes).div_ceil(footprint).max(1);
    let room = (free / 4) / footprint + 1;
    let copies = wanted.min(MOST_COPIES).min(room);
    (copies, copies == wanted)
}

/// Allocates all sets except the original.
fn rotation(bound: &Bound, copies: u64, stream: &Stream) -> Result<Vec<Vec<Held>>, Fault> {
    (1..copies).map(|_| keep(&bound.buffers, stream)).collect()
}

/// One copy of the arguments per set, with pointers into that set.
fn argument_sets(bound: &Bound, held: &[Vec<Held>]) -> Vec<Packed> {
    let moved = |set: &Vec<Held>| {
        let mut arguments = bound.arguments.clone();
        bound.pointers.iter().for_each(|(index, buffer)| arguments.set(*index, set[*buffer].address()));
        arguments
    };
    std::iter::once(bound.arguments.clone()).chain(held.iter().map(moved)).collect()
}

fn batches(bound: &Bound, sets: &[Packed], cold: bool, stream: &Stream) -> Result<MeasuredTime, Fault> {
    let event = || checked("making an event", Event::new(EventFlags::DEFAULT));
    let (start, end) = (event()?, event()?);
    let time = |work: &dyn Fn() -> Result<(), Fault>| -> Result<f64, Fault> {
        checked("recording an event", start.record(stream))?;
        work()?;
        checked("recording an event", end.record(stream))?;
        checked("running the kernel", end.synchronize())?;
        let milliseconds = checked("reading an event", end.elapsed_time_f32(&start))?;
        Ok(f64::from(milliseconds) * 1e-3)
    };
    let one = || bound.launch(stream);
    time(&one)?;
    let single = time(&one)?.max(1e-7);
    let launches = batch_size(single, sets.len());
    let batch = Batch::new(bound, sets, launches, stream)?;
    let replay = || batch.replay(stream);
    time(&replay)?;
    time(&replay)?;
    let begin = Instant::now();
    let mut samples = Vec::new();
    loop {
        samples.push(time(&replay)? / launches as f64);
        let statistics = Statistics::of(&samples);
        let sure = statistics.confidence <= CONFIDENCE * statistics.median;
        if samples.len() >= FEWEST && (sure || begin.elapsed() > LONGEST) {
            let launches = u32::try_from(samples.len() * launches).unwrap_or(u32::MAX);
            return Ok(MeasuredTime {
                seconds: statistics.median,
                spread: statistics.spread,
                confidence: statistics.confidence,
                launches,
                cold_cache: cold,
            });
        }
    }
}

/// Launches per batch: a multiple of the number of sets, unless one launch per set would take longer than
/// [`LONGEST_BATCH`].
fn batch_size(single: f64, sets: usize) -> usize {
    let fill = (BATCH / single).ceil().clamp(1.0, MOST_LAUNCHES as f64) as usize;
    let round = (LONGEST_BATCH / single).floor().clamp(1.0, MOST_LAUNCHES as f64) as usize;
    if sets > round { fill.max(round) } else { fill.div_ceil(sets) * sets }
}

/// A batch of launches, captured as a CUDA graph.
struct Batch {
    graph: CUgraph,
    executable: CUgraphExec,
}

impl Batch {
    fn new(bound: &Bound, sets: &[Packed], launches: usize, stream: &Stream) -> Result<Batch, Fault> {
        let mut batch = Batch { graph: ptr::null_mut(), executable: ptr::null_mut() };
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the stream is alive, and the capture always ends below, even after an error.
        check("capturing launches", unsafe { cuStreamBeginCapture_v2(stream.as_inner(), mode) })?;
        let captured = (0..launches).try_for_each(|i| bound.launch_with(&sets[i % sets.len()], stream));
        // SAFETY: the capture began above.
        let ended = unsafe { cuStreamEndCapture(stream.as_inner(), &mut batch.graph) };
        captured?;
        check("capturing launches", ended)?;
        // SAFETY: the capture above created the graph.
        check("making a graph", unsafe {
            cuGraphInstantiateWithFlags(&mut batch.executable, batch.graph, 0)
        })?;
        Ok(batch)
    }

    fn replay(&self, stream: &Stream) -> Result<(), Fault> {
        // SAFETY: the graph exists, and everything that its launches refer to lives as long as the caller measures.
        check("launching a graph", unsafe { cuGraphLaunch(self.executable, stream.as_inner()) })
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        // SAFETY: the driver created both, and each is destroyed once. `drop` cannot report an error.
        unsafe {
            if !self.executable.is_null() {
                let _ = cuGraphExecDestroy(self.executable);
            }
            if !self.graph.is_null() {
                let _ = cuGraphDestroy(self.graph);
            }
        }
    }
}

/// Whether the regions still hold the bytes that [`keep`] copied.
fn same(regions: &[Region], kept: &[Held]) -> Result<bool, Fault> {
    for (region, held) in regions.iter().zip(kept) {
        let (mut now, mut then) = (vec![0; region.bytes as usize], vec![0; region.bytes as usize]);
        held.read(0, &mut then)?;
        // SAFETY: the region is live, and the host buffer is as large as the region.
        check("copying to the host", unsafe {
            cuMemcpyDtoH_v2(now.as_mut_ptr().cast(), region.address, now.len())
        })?;
        if now != then {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Statistics of samples, in the unit of the samples.
#[derive(Debug, PartialEq)]
struct Statistics {
    median: f64,
    /// Half of the interquartile range.
    spread: f64,
    /// Half of the 95 % confidence interval of the median, from order statistics: ranks n/2 ± 0.98 √n (Le Boudec, *Performance
    /// Evaluation of Computer and Communication Systems*, table A.1 for large n).
    confidence: f64,
}

impl Statistics {
    fn of(samples: &[f64]) -> Statistics {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len();
        let at = |rank: f64| sorted[(rank.max(0.0) as usize).min(n - 1)];
        let median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0;
        let half = 0.98 * (n as f64).sqrt();
        let (low, high) = (at((n as f64 / 2.0 - half).floor() - 1.0), at((n as f64 / 2.0 + half).ceil()));
        let spread = (at(0.75 * (n - 1) as f64 + 0.5) - at(0.25 * (n - 1) as f64)) / 2.0;
        Statistics { median, spread, confidence: (high - low) / 2.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_that_of_the_order_statistics() {
        let samples: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        let statistics = Statistics::of(&samples);
        assert_eq!(statistics.median, 50.5);
        // Ranks 40 and 61 of 100, 1-based.
        assert_eq!(statistics.confidence, (61.0 - 40.0) / 2.0);
        assert_eq!(statistics.spread, (75.0 - 25.0) / 2.0);
        assert_eq!(Statistics::of(&[3.0]), Statistics { median: 3.0, spread: 0.0, confidence: 0.0 });
    }

    #[test]
    fn few_samples_have_their_whole_range_as_interval() {
        let statistics = Statistics::of(&[1.0, 2.0, 9.0]);
        assert_eq!((statistics.median, statistics.confidence), (2.0, 4.0));
    }

    #[test]
    fn copies_go_past_the_cache_as_far_as_there_is_room() {
        let mib = 1 << 20;
        assert_eq!(copies(200 * mib, 50 * mib, 1 << 40), (1, true));
        assert_eq!(copies(10 * mib, 50 * mib, 1 << 40), (10, true));
        assert_eq!(copies(4096, 50 * mib, 1 << 40), (MOST_COPIES, false));
        assert_eq!(copies(10 * mib, 50 * mib, 120 * mib), (4, false));
        assert_eq!(copies(0, 50 * mib, 1 << 40), (1, false));
    }

    #[test]
    fn a_batch_goes_whole_rounds() {
        assert_eq!(batch_size(1e-3, 1), 1);
        assert_eq!(batch_size(10e-6, 12), 48);
        assert_eq!(batch_size(1e-6, 256), 512);
        // A round of 256 launches of a millisecond would take too long.
        assert_eq!(batch_size(1e-3, 256), 20);
    }
}
