//! The context of a run: the device, the compiled file, and the sums over its launches.

use crate::{Exercise, Mismatch, Options, random};
use device::{
    Argument, BufferId, CompileOptions, Counters, Device, DeviceError, HandedOver, Handover, Includes,
    KernelFile, LaunchOptions, LaunchReport, LaunchRequest, LaunchShape, LineCounters, Messages, Occupancy,
    ProgramInfo, Recording, TextureDescription, TextureId,
};
use source::Code;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Why a case did not pass.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Failure {
    /// The device refused something or stopped the kernel.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The result is wrong.
    #[error(transparent)]
    Wrong(#[from] Box<Mismatch>),
    /// Any other reason, in words for the student.
    #[error("{0}")]
    Other(String),
}

impl From<Mismatch> for Failure {
    fn from(mismatch: Mismatch) -> Failure {
        Failure::Wrong(Box::new(mismatch))
    }
}

/// Sums over the launches of one case.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Sum of the launches' counters; `None` before the first launch or if the device has none.
    pub counters: Option<Counters>,
    /// Counters per source line, sorted by file and line.
    pub lines: Vec<LineCounters>,
    /// Number of launches.
    pub launches: u64,
    /// Number of downloaded elements, which are the outputs.
    pub outputs: u64,
    /// Sum of modelled times in seconds; `None` if a launch had none.
    pub modelled: Option<f64>,
    /// Sum of [`device::ModelledTime::share_of_full`], seconds; `None` if a launch had none.
    pub share_of_full: Option<f64>,
    /// The device model of the modelled time.
    pub model: Option<String>,
    /// Which resource limits the launch with the longest modelled time.
    pub limit: Option<device::TimeLimit>,
    /// Sum of measured times in seconds; `None` if a launch had none.
    pub measured: Option<f64>,
    /// Sum of the measured times' spreads, seconds.
    pub spread: f64,
    /// Sum of the halves of the measured times' 95 % confidence intervals, seconds.
    pub confidence: f64,
    /// Whether a measured launch may have found its data in the L2 cache.
    pub warm_cache: bool,
    /// How many times the grid of the longest launch fills the modelled device; `None` without a modelled time.
    pub waves: Option<f64>,
    /// Occupancy of the longest launch.
    pub occupancy: Option<Occupancy>,
    /// Threads per block of the longest launch along x, y and z; zeros before the first launch.
    pub block: [u32; 3],
    /// Warnings of the launches, one per code.
    pub warnings: Vec<Messages>,
    /// What kernels printed.
    pub printed: Printed,
    /// Names of the kernels that were launched.
    pub kernels: BTreeSet<String>,
    /// Accesses and branches of single warps in the first launch of each kernel, if recording is on.
    pub recording: Recording,
    pub(crate) longest: f64,
}

/// The beginning of what kernels printed with `printf`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// At most [`Printed::LINES`] lines and [`Printed::BYTES`] bytes.
    pub text: String,
    /// Whether there was more.
    pub is_cut: bool,
}

impl Printed {
    /// Maximum number of lines that are kept.
    pub const LINES: usize = 20;
    /// Maximum number of bytes that are kept.
    pub const BYTES: usize = 2048;

    fn add(&mut self, text: &str) {
        if self.is_cut {
            return;
        }
        let (lines, room) = (self.text.matches('\n').count(), Self::BYTES - self.text.len());
        let by_lines: usize = text.split_inclusive('\n').take(Self::LINES - lines).map(str::len).sum();
        let end = text.floor_char_boundary(by_lines.min(room));
        self.text.push_str(&text[..end]);
        self.is_cut = end < text.len();
    }
}

impl Tally {
    /// Seconds of all launches: measured if the device measures, otherwise modelled.
    pub fn seconds(&self) -> Option<f64> {
        self.measured.or(self.modelled)
    }

    /// For sweeps, whose launches are small: measured seconds, or otherwise modelled seconds as part of a grid that
    /// fills the device. The text says which of the two.
    pub fn seconds_at_scale(&self) -> (Option<f64>, &'static str) {
        match self.measured {
            Some(seconds) => (Some(seconds), "measured"),
            None => (self.share_of_full, "modelled, in a grid that fills the GPU"),
        }
    }

    fn add(&mut self, kernel: &str, block: [u32; 3], report: LaunchReport) {
        let first = self.launches == 0;
        self.launches += 1;
        self.kernels.insert(kernel.to_owned());
        if let Some(counters) = &report.counters {
            self.counters.get_or_insert_default().add(counters);
        }
        self.add_lines(report.lines);
        self.recording.add(report.recording);
        let sum = |total: Option<f64>, part: Option<f64>| match (first, total, part) {
            (true, _, part) => part,
            (false, Some(total), Some(part)) => Some(total + part),
            (false, ..) => None,
        };
        self.modelled = sum(self.modelled, report.modelled.as_ref().map(|t| t.seconds));
        self.share_of_full = sum(self.share_of_full, report.modelled.as_ref().map(|t| t.share_of_full));
        self.measured = sum(self.measured, report.measured.as_ref().map(|t| t.seconds));
        self.spread += report.measured.as_ref().map_or(0.0, |t| t.spread);
        self.confidence += report.measured.as_ref().map_or(0.0, |t| t.confidence);
        self.warm_cache |= report.measured.as_ref().is_some_and(|t| !t.cold_cache);
        let seconds = report.measured.as_ref().map(|t| t.seconds);
        let seconds = seconds.or(report.modelled.as_ref().map(|t| t.seconds)).unwrap_or(0.0);
        if first || seconds > self.longest {
            self.longest = seconds;
            (self.occupancy, self.block) = (report.occupancy, block);
            self.limit = report.modelled.as_ref().map(|t| t.limit);
            self.waves = report.modelled.as_ref().map(|t| t.waves);
        }
        self.model = report.modelled.map(|t| t.model).or(self.model.take());
        self.add_warnings(report.warnings);
        self.printed.add(&report.printed);
    }

    fn add_lines(&mut self, lines: Vec<LineCounters>) {
        if self.lines.is_empty() {
            self.lines = lines;
            return;
        }
        for line in lines {
            let key = (line.file.as_str(), line.line);
            match self.lines.binary_search_by(|l| (l.file.as_str(), l.line).cmp(&key)) {
                Ok(at) => self.lines[at].counters.add(&line.counters),
                Err(at) => self.lines.insert(at, line),
            }
        }
    }

    fn add_warnings(&mut self, warnings: Messages) {
        let known = self.warnings.iter().flat_map(|m| &m.diagnostics).map(|d| (d.code, d.span()));
        let known: Vec<_> = known.collect();
        let new = warnings.diagnostics.into_iter().filter(|d| !known.contains(&(d.code, d.span())));
        let diagnostics: Vec<_> = new.collect();
        if !diagnostics.is_empty() {
            self.warnings.push(Messages { sources: warnings.sources, diagnostics });
        }
    }
}

/// For sweeps: turns the failure of a launch whose blocks are too large for this device into `None`.
///
/// # Errors
/// Every other failure.
pub fn unless_too_large<T>(result: Result<T, Failure>) -> Result<Option<T>, Failure> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Failure::Device(DeviceError::Launch { messages, .. }))
            if messages.diagnostics.iter().any(|d| d.code == Code::BlockTooLarge) =>
        {
            Ok(None)
        }
        Err(failure) => Err(failure),
    }
}

/// Everything that an exercise needs to run.
pub struct Context<'d> {
    device: &'d mut dyn Device,
    file: KernelFile,
    program: ProgramInfo,
    /// Instances of kernel templates to compile with the file.
    instances: Vec<String>,
    /// Folders that the file may include files from.
    includes: Includes,
    /// The file compiled with other defines.
    variants: BTreeMap<BTreeMap<String, i64>, ProgramInfo>,
    /// Current defines.
    defines: BTreeMap<String, i64>,
    seed: u64,
    buffers: Vec<Held>,
    tally: Tally,
    /// Bytes copied between host and device.
    moved: u64,
    /// Forbidden writes of kernels, in words.
    trespasses: Vec<String>,
    /// The first failed launch after which the case continued.
    failed: Option<DeviceError>,
    /// Options of launches.
    options: LaunchOptions,
    /// The analysis in progress, if a run performs one.
    probe: Option<Probe>,
}

/// State of a run that analyses which data reach threads on a path.
pub(crate) struct Probe {
    /// The kernel to analyse.
    pub(crate) kernel: &'static str,
    pub(crate) handover: Handover,
    /// The result of its first launch, which ends the run.
    pub(crate) found: Option<HandedOver>,
}

/// A buffer of a run.
struct Held {
    id: BufferId,
    /// Number of floats.
    len: usize,
    /// For an input: its content, which kernels must not change.
    input: Option<Vec<f32>>,
    /// The name of the kernel's parameter, once the buffer was passed to a kernel.
    name: String,
}

impl<'d> Context<'d> {
    /// Compiles the kernel file of an exercise on a device, with the options' values for constants in place of the file's.
    ///
    /// # Errors
    /// [`DeviceError::Compile`].
    pub fn new(
        device: &'d mut dyn Device,
        file: KernelFile,
        exercise: &dyn Exercise,
        options: &Options,
    ) -> Result<Context<'d>, DeviceError> {
        let instances = exercise.instances();
        let defines: BTreeMap<String, i64> = options.defines.iter().cloned().collect();
        let program = device.compile(&file, &compile_options(&defines, &instances, &options.includes))?;
        Ok(Context {
            device,
            file,
            program,
            instances,
            includes: options.includes.clone(),
            variants: BTreeMap::new(),
            defines,
            seed: options.seed,
            buffers: Vec::new(),
            tally: Tally::default(),
            moved: 0,
            trespasses: Vec::new(),
            failed: None,
            options: LaunchOptions::default(),
            probe: None,
        })
    }

    /// The device, for operations that the context does not wrap.
    pub fn device(&mut self) -> &mut dyn Device {
        self.device
    }

    /// Same as [`Device::counts_by_todays_rules`].
    pub fn counts_by_todays_rules(&self) -> bool {
        self.device.counts_by_todays_rules()
    }

    /// The compiled file.
    pub fn program(&self) -> &ProgramInfo {
        &self.program
    }

    /// The inputs' seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Sums over the launches since the last [`Context::reset`].
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Input values; see [`crate::input`].
    pub fn input(&self, name: &str, len: usize) -> Arc<Vec<f32>> {
        random::input(self.seed, name, len)
    }

    /// An integer constant of the kernel file, such as `TILE`; the defines of [`Context::measure`] apply.
    ///
    /// # Errors
    /// [`Failure::Other`] if the file has none (declare it in [`crate::Expected`] and this cannot happen).
    pub fn constant(&self, name: &str) -> Result<u32, Failure> {
        let missing = || Failure::Other(format!("the kernel file has no integer constant `{name}`"));
        let value = self.program.integer(name).ok_or_else(missing)?;
        let outside = |_| Failure::Other(format!("constant `{name}` is {value}, which is not a size"));
        u32::try_from(value).map_err(outside)
    }

    /// Creates an input buffer with these values. At the end of the case the harness checks that no kernel changed
    /// it. It lives until [`Context::free`] or the end of the case.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`].
    pub fn upload(&mut self, values: &[f32]) -> Result<BufferId, Failure> {
        let buffer = self.upload_to_change(values)?;
        if let Some(held) = self.buffers.last_mut() {
            held.input = Some(values.to_vec());
        }
        Ok(buffer)
    }

    /// Creates a buffer with these values that kernels may change.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`].
    pub fn upload_to_change(&mut self, values: &[f32]) -> Result<BufferId, Failure> {
        let buffer = self.alloc(values.len())?;
        self.write(buffer, 0, values)?;
        Ok(buffer)
    }

    /// Creates a poisoned buffer of `len` floats, so that elements that were never written are recognised.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`].
    pub fn alloc_output(&mut self, len: usize) -> Result<BufferId, Failure> {
        let buffer = self.alloc(len)?;
        self.device.poison(buffer)?;
        Ok(buffer)
    }

    fn alloc(&mut self, len: usize) -> Result<BufferId, Failure> {
        let buffer = self.device.alloc(len as u64 * 4)?;
        self.buffers.push(Held { id: buffer, len, input: None, name: String::new() });
        Ok(buffer)
    }

    /// Overwrites floats of a buffer, starting at element `first`.
    ///
    /// # Errors
    /// A range outside the buffer.
    pub fn write(&mut self, buffer: BufferId, first: usize, values: &[f32]) -> Result<(), Failure> {
        self.moved += 4 * values.len() as u64;
        Ok(self.device.write(buffer, first as u64 * 4, &bytes_of(values))?)
    }

    /// Downloads the first `len` floats of a buffer.
    ///
    /// # Errors
    /// A range outside the buffer.
    pub fn download(&mut self, buffer: BufferId, len: usize) -> Result<Vec<f32>, Failure> {
        self.moved += 4 * len as u64;
        self.tally.outputs += len as u64;
        self.peek(buffer, len)
    }

    /// Bytes that the exercise has copied between host and device since the last [`Context::reset`].
    pub fn moved(&self) -> u64 {
        self.moved
    }

    /// Reads the first `len` floats of a buffer for a check, without counting it as a transfer of the exercise.
    ///
    /// # Errors
    /// A range outside the buffer.
    pub fn peek(&mut self, buffer: BufferId, len: usize) -> Result<Vec<f32>, Failure> {
        let mut bytes = vec![0u8; len * 4];
        self.device.read(buffer, 0, &mut bytes)?;
        let (words, _) = bytes.as_chunks::<4>();
        Ok(words.iter().map(|w| f32::from_le_bytes(*w)).collect())
    }

    /// Frees a buffer before the case ends.
    ///
    /// # Errors
    /// An unknown handle.
    pub fn free(&mut self, buffer: BufferId) -> Result<(), Failure> {
        self.buffers.retain(|b| b.id != buffer);
        Ok(self.device.free(buffer)?)
    }

    /// Sets a `__constant__` array of the program, from its start.
    ///
    /// # Errors
    /// An unknown name or too many values.
    pub fn set_constant(&mut self, symbol: &str, values: &[f32]) -> Result<(), Failure> {
        Ok(self.device.set_symbol(self.program.id, symbol, &bytes_of(values))?)
    }

    /// Creates a texture over a buffer; freeing the buffer also frees the texture.
    ///
    /// # Errors
    /// A description that does not fit.
    pub fn texture(&mut self, buffer: BufferId, what: &TextureDescription) -> Result<TextureId, Failure> {
        Ok(self.device.create_texture(buffer, what)?)
    }

    /// Launches a kernel of the file, waits for it, and adds its counters and times to the tally.
    ///
    /// `grid` is in blocks and `block` in threads, by axis x, y, z; `dynamic_shared` in bytes.
    ///
    /// # Errors
    /// The device's error, or an argument that does not match its parameter.
    pub fn launch(
        &mut self,
        kernel: &str,
        grid: [u32; 3],
        block: [u32; 3],
        dynamic_shared: u32,
        arguments: &[Argument],
    ) -> Result<(), Failure> {
        let shape = LaunchShape { grid, block, dynamic_shared };
        self.name_buffers(kernel, arguments);
        // Record only the first launch of each kernel, because recording takes time.
        let recorded = self.options.recorded && !self.tally.kernels.contains(kernel);
        let request = LaunchRequest::new(self.program.id, kernel, shape, arguments);
        let probed = self.probe.as_ref().filter(|probe| probe.kernel == kernel);
        let handover = probed.map(|probe| probe.handover);
        let options = LaunchOptions { recorded, handover, ..self.options };
        let launched = self.device.launch(&request.with(options));
        if let Some(allowance) = &mut self.options.allowance {
            allowance.spend(&launched);
        }
        match launched {
            Ok(mut report) => {
                let found = self.probe.as_mut().map(|probe| &mut probe.found);
                if let (Some(found), Some(new)) = (found, report.handed_over.take()) {
                    *found = Some(new);
                    // The launch has written nothing, so what the exercise would do with its results says nothing.
                    return Err(Failure::Other(format!("the analysis of `{kernel}` ends here")));
                }
                self.tally.add(kernel, block, report);
            }
            Err(error) => {
                if let DeviceError::Launch { printed, .. } = &error {
                    self.tally.printed.add(printed);
                }
                match error {
                    DeviceError::Launch { recovered: true, .. } => self.failed.get_or_insert(error),
                    _ => return Err(error.into()),
                };
            }
        }
        Ok(())
    }

    /// Launches like [`Context::launch`] a kernel that may write only some elements of its buffers, those (0-based)
    /// for which `may_write` returns true. Other changes fail the check `contract`.
    ///
    /// # Errors
    /// The errors of [`Context::launch`].
    pub fn launch_writing(
        &mut self,
        kernel: &str,
        (grid, block): ([u32; 3], [u32; 3]),
        arguments: &[Argument],
        may_write: impl Fn(BufferId, usize) -> bool,
    ) -> Result<(), Failure> {
        let buffers: BTreeSet<u32> = arguments.iter().filter_map(buffer_of).map(|b| b.0).collect();
        let mut before = Vec::new();
        for buffer in buffers.into_iter().map(BufferId) {
            before.push((buffer, self.peek(buffer, self.len_of(buffer))?));
        }
        self.launch(kernel, grid, block, 0, arguments)?;
        before.iter().try_for_each(|(buffer, old)| {
            self.note_trespasses(Some(kernel), *buffer, old, |at| may_write(*buffer, at))
        })
    }

    fn name_buffers(&mut self, kernel: &str, arguments: &[Argument]) {
        let Some(kernel) = self.program.kernel(kernel) else { return };
        for (argument, parameter) in arguments.iter().zip(&kernel.parameters) {
            let held = buffer_of(argument).and_then(|b| self.buffers.iter_mut().find(|held| held.id == b));
            if let Some(held) = held {
                held.name.clone_from(&parameter.name);
            }
        }
    }

    fn len_of(&self, buffer: BufferId) -> usize {
        self.buffers.iter().find(|held| held.id == buffer).map_or(0, |held| held.len)
    }

    /// Records changed elements of a buffer, except those that the kernel may write.
    fn note_trespasses(
        &mut self,
        kernel: Option<&str>,
        buffer: BufferId,
        old: &[f32],
        may_write: impl Fn(usize) -> bool,
    ) -> Result<(), Failure> {
        let new = self.peek(buffer, old.len())?;
        let wrong = |at: &usize| old[*at].to_bits() != new[*at].to_bits() && !may_write(*at);
        let changed: Vec<usize> = (0..old.len()).filter(wrong).collect();
        let Some(first) = changed.first() else { return Ok(()) };
        let held = self.buffers.iter().find(|held| held.id == buffer);
        let name = held.map_or("", |held| held.name.as_str());
        let value = |v: f32| match v.to_bits() {
            device::POISON => "unwritten".to_owned(),
            _ => v.to_string(),
        };
        let what = match kernel {
            Some(kernel) => format!("`{kernel}` changes elements of `{name}` that it must not write"),
            None => format!("`{name}` is an input, and the kernel changes it"),
        };
        self.trespasses.push(format!(
            "{what}: {} of {}, the first [{first}], which was {} and is {}",
            changed.len(),
            old.len(),
            value(old[*first]),
            value(new[*first])
        ));
        Ok(())
    }

    /// Returns the forbidden writes since the last [`Context::reset`]: changed inputs, and changes found by
    /// [`Context::launch_writing`].
    pub(crate) fn take_trespasses(&mut self) -> Vec<String> {
        let inputs = self.buffers.iter_mut().filter_map(|held| Some((held.id, held.input.take()?)));
        for (buffer, old) in inputs.collect::<Vec<_>>() {
            // After a fault the buffers cannot be read, and the fault is already reported.
            let _ = self.note_trespasses(None, buffer, &old, |_| false);
        }
        std::mem::take(&mut self.trespasses)
    }

    /// Runs `work` with the file compiled under these defines (`#ifndef NAME` constants of the file take their values)
    /// and returns its result with a tally of its own. Buffers that `work` made are freed.
    ///
    /// # Errors
    /// The file does not compile with these values, or `work` failed.
    pub fn measure<R>(
        &mut self,
        defines: &[(&str, i64)],
        work: impl FnOnce(&mut Context<'d>) -> Result<R, Failure>,
    ) -> Result<(R, Tally), Failure> {
        let mut all = self.defines.clone();
        all.extend(defines.iter().map(|(name, value)| ((*name).to_owned(), *value)));
        let program = self.variant(&all)?;
        let program = std::mem::replace(&mut self.program, program);
        let defines = std::mem::replace(&mut self.defines, all);
        let tally = std::mem::take(&mut self.tally);
        let buffers = std::mem::take(&mut self.buffers);
        let result = work(self);
        let freed = self.free_all();
        self.program = program;
        self.defines = defines;
        self.buffers = buffers;
        let measured = std::mem::replace(&mut self.tally, tally);
        let result = result?;
        freed?;
        Ok((result, measured))
    }

    fn variant(&mut self, defines: &BTreeMap<String, i64>) -> Result<ProgramInfo, Failure> {
        if *defines == self.defines {
            return Ok(self.program.clone());
        }
        if let Some(program) = self.variants.get(defines) {
            return Ok(program.clone());
        }
        let fixed = |name: &str| {
            Failure::Other(format!(
                "the kernel file does not let `{name}` be chosen: write `#ifndef {name}` before its `#define` and \
                 `#endif` after it"
            ))
        };
        let compiled =
            self.device.compile(&self.file, &compile_options(defines, &self.instances, &self.includes));
        let program = compiled.map_err(|e| {
            // `constexpr int PAD = 2;` without `#ifndef` does not compile where a macro has that name.
            let text = &self.file.text;
            let asks = |name: &str| text.lines().any(|l| l.trim_start().starts_with('#') && l.contains(name));
            defines.keys().find(|name| !asks(name)).map_or(Failure::from(e), |name| fixed(name))
        })?;
        for (name, value) in defines {
            if program.integer(name) != Some(*value) {
                return Err(fixed(name));
            }
        }
        self.variants.insert(defines.clone(), program.clone());
        Ok(program)
    }

    /// The options of the context's launches, with the rest of their allowance.
    pub fn options(&self) -> LaunchOptions {
        self.options
    }

    /// Sets the options of the following launches. Only the first launch of each kernel is recorded
    /// ([`Tally::recording`]). With [`LaunchOptions::keep_recovered`], a launch that fails but runs to its end is not
    /// an error: its results are compared anyway, and [`Context::take_failed`] returns the failure.
    pub(crate) fn with_options(&mut self, options: LaunchOptions) -> &mut Context<'d> {
        self.options = options;
        self
    }

    /// Runs `work` for an analysis, with launches of these options, up to the first launch of the probe's kernel. Neither the tally nor the
    /// context's own options change. `None` if the device cannot analyse launches.
    ///
    /// # Errors
    /// The failure of `work` before that.
    pub(crate) fn probed<R>(
        &mut self,
        probe: Probe,
        options: LaunchOptions,
        work: impl FnOnce(&mut Context<'d>) -> Result<R, Failure>,
    ) -> Result<Option<HandedOver>, Failure> {
        let before = (self.tally.clone(), self.options, self.moved);
        self.reset()?;
        (self.probe, self.options) = (Some(probe), options);
        let result = work(self);
        let probe = self.probe.take();
        let reset = self.reset();
        (self.tally, self.options, self.moved) = before;
        reset?;
        let found = probe.and_then(|probe| probe.found);
        match result {
            Err(failure) if found.is_none() => Err(failure),
            _ => Ok(found),
        }
    }

    /// Returns and clears the first failure after which the case continued.
    pub(crate) fn take_failed(&mut self) -> Option<DeviceError> {
        self.failed.take()
    }

    /// Frees all buffers and forgets the tally; the harness calls it before each case.
    ///
    /// # Errors
    /// A buffer that something else freed.
    pub fn reset(&mut self) -> Result<(), Failure> {
        self.tally = Tally::default();
        self.moved = 0;
        self.trespasses.clear();
        self.free_all()?;
        self.device.limit_memory(None);
        self.device.reset_transfers();
        Ok(())
    }

    /// The device without the case's buffers and limits, for other work. The tally stays.
    ///
    /// # Errors
    /// A buffer that something else freed.
    pub(crate) fn device_alone(&mut self) -> Result<&mut dyn Device, Failure> {
        self.free_all()?;
        self.device.limit_memory(None);
        Ok(self.device)
    }

    fn free_all(&mut self) -> Result<(), Failure> {
        for buffer in std::mem::take(&mut self.buffers) {
            self.device.free(buffer.id)?;
        }
        Ok(())
    }
}

fn buffer_of(argument: &Argument) -> Option<BufferId> {
    match argument {
        Argument::Buffer(buffer) => Some(*buffer),
        _ => None,
    }
}

fn bytes_of(values: &[f32]) -> Vec<u8> {
    let mut bytes = vec![0; 4 * values.len()];
    let (words, _) = bytes.as_chunks_mut::<4>();
    words.iter_mut().zip(values).for_each(|(word, value)| *word = value.to_le_bytes());
    bytes
}

fn compile_options(
    defines: &BTreeMap<String, i64>,
    instances: &[String],
    includes: &Includes,
) -> CompileOptions {
    CompileOptions {
        defines: defines.iter().map(|(name, value)| (name.clone(), value.to_string())).collect(),
        instantiate: instances.to_vec(),
        includes: includes.clone(),
        ..CompileOptions::default()
    }
}

impl Drop for Context<'_> {
    fn drop(&mut self) {
        // The device outlives the context, so free the buffers. `drop` cannot report an error.
        let _ = self.free_all();
        self.device.limit_memory(None);
        self.device.unload(self.program.id);
        self.variants.values().for_each(|variant| self.device.unload(variant.id));
    }
}
