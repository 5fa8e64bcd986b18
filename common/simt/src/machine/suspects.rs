//! How races are looked for in a launch, and the cells in which there may be some.

use crate::machine::event::CellKey;
use simt_ir::pointer::Space;
use source::hash::Map;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU8};
use std::sync::{Arc, Mutex};

/// How races are looked for.
pub(crate) enum RaceSearch {
    /// Only whether there are certainly none.
    Screening(ScreeningRun),
    /// Only barriers order accesses: what they do not order is a race.
    ByBarriers,
    /// The same, but in a kernel where more than barriers decide: what they do not order is suspect.
    Suspects(Mutex<FoundCells>),
    /// With all that orders accesses, for the cells that are suspect, or for all.
    Exact(Option<Arc<Suspects>>),
}

/// How a launch is screened, and what comes of it.
#[derive(Default)]
pub(crate) struct ScreeningRun {
    /// Whether more than barriers order accesses to shared memory.
    pub(crate) by_order_in_shared: bool,
    doubts: AtomicU8,
    /// Whether several lanes of a warp make strong accesses.
    lanes: AtomicBool,
}

/// Something in a launch that screening cannot decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// Accesses to shared memory that barriers do not order.
    Shared,
    Other,
}

impl ScreeningRun {
    pub(crate) fn new(by_order_in_shared: bool) -> ScreeningRun {
        ScreeningRun { by_order_in_shared, ..ScreeningRun::default() }
    }
}

impl RaceSearch {
    /// Whether what barriers do not order is a race. If it is not known, the cell becomes a suspect. `excusable`: it is none if a plain read is a
    /// guess.
    pub(crate) fn decides(&self, cell: CellKey, excusable: bool) -> bool {
        match self {
            RaceSearch::ByBarriers => true,
            RaceSearch::Suspects(findings) => {
                let mut findings = findings.lock().unwrap_or_else(|e| e.into_inner());
                if excusable {
                    findings.excusable.insert(cell);
                } else {
                    findings.suspects.insert(cell);
                }
                false
            }
            RaceSearch::Screening(_) | RaceSearch::Exact(_) => false,
        }
    }

    /// Plain reads of cells are no guesses, or may be none.
    pub(crate) fn no_guesses(&self, cells: impl Iterator<Item = CellKey>) {
        if let RaceSearch::Suspects(findings) = self {
            let mut findings = findings.lock().unwrap_or_else(|e| e.into_inner());
            cells.for_each(|cell| findings.no_guesses.insert(cell));
        }
    }

    /// Screening has come upon something that is not clear.
    pub(crate) fn doubt(&self, doubt: Doubt) {
        if let RaceSearch::Screening(run) = self {
            run.doubts.fetch_or(1 << doubt as u8, Relaxed);
        }
    }

    /// Screening has found that several lanes of a warp make strong accesses.
    pub(crate) fn note_lanes(&self) {
        if let RaceSearch::Screening(run) = self {
            run.lanes.store(true, Relaxed);
        }
    }

    /// Whether it has.
    pub(crate) fn has_lanes(&self) -> bool {
        matches!(self, RaceSearch::Screening(run) if run.lanes.load(Relaxed))
    }

    /// What it has come upon.
    pub(crate) fn doubts(&self) -> Option<Doubt> {
        let RaceSearch::Screening(run) = self else { return None };
        match run.doubts.load(Relaxed) {
            0 => None,
            doubts if doubts == 1 << Doubt::Shared as u8 => Some(Doubt::Shared),
            _ => Some(Doubt::Other),
        }
    }

    /// The suspects that were found.
    pub(crate) fn into_suspects(self) -> Suspects {
        let RaceSearch::Suspects(findings) = self else { return Suspects::default() };
        let FoundCells { mut suspects, excusable, no_guesses } =
            findings.into_inner().unwrap_or_else(|e| e.into_inner());
        suspects.add_common(&excusable, &no_guesses);
        suspects
    }
}

/// What was found of cells.
#[derive(Default)]
pub(crate) struct FoundCells {
    suspects: Suspects,
    /// Those with a race that is none if a plain read is a guess, and those with a plain read that may be no guess.
    excusable: Suspects,
    no_guesses: Suspects,
}

/// A set of cells. Of shared memory it does not say in which block.
#[derive(Default)]
pub(crate) struct Suspects {
    /// A bit for each cell of a memory.
    cells: Map<(Space, u32), Vec<u64>>,
}

impl Suspects {
    fn insert(&mut self, (space, allocation, cell): CellKey) {
        let bits = self.cells.entry((space, allocation)).or_default();
        if bits.len() <= cell / 64 {
            bits.resize(cell / 64 + 1, 0);
        }
        bits[cell / 64] |= 1 << (cell % 64);
    }

    /// Adds the cells that are in both of two sets.
    fn add_common(&mut self, one: &Suspects, other: &Suspects) {
        for (memory, bits) in &one.cells {
            let Some(theirs) = other.cells.get(memory) else { continue };
            let common: Vec<u64> = bits.iter().zip(theirs).map(|(a, b)| a & b).collect();
            if common.iter().all(|word| *word == 0) {
                continue;
            }
            let own = self.cells.entry(*memory).or_default();
            own.resize(own.len().max(common.len()), 0);
            own.iter_mut().zip(common).for_each(|(own, common)| *own |= common);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    pub(crate) fn contains(&self, (space, allocation, cell): CellKey) -> bool {
        let bits = self.cells.get(&(space, allocation)).and_then(|bits| bits.get(cell / 64));
        bits.is_some_and(|bits| bits >> (cell % 64) & 1 == 1)
    }

    /// Whether there are any in a buffer, or in shared memory.
    pub(crate) fn has_any(&self, (space, allocation): (Space, u32)) -> bool {
        self.cells.contains_key(&(space, allocation))
    }
}
