//! What must be known of all functions before the first is lowered: who calls whom, and which locals need an address.

use super::layout;
use super::visit::{self, Item};
use crate::hir::{
    Argument, Expr, ExprKind, Function, FunctionId, LocalId, Place, PlaceKind, Program, Stmt, StmtKind,
};
use source::hash::Set;
use source::{Code, Diagnostic};
use std::collections::VecDeque;

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
    for id in on_cycles(&scans) {
        let number = id.0 as usize;
        let function = &program.functions[number];
        if function.dispatches {
            continue;
        }
        scans[number].recursive = true;
        // The address of what a reference refers to is what goes into the call.
        for LocalId(parameter) in &function.parameters {
            scans[number].in_memory[*parameter as usize] |= function.locals[*parameter as usize].is_reference;
        }
    }
    scans
}

/// The functions that may reach themselves by calls: those in a strongly connected component of more than one, and those that call
/// themselves (Tarjan, *Depth-first search and linear graph algorithms*, 1972, without recursion).
fn on_cycles(scans: &[Scan]) -> Vec<FunctionId> {
    const UNSEEN: usize = usize::MAX;
    let mut index = vec![UNSEEN; scans.len()];
    let mut low = vec![0; scans.len()];
    let mut on_stack = vec![false; scans.len()];
    let (mut stack, mut found, mut next) = (Vec::new(), Vec::new(), 0);
    for root in 0..scans.len() {
        // Functions in progress, each with how many of its calls have been followed.
        let mut path = vec![(root, 0)];
        while let Some((number, calls)) = path.pop() {
            if calls == 0 {
                if index[number] != UNSEEN {
                    continue;
                }
                (index[number], low[number], on_stack[number]) = (next, next, true);
                next += 1;
                stack.push(number);
            } else {
                let callee = scans[number].calls[calls - 1].0 as usize;
                if on_stack[callee] {
                    low[number] = low[number].min(low[callee]);
                }
            }
            if let Some(callee) = scans[number].calls.get(calls) {
                path.push((number, calls + 1));
                path.push((callee.0 as usize, 0));
            } else if low[number] == index[number] {
                let at = stack.iter().rposition(|member| *member == number).unwrap_or(0);
                let component = stack.split_off(at);
                component.iter().for_each(|member| on_stack[*member] = false);
                let calls_itself = scans[number].calls.contains(&FunctionId(number as u32));
                if component.len() > 1 || calls_itself {
                    found.extend(component.into_iter().map(|member| FunctionId(member as u32)));
                }
            }
        }
    }
    found
}

/// Finds the locals that need memory. That goes through references and calls, so it is a fixed point: after a change in a function it is
/// looked at again, and so are those that call it.
pub(super) fn find_memory(program: &Program, scans: &mut [Scan]) {
    let mut callers = vec![Vec::new(); scans.len()];
    for (number, scan) in scans.iter().enumerate() {
        scan.calls.iter().for_each(|callee| callers[callee.0 as usize].push(number));
    }
    let mut waiting: VecDeque<usize> = (0..scans.len()).rev().collect();
    let mut is_waiting = vec![true; scans.len()];
    while let Some(number) = waiting.pop_front() {
        is_waiting[number] = false;
        let mut in_memory = scans[number].in_memory.clone();
        visit::stmts(&program.functions[number].body, &mut |item| {
            for place in needing_memory(program, &item, &in_memory, scans) {
                if let Some(LocalId(local)) = visit::root_local(place) {
                    in_memory[local as usize] = true;
                }
            }
        });
        if in_memory != scans[number].in_memory {
            scans[number].in_memory = in_memory;
            for again in callers[number].iter().copied().chain([number]) {
                if !std::mem::replace(&mut is_waiting[again], true) {
                    waiting.push_back(again);
                }
            }
        }
    }
}

fn first(program: &Program, function: &Function, called: &[FunctionId]) -> Scan {
    let in_memory = function
        .locals
        .iter()
        .map(|local| local.is_volatile && !local.is_reference || layout::needs_memory(program, &local.ty));
    let mut seen = Set::default();
    let calls = called.iter().copied().filter(|callee| seen.insert(*callee)).collect();
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

/// All functions that a kernel runs, itself first, each before those it calls.
pub(super) fn reachable(scans: &[Scan], kernel: FunctionId) -> Vec<FunctionId> {
    let mut found = vec![kernel];
    let mut seen: Set<FunctionId> = found.iter().copied().collect();
    let mut next = 0;
    while let Some(FunctionId(number)) = found.get(next).copied() {
        found.extend(scans[number as usize].calls.iter().copied().filter(|callee| seen.insert(*callee)));
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
