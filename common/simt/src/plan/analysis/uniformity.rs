//! Uniformity (divergence) analysis: which registers hold one value for a whole warp.
//!
//! A register is uniform if each of its definitions computes from uniform operands and none lies under control flow
//! that is divergent within the register's *enclosing scope*: the smallest region of the body that has all its definitions and
//! uses. Lanes that are not in that scope at the time cannot see the register, so one copy is enough. That needs each
//! lane that reads it to have written it since it came in; a register that may be read before it is written has the
//! whole body as its scope. A `Return` spoils nothing, since the lanes that took it never read again; and neither does leaving a loop after which
//! the register is not read, as the counter of `for (i = t; i < n; i += threads)`: the lanes that are left agree. (Compare
//! Rosemann, Moll, Hack: An Abstract Interpretation for SPMD Divergence on Reducible Control Flow Graphs, POPL 2021, and LLVM's
//! `UniformityAnalysis`.)
//!
//! Registers of functions are never uniform: a frame may belong to any part of a warp.

use crate::index_vec::IndexVec;
use crate::launch::{Launch, Specialization};
use crate::plan::analysis::affine::{AffineValues, Definition};
use crate::plan::analysis::definite_assignment::{self, Exposed};
use crate::plan::analysis::occurrences::{BODY, Occurrence, Occurrences, RegionControl, RegionId};
use crate::plan::analysis::points_to::PointsTo;
use crate::plan::analysis::relation::Relation;
use crate::plan::code::Unit;
use crate::plan::link::Program;
use simt_ir::{Axis, InstKind, Kernel, Operand, Reg, Special};
use std::ops::Range;
use std::rc::Rc;

/// The result.
pub(crate) struct Uniformity {
    /// Whether a register needs a value for each lane, unless it is affine.
    pub(crate) varying: IndexVec<Reg, bool>,
    pub(crate) exposed: Exposed,
    pub(crate) affine: AffineValues,
}

/// Analyses a program for a launch. `wide`: whether values of 64 bits may be affine.
pub(crate) fn analyse(
    program: &Program,
    launch: &Launch,
    unit: Unit,
    (specialization, wide): (Specialization, bool),
    points: &PointsTo,
) -> Uniformity {
    let kernel = &*program.kernel;
    let mut exposed = definite_assignment::of_kernel(kernel);
    let occurrences = Occurrences::of(kernel);
    let scopes = Scopes::of(kernel, &occurrences, &exposed);
    let is_same = Sameness { unit, block: launch.block, points };
    let Spread { varying, divergent, .. } = Spread::of(kernel, &is_same, &occurrences, &scopes);
    let mut varying = varying;
    // Affine may be what is never written under divergent control flow.
    let mut candidates: IndexVec<Reg, bool> = varying.iter().map(|_| false).collect();
    let definitions = || occurrences.all.iter().filter(|occurrence| occurrence.definition.is_some());
    definitions()
        .for_each(|definition| candidates[definition.reg] = specialization >= Specialization::Affine);
    for definition in definitions() {
        let reg = definition.reg;
        if exposed[reg] || varying[reg] && scopes.diverges(definition, &occurrences.regions, &divergent) {
            candidates[reg] = false;
        }
    }
    let affine = affine_values(kernel, (launch, unit), &occurrences, (&varying, wide), &candidates);
    for function in &program.functions {
        let of_function = definite_assignment::of_function(function);
        for (reg, is_exposed) in function.registers.clone().map(Reg).zip(of_function) {
            (varying[reg], exposed[reg]) = (true, is_exposed);
        }
    }
    Uniformity { varying, exposed, affine }
}

/// The affine values among registers that are candidates.
fn affine_values(
    kernel: &Kernel,
    (launch, unit): (&Launch, Unit),
    occurrences: &Occurrences,
    (varying, wide): (&IndexVec<Reg, bool>, bool),
    candidates: &IndexVec<Reg, bool>,
) -> AffineValues {
    let definitions = occurrences.all.iter().filter(|occurrence| candidates[occurrence.reg]);
    let definitions = definitions.filter_map(|occurrence| {
        let inst = occurrence.definition?;
        Some(Definition { reg: occurrence.reg, inst, is_uniform: !varying[occurrence.reg] })
    });
    AffineValues::find(kernel, (launch, unit), &definitions.collect::<Vec<_>>(), (varying, wide))
}

/// The enclosing scope of each register that occurs: its path from the body inward.
struct Scopes {
    paths: IndexVec<Reg, Option<Rc<[RegionId]>>>,
    /// The last occurrence of each register that reads it.
    last_reads: IndexVec<Reg, usize>,
}

impl Scopes {
    fn of(kernel: &Kernel, occurrences: &Occurrences, exposed: &Exposed) -> Scopes {
        let mut scopes: IndexVec<Reg, Option<Rc<[RegionId]>>> =
            IndexVec::filled(None, kernel.registers.len());
        let body: Rc<[RegionId]> = [BODY].into();
        for Occurrence { reg, path, .. } in &occurrences.all {
            let scope = &mut scopes[*reg];
            *scope = Some(match scope.take() {
                _ if exposed[*reg] => body.clone(),
                None => path.clone(),
                Some(scope) => {
                    let common = scope.iter().zip(&**path).take_while(|(a, b)| a == b).count();
                    if common == scope.len() { scope } else { scope[..common].into() }
                }
            });
        }
        let mut last_reads = IndexVec::filled(0, kernel.registers.len());
        let reads = occurrences.all.iter().enumerate().filter(|(_, of)| of.definition.is_none());
        reads.for_each(|(at, of)| last_reads[of.reg] = at);
        // What may be read before it is written may be read after it was left.
        let exposed = |reg: Reg| exposed[reg];
        for reg in last_reads.numbers().filter(|reg| exposed(*reg)) {
            last_reads[reg] = usize::MAX;
        }
        Scopes { paths: scopes, last_reads }
    }

    /// Whether control flow between a register's scope and an occurrence of it is divergent, so that lanes which are elsewhere may still read
    /// what they had.
    fn diverges(
        &self,
        occurrence: &Occurrence,
        regions: &IndexVec<RegionId, RegionControl>,
        divergent: &IndexVec<RegionId, bool>,
    ) -> bool {
        let depth = self.paths[occurrence.reg].as_ref().map_or(0, |path| path.len());
        let mut is_outermost_loop = true;
        occurrence.path[depth..].iter().any(|region| {
            // Lanes that have left a loop do not come back to it within the scope, unless there is another loop around.
            let is_left_for_good = regions[*region].loop_end.is_some_and(|end| {
                std::mem::take(&mut is_outermost_loop) && self.last_reads[occurrence.reg] < end
            });
            divergent[*region] && !is_left_for_good
        })
    }
}

fn is_varying(operand: &Operand, varying: &IndexVec<Reg, bool>) -> bool {
    matches!(operand, Operand::Reg(reg) if varying[*reg])
}

/// How it spreads from instructions whose results differ between lanes: to what is computed from them, to regions that depend on them, and to
/// what is written there. Each of these is looked at again only when something changes on which it depends.
struct Spread<'a> {
    occurrences: &'a Occurrences<'a>,
    varying: IndexVec<Reg, bool>,
    /// Regions whose inside may run with fewer lanes than were in the region around it.
    divergent: IndexVec<RegionId, bool>,
    /// By register: the definitions that read it, as indices of occurrences.
    readers: Relation,
    /// By register: the regions whose condition it is.
    conditions: Relation,
    /// By region: the constructs that a jump in it leaves.
    exits: Relation,
    /// By region: the occurrences inside.
    inside: IndexVec<RegionId, Range<usize>>,
    /// Definitions to be looked at, as indices of occurrences.
    work: Vec<u32>,
}

impl<'a> Spread<'a> {
    /// The end of it.
    fn of(
        kernel: &Kernel,
        shared: &Sameness,
        occurrences: &'a Occurrences<'a>,
        scopes: &Scopes,
    ) -> Spread<'a> {
        let mut spread = Spread::new(kernel, occurrences);
        // The first first: most of it is in the order of the text.
        let definitions = occurrences.all.iter().enumerate().filter(|(_, of)| of.definition.is_some());
        spread.work = definitions.map(|(at, _)| at as u32).rev().collect();
        while let Some(at) = spread.work.pop() {
            let occurrence = &occurrences.all[at as usize];
            let (Some(definition), false) = (occurrence.definition, spread.varying[occurrence.reg]) else {
                continue;
            };
            if scopes.diverges(occurrence, &occurrences.regions, &spread.divergent)
                || !shared.is_uniform(definition, &spread.varying)
            {
                spread.varies(occurrence.reg);
            }
        }
        spread
    }

    fn new(kernel: &Kernel, occurrences: &'a Occurrences<'a>) -> Spread<'a> {
        let regions = &occurrences.regions;
        let mut readers = Vec::new();
        let mut inside = IndexVec::filled(0..0, regions.len());
        for (at, Occurrence { path, definition, .. }) in occurrences.all.iter().enumerate() {
            for region in &**path {
                let range: &mut Range<usize> = &mut inside[*region];
                range.start = if range.end == 0 { at } else { range.start };
                range.end = at + 1;
            }
            let operand = |operand: &Operand| {
                if let Operand::Reg(reg) = operand {
                    readers.push((reg.0, at as u32));
                }
            };
            if let Some(inst) = definition {
                inst.for_each_use(operand);
            }
        }
        let (mut conditions, mut exits) = (Vec::new(), Vec::new());
        for (id, region) in regions.enumerated() {
            if let Some(Operand::Reg(reg)) = region.condition {
                conditions.push((reg.0, id.0));
            }
            exits.extend(region.exits.iter().flatten().map(|between| (between.0, id.0)));
        }
        Spread {
            occurrences,
            varying: IndexVec::filled(false, kernel.registers.len()),
            divergent: IndexVec::filled(false, regions.len()),
            readers: Relation::of(kernel.registers.len(), &readers),
            conditions: Relation::of(kernel.registers.len(), &conditions),
            exits: Relation::of(regions.len(), &exits),
            inside,
            work: Vec::new(),
        }
    }

    fn varies(&mut self, reg: Reg) {
        self.varying[reg] = true;
        self.work.extend(self.readers.others(reg.0));
        let mut regions = self.conditions.others(reg.0).to_vec();
        while let Some(region) = regions.pop() {
            if std::mem::replace(&mut self.divergent[RegionId(region)], true) {
                continue;
            }
            regions.extend(self.exits.others(region));
            let inside = self.inside[RegionId(region)].clone();
            let written = |at: &u32| self.occurrences.all[*at as usize].definition.is_some();
            self.work.extend((inside.start as u32..inside.end as u32).filter(written));
        }
    }
}

/// What decides whether all threads of a unit get the same from an instruction.
struct Sameness<'a> {
    unit: Unit,
    /// Threads of a block by axis.
    block: [u32; 3],
    points: &'a PointsTo,
}

impl Sameness<'_> {
    /// Whether `threadIdx` on an axis is the same.
    fn is_uniform_index(&self, axis: Axis) -> bool {
        let [x, y, _] = self.block;
        match (self.unit, axis) {
            (Unit::Block, axis) => self.block[axis as usize] == 1,
            (Unit::Warp, Axis::X) => false,
            (Unit::Warp, Axis::Y) => x.is_multiple_of(32),
            (Unit::Warp, Axis::Z) => x.wrapping_mul(y).is_multiple_of(32),
        }
    }

    fn is_uniform(&self, inst: &InstKind, varying: &IndexVec<Reg, bool>) -> bool {
        let mut all_uniform = true;
        inst.for_each_use(|operand| all_uniform &= !is_varying(operand, varying));
        match inst {
            InstKind::Special { value, .. } => match value {
                Special::ThreadIdx(axis) => self.is_uniform_index(*axis),
                Special::LaneId => false,
                Special::ActiveMask => self.unit == Unit::Warp,
                Special::BlockIdx(_) | Special::BlockDim(_) | Special::GridDim(_) | Special::Cooperative => {
                    true
                }
            },
            InstKind::Load { address, .. } => all_uniform && self.points.same_for_all_lanes(&address.base),
            // The predicate is combined over the lanes of a warp, so it may vary; the members may not.
            InstKind::Vote { members, .. } => self.unit == Unit::Warp && !is_varying(members, varying),
            InstKind::Barrier { .. } => true,
            // All lanes that read it read it together.
            InstKind::Clock { .. } => true,
            _ => all_uniform && !inst.depends_on_lanes(),
        }
    }
}
