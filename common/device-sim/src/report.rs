//! What a launch reports: the machine's counters in the profiler's terms, by line, with occupancy and modelled time.

use crate::program::Program;
use crate::time::{Access, Work, estimate, share_of_full};
use crate::{DeviceModel, diagnose, occupancy};
use ::device::{
    Counters, LaunchReport, LaunchShape, LineCounters, Messages, ModelledTime, Proved, Recording,
};
use simt_ir::{CacheOp, InstKind, Kernel, Location, for_each_inst};
use source::{Code, Diagnostic, Kind};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The report of a launch that went well. `footprint`: bytes of the buffers among its arguments; `None` if nothing was
/// counted, and then there is no modelled time.
pub(crate) fn report(
    model: &DeviceModel,
    program: &Program,
    kernel: usize,
    shape: &LaunchShape,
    footprint: Option<u64>,
    outcome: simt::LaunchOutcome,
) -> LaunchReport {
    let mut outcome = outcome;
    let read_only = read_only_loads(&program.module.kernels[kernel]);
    if !model.plain_loads_in_l1 {
        drop_plain_hits(&read_only, &mut outcome);
    }
    let threads = shape.block.iter().product::<u32>();
    let shared = program.module.kernels[kernel].static_shared_bytes() + shape.dynamic_shared;
    let occupancy = occupancy(model, threads, shared);
    let blocks: u64 = shape.grid.iter().map(|g| u64::from(*g)).product();
    let warps = u64::from(threads.div_ceil(32));
    let work = Work {
        blocks,
        warps: blocks * warps,
        resident_warps: u64::from(occupancy.blocks) * warps,
        footprint: footprint.unwrap_or(0),
        ..work(&outcome.counters)
    };
    let estimate = estimate(model, &work);
    LaunchReport {
        counters: footprint.map(|_| {
            let mut all = counters(&outcome.counters);
            let by_location = (0..).map(Location).zip(&outcome.lines);
            by_location.for_each(|(location, c)| all.add(&readonly(&read_only, location, c)));
            all
        }),
        lines: lines(program, &read_only, &outcome.lines),
        modelled: footprint.map(|_| ModelledTime {
            seconds: estimate.seconds,
            model: model.name.clone(),
            limit: estimate.limit,
            share_of_full: share_of_full(model, &work),
            waves: work.warps as f64 / (u64::from(model.sms) * work.resident_warps).max(1) as f64,
        }),
        measured: None,
        occupancy: Some(occupancy),
        proved: outcome.proved.map(|proved| Proved {
            accesses: proved.accesses,
            in_bounds: proved.inside,
            no_races: proved.apart,
            checked: proved.checked,
            initialized: proved.initialized,
        }),
        warnings: warnings(program, kernel, &outcome.warnings),
        printed: outcome.printed,
        recording: Recording::default(),
        handed_over: None,
        work: 0,
    }
}

/// Maximum number of warnings of each kind that a launch reports, the first in the order of the code: a kernel may have one in each of
/// thousands of lines.
const MAX_WARNINGS: usize = 32;

/// What a launch of a kernel warns of, but for what the compiler has told of already.
pub(crate) fn warnings(program: &Program, kernel: usize, found: &[simt::Fault]) -> Messages {
    let mut told = HashMap::new();
    let mut left_out = 0;
    let mut diagnostics = Vec::new();
    for warning in found.iter().filter(|w| !was_told(program, w)) {
        let of_its_kind = told.entry(std::mem::discriminant(&warning.kind)).or_insert(0);
        *of_its_kind += 1;
        if *of_its_kind <= MAX_WARNINGS {
            diagnostics.push(diagnose::warning(program, kernel, warning));
        } else {
            left_out += 1;
        }
    }
    if left_out > 0 {
        let title = format!("{left_out} more warnings of this launch are not shown");
        let last = Diagnostic::new(Code::TooManyErrors, title).with_kind(Kind::Warning);
        diagnostics.push(last.help("mend the first ones; others of the same kind are often alike"));
    }
    Messages { sources: program.sources.clone(), diagnostics }
}

/// Whether the compiler has told of the variable already.
fn was_told(program: &Program, warning: &simt::Fault) -> bool {
    let simt::FaultKind::NoValue { variable } = &warning.kind else { return false };
    program.span(variable.declared).is_some_and(|span| program.never_set.contains(&span))
}

/// Where a kernel loads through the read-only path, textures included. Loads of both kinds at one location count as read-only.
fn read_only_loads(kernel: &Kernel) -> HashSet<Location> {
    let mut read_only = HashSet::new();
    for body in kernel.bodies() {
        for_each_inst(body, &mut |inst| {
            if matches!(inst.kind, InstKind::Load { cache: CacheOp::ReadOnly, .. } | InstKind::Texture { .. })
            {
                read_only.insert(inst.location);
            }
        });
    }
    read_only
}

/// What a location loads through the read-only path, and nothing else of it.
fn readonly(read_only: &HashSet<Location>, location: Location, c: &simt::Counters) -> Counters {
    match read_only.contains(&location) {
        true => Counters {
            readonly_load_requests: c.global_load.requests,
            readonly_load_sectors: c.global_load.sectors,
            ..Counters::default()
        },
        false => Counters::default(),
    }
}

/// Takes back the L1 hits of plain loads, for devices whose L1 keeps what read-only loads read and nothing else.
fn drop_plain_hits(read_only: &HashSet<Location>, outcome: &mut simt::LaunchOutcome) {
    for (location, counters) in (0..).map(Location).zip(&mut outcome.lines) {
        if !read_only.contains(&location) {
            outcome.counters.l1_load_sector_hits -= std::mem::take(&mut counters.l1_load_sector_hits);
        }
    }
}

/// The machine's counters under the profiler's names, but for read-only loads, which only locations tell.
pub(crate) fn counters(c: &simt::Counters) -> Counters {
    Counters {
        warp_instructions: c.warp_instructions,
        thread_instructions: c.thread_instructions,
        global_load_requests: c.global_load.requests,
        global_load_sectors: c.global_load.sectors,
        global_store_requests: c.global_store.requests,
        global_store_sectors: c.global_store.sectors,
        global_load_bytes: c.global_load.bytes,
        global_store_bytes: c.global_store.bytes,
        l1_load_sector_hits: c.l1_load_sector_hits,
        local_load_requests: c.local_load.requests,
        local_load_sectors: c.local_load.sectors,
        local_store_requests: c.local_store.requests,
        local_store_sectors: c.local_store.sectors,
        shared_load_requests: c.shared_load.requests,
        shared_load_wavefronts: c.shared_load.wavefronts,
        shared_load_bank_conflicts: c.shared_load.conflicts,
        shared_store_requests: c.shared_store.requests,
        shared_store_wavefronts: c.shared_store.wavefronts,
        shared_store_bank_conflicts: c.shared_store.conflicts,
        shared_load_max_degree: c.shared_load.max_degree,
        shared_store_max_degree: c.shared_store.max_degree,
        constant_requests: c.constant_instructions,
        constant_passes: c.constant_requests,
        texture_requests: c.texture_requests,
        texture_sectors: c.texture_sectors,
        readonly_load_requests: 0,
        readonly_load_sectors: 0,
        global_atomic_requests: c.global_atomics,
        global_atomic_sectors: c.global_atomic_sectors,
        shared_atomic_requests: c.shared_atomics,
        shared_atomic_wavefronts: c.shared_atomic_wavefronts,
        ffma: c.ffma,
        fadd: c.fadd,
        fmul: c.fmul,
        dfma: c.dfma,
        dadd: c.dadd,
        dmul: c.dmul,
        tensor_operations: c.tensor,
        special_functions: c.special,
        branches: c.branches,
        divergent_branches: c.divergent_branches,
        barriers: c.barriers,
        warp_exchanges: c.exchanges,
        phase_arrivals: c.phase_arrivals,
    }
}

/// Sums over the locations of each line; lines that executed nothing are left out.
fn lines(
    program: &Program,
    read_only: &HashSet<Location>,
    by_location: &[simt::Counters],
) -> Vec<LineCounters> {
    let mut lines: BTreeMap<(&str, u32), (simt::Counters, Counters)> = BTreeMap::new();
    let by_location = (0..).map(Location).zip(by_location);
    for (span, (location, counters)) in program.module.locations.iter().zip(by_location) {
        if counters.warp_instructions > 0 {
            let file = program.sources.file(span.file);
            let at = (file.name(), file.position(span.start).line);
            let (sum, of_readonly) = lines.entry(at).or_default();
            sum.add(counters);
            of_readonly.add(&readonly(read_only, location, counters));
        }
    }
    let line = |((file, line), (sum, of_readonly)): ((&str, u32), (simt::Counters, Counters))| {
        let mut counters = counters(&sum);
        counters.add(&of_readonly);
        LineCounters { file: file.to_owned(), line, counters }
    };
    lines.into_iter().map(line).collect()
}

/// The part of [`Work`] that counters say.
fn work(c: &simt::Counters) -> Work {
    let access = |kinds: [&simt::Traffic; 2]| Access {
        requests: kinds.iter().map(|t| t.requests).sum(),
        sectors: kinds.iter().map(|t| t.sectors).sum(),
        bytes: kinds.iter().map(|t| t.bytes).sum(),
    };
    let mut stores = access([&c.global_store, &c.local_store]);
    stores.requests += c.global_atomics;
    stores.sectors += c.global_atomic_sectors;
    Work {
        warp_instructions: c.warp_instructions,
        loads: access([&c.global_load, &c.local_load]),
        stores,
        l1_hit_sectors: c.l1_load_sector_hits,
        shared_wavefronts: c.shared_load.wavefronts + c.shared_store.wavefronts,
        constant_passes: c.constant_requests,
        texture_requests: c.texture_requests,
        f32_operations: c.ffma + c.fadd + c.fmul,
        f64_operations: c.dfma + c.dadd + c.dmul,
        special_operations: c.special,
        barriers: c.barriers,
        ..Work::default()
    }
}
