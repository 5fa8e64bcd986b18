//! Order and scope of memory instructions: `.relaxed`, `.acquire`, `.volatile` …, `.cta`, `.cluster`, `.gpu`, `.sys` (PTX ISA, `ld`,
//! `st`, `atom`, `red`, `membar/fence`).

use super::parse::Instruction;
use super::{Done, Refusal};
use simt_ir::{AccessOrder, FenceOrder, MemoryOrder, MemoryScope, ScopedOrder};

/// An order as it is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    Weak,
    Volatile,
    Order(MemoryOrder),
    SequentiallyConsistent,
}

fn order_of(modifier: &str) -> Option<Written> {
    Some(match modifier {
        "weak" => Written::Weak,
        "volatile" => Written::Volatile,
        "relaxed" => Written::Order(MemoryOrder::Relaxed),
        "acquire" => Written::Order(MemoryOrder::Acquire),
        "release" => Written::Order(MemoryOrder::Release),
        "acq_rel" => Written::Order(MemoryOrder::AcquireRelease),
        "sc" => Written::SequentiallyConsistent,
        _ => return None,
    })
}

fn scope_of(modifier: &str) -> Option<MemoryScope> {
    Some(match modifier {
        "cta" => MemoryScope::Block,
        "cluster" => MemoryScope::Cluster,
        // `membar.gl` is the older name.
        "gpu" | "gl" => MemoryScope::Device,
        "sys" => MemoryScope::System,
        _ => return None,
    })
}

/// Whether a modifier is one of order or scope.
pub(super) fn is_order(modifier: &str) -> bool {
    order_of(modifier).is_some() || scope_of(modifier).is_some()
}

/// The order and the scope that are written, at most one of each.
fn written(i: &Instruction) -> Done<(Option<Written>, Option<MemoryScope>)> {
    let orders: Vec<Written> = i.opcode[1..].iter().filter_map(|m| order_of(m)).collect();
    let scopes: Vec<MemoryScope> = i.opcode[1..].iter().filter_map(|m| scope_of(m)).collect();
    match (orders.len(), scopes.len()) {
        (0 | 1, 0 | 1) => Ok((orders.first().copied(), scopes.first().copied())),
        _ => Err(Refusal::Wrong(format!("more than one order or scope in `{}`", i.name()))),
    }
}

fn wrong<T>(i: &Instruction) -> Done<T> {
    Err(Refusal::Wrong(format!("`{}` has an order that `{}` does not have", i.name(), i.opcode[0])))
}

/// Of a load or store, which has these orders besides relaxed.
pub(super) fn of_access(i: &Instruction, strong: MemoryOrder) -> Done<AccessOrder> {
    match written(i)? {
        (None | Some(Written::Weak), None) => Ok(AccessOrder::Weak),
        (Some(Written::Volatile), None) => Ok(AccessOrder::Volatile),
        (None | Some(Written::Weak | Written::Volatile), Some(_)) => {
            Err(Refusal::Wrong(format!("a scope without `.relaxed` or the like in `{}`", i.name())))
        }
        (Some(Written::Order(order)), scope) if order == MemoryOrder::Relaxed || order == strong => {
            let scope = scope.ok_or_else(|| Refusal::Wrong(format!("`{}` needs a scope", i.name())))?;
            Ok(AccessOrder::Strong(ScopedOrder { order, scope }))
        }
        (Some(Written::Order(_) | Written::SequentiallyConsistent), _) => wrong(i),
    }
}

/// Of an atomic: relaxed at device scope if nothing is written. One without a result cannot acquire.
pub(super) fn of_atomic(i: &Instruction, returns: bool) -> Done<ScopedOrder> {
    let (order, scope) = written(i)?;
    let order = match order {
        None => MemoryOrder::Relaxed,
        Some(Written::Order(order)) if returns || !order.acquires() => order,
        Some(_) => return wrong(i),
    };
    Ok(ScopedOrder { order, scope: scope.unwrap_or(MemoryScope::Device) })
}

/// Of `membar`, which is `fence.sc`, or of `fence`, which is `.acq_rel` if nothing is written.
pub(super) fn of_fence(i: &Instruction) -> Done<(FenceOrder, MemoryScope)> {
    let (order, scope) = written(i)?;
    if !i.opcode[1..].iter().all(|m| is_order(m)) {
        return Err(Refusal::Unsupported(i.name()));
    }
    let order = match (i.opcode[0].as_str(), order) {
        ("membar", None) | ("fence", Some(Written::SequentiallyConsistent)) => {
            FenceOrder::SequentiallyConsistent
        }
        ("fence", None | Some(Written::Order(MemoryOrder::AcquireRelease))) => FenceOrder::AcquireRelease,
        _ => return wrong(i),
    };
    let scope = scope.ok_or_else(|| Refusal::Wrong(format!("`{}` needs a scope", i.name())))?;
    Ok((order, scope))
}
