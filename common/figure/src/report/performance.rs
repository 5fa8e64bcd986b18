//! Shows performance: numbers with units and basis, and a picture.
//!
//! Each number names its basis: `modelled (h200)`, `measured` or `counted`. A picture shows times of one kind only.

use crate::chart::{Bar, bars};
use crate::html::{Align, Table, prose, span};
use crate::markup::Element;
use crate::number::{count, duration, scaled, short};
use crate::roofline::{Kernel, Roofline};
use crate::svg::{Figure, WIDTH};
use report::{DeviceInfo, Metrics, Report, Time, TimeKind};

/// Basis of counters, which are exact and equal on every computer.
const COUNTED: &str = "counted";

/// The table of numbers; `None` if the exercise's report case did not run.
pub(super) fn table(report: &Report) -> Option<Element> {
    let m = &report.metrics;
    if m.launches == 0 {
        return None;
    }
    let columns = [("quantity", Align::Left), ("value", Align::Left), ("basis", Align::Left)];
    let mut rows = Rows(Table::new(&columns));
    times(&mut rows, m);
    rates(&mut rows, m);
    counters(&mut rows, report);
    comparison(&mut rows, m);
    Some(rows.0.element())
}

struct Rows(Table);

impl Rows {
    fn add(&mut self, name: &str, value: String, basis: &str) {
        self.0.row([span(name), prose(span(""), &value), span(basis).class("muted")]);
    }
}

fn times(rows: &mut Rows, m: &Metrics) {
    if let Some(time) = &m.time {
        let value = format!("{}{}{}", time.spent(), time.limited(), m.launched());
        rows.add("time", value, &time.basis());
        if time.warm_cache == Some(true) {
            let why = "the data may have come from the L2 cache, because all of it fits there";
            rows.add("", why.to_owned(), "");
        }
    }
    if let Some(time) = &m.modelled {
        rows.add("time by the model", format!("{}{}", duration(time.seconds), time.limited()), &time.basis());
    }
    left_out(rows, m);
}

fn left_out(rows: &mut Rows, m: &Metrics) {
    if !m.not_modelled.is_empty() {
        rows.add("not modelled", m.not_modelled.join(", "), "");
    }
}

fn rates(rows: &mut Rows, m: &Metrics) {
    let basis = m.time.as_ref().map(Time::basis).unwrap_or_default();
    if let Some(rate) = m.gflops {
        rows.add(
            "arithmetic rate",
            format!("{} GFLOPS ({} FLOP)", short(rate), count(m.flops as u64)),
            &basis,
        );
    }
    if let Some(rate) = m.gbps {
        let value = format!("{} GB/s ({} compulsory bytes)", short(rate), count(m.bytes as u64));
        rows.add("memory rate", value, &basis);
    }
    if let Some(intensity) = m.arithmetic_intensity {
        rows.add("arithmetic intensity", format!("{} FLOP per byte", short(intensity)), "of the algorithm");
    }
    if let Some(percent) = m.roofline_percent {
        rows.add("of the roofline bound", format!("{percent:.1} %"), &basis);
        if m.is_above_bound() {
            let why =
                "above 100 %: part of the data stayed in a cache, so fewer bytes moved than the bound counts";
            rows.add("", why.to_owned(), "");
        }
    }
}

fn counters(rows: &mut Rows, report: &Report) {
    let m = &report.metrics;
    let rows_of = [
        ("load sectors per request", m.load_sectors_per_request, m.coalesced_load_sectors),
        ("store sectors per request", m.store_sectors_per_request, m.coalesced_store_sectors),
    ];
    for (name, value, coalesced) in rows_of {
        let coalesced = coalesced.map(|c| format!(" (coalesced: {})", short(c))).unwrap_or_default();
        if let Some(value) = value {
            rows.add(name, format!("{}{coalesced}", short(value)), COUNTED);
        }
    }
    if let Some(degree) = m.conflict_degree {
        let note = if degree == 1 { "no conflicts" } else { "wavefronts of the worst access" };
        rows.add("shared memory conflict", format!("{degree}-way ({note})"), COUNTED);
    }
    if let Some(c) = report.counters.as_ref().filter(|c| c.constant_requests > 0) {
        let passes = c.constant_passes as f64 / c.constant_requests as f64;
        rows.add("constant passes per request", format!("{} (1 is a broadcast)", short(passes)), COUNTED);
    }
    if let Some(o) = &m.occupancy {
        rows.add("occupancy", o.to_string(), "computed");
    }
}

fn comparison(rows: &mut Rows, m: &Metrics) {
    let basis = m.time.as_ref().map(Time::basis).unwrap_or_default();
    if let (Some(name), Some(speedup)) = (&m.baseline, m.speedup) {
        rows.add("speed-up", format!("{speedup:.2} over `{name}`"), &basis);
    }
    // The share of a full grid is modelled, so it is shown only if the report names the model.
    let modelled = m.time.as_ref().filter(|t| t.kind == TimeKind::Modelled).or(m.modelled.as_ref());
    if let (Some(seconds), Some(time)) = (m.share_of_full, modelled) {
        rows.add(
            "in a grid that fills the GPU",
            format!("{}{}", duration(seconds), m.faster()),
            &time.basis(),
        );
    }
    if let (Some(name), Some(reduction)) = (&m.baseline, m.load_reduction) {
        let value = format!("{reduction:.2} times fewer than `{name}`");
        rows.add("global load requests", value, COUNTED);
    }
    if let Some(lines) = m.source_lines {
        rows.add("kernel", format!("{lines} source lines"), COUNTED);
    }
}

/// A kernel to draw.
pub(super) struct Run<'a> {
    pub(super) name: String,
    pub(super) metrics: &'a Metrics,
}

/// The picture of one report: the kernel, and its baseline if the report has one.
pub(super) fn picture(id: &str, report: &Report) -> Option<Element> {
    let m = &report.metrics;
    let time = m.time.as_ref()?;
    let base = m.baseline.as_ref().zip(m.speedup).filter(|(_, s)| *s > 0.0);
    let names =
        [Some((report.exercise.clone(), 1.0)), base.map(|(name, s)| (format!("{name} (baseline)"), s))];
    let runs: Vec<(String, f64)> = names.into_iter().flatten().collect();
    let roofline = m.gflops.zip(m.arithmetic_intensity).map(|(gflops, intensity)| {
        let kernel = |(name, slower): &(String, f64)| Kernel {
            name: name.clone(),
            intensity,
            rate: gflops * 1e9 / slower,
        };
        roofline(id, &report.device, time.basis(), runs.iter().map(kernel).collect())
    });
    match roofline {
        Some(roofline) => roofline_picture(&roofline),
        None => {
            let rate = m.gbps?;
            let rates: Vec<(String, f64)> =
                runs.into_iter().map(|(name, slower)| (name, rate / slower)).collect();
            Some(bandwidth_picture(id, &report.device, &time.basis(), &rates, true))
        }
    }
}

/// The picture of several kernels on one device with times of one kind. Kernels with floating-point operations appear
/// on a roofline; if none has any, all appear as bars of bandwidth.
pub(super) fn overview(id: &str, device: &DeviceInfo, basis: &str, runs: &[Run<'_>]) -> Option<Element> {
    let kernel = |run: &Run<'_>| {
        let m = run.metrics;
        Some(Kernel { name: run.name.clone(), intensity: m.arithmetic_intensity?, rate: m.gflops? * 1e9 })
    };
    let kernels: Vec<Kernel> = runs.iter().filter_map(kernel).collect();
    if !kernels.is_empty() {
        return roofline_picture(&roofline(id, device, basis.to_owned(), kernels));
    }
    let rates: Vec<(String, f64)> =
        runs.iter().filter_map(|r| Some((r.name.clone(), r.metrics.gbps?))).collect();
    (!rates.is_empty()).then(|| bandwidth_picture(id, device, basis, &rates, false))
}

fn roofline(id: &str, device: &DeviceInfo, basis: String, kernels: Vec<Kernel>) -> Roofline {
    Roofline {
        id: id.to_owned(),
        device: device.name.clone(),
        source: device.source.clone(),
        bandwidth: device.memory_bandwidth,
        peak: device.f32_rate,
        basis,
        kernels,
    }
}

fn roofline_picture(roofline: &Roofline) -> Option<Element> {
    let told = format!(
        "Roofline, times {}. Roofs: device memory at {} and single precision at {} ({}).",
        roofline.basis,
        scaled(roofline.bandwidth, "B/s"),
        scaled(roofline.peak, "FLOPS"),
        roofline.source
    );
    let caption = prose(Element::new("figcaption"), &told);
    let caption = caption.child(Element::new("ul").children(roofline.key()));
    Some(Element::new("figure").class("picture").child(roofline.figure()?.inline()).child(caption))
}

/// Bars of compulsory bytes per second, for algorithms without floating-point operations, which cannot appear on a
/// roofline. If `has_baseline`, the second kernel is the baseline of the first.
fn bandwidth_picture(
    id: &str,
    device: &DeviceInfo,
    basis: &str,
    rates: &[(String, f64)],
    has_baseline: bool,
) -> Element {
    let limit = device.memory_bandwidth * 1e-9;
    let bar = |(i, (name, rate)): (usize, &(String, f64))| Bar {
        is_hollow: has_baseline && i > 0,
        name: name.clone(),
        value: *rate,
        text: format!("{} GB/s", short(*rate)),
    };
    let (body, height) = bars(
        &rates.iter().enumerate().map(bar).collect::<Vec<_>>(),
        limit,
        &format!("{} GB/s", short(limit)),
    );
    let told: Vec<String> =
        rates.iter().map(|(name, rate)| format!("{name}: {} GB/s {basis}", short(*rate))).collect();
    let description = format!(
        "Bandwidth of device memory: {} GB/s ({}). {}.",
        short(limit),
        device.source,
        told.join(". ")
    );
    let figure = Figure {
        id: format!("{id}-bandwidth"),
        title: format!("Compulsory bytes per second on {}, {basis}", device.name),
        description,
        caption: String::new(),
        width: WIDTH,
        height,
        body,
    };
    let source = &device.source;
    let told =
        format!("Compulsory bytes per second, times {basis}. Dashed: bandwidth of device memory ({source}).");
    let caption = prose(Element::new("figcaption"), &told);
    Element::new("figure").class("picture").child(figure.inline()).child(caption)
}
