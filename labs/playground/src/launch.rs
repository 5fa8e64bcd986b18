//! Launches a kernel of any file.

use crate::kernels;
use crate::pictures::drawn;
use clap::Parser;
use device_sim::DEFAULT_MODEL;
use harness::report::Style;
use launch_line::{LaunchLimits, LaunchLine, NoFiles, Request, compile, compile_options};
use serde_json::Value;
use source::Failure;
use source::text::{DEFAULT_WIDTH, fold, printable};

/// Default limit of warp instructions per launch, which run for a few seconds.
const BUDGET: u64 = 100_000_000;

/// A page reads and writes no files.
const FILES: NoFiles = NoFiles("a page");

/// A launch's options, without those that are about files or other devices.
#[derive(Debug, Parser)]
#[command(name = "launch", no_binary_name = true, disable_help_flag = true)]
struct Line {
    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    defines: Vec<String>,
    /// Device model for limits and modelled times
    #[arg(long, value_name = "NAME", default_value = DEFAULT_MODEL)]
    model: String,
    #[command(flatten)]
    line: LaunchLine,
    /// What to launch on: a page has the simulator
    #[arg(long, value_name = "DEVICE", value_parser = ["sim"], default_value = "sim", hide = true)]
    on: String,
    #[command(flatten)]
    limits: LaunchLimits,
}

/// Launches by a line. Returns the JSON of `lab launch --format json`, with its text as `rendered` and its
/// `pictures`. `access` adds accesses of single warps; `suggest` adds tried suggestions if the launch fails.
pub(crate) fn launch(
    text: String,
    name: &str,
    line: &str,
    [access, suggest]: [bool; 2],
) -> Result<Value, String> {
    let file = harness::kernel_file(text.into_bytes(), name)?;
    let words = shlex::split(line).ok_or("a quote is not closed, or nothing follows the last `\\`")?;
    let line = Line::try_parse_from(words).map_err(|e| e.render().to_string())?;
    let Line { defines, model, line, mut limits, .. } = line;
    limits.budget.get_or_insert(BUDGET);
    limits.show_access |= access;
    let mut device = kernels::device(&model)?;
    let in_words = |failure: Failure| failure.to_string();
    let mut request = Request::new(file.name.clone(), model, line, limits).map_err(in_words)?;
    let requests = request.line.kernel.as_slice();
    let mut options = compile_options(&defines, requests).map_err(in_words)?;
    options.arguments = request.numbers();
    let compiled = compile(&mut device, &file, &options).map_err(in_words)?;
    let mut launched = request.run(&mut device, compiled, &FILES, &|| None).map_err(in_words)?;
    if suggest {
        launched.suggest(&request, &mut device, (&file, &options), &FILES).map_err(in_words)?;
    }
    let rendered = launched.text(&request, Style::PLAIN) + &launched.dumped;
    let mut answer = launched.json(&request);
    answer["pictures"] = drawn(&answer)?;
    answer["rendered"] = fold(&printable(&rendered.replace('\t', "    ")), DEFAULT_WIDTH).into();
    Ok(answer)
}
