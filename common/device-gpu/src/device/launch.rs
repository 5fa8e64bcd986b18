//! Runs a launch through the driver: enforces the time limit, checks the guard zones, measures the time, and explains
//! failures.

use super::GpuDevice;
use crate::capture;
use crate::fault::checked;
use crate::memory::{Damage, Held};
use crate::surface::Surface;
use crate::timing::{self, Bound};
use ::device::{
    Argument, DeviceError, LaunchReport, LaunchRequest, MeasuredTime, Messages, Occupancy, Recording,
};
use cust::context::legacy::{CurrentContext, ResourceLimit};
use cust::event::{Event, EventFlags, EventStatus};
use source::{Code, Diagnostic};
use std::time::{Duration, Instant};

impl GpuDevice {
    /// Launches the kernel once and waits until it ends or `time_limit` passes.
    fn run(&mut self, bound: &Bound) -> Result<(), DeviceError> {
        let gpu = self.enter()?;
        let event = checked("making an event", Event::new(EventFlags::DISABLE_TIMING))?;
        bound.launch(&gpu.stream)?;
        checked("recording an event", event.record(&gpu.stream))?;
        let begin = Instant::now();
        loop {
            if checked("running the kernel", event.query())? == EventStatus::Ready {
                // The driver prints the kernel's output when the host synchronizes, not when it queries an event.
                checked("running the kernel", gpu.stream.synchronize())?;
                return Ok(());
            }
            match begin.elapsed() {
                waited if waited > self.time_limit => break,
                waited if waited > Duration::from_millis(2) => std::thread::sleep(Duration::from_micros(100)),
                _ => std::hint::spin_loop(),
            }
        }
        // A running kernel cannot be stopped, so this context must not be touched any more, not even to free memory.
        std::mem::forget(event);
        let limit = self.time_limit.as_secs_f64();
        self.broken =
            Some("the GPU still runs the kernel of an earlier launch; it ends with this process".to_owned());
        let diagnostic = Diagnostic::new(
            Code::GpuTimeLimit,
            format!("the kernel did not end within {limit} s"),
        )
        .note("a running kernel cannot be ended: this device refuses everything else, until the process ends")
        .help("is there a loop that does not end, or a barrier that part of the block does not reach?");
        Err(DeviceError::launch(Messages { diagnostics: vec![diagnostic], ..Messages::default() }))
    }

    /// Sets the bytes of stack per thread for later launches.
    pub(super) fn set_stack(&mut self, bytes: u32) -> Result<(), DeviceError> {
        self.enter()?;
        if let Some(gpu) = self.gpu.as_mut().filter(|gpu| gpu.stack_bytes != bytes) {
            let set = CurrentContext::set_resource_limit(ResourceLimit::StackSize, bytes as usize);
            checked("setting the size of the stack", set)?;
            gpu.stack_bytes = bytes;
        }
        Ok(())
    }

    /// Runs a launch. If `timed`, also measures its time, unless the kernel may print.
    pub(super) fn launch_once(
        &mut self,
        launch: &LaunchRequest,
        timed: bool,
    ) -> Result<LaunchReport, DeviceError> {
        let bound = self.bind(launch)?;
        let prints = self.program(launch.program)?.prints();
        let timed = timed && !prints;
        let before = match timed {
            true => timing::keep(&bound.changeable, &self.enter()?.stream)?,
            false => Vec::new(),
        };
        self.surfaces(&bound, Surface::load)?;
        let (done, printed) = match prints {
            true => capture::captured(self.front.options_mut().printed_bytes, || self.run(&bound)),
            false => (self.run(&bound), String::new()),
        };
        if let Err(error) = done {
            before.into_iter().for_each(std::mem::forget);
            return Err(error);
        }
        self.surfaces(&bound, Surface::store)?;
        self.guarded(launch)?;
        if let Some(record) = &mut self.record {
            record.launch(launch);
        }
        let mut warnings = Vec::new();
        let measured = match timed {
            true => Some(self.measured(launch, &bound, &before, &mut warnings)?),
            false => None,
        };
        Ok(LaunchReport {
            counters: None,
            lines: Vec::new(),
            modelled: None,
            measured,
            occupancy: Some(self.occupancy(&bound)?),
            proved: None,
            warnings: Messages { diagnostics: warnings, ..Messages::default() },
            printed,
            recording: Recording::default(),
            handed_over: None,
            work: 0,
        })
    }

    /// Reports writes into the guard zones of the launch's buffers, and refills these zones.
    fn guarded(&mut self, launch: &LaunchRequest) -> Result<(), DeviceError> {
        let mut found = Vec::new();
        for (at, argument) in launch.arguments.iter().enumerate() {
            let Argument::Buffer(buffer) = argument else { continue };
            let Some(held) = self.buffers.get_mut(buffer) else { continue };
            let Some(damage) = held.damage()? else { continue };
            held.guard()?;
            found.push((at, held.bytes(), damage));
        }
        let name = |at: usize| {
            let program = self.programs.get(&launch.program)?;
            Some(program.info.kernel(&launch.kernel)?.parameters.get(at)?.name.clone())
        };
        let diagnostic = |(at, bytes, damage): (usize, u64, Damage)| {
            let side = if damage.before { "before" } else { "behind" };
            let array = name(at).unwrap_or_else(|| format!("argument {at}"));
            let title = format!("`{}` writes {side} `{array}`, which has {bytes} bytes", launch.kernel);
            let near = format!(
                "{} bytes of its guard zones changed, the first {} away",
                damage.bytes, damage.distance
            );
            Diagnostic::new(Code::OutOfBounds, title)
                .note(near)
                .help("guard the store, as in `if (i < n)`; the simulator names the line and the thread")
        };
        let diagnostics: Vec<_> = found.into_iter().map(diagnostic).collect();
        match diagnostics.is_empty() {
            true => Ok(()),
            false => Err(DeviceError::launch(Messages { diagnostics, ..Messages::default() })),
        }
    }

    /// Adds the simulator's diagnostics for a failed launch, and creates a new context if the old one is lost.
    pub(super) fn failed(&mut self, error: DeviceError, launch: &LaunchRequest) -> DeviceError {
        let DeviceError::Launch { mut messages, .. } = error else { return error };
        // In a lost context, every call returns the error that destroyed the context.
        let is_lost = self.enter().is_ok_and(|gpu| gpu.stream.synchronize().is_err());
        let found = self.record.as_ref().and_then(|r| r.diagnose(&mut self.front, launch));
        let note = match found {
            Some(found) if found.diagnostics.is_empty() => {
                "the simulator ran the same launch and found nothing wrong with it"
            }
            Some(found) => {
                messages.sources = found.sources;
                messages.diagnostics.extend(found.diagnostics);
                "the simulator ran the same launch; what it found follows"
            }
            None if self.record.is_some() => "the simulator could not repeat the launch",
            None => "the simulator ran the same launch before and found nothing wrong with it",
        };
        if let Some(first) = messages.diagnostics.first_mut() {
            first.notes.push(note.into());
        }
        if is_lost {
            self.renew();
        }
        DeviceError::launch(messages)
    }

    /// Measures the time of a launch that has run, or returns the time of an earlier identical launch.
    fn measured(
        &mut self,
        launch: &LaunchRequest,
        bound: &Bound,
        before: &[Held],
        warnings: &mut Vec<Diagnostic>,
    ) -> Result<MeasuredTime, DeviceError> {
        let key = format!("{:?}{}{:?}{:?}", launch.program, launch.kernel, launch.shape, launch.arguments);
        if let Some(known) = self.times.get(&key) {
            return Ok(known.clone());
        }
        let gpu = self.enter()?;
        let measured = timing::measure(bound, before, self.properties.l2_bytes, &gpu.stream)?;
        if !measured.repeats {
            let title = format!("`{}` leaves different results when it is launched again", launch.kernel);
            warnings.push(
                Diagnostic::new(Code::ResultsDifferBetweenLaunches, title)
                    .note("the buffers had the same content before both launches")
                    .help("atomic additions of floats do so in their last digits; otherwise it is a race"),
            );
        }
        self.times.insert(key, measured.time.clone());
        Ok(measured.time)
    }

    fn occupancy(&self, bound: &Bound) -> Result<Occupancy, DeviceError> {
        let threads = bound.shape.block.iter().product::<u32>();
        let blocks = bound.function.resident_blocks(threads, bound.shape.dynamic_shared)?;
        let warps = blocks * threads.div_ceil(32);
        let most = self.properties.warps_per_multiprocessor.max(1);
        Ok(Occupancy { fraction: f64::from(warps) / f64::from(most), blocks, limit: "the driver".into() })
    }
}
