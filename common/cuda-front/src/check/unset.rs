//! Variables that never get an initial value: declared without one, and then only read, or changed from what they hold, as
//! in `float sum; for (…) sum += x;`, wherever that stands.
//!
//! [`Checker::note_read`] warns in straight-line order while a body is checked, and must keep silent where a loop or a
//! branch may have given the variable a value. Here the whole body is known: where nothing in it assigns a value that
//! does not come from the variable itself, the first read was of nothing on every path. What has its address taken, is
//! bound to a reference or passed by reference is left alone, and so are structs, whose members are not told apart.

use super::Checker;
use crate::hir::{Expr, ExprKind, Local, LocalId, Place, PlaceKind, Stmt, Storage};
use crate::visit::{self, Item};
use source::{Code, Diagnostic, Kind, Span};
use std::collections::BTreeMap;

/// What is reported for a variable that is read at `read` without a value.
pub(super) fn warning(local: &Local, read: Span) -> Diagnostic {
    let title = format!("`{}` is read before it has a value", local.name);
    Diagnostic::new(Code::UninitializedVariable, title)
        .with_kind(Kind::Warning)
        .label(read, "read here")
        .label(local.span, "declared without a value")
}

/// The uses of a variable.
#[derive(Default)]
struct Uses {
    all: u32,
    /// Those that read it, or change it from what it holds.
    needy: u32,
    /// The first of them that tells.
    first: Option<Span>,
}

/// Takes note of an assignment of a value that does not come from the variable itself: it needs no warning then.
pub(super) fn note_assignment(c: &mut Checker<'_>, place: &Place, value: &Expr) {
    if let Some(id) = part_of(place)
        && c.body.infos[id.0 as usize].bare
        && c.body.unevaluated == 0
        && !(matches!(place.kind, PlaceKind::Local(_)) && always_reads(value, id))
    {
        c.body.infos[id.0 as usize].bare = false;
    }
}

/// Warns of the variables of a body that never get an initial value.
pub(super) fn warn(c: &mut Checker<'_>, body: &[Stmt]) {
    if c.sink.body.failed {
        return;
    }
    let is_candidate = |&i: &usize| {
        let local = &c.body.locals[i];
        c.body.infos[i].bare && !local.address_taken && local.storage == Storage::Automatic
    };
    // Locals that the body got when it was made explicit have no more to be said of.
    let candidates = (0..c.body.infos.len()).filter(is_candidate);
    let mut uses: BTreeMap<LocalId, Uses> =
        candidates.map(|i| (LocalId(i as u32), Uses::default())).collect();
    if uses.is_empty() {
        return;
    }
    visit::stmts(body, &mut |item| match item {
        Item::Place(Place { kind: PlaceKind::Local(id), .. }) => {
            if let Some(of) = uses.get_mut(id) {
                of.all += 1;
            }
        }
        Item::Expr(e) => {
            if let Some((id, tells)) = needs(e)
                && let Some(of) = uses.get_mut(&id)
            {
                of.needy += 1;
                of.first = of.first.or(tells.then_some(e.span));
            }
        }
        Item::Stmt(_) | Item::Place(_) => {}
    });
    for (id, Uses { all, needy, first }) in uses {
        if let (Some(read), true) = (first, all == needy) {
            let warning = warning(&c.body.locals[id.0 as usize], read);
            c.sink.push(warning);
        }
    }
}

/// The variable that an expression reads, or changes from what it holds, and whether that alone is worth a word: a value
/// that is only read may be there to silence another warning, as in `(void)unused`.
fn needs(e: &Expr) -> Option<(LocalId, bool)> {
    match &e.kind {
        ExprKind::Load(place) => Some((part_of(place)?, !matches!(place.kind, PlaceKind::Local(_)))),
        ExprKind::CompoundAssign { place, .. }
        | ExprKind::PointerAssign { place, .. }
        | ExprKind::Step { place, .. } => Some((part_of(place)?, true)),
        ExprKind::Assign { place, value } => {
            let PlaceKind::Local(id) = place.kind else { return None };
            always_reads(value, id).then_some((id, true))
        }
        _ => None,
    }
}

/// The variable that a place is, or is an element of.
fn part_of(place: &Place) -> Option<LocalId> {
    match &place.kind {
        PlaceKind::Local(id) => Some(*id),
        PlaceKind::Index { base, .. } => part_of(base),
        _ => None,
    }
}

/// Whether the value of an expression is made of the variable's, whatever its conditions are.
fn always_reads(value: &Expr, id: LocalId) -> bool {
    let (mut reads, mut chooses) = (false, false);
    visit::expr(value, &mut |item| {
        let Item::Expr(e) = item else { return };
        match &e.kind {
            ExprKind::Load(Place { kind: PlaceKind::Local(of), .. }) => reads |= *of == id,
            ExprKind::Conditional { .. } | ExprKind::And { .. } | ExprKind::Or { .. } => chooses = true,
            _ => {}
        }
    });
    reads && !chooses
}
