//! Undefined values: what is undefined because of what, and where that matters.
//!
//! Each register holds, beside its bits, the number of the variable because of which they are undefined, or 0. What an
//! instruction demands is looked at before it is executed, and its result's number is computed from the operands as
//! they are then.

use crate::block::{Block, Group};
use crate::fault::FaultKind;
use crate::log::Place;
use crate::thread::{Thread, Value};
use crate::{NoValue, World};
use simt_ir::pointer::{self, Space};
use simt_ir::{Dependence, Inst, InstKind, Location, Operand, Reg, SourceVariable, Type};
use std::sync::Arc;

type Failed = Vec<(u32, FaultKind)>;

/// What becomes of a value that has to be defined.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Demand {
    /// The launch cannot continue without it.
    Stops,
    /// It is used.
    Warns,
    /// It is stored in a local array.
    Kept,
}

impl Demand {
    pub(crate) fn of(stops: bool) -> Demand {
        if stops { Demand::Stops } else { Demand::Warns }
    }
}

/// Results that are undefined: the thread, the register, and the variable's number.
pub(crate) type Origins = Vec<(usize, Reg, u32)>;

impl<'m> Block<'m> {
    /// A thread uses a value that is undefined because of the variable with that number, if it is not 0.
    pub(crate) fn demand(
        &self,
        world: &mut World<'_, 'm>,
        thread: usize,
        location: Location,
        (origin, demand): (u32, Demand),
    ) -> Result<(), FaultKind> {
        let Some(variable) = origin.checked_sub(1).and_then(|n| world.variables.get(n as usize)) else {
            return Ok(());
        };
        let variable = variable.clone();
        if demand == Demand::Stops {
            return Err(FaultKind::NoValue { variable });
        }
        let kept = demand == Demand::Kept;
        world.warn(NoValue { location, variable, block: self.index, thread: thread as u32, kept });
        Ok(())
    }

    /// Looks at the operands that an instruction needs to be defined.
    pub(crate) fn check_demands(
        &mut self,
        world: &mut World<'_, 'm>,
        group: Group,
        inst: &'m Inst,
    ) -> Result<(), Failed> {
        if world.variables.is_empty() {
            return Ok(());
        }
        if let Some(members) = inst.kind.stored_members() {
            self.each(group, |block, t| {
                let thread = &block.threads[t];
                let least = members.iter().map(|member| thread.value(*member).origin).min().unwrap_or(0);
                block.demand(world, t, inst.location, (least, block.stored(t, inst)))
            })?;
        }
        let mut demands = Vec::new();
        inst.kind.for_each_demand(|operand, stops| demands.push((operand, stops)));
        demands.into_iter().try_for_each(|(operand, stops)| {
            self.each(group, |block, t| {
                let origin = block.threads[t].value(operand).origin;
                let demand = if stops { Demand::Stops } else { block.stored(t, inst) };
                block.demand(world, t, inst.location, (origin, demand))
            })
        })
    }

    /// What a thread does with a value that an instruction demands and that is no address.
    fn stored(&self, thread: usize, inst: &Inst) -> Demand {
        let InstKind::Store { address, .. } = &inst.kind else { return Demand::Warns };
        match pointer::space(self.threads[thread].address(address)) {
            Space::Local => Demand::Kept,
            Space::None | Space::Global | Space::Shared | Space::Constant => Demand::Warns,
        }
    }

    /// Looks at the condition that lanes are about to go by.
    pub(crate) fn check_condition(&self, world: &mut World<'_, 'm>, group: Group) {
        for t in group.threads() {
            if let Some((condition, location)) = self.threads[t].condition() {
                let origin = self.threads[t].value(condition).origin;
                // A condition never stops the launch.
                self.demand(world, t, location, (origin, Demand::Warns)).ok();
            }
        }
    }

    /// The number of what a thread reads of a local array that it has not written there.
    pub(crate) fn origin_of_array(&self, world: &mut World<'_, 'm>, thread: usize, place: &Place) -> u32 {
        if !world.launch.follows_undefined {
            return 0;
        }
        let (thread, number) = (&self.threads[thread], place.allocation as usize);
        let (Some(array), Some(bytes)) = (thread.declared.get(number), thread.arrays.get(number)) else {
            return 0;
        };
        let name = array.elements.name_at(&array.name, place.bytes.start - bytes.start);
        let name = name.unwrap_or_else(|| array.name.clone()).into();
        let variable = Arc::new(SourceVariable { name, declared: array.location });
        let known = world.variables.iter().position(|known| *known == variable);
        let number = known.unwrap_or_else(|| {
            world.variables.push(variable);
            world.variables.len() - 1
        });
        number as u32 + 1
    }

    /// Which results of an instruction will be undefined.
    pub(crate) fn origins(&self, world: &World<'_, 'm>, group: Group, inst: &Inst) -> Origins {
        let mut origins = Origins::new();
        if world.variables.is_empty() {
            return origins;
        }
        inst.kind.for_each_def(|dst| {
            for t in group.threads() {
                let thread = &self.threads[t];
                let origin = match &inst.kind {
                    InstKind::Undefined { variable, .. } => {
                        let number = world.variables.iter().position(|known| known == variable);
                        number.map_or(0, |number| number as u32 + 1)
                    }
                    kind => origin(thread, kind, thread.type_of((*dst).into())),
                };
                origins.extend((origin != 0).then_some((t, *dst, origin)));
            }
        });
        origins
    }

    pub(crate) fn set_origins(&mut self, origins: Origins) {
        for (thread, reg, origin) in origins {
            let value = self.threads[thread].value(reg.into());
            self.threads[thread].put(reg, Value { origin, ..value });
        }
    }
}

/// The number of the variable because of which a result of type `ty` is undefined; 0 if it is defined, or not computed from
/// the operands.
fn origin(thread: &Thread, kind: &InstKind, ty: Type) -> u32 {
    let of = |operand: Operand| thread.value(operand).origin;
    match kind.dependence(ty) {
        None | Some(Dependence::Nothing) => 0,
        Some(Dependence::All) => {
            let mut all = 0;
            kind.for_each_use(|operand| all = all.max(of(*operand)));
            all
        }
        Some(Dependence::Chosen { condition, sides: [on_true, on_false] }) => {
            let chosen = if thread.get(condition) != 0 { on_true } else { on_false };
            of(condition).max(of(chosen))
        }
        Some(Dependence::Decided { operands, by_ones }) => {
            let ones = match ty {
                Type::Bool => 1,
                Type::I32 | Type::F32 => u64::from(u32::MAX),
                Type::I64 | Type::F64 | Type::Ptr => u64::MAX,
            };
            let deciding = if by_ones { ones } else { 0 };
            let decides = |operand| of(operand) == 0 && thread.get(operand) == deciding;
            if operands.into_iter().any(decides) {
                0
            } else {
                operands.into_iter().map(of).max().unwrap_or(0)
            }
        }
    }
}
