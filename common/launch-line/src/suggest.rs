//! Tries the edits that the first error of a file or launch suggests.
//!
//! For each edit it compiles the changed text, launches it, and launches it again with another order of warps; both
//! launches must leave the same integers. The expected results of the kernel are unknown, so a suggestion claims only
//! that the kernel runs.

use crate::arguments::{self, Arguments};
use crate::arrays::Arrays;
use crate::launch::{Launched, Request, prepare};
use crate::program::{self, Outcome};
use crate::symbols;
use device::{
    Allowance, CompileOptions, Device, DeviceError, KernelFile, LaunchOptions, LaunchRequest, Messages,
    ProgramInfo, Trial, try_corrections, try_suggestions,
};
use source::{Code, Diagnostic, Failure, Severity, Tried};

/// The messages of a launch, and the hashes of its integer buffers afterwards.
type TrialRun = (Vec<Messages>, Vec<Option<u64>>);

/// Budget of all trials of a launch, in units of [`Allowance`]. A fixed number gives the same suggestions on every
/// machine.
const TRIALS: u64 = 200_000_000;

/// Maximum shared memory of a block without a special request to the driver, in bytes.
const MOST_SHARED: u32 = 48 * 1024;

impl Launched {
    /// Tries the suggestions of the first error on a simulated device, and keeps those that work. Does nothing if the
    /// launch had no error.
    ///
    /// # Errors
    /// The same errors as [`Request::run`].
    pub fn suggest(
        &mut self,
        request: &Request,
        device: &mut dyn Device,
        (file, options): (&KernelFile, &CompileOptions),
        arrays: &dyn Arrays,
    ) -> Result<(), Failure> {
        if self.verdict == Outcome::Rejected {
            suggest_for_file(&mut self.messages, device, (file, options));
            return Ok(());
        }
        let diagnostics = &self.messages.diagnostics;
        let Some(at) = diagnostics.iter().position(|d| d.severity == Severity::Error) else { return Ok(()) };
        let mut allowance = Allowance::new(TRIALS);
        let is_outside = diagnostics[at].code == Code::OutOfBounds;
        // If the line gives no shared memory at all, the line is wrong, not the kernel: search for the size first.
        let (before, after) = (
            is_outside && request.shape.whole().dynamic_shared == 0,
            is_outside && request.shape.whole().dynamic_shared > 0,
        );
        let mut bytes = None;
        if before {
            bytes = request.shared_bytes(device, (file, options), arrays, &mut allowance)?;
        }
        let mut broken = None;
        let mut attempt = |file: &KernelFile| {
            let trial = request.trial(device, (file, options), arrays, &mut allowance);
            trial.unwrap_or_else(|failure| {
                broken.get_or_insert(failure);
                Trial::Spent
            })
        };
        let error = (&*self.messages.sources, &diagnostics[at]);
        let told = std::slice::from_ref(&self.messages);
        let found = match bytes {
            Some(_) => None,
            None => try_suggestions(file, error, told, &mut attempt),
        };
        if let Some(failure) = broken {
            return Err(failure);
        }
        if after && found.is_none() {
            bytes = request.shared_bytes(device, (file, options), arrays, &mut allowance)?;
        }
        self.messages.diagnostics.iter_mut().for_each(|d| d.suggestions.clear());
        // Other errors of an array without elements have the same cure, which the first one says.
        if before && bytes.is_some() {
            let without =
                |d: &&mut Diagnostic| d.code == Code::OutOfBounds && d.title.contains("which has 0 ");
            self.messages.diagnostics.iter_mut().skip(at + 1).filter(without).for_each(|d| d.help.clear());
        }
        let said = &mut self.messages.diagnostics[at];
        if let Some(remedy) = found {
            remedy.put_into(said);
        }
        if let Some(bytes) = bytes {
            say_shared(said, request.shape.whole().dynamic_shared, bytes);
        }
        Ok(())
    }
}

/// Adds help that says how much dynamic shared memory is enough.
fn say_shared(diagnostic: &mut Diagnostic, provided: u32, bytes: u32) {
    // The existing help about missing shared memory is for kernels whose launch cannot be changed; replace it.
    if provided == 0 {
        diagnostic.help.clear();
    }
    *diagnostic = diagnostic.clone().help(format!(
        "this launch provides {provided} bytes of dynamic shared memory, and {bytes} bytes are enough for this run: \
        launch with `--shared {bytes}`"
    ));
}

/// Tries the suggestions for a file's errors on a device that can compile it, and keeps those that remove the errors.
pub fn suggest_for_file(
    messages: &mut Messages,
    device: &mut dyn Device,
    (file, options): (&KernelFile, &CompileOptions),
) {
    let mut compile = |file: &KernelFile| match device.compile(file, options) {
        Ok(program) => {
            device.unload(program.id);
            Some(Vec::new())
        }
        Err(DeviceError::Compile(messages)) => Some(messages.diagnostics),
        Err(_) => None,
    };
    let found = try_corrections(file, &messages.diagnostics, &mut compile);
    messages.diagnostics.iter_mut().for_each(|d| d.suggestions.clear());
    found.into_iter().for_each(|(at, suggestion)| messages.diagnostics[at].suggestions.push(suggestion));
}

impl Request {
    /// Finds the bytes of dynamic shared memory with which the kernel succeeds, after it failed with the size in the
    /// line; `None` if no size helps.
    fn shared_bytes(
        &self,
        device: &mut dyn Device,
        (file, options): (&KernelFile, &CompileOptions),
        arrays: &dyn Arrays,
        allowance: &mut Allowance,
    ) -> Result<Option<u32>, Failure> {
        let Ok(program) = device.compile(file, options) else { return Ok(None) };
        let kernel = program::chosen(&program, self.line.kernel.as_deref()).ok();
        let is_dynamic = kernel.is_some_and(|kernel| kernel.dynamic_shared);
        let own = kernel.map_or(0, |kernel| kernel.static_shared_bytes);
        device.unload(program.id);
        if !is_dynamic {
            return Ok(None);
        }
        let mut ends = |bytes: u32| {
            let mut other = self.clone();
            other.shape.shared = Some(bytes);
            let trial = other.trial(device, (file, options), arrays, allowance)?;
            Ok::<bool, Failure>(matches!(trial, Trial::Ran(..)))
        };
        let most = MOST_SHARED.saturating_sub(own) / 4 * 4;
        // Binary search for the smallest sufficient multiple of 4.
        let (mut few, mut enough) = (self.shape.whole().dynamic_shared / 4 * 4, most);
        if few >= most || !ends(most)? {
            return Ok(None);
        }
        while few + 4 < enough {
            let middle = (few + enough) / 8 * 4;
            *if ends(middle)? { &mut enough } else { &mut few } = middle;
        }
        Ok(Some(enough))
    }

    /// Launches a changed kernel twice. Each launch compiles the program again, because the first launch may have
    /// changed its variables.
    fn trial(
        &self,
        device: &mut dyn Device,
        (file, options): (&KernelFile, &CompileOptions),
        arrays: &dyn Arrays,
        allowance: &mut Allowance,
    ) -> Result<Trial, Failure> {
        let mut gave: Vec<TrialRun> = Vec::new();
        for schedule in 0..2 {
            let program = match device.compile(file, options) {
                Ok(program) => program,
                Err(DeviceError::Compile(messages)) => return Ok(Trial::Failed(vec![messages])),
                Err(_) => return Ok(Trial::Spent),
            };
            let once = self.once(device, &program, arrays, (schedule, &mut *allowance));
            device.unload(program.id);
            match once? {
                Ok(one) => gave.push(one),
                Err(trial) => return Ok(trial),
            }
        }
        let is_same = gave.windows(2).all(|pair| pair[0].1 == pair[1].1);
        let first = gave.into_iter().next().filter(|_| is_same);
        Ok(first.map_or(Trial::Wrong, |(messages, _)| Trial::Ran(Tried::Ran, messages)))
    }

    /// Launches once. Returns the messages and the hashes of the integer buffers, or why the trial failed.
    fn once(
        &self,
        device: &mut dyn Device,
        program: &ProgramInfo,
        arrays: &dyn Arrays,
        (schedule, allowance): (u64, &mut Allowance),
    ) -> Result<Result<TrialRun, Trial>, Failure> {
        let Ok(kernel) = program::chosen(program, self.line.kernel.as_deref()) else {
            return Ok(Err(Trial::Wrong));
        };
        let set = |text: &String| symbols::set(device, arrays, program, text);
        let symbols = self.line.symbols.iter().map(set).collect::<Result<Vec<_>, _>>()?;
        let arguments = arguments::bind(device, arrays, kernel, &self.line.arguments)?;
        prepare(device, arrays, program, &symbols, &arguments, false)?;
        let options = LaunchOptions {
            cooperative: self.line.cooperative,
            stack_bytes: self.limits.stack,
            allowance: Some(*allowance),
            suggest: true,
            schedule,
            ..LaunchOptions::default()
        };
        let request = LaunchRequest::new(program.id, &kernel.name, self.shape.whole(), &arguments.list);
        let launched = device.launch(&request.with(options));
        allowance.spend(&launched);
        let one = match launched {
            Ok(report) => Ok((vec![program.warnings.clone(), report.warnings], integers(device, &arguments))),
            Err(DeviceError::Launch { .. }) if allowance.left == 0 => Err(Trial::Spent),
            Err(DeviceError::Launch { messages, .. }) => Err(Trial::Failed(vec![messages])),
            Err(_) => Err(Trial::Wrong),
        };
        for bound in arguments.bound.iter().filter(|bound| !bound.alias) {
            // The buffer exists, so freeing it cannot fail.
            let _ = device.free(bound.buffer);
        }
        Ok(one)
    }
}

/// Hashes of the integer buffers. Buffers of floats are left out, because correct sums of floats may depend on their
/// order.
fn integers(device: &mut dyn Device, arguments: &Arguments) -> Vec<Option<u64>> {
    let of_integers = arguments.bound.iter().filter(|bound| !bound.what.scalar.is_float());
    of_integers.map(|bound| arguments::hash(device, bound).ok()).collect()
}
