//! `switch`: a chain of choices where no section falls through (and there are not too many), otherwise a flag that says
//! whether control is inside.

use super::builder::{Jump, Lowerer};
use super::stmt::MAX_CHAIN;
use super::visit;
use crate::hir::Section;
use simt_ir::{BinaryOp, CompareOp, Constant, Label, Node, Operand, Region, Type, UnaryOp};

/// Sections that share a body: those without one belong to the next.
struct Group<'h> {
    cases: Vec<i64>,
    is_default: bool,
    body: &'h [crate::hir::Stmt],
}

impl Lowerer<'_> {
    /// A `switch` on a value of type `ty` (`I32` or `I64`).
    pub(super) fn switch(&mut self, value: Operand, ty: Type, sections: &[Section]) {
        let label = self.label();
        let groups = grouped(sections);
        let last = groups.len().saturating_sub(1);
        let falls_through = groups.iter().take(last).any(|group| !visit::ends(group.body));
        self.jumps.push(Jump::Switch(label));
        let body = self.nested(|s| {
            if falls_through || s.nesting + groups.len() > MAX_CHAIN {
                s.fall_through(value, ty, &groups, label);
            } else {
                let (default, others): (Vec<_>, Vec<_>) = groups.iter().partition(|g| g.is_default);
                s.chain(value, ty, &others, default.first().copied(), label);
            }
        });
        self.jumps.pop();
        if breaks_to(&body, label) {
            self.push(Node::Scope { label, body });
        } else {
            self.append(body);
        }
    }

    /// `if … else if … else default`.
    fn chain(
        &mut self,
        value: Operand,
        ty: Type,
        groups: &[&Group<'_>],
        default: Option<&Group<'_>>,
        label: Label,
    ) {
        let Some((first, rest)) = groups.split_first() else {
            if let Some(default) = default {
                let body = self.section(default, label);
                self.append(body);
            }
            return;
        };
        let condition = self.matches(value, ty, &first.cases);
        let location = self.location;
        let then = self.section(first, label);
        let otherwise = self.nested(|s| s.chain(value, ty, rest, default, label));
        self.push(Node::If { condition, then, otherwise, location });
    }

    /// A section's body without the `break` at its end, after which nothing comes.
    fn section(&mut self, group: &Group<'_>, label: Label) -> Region {
        let mut body = self.nested(|s| s.stmts(group.body, false));
        if body.last() == Some(&Node::Break(label)) {
            body.pop();
        }
        body
    }

    /// Each section runs if it or one before it was chosen and has not left.
    fn fall_through(&mut self, value: Operand, ty: Type, groups: &[Group<'_>], label: Label) {
        let conditions: Vec<Operand> = groups.iter().map(|g| self.matches(value, ty, &g.cases)).collect();
        let inside = self.variable(Type::Bool, None);
        self.copy(inside, Constant::Bool(false).into());
        for (number, group) in groups.iter().enumerate() {
            let mut chosen = conditions[number];
            if group.is_default {
                let others =
                    (0..groups.len()).filter(|other| *other != number).map(|other| conditions[other]);
                let none = Constant::Bool(false).into();
                let any = others
                    .collect::<Vec<_>>()
                    .into_iter()
                    .fold(none, |any, one| self.binary(BinaryOp::Or, Type::Bool, any, one));
                chosen = self.unary(UnaryOp::Not, Type::Bool, any);
            }
            let now = self.binary(BinaryOp::Or, Type::Bool, inside.into(), chosen);
            self.copy(inside, now);
            let location = self.location;
            let then = if number + 1 == groups.len() {
                self.section(group, label)
            } else {
                self.nested(|s| s.stmts(group.body, false))
            };
            self.push(Node::If { condition: inside.into(), then, otherwise: Region::new(), location });
        }
    }

    /// Whether the value is one of the cases.
    fn matches(&mut self, value: Operand, ty: Type, cases: &[i64]) -> Operand {
        let mut any: Option<Operand> = None;
        for case in cases {
            let constant = Constant::from_bits(ty, *case as u64);
            let one = self.compare(CompareOp::Eq, ty, value, constant.into());
            any = Some(match any {
                Some(any) => self.binary(BinaryOp::Or, Type::Bool, any, one),
                None => one,
            });
        }
        any.unwrap_or(Constant::Bool(false).into())
    }
}

fn grouped(sections: &[Section]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let (mut cases, mut is_default) = (Vec::new(), false);
    for (number, section) in sections.iter().enumerate() {
        cases.extend_from_slice(&section.cases);
        is_default |= section.is_default;
        if !section.body.is_empty() || number + 1 == sections.len() {
            groups.push(Group { cases: std::mem::take(&mut cases), is_default, body: &section.body });
            is_default = false;
        }
    }
    groups
}

/// Whether a `Break` of the label is in the block.
pub(super) fn breaks_to(block: &[Node], label: Label) -> bool {
    block.iter().any(|node| match node {
        Node::Inst(_) | Node::Continue(_) | Node::Return => false,
        Node::Break(to) => *to == label,
        Node::If { then, otherwise, .. } => breaks_to(then, label) || breaks_to(otherwise, label),
        Node::Loop { header, body, step, .. } => {
            breaks_to(header, label) || breaks_to(body, label) || breaks_to(step, label)
        }
        Node::Scope { body, .. } => breaks_to(body, label),
    })
}
