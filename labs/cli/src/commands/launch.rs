//! `cargo lab launch`: runs one kernel of any CUDA C++ file on the simulator, a GPU or both, with arguments given as
//! text.

use crate::access;
use crate::args::LaunchArgs;
use crate::devices;
use crate::format::{self, Format};
use crate::kernel_file;
use crate::npy::NumpyFiles;
use crate::screen::{Screen, complain};
use device::{Device, DeviceError};
use harness::report::Style;
use launch_line::{Outcome, Request};
use source::Failure;
use std::time::Instant;

/// Compiles a file, runs a kernel and prints the results.
pub(crate) fn launch(screen: &Screen, args: &LaunchArgs) -> anyhow::Result<bool> {
    let format = args.file.format.format()?;
    let file = args.file.file.display().to_string();
    let mut request = Request::new(file, args.file.model.clone(), args.line.clone(), args.limits.clone())?;
    if request.dumps_text() && !matches!(format, Format::Full) {
        let what = "--dump ARG=- prints values where --format prints";
        return Err(
            Failure::new(what, "leave one of them out, or use --print, whose values are in JSON").into()
        );
    }
    let mut device = open(args, &request)?;
    let device = device.as_mut();
    let (file, mut options) = kernel_file::read(&args.file, args.line.kernel.as_slice())?;
    options.arguments = request.numbers();
    let compiled = launch_line::compile(device, &file, &options)?;
    let begin = Instant::now();
    let mut launched = request.run(device, compiled, &NumpyFiles, &|| Some(begin.elapsed()))?;
    if launched.verdict != Outcome::Ok {
        let mut simulator = kernel_file::device(&args.file.model)?;
        launched.suggest(&request, &mut simulator, (&file, &options), &NumpyFiles)?;
    }
    let findings = || kernel_file::findings(&launched.messages);
    match format {
        Format::Json => screen.json(launched.json(&request).to_string())?,
        Format::Ncu => screen.exact(&launched.profiled(&request)?)?,
        Format::Sarif => screen.json(format::sarif(&findings())?)?,
        Format::Concise => {
            findings().iter().try_for_each(|finding| screen.concise(finding.concise()))?;
            screen.concise(launched.title(&request))?;
        }
        // The values alone are on standard output, for another program.
        Format::Full if request.dumps_text() => {
            complain(
                launched.text(&request, Style { color: false, ..screen.style() }).trim_end_matches('\n'),
            );
            screen.values(&launched.dumped)?;
        }
        Format::Full => {
            screen.line(launched.text(&request, screen.style()).trim_end_matches('\n'))?;
            if request.limits.show_access {
                screen.line(access::of_launch(&launched.json(&request))?)?;
            }
        }
    }
    Ok(launched.verdict == Outcome::Ok)
}

/// Opens the device, and checks that it supports the launch's options.
fn open(args: &LaunchArgs, request: &Request) -> Result<Box<dyn Device>, Failure> {
    let on = args.device();
    let mut device = devices::device(&on, &args.file.model)?;
    if on != "gpu" {
        device.limit_memory(Some(kernel_file::MEMORY));
    }
    let refused = |why: DeviceError| {
        Failure::new(format!("--on {on}: {why}"), "omit the option, or launch with `--on sim`")
    };
    device.supports(&request.launch_options()).map_err(refused)?;
    Ok(device)
}
