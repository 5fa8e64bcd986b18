//! Formats the results of a launch as JSON, as one line, and as text. Each time is labelled: duration of the
//! simulation, modelled, or measured on a GPU.

use crate::launch::{Held, Launched, Request};
use crate::print::Printed;
use crate::program::{self, Outcome};
use device::{Counters, LaunchReport, ProfiledLaunch, Proved};
use harness::Status;
use harness::report::Style;
use serde_json::{Value, json};
use source::Failure;
use source::text::printable;

impl Launched {
    /// The JSON object that `lab launch --format json` prints.
    pub fn json(&self, request: &Request) -> Value {
        let report = self.report.as_ref();
        let recording = report.map(|r| r.recording.clone()).unwrap_or_default();
        let recorded = recording.in_excess(&request.file);
        let buffers = self.buffers.iter().map(|Held { bound, hash, overview }| {
            json!({
                "index": bound.index,
                "name": bound.name,
                "type": bound.what.spelling(),
                "bytes": bound.what.bytes(),
                "alias": bound.alias,
                "hash": format!("fnv1a64:{hash:016x}"),
                "values": overview.json(),
            })
        });
        json!({
            "file": request.file,
            "kernel": self.kernel,
            "model": request.model,
            "grid": request.shape.grid,
            "block": request.shape.block,
            "shared_bytes": request.shape.whole().dynamic_shared,
            "host_launch": request.shape.line.map(|line| json!({ "file": request.file, "line": line })),
            "host_functions": self.host_functions,
            "cooperative": request.line.cooperative,
            "verdict": self.verdict,
            "diagnostics": program::json(&self.messages),
            "counters": report.and_then(|r| Some(counters(r.counters.as_ref()?, r.occupancy.as_ref().map(|o| o.fraction)))),
            "device": self.device.id,
            "device_name": self.device.name,
            "registers_estimate": self.registers.filter(|_| self.device.simulated),
            "registers": self.registers.filter(|_| !self.device.simulated),
            "occupancy": report.and_then(|r| r.occupancy.as_ref()),
            "modelled": report.and_then(|r| r.modelled.as_ref()),
            "measured": report.and_then(|r| r.measured.as_ref()),
            "simulation_seconds": self.seconds,
            "repeat": request.limits.repeat,
            "buffers": buffers.collect::<Value>(),
            "print": self.printed.iter().map(Printed::json).collect::<Value>(),
            "printed": Some(&self.kernel_output).filter(|text| report.is_some() || !text.is_empty()),
            "profiler": report.and_then(|r| Some(profiler(r.counters.as_ref()?))),
            "not_modelled": report.map(not_modelled),
            "proved": report.and_then(|r| r.proved.as_ref()),
            "lines": self.lines(request),
            "accesses": recorded.accesses,
            "branches": recorded.branches,
        })
    }

    /// The counters as a table of Nsight Compute.
    ///
    /// # Errors
    /// A launch that did not run to its end, and a device without counters.
    pub fn profiled(&self, request: &Request) -> Result<String, Failure> {
        let counters = self.report.as_ref().and_then(|report| report.counters.as_ref());
        let Some(counters) = counters else {
            let help =
                "without `--format ncu`, `launch` says why; the simulator counts unless `--fast` is given";
            return Err(Failure::new("there are no counters of this launch", help));
        };
        let (block, grid) = (request.shape.block, request.shape.grid);
        Ok(device::profiler_csv(&[ProfiledLaunch { kernel: &self.kernel, block, grid, counters }]))
    }

    /// Counters per line of the kernel file, for lines that executed an instruction.
    fn lines(&self, request: &Request) -> Value {
        let all = self.report.iter().flat_map(|report| &report.lines);
        let own = all.filter(|line| line.file == request.file);
        own.map(|line| json!({ "line": line.line, "counters": line.counters })).collect()
    }

    /// The outcome in one line.
    pub fn title(&self, request: &Request) -> String {
        let dimensions = |[x, y, z]: [u32; 3]| format!("{x}x{y}x{z}");
        let what = match self.verdict {
            Outcome::Ok => match self.device.id.as_str() {
                "sim" => "ran".to_owned(),
                "both" => format!("ran on {}; the results agree", self.device.name),
                _ => format!("ran on {}", self.device.name),
            },
            Outcome::Diagnosed => "was stopped: see the message above".to_owned(),
            Outcome::Rejected => "does not compile".to_owned(),
            Outcome::Unsupported => "is not supported by the simulator yet".to_owned(),
        };
        let part = |name: &str, axes: Option<[u32; 3]>| {
            axes.map_or_else(String::new, |axes| format!(", {name} {}", dimensions(axes)))
        };
        let shape = part("grid", request.shape.grid) + &part("block", request.shape.block);
        let kernel = if self.kernel.is_empty() { String::new() } else { format!("{} of ", self.kernel) };
        format!("{kernel}{}{shape}: {what}", request.file)
    }

    /// The text for people: messages, outcome and counters.
    pub fn text(&self, request: &Request, style: Style) -> String {
        let mut out = program::text(&self.messages, style);
        let status = if self.verdict == Outcome::Ok { Status::Passed } else { Status::Failed };
        out.push_str(&style.status(status, &self.title(request)));
        out.push('\n');
        let notes = request.origin().into_iter().chain(self.host_code.clone());
        notes.for_each(|note| out.push_str(&format!("  {note}\n")));
        if !self.kernel_output.is_empty() {
            // Remove escape sequences from the kernel's output.
            let printed = printable(self.kernel_output.trim_end_matches('\n'));
            out.push_str(&format!("\nprinted by the kernel\n{printed}\n"));
        }
        let Some(report) = &self.report else { return out };
        out.push('\n');
        for (name, value) in self.rows(report, request) {
            out.push_str(&format!("  {name:<26}  {value}\n"));
        }
        if !self.buffers.is_empty() {
            out.push('\n');
        }
        for held in &self.buffers {
            out.push_str(&held.text(style.width, request.limits.verbose));
        }
        out.extend(self.printed.iter().map(|printed| printed.text(style.width)));
        out
    }

    /// Times, and counters that are not 0, each with its name.
    fn rows(&self, report: &LaunchReport, request: &Request) -> Vec<(String, String)> {
        let mut rows = self.times(report, request);
        if let Some(o) = &report.occupancy {
            let percent = 100.0 * o.fraction;
            let value = format!(
                "{percent:.0} % ({} blocks per multiprocessor (SM), limited by {})",
                o.blocks, o.limit
            );
            rows.push(("occupancy".to_owned(), value));
        }
        if let Some(Proved { accesses, in_bounds, no_races, checked, initialized }) = &report.proved {
            let mut value = format!("{in_bounds} of {accesses} accesses are in bounds");
            let said = [("no races on", no_races), ("no reads of unwritten elements of", initialized)];
            let said: Vec<_> = said.into_iter().filter(|(_, names)| !names.is_empty()).collect();
            match said[..] {
                [(races, names), (reads, same)] if names == same => {
                    value.push_str(&format!("; {races} and {reads} {}", named(names)));
                }
                _ => said
                    .iter()
                    .for_each(|(what, names)| value.push_str(&format!("; {what} {}", named(*names)))),
            }
            // Of kernels that are not looked into, such as those with asynchronous copies, nothing is known.
            if *accesses > 0 {
                rows.push(("proved before it ran".to_owned(), value));
            }
            let all = no_races.iter().chain(checked);
            let read: Vec<&String> = all.filter(|name| !initialized.contains(name)).collect();
            let races = (!checked.is_empty()).then(|| format!("races on {}", named(checked)));
            let reads = (!read.is_empty()).then(|| format!("reads of unwritten elements of {}", named(read)));
            let looked_for: Vec<String> = races.into_iter().chain(reads).collect();
            if !looked_for.is_empty() {
                rows.push(("checked as it ran".to_owned(), looked_for.join("; ")));
            }
        }
        if let Some(Value::Object(all)) = report.counters.as_ref().map(|c| json!(c)) {
            let counted = all.into_iter().filter(|(_, value)| value.as_u64() != Some(0));
            rows.extend(counted.map(|(name, value)| (name.replace('_', " "), value.to_string())));
        }
        rows
    }

    /// Rows of times, labelled as duration of the simulation, measured on a GPU, or modelled.
    fn times(&self, report: &LaunchReport, request: &Request) -> Vec<(String, String)> {
        let mut rows = Vec::new();
        let mut row = |name: &str, value: String| rows.push((name.to_owned(), value));
        if let Some(seconds) = self.seconds {
            let median = match request.limits.repeat {
                1 => String::new(),
                repeat => format!(", the median of {repeat}"),
            };
            row("simulated in", format!("{:.3} ms{median}", 1e3 * seconds));
        }
        if let Some(time) = &report.measured {
            let cache = if time.cold_cache { "data from device memory" } else { "data in the cache" };
            let (value, confidence) = (1e6 * time.seconds, 1e6 * time.confidence);
            let launches = time.launches;
            row(
                "measured time",
                format!("{value:.2} µs ± {confidence:.2} (median of {launches} launches, {cache})"),
            );
        }
        if let Some(time) = &report.modelled {
            row("modelled time", format!("{:.2} µs ({})", 1e6 * time.seconds, time.model));
        }
        let left_out = not_modelled(report);
        if !left_out.is_empty() {
            row("not modelled", left_out.join(", "));
        }
        rows
    }
}

impl Held {
    /// What is in the buffer, in lines of `width` columns. A buffer that the kernel only reads is named alone.
    fn text(&self, width: usize, verbose: bool) -> String {
        let Held { bound, hash, overview } = self;
        let head = format!("  {} {}  {}, ", bound.index, bound.name, bound.what.spelling());
        let indent = "    ";
        let mut lines = Vec::new();
        if bound.alias {
            lines.push(format!("{head}the memory of another argument"));
        } else {
            let is_long = head.len() > 32;
            let room = width.saturating_sub(if is_long { indent.len() } else { head.len() });
            let between = if is_long { format!("\n{indent}") } else { String::new() };
            lines.push(format!("{head}{between}{}", overview.changed(&bound.what, room)));
            if overview.is_changed() || !bound.is_read_only {
                let room = width.saturating_sub(indent.len());
                lines.extend(overview.lines(room).iter().map(|line| format!("{indent}{line}")));
            }
        }
        if verbose {
            lines.push(format!("{indent}hash      fnv1a64:{hash:016x} (equal in two runs: same bytes)"));
        }
        lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
    }
}

/// Names as code, with commas between them.
fn named<'a>(names: impl IntoIterator<Item = &'a String>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Counters under Nsight Compute's names.
fn profiler(counters: &Counters) -> Value {
    let values = device::profiler_values(counters).map(|(name, value)| (name.to_owned(), value.into()));
    Value::Object(values.collect())
}

/// What the modelled time leaves out; empty without a modelled time.
fn not_modelled(report: &LaunchReport) -> Vec<&'static str> {
    let counters = report.counters.as_ref().filter(|_| report.modelled.is_some());
    counters.map(Counters::not_modelled).unwrap_or_default()
}

/// Counters with the profiler's names, plus the ratios and renamed counters of a profile.
fn counters(counters: &Counters, occupancy: Option<f64>) -> Value {
    let mut value = json!(counters);
    value["shared_load_instructions"] = counters.shared_load_requests.into();
    value["shared_store_instructions"] = counters.shared_store_requests.into();
    value["threads_per_instruction"] = counters.threads_per_instruction().into();
    value["theoretical_occupancy_pct"] = occupancy.map(|o| 100.0 * o).into();
    value
}
