//! Tries what the first message about a file or a launch suggests.
//!
//! Each changed text is compiled, launched as the line says, and launched again with another order of a block's warps, which must give the
//! same integers. What the kernel should compute is not known here, so a suggestion says no more than that it runs.

use crate::arguments::{self, Arguments};
use crate::arrays::Arrays;
use crate::launch::{Launched, Request, prepare};
use crate::program::{self, Outcome};
use crate::symbols;
use device::{
    Allowance, CompileOptions, Device, DeviceError, KernelFile, LaunchOptions, LaunchRequest, Messages,
    ProgramInfo, Trial, try_corrections, try_suggestions,
};
use source::{Failure, Severity, Tried};

/// What all trials of a launch may cost together: the same on every machine.
const TRIALS: u64 = 200_000_000;

impl Launched {
    /// Tries what the first error suggests on a simulated device, and keeps what works. Changes nothing of a launch that has no error.
    ///
    /// # Errors
    /// What [`Request::run`] would say of the line.
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
        let mut broken = None;
        let mut attempt = |file: &KernelFile| match device.compile(file, options) {
            Ok(program) => {
                let trial = request.trial(device, &program, arrays, &mut allowance);
                device.unload(program.id);
                trial.unwrap_or_else(|failure| {
                    broken.get_or_insert(failure);
                    Trial::Spent
                })
            }
            Err(DeviceError::Compile(messages)) => Trial::Failed(vec![messages]),
            Err(_) => Trial::Spent,
        };
        let first = (&*self.messages.sources, &diagnostics[at]);
        let found = try_suggestions(file, first, std::slice::from_ref(&self.messages), &mut attempt);
        self.messages.diagnostics.iter_mut().for_each(|d| d.suggestions.clear());
        self.messages.diagnostics[at].suggestions.extend(found);
        broken.map_or(Ok(()), Err)
    }
}

/// Tries what the errors of a file suggest, with a device that can compile it, and keeps what removes them.
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
    /// Launches a changed kernel twice.
    fn trial(
        &self,
        device: &mut dyn Device,
        program: &ProgramInfo,
        arrays: &dyn Arrays,
        allowance: &mut Allowance,
    ) -> Result<Trial, Failure> {
        let Ok(kernel) = program::kernel(program, &self.line.kernel) else { return Ok(Trial::Wrong) };
        let set = |text: &String| symbols::set(device, arrays, program, text);
        let symbols = self.line.symbols.iter().map(set).collect::<Result<Vec<_>, _>>()?;
        let arguments = arguments::bind(device, arrays, kernel, &self.line.arguments)?;
        let request = LaunchRequest::new(program.id, &kernel.name, self.shape, &arguments.list);
        let mut gave = Vec::new();
        let mut trial = None;
        for schedule in 0..2 {
            prepare(device, arrays, program, &symbols, &arguments, schedule > 0)?;
            let options = LaunchOptions {
                cooperative: self.line.cooperative,
                stack_bytes: self.limits.stack,
                allowance: Some(*allowance),
                suggest: true,
                schedule,
                ..LaunchOptions::default()
            };
            let launched = device.launch(&request.clone().with(options));
            allowance.spend(&launched);
            match launched {
                Ok(report) => {
                    gave.push(integers(device, &arguments));
                    let said: Vec<Messages> = vec![program.warnings.clone(), report.warnings];
                    trial.get_or_insert(Trial::Ran(Tried::Ran, said));
                }
                Err(DeviceError::Launch { messages, .. }) => {
                    let spent = allowance.left == 0;
                    trial = Some(if spent { Trial::Spent } else { Trial::Failed(vec![messages]) });
                    break;
                }
                Err(_) => {
                    trial = Some(Trial::Wrong);
                    break;
                }
            }
        }
        for bound in arguments.bound.iter().filter(|bound| !bound.alias) {
            // It is there: it was made above.
            let _ = device.free(bound.buffer);
        }
        let differs = gave.windows(2).any(|pair| pair[0] != pair[1]);
        Ok(if differs { Trial::Wrong } else { trial.unwrap_or(Trial::Wrong) })
    }
}

/// Hashes of the buffers of integers: sums of floating-point numbers depend on their order even where nothing is wrong.
fn integers(device: &mut dyn Device, arguments: &Arguments) -> Vec<Option<u64>> {
    let of_integers = arguments.bound.iter().filter(|bound| !bound.what.scalar.is_float());
    of_integers.map(|bound| arguments::hash(device, bound).ok()).collect()
}
