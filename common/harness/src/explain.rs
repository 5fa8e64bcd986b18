//! Explains a time by counters: why latency limits a launch, and why a correct kernel is slower than its baseline.
//!
//! The notes state only what counters, occupancy and the size of the grid show, and no times.

use crate::{Explained, Note, Tally};
use device::{Counters, TimeLimit};

/// A count is named as a reason only if it is more than this many times the baseline's.
const MORE: f64 = 1.05;

/// Notes for the report of a kernel. `baseline`: the baseline's name and tally. `speedup`: the baseline's time divided by the kernel's.
pub(crate) fn notes(own: &Tally, baseline: Option<(&str, &Tally)>, speedup: Option<f64>) -> Vec<Note> {
    let slower = baseline.filter(|_| speedup.is_some_and(|s| s < 0.995));
    let latency = latency(own).map(|text| Note { about: Some(Explained::Time), text });
    let slower = slower.and_then(|(name, base)| slower_than(name, base, own));
    let slower = slower.map(|text| Note { about: Some(Explained::Speedup), text });
    latency.into_iter().chain(slower).collect()
}

/// Why latency limits the longest launch, even if its occupancy is full; `None` if something else limits it.
fn latency(tally: &Tally) -> Option<String> {
    let waves = tally.waves.filter(|_| tally.limit == Some(TimeLimit::Latency))?;
    let meets = tally.counters.as_ref().is_some_and(|c| c.barriers > 0);
    let barriers = if meets { " and at barriers" } else { "" };
    let cure = match waves < 1.0 {
        true => format!(
            "the grid fills {:.0} % of the GPU, so a larger problem would hide the waiting",
            100.0 * waves
        ),
        false => format!(
            "the grid needs {waves:.1} waves of blocks. More loads in flight in each thread, or fewer waits, would hide it"
        ),
    };
    let occupancy = match tally.occupancy.as_ref().map(|o| o.fraction >= 0.95) {
        Some(true) => "; occupancy says how many warps fit, not whether they have something to do",
        Some(false) => "; so would more warps per multiprocessor (SM)",
        None => "",
    };
    Some(format!(
        "limited by latency: the resident warps wait for memory{barriers} longer than they keep it busy, and \
         {cure}{occupancy}"
    ))
}

/// Why a correct kernel is slower than its baseline: what it does more often, its lower occupancy, and why its fewer loads save little.
fn slower_than(name: &str, base: &Tally, own: &Tally) -> Option<String> {
    let (before, after) = (base.counters.as_ref()?, own.counters.as_ref()?);
    let beyond = |c: &Counters| {
        c.global_load_sectors + c.global_store_sectors + c.global_atomic_sectors
            - c.l1_load_sector_hits.min(c.global_load_sectors)
    };
    let shared =
        |c: &Counters| c.shared_load_wavefronts + c.shared_store_wavefronts + c.shared_atomic_wavefronts;
    let amounts: [(&str, u64, u64); 5] = [
        ("warp instructions", before.warp_instructions, after.warp_instructions),
        ("shared memory wavefronts", shared(before), shared(after)),
        ("barriers", before.barriers, after.barriers),
        ("sectors from beyond L1", beyond(before), beyond(after)),
        ("constant passes", before.constant_passes, after.constant_passes),
    ];
    let more: Vec<String> = amounts
        .into_iter()
        .filter(|(_, before, after)| *after as f64 > MORE * *before as f64)
        .map(|(what, before, after)| match before {
            0 => format!("{} {what}, where the baseline has none", crate::report::thousands(after as f64)),
            _ => format!("{:.2} times as many {what}", after as f64 / before as f64),
        })
        .collect();
    let fraction = |t: &Tally| t.occupancy.as_ref().map(|o| o.fraction);
    let occupancy = fraction(base).zip(fraction(own)).filter(|(base, own)| own + 0.005 < *base);
    let occupancy = occupancy
        .map(|(base, own)| format!("an occupancy of {:.0} % instead of {:.0} %", 100.0 * own, 100.0 * base));
    let reasons: Vec<String> = more.into_iter().chain(occupancy).collect();
    let saved = saving(name, before, after);
    let reasons = match (reasons.is_empty(), saved.is_some()) {
        (true, true) => "it does nothing more".to_owned(),
        (true, false) => {
            "its counters are like those of the baseline, so the difference lies in how its warps wait"
                .to_owned()
        }
        (false, _) => format!("it has {}", reasons.join("; ")),
    };
    Some(format!(
        "correct, but slower than `{name}`: {reasons}{}",
        saved.map(|s| format!(". {s}")).unwrap_or_default()
    ))
}

/// Why fewer load sectors save little: L1 answered most of the baseline's. `None` if it did not, or if there are not fewer.
fn saving(name: &str, before: &Counters, after: &Counters) -> Option<String> {
    let hits = before.l1_load_sector_hits as f64 / before.global_load_sectors.max(1) as f64;
    let fewer = after.global_load_sectors < before.global_load_sectors;
    (fewer && hits > 0.5).then(|| {
        format!(
            "The loads that it saves were cheap: {:.0} % of the load sectors of `{name}` are found in L1",
            100.0 * hits
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(instructions: u64, shared: u64, sectors: u64) -> Tally {
        let counters = Counters {
            warp_instructions: instructions,
            shared_load_wavefronts: shared,
            global_load_sectors: sectors,
            l1_load_sector_hits: sectors * 9 / 10,
            ..Counters::default()
        };
        Tally { counters: Some(counters), ..Tally::default() }
    }

    #[test]
    fn a_slower_kernel_says_what_it_does_more_and_what_its_savings_are_worth() {
        let (base, own) = (tally(1000, 0, 5000), tally(1840, 300, 1000));
        let note = notes(&own, Some(("naive", &base)), Some(0.9)).pop().unwrap().text;
        assert_eq!(
            note,
            "correct, but slower than `naive`: it has 1.84 times as many warp instructions; 300 shared memory wavefronts, where the baseline has \
             none. The loads that it saves were cheap: 90 % of the load sectors of `naive` are found in L1"
        );
        assert!(notes(&own, Some(("naive", &base)), Some(1.1)).is_empty());
        assert!(notes(&own, None, None).is_empty());
    }

    #[test]
    fn latency_is_explained_beside_a_full_occupancy() {
        let occupancy = |fraction| device::Occupancy { fraction, blocks: 8, limit: "threads".into() };
        let limited = |waves, fraction| {
            let tally = Tally {
                waves: Some(waves),
                limit: Some(TimeLimit::Latency),
                occupancy: Some(occupancy(fraction)),
                ..tally(1, 0, 0)
            };
            notes(&tally, None, None).pop().unwrap().text
        };
        let full = limited(1.94, 1.0);
        assert!(
            full.contains("the grid needs 1.9 waves of blocks")
                && full.contains("occupancy says how many warps fit"),
            "{full}"
        );
        let part = limited(0.25, 0.5);
        assert!(
            part.contains("the grid fills 25 % of the GPU") && part.contains("more warps per multiprocessor"),
            "{part}"
        );
    }
}
