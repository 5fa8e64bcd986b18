//! What must be known of all functions before the first is lowered: who calls whom, and which locals need an address.

use super::layout;
use super::visit::{self, Item};
use crate::hir::{
    Argument, Expr, ExprKind, Function, FunctionId, LocalId, Place, PlaceKind, Program, Stmt, StmtKind,
};
use source::{Code, Diagnostic};

/// Facts about one function.
#[derive(Clone, Debug)]
pub(super) struct Scan {
    /// For each local: whether its object must be in memory. (Of a reference: whether what it is bound to must be.)
    pub in_memory: Vec<bool>,
    /// The functions it calls, in order of first call.
    pub calls: Vec<FunctionId>,
    /// Whether it may call itself, directly or through others, so that it cannot be inlined.
    pub recursive: bool,
}

/// Scans all functions.
pub(super) fn scan(program: &Program) -> Vec<Scan> {
    let called = program.functions.iter().map(|function| {
        let mut called = Vec::new();
        visit::stmts(&function.body, &mut |item| {
            if let Item::Expr(Expr { kind: ExprKind::Call { function, .. }, .. }) = item {
                called.push(*function);
            }
        });
        called
    });
    let mut scans = calls(program, called);
    find_memory(program, &mut scans);
    scans
}

/// What is known of all functions but for what [`find_memory`] finds, given the calls of each in order.
pub(super) fn calls(program: &Program, called: impl Iterator<Item = Vec<FunctionId>>) -> Vec<Scan> {
    let scans =
        program.functions.iter().zip(called).map(|(function, called)| first(program, function, &called));
    let mut scans: Vec<Scan> = scans.collect();
    if !has_cycle(&scans) {
        return scans;
    }
    for (number, function) in program.functions.iter().enumerate() {
        let id = FunctionId(number as u32);
        let called: Vec<FunctionId> = scans[number].calls.clone();
        scans[number].recursive =
            !function.dispatches && called.iter().any(|callee| reachable(&scans, *callee).contains(&id));
        if scans[number].recursive {
            // The address of what a reference refers to is what goes into the call.
            for LocalId(parameter) in &function.parameters {
                scans[number].in_memory[*parameter as usize] |=
                    function.locals[*parameter as usize].is_reference;
            }
        }
    }
    scans
}

/// Whether a function may reach itself by calls: functions are left out again and again once all that they call are.
fn has_cycle(scans: &[Scan]) -> bool {
    let mut callers = vec![Vec::new(); scans.len()];
    let mut calls: Vec<usize> = scans.iter().map(|scan| scan.calls.len()).collect();
    for (number, scan) in scans.iter().enumerate() {
        scan.calls.iter().for_each(|callee| callers[callee.0 as usize].push(number));
    }
    let mut done: Vec<usize> = (0..scans.len()).filter(|number| calls[*number] == 0).collect();
    let mut left = scans.len();
    while let Some(number) = done.pop() {
        left -= 1;
        for caller in &callers[number] {
            calls[*caller] -= 1;
            if calls[*caller] == 0 {
                done.push(*caller);
            }
        }
    }
    left > 0
}

/// Finds the locals that need memory. That goes through references and calls, so it is a fixed point.
pub(super) fn find_memory(program: &Program, scans: &mut [Scan]) {
    let mut changed = true;
    while changed {
        changed = false;
        for (number, function) in program.functions.iter().enumerate() {
            let mut in_memory = scans[number].in_memory.clone();
            visit::stmts(&function.body, &mut |item| {
                for place in needing_memory(program, &item, &in_memory, scans) {
                    if let Some(LocalId(local)) = root(place) {
                        in_memory[local as usize] = true;
                    }
                }
            });
            changed |= in_memory != scans[number].in_memory;
            scans[number].in_memory = in_memory;
        }
    }
}

fn first(program: &Program, function: &Function, called: &[FunctionId]) -> Scan {
    let in_memory = function.locals.iter().map(|local| {
        local.address_taken
            || local.is_volatile && !local.is_reference
            || layout::needs_memory(program, &local.ty)
    });
    let mut calls = Vec::new();
    for callee in called {
        if !calls.contains(callee) {
            calls.push(*callee);
        }
    }
    Scan { in_memory: in_memory.collect(), calls, recursive: false }
}

/// The places that `item` itself wants to be in memory.
fn needing_memory<'h>(
    program: &Program,
    item: &Item<'h>,
    in_memory: &[bool],
    scans: &[Scan],
) -> Vec<&'h Place> {
    match item {
        Item::Expr(Expr { kind: ExprKind::AddressOf(place), .. }) => vec![place],
        Item::Place(Place { kind: PlaceKind::Index { base, .. }, .. }) => vec![base],
        Item::Stmt(Stmt { kind: StmtKind::Bind { local, place }, .. }) if in_memory[local.0 as usize] => {
            vec![place]
        }
        Item::Expr(Expr { kind: ExprKind::Call { function, arguments }, .. }) => {
            let FunctionId(number) = *function;
            let parameters = &program.functions[number as usize].parameters;
            let wanted = &scans[number as usize].in_memory;
            let pairs = parameters.iter().zip(arguments);
            pairs
                .filter_map(|(parameter, argument)| match argument {
                    Argument::Place(place) if wanted[parameter.0 as usize] => Some(place),
                    Argument::Place(_) | Argument::Value(_) => None,
                })
                .collect()
        }
        Item::Stmt(_) | Item::Expr(_) | Item::Place(_) => Vec::new(),
    }
}

/// The local whose object a place is part of.
pub(super) fn root(place: &Place) -> Option<LocalId> {
    match &place.kind {
        PlaceKind::Local(local) => Some(*local),
        PlaceKind::Index { base, .. }
        | PlaceKind::Field { base, .. }
        | PlaceKind::After { place: base, .. } => root(base),
        PlaceKind::Global(_) | PlaceKind::Deref(_) | PlaceKind::Temporary(_) => None,
    }
}

/// All functions that a kernel runs, itself first, each before those it calls.
pub(super) fn reachable(scans: &[Scan], kernel: FunctionId) -> Vec<FunctionId> {
    let mut found = vec![kernel];
    let mut next = 0;
    while let Some(FunctionId(number)) = found.get(next).copied() {
        for callee in &scans[number as usize].calls {
            if !found.contains(callee) {
                found.push(*callee);
            }
        }
        next += 1;
    }
    found
}

/// Reports what makes a kernel impossible to lower: values of too many scalars.
pub(super) fn refusals(program: &Program, scans: &[Scan], kernel: FunctionId) -> Vec<Diagnostic> {
    let mut refused = Vec::new();
    for FunctionId(number) in reachable(scans, kernel) {
        visit::stmts(&program.functions[number as usize].body, &mut |item| {
            let Item::Expr(e) = item else { return };
            let count = layout::leaf_count(program, &e.ty);
            if count > layout::MAX_LEAVES {
                let title = format!("a value of {count} scalars is not supported by the simulator yet");
                let diagnostic = Diagnostic::new(Code::LargeValue, title)
                    .label(e.span, "of this type")
                    .help("pass it by pointer or reference, or copy it element by element");
                refused.push(diagnostic);
            }
        });
    }
    refused
}
