//! Updates of one word by several threads, which only an atomic operation mends.

use super::Advice;
use super::places::target;
use cuda_front::outline::{Part, PartKind, StatementKind};
use source::{Edit, Span};

impl Advice<'_> {
    /// Whether two accesses are of updates of one word, such as `x += v` or `x = max(x, v)`: then the edits that make them atomic
    /// operations, none where there is none for it. Nothing if they are not.
    pub(super) fn updates(&self, first: Span, second: Span) -> Option<Vec<Vec<Edit>>> {
        let text = &self.text;
        // The store of which each access is: the store itself, or the read of what it changes.
        let of = |span: Span| {
            text.store(span).or_else(|| {
                let mut around = text.outline.parts.iter().filter(|part| {
                    let is_around = part.span.start <= span.start && span.end <= part.span.end;
                    is_around && part.span.file == span.file
                });
                let own = |part: &&Part| target(part).is_some_and(|t| text.plain(t) == text.plain(span));
                around.rfind(own)
            })
        };
        let (Some(one), Some(two)) = (of(first), of(second)) else { return self.guarded(first, second) };
        let targets = [one, two].map(|part| target(part).map(|span| text.plain(span)));
        if targets[0] != targets[1] {
            return None;
        }
        // Both read what they change; a plain store beside an update is another mistake.
        if !self.reads_itself(one) || !self.reads_itself(two) {
            return self.guarded(first, second);
        }
        let made = [one, two].map(|part| self.atomic(part));
        let [one_edit, two_edit] = made;
        let mut all = Vec::new();
        match one.span == two.span {
            true => all.extend(one_edit.map(|edit| vec![edit])),
            false => all.extend(one_edit.zip(two_edit).map(|(one, two)| vec![one, two])),
        }
        Some(all)
    }

    /// `if (v > x) x = v;`: the comparison reads what the assignment changes.
    fn guarded(&self, first: Span, second: Span) -> Option<Vec<Vec<Edit>>> {
        let text = &self.text;
        let path = text.path(first);
        let around = path.iter().copied().find(|id| {
            let span = text.statement(*id).span;
            matches!(text.statement(*id).kind, StatementKind::If { otherwise: None, .. })
                && span.start <= second.start
                && second.end <= span.end
        })?;
        let StatementKind::If { condition, then, .. } = text.statement(around).kind else { return None };
        let PartKind::Binary { op: op @ ("<" | ">" | "<=" | ">="), sides, .. } =
            text.outline.part(condition, |kind| matches!(kind, PartKind::Binary { .. }))?.kind
        else {
            return None;
        };
        let mut stores = text.parts(text.statement(then).span).filter_map(|part| match part.kind {
            PartKind::Assign { target, op: "", value, is_statement: true } => Some((target, value)),
            _ => None,
        });
        let (target, value) = stores.next()?;
        let [left, right] = sides.map(|side| text.plain(side));
        let is_greater = match (text.plain(target), text.plain(value)) {
            (t, v) if v == left && t == right => op.starts_with('>'),
            (t, v) if t == left && v == right => op.starts_with('<'),
            _ => return None,
        };
        if stores.next().is_some() || text.children(then).len() > 1 {
            return Some(Vec::new());
        }
        let name = if is_greater { "atomicMax" } else { "atomicMin" };
        let code = format!("{name}({}, {});", self.address(target), text.of(value));
        Some(vec![vec![Edit::replace(text.statement(around).span, code)]])
    }

    fn reads_itself(&self, part: &Part) -> bool {
        match &part.kind {
            PartKind::Step { .. } => true,
            PartKind::Assign { target, op, value, .. } => {
                let own = self.text.plain(*target);
                !op.is_empty() || self.reads(*value, &own)
            }
            PartKind::Binary { .. }
            | PartKind::Call { .. }
            | PartKind::Index { .. }
            | PartKind::Variable { .. } => false,
        }
    }

    /// Whether an expression reads another one, which is spelled the same.
    fn reads(&self, value: Span, own: &str) -> bool {
        let text = &self.text;
        let same = |span: Span| text.plain(span) == own;
        same(value)
            || text.parts(value).any(|part| match &part.kind {
                PartKind::Binary { sides, .. } => sides.iter().any(|side| same(*side)),
                PartKind::Call { arguments, .. } => arguments.iter().any(|argument| same(*argument)),
                PartKind::Index { .. } => same(part.span),
                PartKind::Assign { .. } | PartKind::Step { .. } | PartKind::Variable { .. } => false,
            })
    }

    /// `&target`.
    fn address(&self, target: Span) -> String {
        let text = self.text.of(target).trim();
        match text.strip_prefix('*') {
            Some(pointer) => pointer.trim().to_owned(),
            None => format!("&{text}"),
        }
    }

    /// The atomic operation that does the same.
    fn atomic(&self, part: &Part) -> Option<Edit> {
        let text = &self.text;
        let of = |span: Span| text.of(span).trim().to_owned();
        let call =
            |name: &str, target: Span, value: &str| format!("{name}({}, {value})", self.address(target));
        let of_integer = matches!(self.element_type(part.span), Some("int" | "long long"));
        // Converted to an integer, a fraction is lost; the plain update loses it only after the sum.
        let has_fraction = |span: Span| {
            let text = text.of(span).as_bytes();
            text.windows(2).any(|pair| {
                pair[0] == b'.' && pair[1].is_ascii_digit() || pair[0].is_ascii_digit() && pair[1] == b'.'
            })
        };
        if let PartKind::Assign { value, .. } = part.kind
            && of_integer
            && has_fraction(value)
        {
            return None;
        }
        let code = match &part.kind {
            PartKind::Step { target, op, is_postfix } => {
                let (name, back) = if *op == "+" { ("atomicAdd", "+ 1") } else { ("atomicSub", "- 1") };
                let whole = text.statement(part.statement).span;
                let is_used = text.of(whole).trim_end_matches(';').trim() != text.of(part.span).trim();
                match is_used && !is_postfix {
                    true => format!("({} {back})", call(name, *target, "1")),
                    false => call(name, *target, "1"),
                }
            }
            PartKind::Assign { is_statement: false, .. } => return None,
            PartKind::Assign { target, op: "", value, .. } => {
                match self.operation(*value, &text.plain(*target))? {
                    ("-", other) => self.subtracted(part.span, *target, &other)?,
                    (name, other) => call(name, *target, &other),
                }
            }
            PartKind::Assign { target, op: "-", value, .. } => {
                self.subtracted(part.span, *target, &of(*value))?
            }
            PartKind::Assign { target, op, value, .. } => call(atomic_of(op)?, *target, &of(*value)),
            PartKind::Binary { .. }
            | PartKind::Call { .. }
            | PartKind::Index { .. }
            | PartKind::Variable { .. } => return None,
        };
        Some(Edit::replace(part.span, code))
    }

    /// `target -= value`: the negative value is of the target's type, because that of an unsigned one is a large number.
    fn subtracted(&self, store: Span, target: Span, value: &str) -> Option<String> {
        let address = self.address(target);
        match self.element_type(store)? {
            "int" => Some(format!("atomicSub({address}, {value})")),
            ty => Some(format!("atomicAdd({address}, -({ty})({value}))")),
        }
    }

    /// The operation that a value makes of what it is assigned to, and its other operand.
    fn operation(&self, value: Span, own: &str) -> Option<(&'static str, String)> {
        let text = &self.text;
        let part = text
            .outline
            .part(value, |kind| matches!(kind, PartKind::Binary { .. } | PartKind::Call { .. }))?;
        let other = |sides: [Span; 2], either: bool| {
            let [left, right] = sides;
            match (text.plain(left) == own, text.plain(right) == own) {
                (true, false) => Some(text.of(right).trim().to_owned()),
                (false, true) if either => Some(text.of(left).trim().to_owned()),
                _ => None,
            }
        };
        match &part.kind {
            PartKind::Binary { op: "-", sides, .. } => Some(("-", other(*sides, false)?)),
            PartKind::Binary { op, sides, .. } => Some((atomic_of(op)?, other(*sides, true)?)),
            PartKind::Call { callee, arguments } => {
                let name = match text.of(*callee).trim_start_matches("std::") {
                    "max" => "atomicMax",
                    "min" => "atomicMin",
                    _ => return None,
                };
                let &[one, two] = arguments.as_slice() else { return None };
                Some((name, other([one, two], true)?))
            }
            PartKind::Assign { .. }
            | PartKind::Step { .. }
            | PartKind::Index { .. }
            | PartKind::Variable { .. } => None,
        }
    }
}

/// The function of an operator.
fn atomic_of(op: &str) -> Option<&'static str> {
    match op {
        "+" => Some("atomicAdd"),
        "&" => Some("atomicAnd"),
        "|" => Some("atomicOr"),
        "^" => Some("atomicXor"),
        _ => None,
    }
}
