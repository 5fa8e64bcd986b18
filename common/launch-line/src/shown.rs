//! What a launch gave, as JSON, as a line, and as a text. A time is the simulator's own, modelled, or measured on a GPU, and is always
//! named as what it is.

use crate::launch::{Launched, Request};
use crate::program::{self, Outcome};
use device::{Counters, LaunchReport};
use harness::Status;
use harness::report::Style;
use serde_json::{Value, json};
use source::text::printable;

impl Launched {
    /// As `lab launch --format json` prints it.
    pub fn json(&self, request: &Request) -> Value {
        let report = self.report.as_ref();
        let recording = report.map(|r| r.recording.clone()).unwrap_or_default();
        let recorded = recording.in_excess(&request.file);
        let buffers = self.buffers.iter().map(|(bound, hash)| {
            json!({
                "index": bound.index,
                "name": bound.name,
                "type": bound.what.spelling(),
                "bytes": bound.what.bytes(),
                "alias": bound.alias,
                "hash": format!("fnv1a64:{hash:016x}"),
            })
        });
        json!({
            "file": request.file,
            "kernel": self.kernel,
            "model": request.model,
            "grid": request.shape.grid,
            "block": request.shape.block,
            "shared_bytes": request.shape.dynamic_shared,
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
            "printed": report.map(|r| &r.printed),
            "lines": self.lines(request),
            "accesses": recorded.accesses,
            "branches": recorded.branches,
        })
    }

    /// Counters by line of the kernel file, of the lines that executed something.
    fn lines(&self, request: &Request) -> Value {
        let all = self.report.iter().flat_map(|report| &report.lines);
        let own = all.filter(|line| line.file == request.file);
        own.map(|line| json!({ "line": line.line, "counters": line.counters })).collect()
    }

    /// What became of the launch, in a line.
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
        let (grid, block) = (dimensions(request.shape.grid), dimensions(request.shape.block));
        format!("{} of {}, grid {grid}, block {block}: {what}", self.kernel, request.file)
    }

    /// For people: messages, what became of it, and what it counted.
    pub fn text(&self, request: &Request, style: Style) -> String {
        let mut out = program::text(&self.messages, style);
        let status = if self.verdict == Outcome::Ok { Status::Passed } else { Status::Failed };
        out.push_str(&style.status(status, &self.title(request)));
        out.push('\n');
        let Some(report) = &self.report else { return out };
        if !report.printed.is_empty() {
            // Without colours of its own, whatever it prints.
            let printed = printable(report.printed.trim_end_matches('\n'));
            out.push_str(&format!("\nprinted by the kernel\n{printed}\n"));
        }
        out.push('\n');
        for (name, value) in self.rows(report, request) {
            out.push_str(&format!("  {name:<26}  {value}\n"));
        }
        out
    }

    /// Times, counters that are not 0, and what is in the buffers, each with its name.
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
        if let Some(Value::Object(all)) = report.counters.as_ref().map(|c| json!(c)) {
            let counted = all.into_iter().filter(|(_, value)| value.as_u64() != Some(0));
            rows.extend(counted.map(|(name, value)| (name.replace('_', " "), value.to_string())));
        }
        rows.extend(self.buffers.iter().map(|(bound, hash)| {
            let name = format!("{} {}", bound.index, bound.name);
            (name, format!("{}  fnv1a64:{hash:016x}", bound.what.spelling()))
        }));
        rows
    }

    /// Each time with what it is: of the simulator's run, measured on a GPU, or modelled.
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
        rows
    }
}

/// Counters by the profiler's names, with the ratios and renamed ones that a profile has.
fn counters(counters: &Counters, occupancy: Option<f64>) -> Value {
    let mut value = json!(counters);
    value["shared_load_instructions"] = counters.shared_load_requests.into();
    value["shared_store_instructions"] = counters.shared_store_requests.into();
    value["threads_per_instruction"] = counters.threads_per_instruction().into();
    value["theoretical_occupancy_pct"] = occupancy.map(|o| 100.0 * o).into();
    value
}
