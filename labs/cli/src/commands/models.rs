//! `cargo lab models`: lists the device models, their numbers, and the sources of the numbers.

use crate::screen::Screen;
use device_sim::{Coalescing, DeviceModel};
use std::collections::BTreeMap;

/// A number of a model: the field under which its source is stored, its name, and how to format it.
type Row = (&'static str, &'static str, fn(&DeviceModel) -> String);

const ROWS: [Row; 13] = [
    ("sms", "streaming multiprocessors (SM)", |m| m.sms.to_string()),
    ("clock_hz", "clock", |m| format!("{:.3} GHz", m.clock_hz / 1e9)),
    ("f32_flops", "single precision", |m| format!("{:.0} GFLOPS", m.f32_flops / 1e9)),
    ("memory_bandwidth", "device memory bandwidth", |m| format!("{:.1} GB/s", m.memory_bandwidth / 1e9)),
    ("memory_latency_cycles", "device memory latency", |m| format!("{} cycles", m.memory_latency_cycles)),
    ("memory_bytes", "device memory", |m| bytes(m.memory_bytes)),
    ("l2_bytes", "L2 cache", |m| bytes(m.l2_bytes)),
    ("l1_bytes_per_sm", "L1 cache of an SM", |m| bytes(m.l1_bytes_per_sm)),
    ("residency", "shared memory of an SM", |m| bytes(u64::from(m.shared_bytes_per_sm))),
    ("residency", "shared memory of a block", |m| bytes(u64::from(m.shared_bytes_per_block))),
    ("residency", "threads of an SM, of a block", |m| {
        format!("{}, {}", m.threads_per_sm, m.threads_per_block)
    }),
    ("residency", "registers of an SM", |m| m.registers_per_sm.to_string()),
    ("host_link_bandwidth", "host link, one direction", |m| {
        format!("{:.1} GB/s", m.host_link_bandwidth / 1e9)
    }),
];

pub(crate) fn models(screen: &Screen, json: bool) -> anyhow::Result<bool> {
    let models = DeviceModel::names().into_iter().map(DeviceModel::named).collect::<Result<Vec<_>, _>>()?;
    if json {
        let values: Vec<_> = models.iter().map(as_json).collect();
        screen.json(serde_json::to_string_pretty(&values)?)?;
        return Ok(true);
    }
    for model in &models {
        let default = if model.name == device_sim::DEFAULT_MODEL { ", the default" } else { "" };
        let title = format!(
            "{}  {} (compute capability {}{default})",
            model.name, model.title, model.compute_capability
        );
        screen.line(screen.bold(&title))?;
        if model.coalescing == Coalescing::Compute13 {
            screen.line(
                "  accesses coalesce by half-warp, in segments of 32, 64 or 128 bytes, without a cache",
            )?;
        }
        for (_, what, show) in ROWS {
            screen.line(format!("  {what:<30}{}", show(model)))?;
        }
        let mut used = BTreeMap::<&str, Vec<&str>>::new();
        for (field, source) in &model.sources {
            used.entry(source).or_default().push(field);
        }
        for (source, fields) in used {
            screen.line(screen.dim(&format!("  {}: {source}", fields.join(", "))))?;
        }
        screen.line("")?;
    }
    screen.line("Times of a model are estimates: see `How the simulator works` in the book.")?;
    Ok(true)
}

fn as_json(model: &DeviceModel) -> serde_json::Value {
    let numbers: serde_json::Map<String, serde_json::Value> =
        ROWS.iter().map(|(_, what, show)| (what.to_string(), show(model).into())).collect();
    serde_json::json!({
        "name": model.name,
        "title": model.title,
        "compute_capability": model.compute_capability,
        "numbers": numbers,
        "sources": model.sources,
    })
}

/// Formats bytes in the largest binary unit that gives a whole or nearly whole number.
fn bytes(count: u64) -> String {
    match count {
        0 => "none".to_string(),
        c if c >= 1 << 30 => format!("{:.1} GiB", c as f64 / (1u64 << 30) as f64),
        c if c >= 1 << 20 => format!("{:.1} MiB", c as f64 / (1 << 20) as f64),
        c => format!("{} KiB", c / 1024),
    }
}
