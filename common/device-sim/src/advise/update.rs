//! Updates of one word by several threads, which only an atomic operation mends.
//!
//! An update is found by its text: a store whose value is made of what the word held, perhaps through a variable of the thread. Updates of
//! one word in one function become atomic together, because an atomic one and a plain one still race.

use super::Advice;
use super::decide::{Extremum, canonical, pointed_to};
use super::form::{Form, plain_form};
use super::places::target;
use cuda_syntax::outline::{Part, PartKind, StatementId, StatementKind};
use source::{Edit, MAX_EDITS, Span};

/// An update of a word.
pub(super) struct Update {
    /// The word, as the file spells it, without blanks.
    pub(super) word: String,
    /// What the update reads and writes is in these ranges.
    pub(super) places: Vec<Span>,
    /// The edits that make it one atomic operation, in several ways that differ in types; empty if there is no such operation.
    pub(super) ways: Vec<Vec<Edit>>,
}

impl Advice<'_> {
    /// If two accesses are of updates of one word, such as `x += v` or `x = max(x, v)`, the edits that make them atomic operations (empty
    /// if there is no such operation); otherwise `None`.
    pub(super) fn updates(&self, first: Span, second: Span) -> Option<Vec<Vec<Edit>>> {
        let own_function = self.text.path(first).last().copied();
        let all: Vec<Update> = self.text.outline.parts.iter().filter_map(|part| self.update(part)).collect();
        let of = |access: Span| all.iter().find(|update| self.has(update, access));
        let (one, two) = match (of(first), of(second)) {
            (Some(one), Some(two)) => (one, two),
            (Some(one), None) if self.is_atomic(second, &one.word) => (one, one),
            (None, Some(two)) if self.is_atomic(first, &two.word) => (two, two),
            _ => return None,
        };
        if one.word != two.word {
            return None;
        }
        let function = |update: &&Update| {
            update.word == one.word && self.text.path(update.places[0]).last().copied() == own_function
        };
        let together: Vec<&Update> = all.iter().filter(function).collect();
        let pair = if std::ptr::eq(one, two) { vec![one] } else { vec![one, two] };
        let mut edits = joined(&together);
        edits.extend(joined(&pair));
        Some(edits)
    }

    fn has(&self, update: &Update, access: Span) -> bool {
        let text = &self.text;
        let reads = text.word(access) == update.word;
        let stores = text.store(access).and_then(target).is_some_and(|t| text.word(t) == update.word);
        update.places.iter().any(|place| place.contains(access)) && (reads || stores)
    }

    /// Whether an access is an atomic operation on a word.
    fn is_atomic(&self, access: Span, word: &str) -> bool {
        let call = self.text.outline.part(access, |kind| matches!(kind, PartKind::Call { .. }));
        let Some(PartKind::Call { callee, arguments }) = call.map(|part| &part.kind) else { return false };
        let own = self.text.of(*callee).starts_with("atomic");
        own && arguments.first().is_some_and(|pointer| {
            let pointer = self.text.plain(*pointer);
            pointer.contains(word.trim_start_matches('*')) || pointed_to(&pointer) == canonical(word)
        })
    }

    /// The update that ends with a store.
    fn update(&self, part: &Part) -> Option<Update> {
        let word = target(part).map_or_else(String::new, |target| self.text.word(target));
        match &part.kind {
            PartKind::Step { .. } => Some(self.step(part, word)),
            PartKind::Assign { op: "", target, value, .. } => {
                if self.text.mentions(*value, &word) {
                    let form = plain_form(&self.text, *value, &word);
                    let decided = form.as_ref().and_then(|form| self.decided_store(part, *target, form));
                    return decided.or_else(|| Some(self.whole(part, *target, form, word)));
                }
                self.guarded(part, &word).or_else(|| self.through_variable(part, word))
            }
            PartKind::Assign { op, target, value, .. } => {
                let form = Form::Whole.with(&self.text, op, *value);
                Some(self.whole(part, *target, form, word))
            }
            PartKind::Call { .. } => self.guarded_atomic(part),
            _ => None,
        }
    }

    /// `x = max(x, v)` that a comparison of both decides about.
    fn decided_store(&self, part: &Part, target: Span, form: &Form) -> Option<Update> {
        let Form::Call(name @ ("atomicMax" | "atomicMin"), value) = form else { return None };
        self.decided(&Extremum {
            part,
            word: canonical(&self.text.word(target)),
            name,
            value: value.split_whitespace().collect(),
            calls: self.calls(part.span, target, form),
        })
    }

    /// `x += v` and the like, whose value may be used.
    fn whole(&self, part: &Part, target: Span, form: Option<Form>, word: String) -> Update {
        let mut ways = form.map_or_else(Vec::new, |form| self.calls(part.span, target, &form));
        if let PartKind::Assign { op, value, is_statement: false, .. } = part.kind {
            // The value after the update, from that before it.
            let is_pure = self
                .text
                .parts(value)
                .all(|part| matches!(part.kind, PartKind::Binary { .. } | PartKind::Index { .. }));
            ways.retain(|_| is_pure && matches!(op, "+" | "-"));
            ways.iter_mut().for_each(|call| *call = format!("({call} {op} {})", self.text.operand(value)));
        }
        let ways = ways.into_iter().map(|code| vec![Edit::replace(part.span, code)]).collect();
        Update { word, places: vec![part.span], ways }
    }

    fn step(&self, part: &Part, word: String) -> Update {
        let PartKind::Step { target, op, is_postfix } = part.kind else {
            return Update { word, places: Vec::new(), ways: Vec::new() };
        };
        let whole = self.text.of(self.text.statement(part.statement).span);
        let is_used = whole.trim_end_matches(';').trim() != self.text.of(part.span).trim();
        let back = if op == "+" { "+ 1" } else { "- 1" };
        let calls = self.calls(part.span, target, &Form::one(op == "-"));
        let ways = calls.into_iter().map(|call| match is_used && !is_postfix {
            true => format!("({call} {back})"),
            false => call,
        });
        let ways = ways.map(|code| vec![Edit::replace(part.span, code)]).collect();
        Update { word, places: vec![part.span], ways }
    }

    /// `if (v > x) x = v;`: the comparison reads what the assignment changes.
    fn guarded(&self, part: &Part, word: &str) -> Option<Update> {
        let text = &self.text;
        let PartKind::Assign { target, value, is_statement: true, .. } = part.kind else { return None };
        let of = |name: &'static str| {
            let form = Form::Call(name, text.of(text.bare(value)).to_owned());
            self.decided_store(part, target, &form)
        };
        of("atomicMax").or_else(|| of("atomicMin")).or_else(|| {
            // Another condition with the word in it: there is no operation for it.
            let (around, condition) = text.only_branch(part.statement)?;
            let places = vec![text.statement(around).span];
            let reads = text.comparison(condition).is_some() && text.mentions(condition, word);
            reads.then(|| Update { word: word.to_owned(), places, ways: Vec::new() })
        })
    }

    /// `T w = x; w += v; x = w;`, where nothing else happens to `x`.
    fn through_variable(&self, part: &Part, word: String) -> Option<Update> {
        let PartKind::Assign { target, value, is_statement: true, .. } = part.kind else { return None };
        let read = super::variable::of_store(&self.text, (part, target, value), &word)?;
        let mut ways = Vec::new();
        if let Some(form) = &read.form {
            for call in self.calls(part.span, target, form) {
                ways.extend(read.edits(&self.text, &call));
            }
        }
        Some(Update { word, places: read.places, ways })
    }

    /// The atomic operations that do the same to a word, in the likely order of their types.
    fn calls(&self, store: Span, target: Span, form: &Form) -> Vec<String> {
        let Some(ty) = self.element_type(store) else { return Vec::new() };
        let Some((name, value)) = form.call(ty) else { return Vec::new() };
        if matches!(ty, "int" | "long long") && has_fraction(&value) {
            return Vec::new();
        }
        let address = match self.text.word_text(target).strip_prefix('*') {
            Some(pointer) => pointer.trim().to_owned(),
            None => format!("&{}", self.text.word_text(target)),
        };
        let mut all = vec![format!("{name}({address}, {value})")];
        let is_sum = !matches!(name, "atomicMax" | "atomicMin");
        // Of a signed number of 64 bits, the bits are those of an unsigned one.
        if ty == "long long" && is_sum {
            let wide = "unsigned long long";
            all.push(format!("{name}(({wide} *){address}, ({wide})({value}))"));
        }
        // Of a volatile word; what is not of its type does not compile.
        let types: &[&str] = match ty {
            "int" => &["int", "unsigned int"],
            "long long" => &["unsigned long long", "long long"],
            "float" => &["float"],
            _ => &["double"],
        };
        all.extend(types.iter().map(|ty| format!("{name}(const_cast<{ty} *>({address}), {value})")));
        all
    }
}

/// Whether a number with a fraction is in a text. Converted to an integer it is lost; the plain update loses it only after the sum.
fn has_fraction(text: &str) -> bool {
    text.as_bytes().windows(2).any(|pair| {
        pair[0] == b'.' && pair[1].is_ascii_digit() || pair[0].is_ascii_digit() && pair[1] == b'.'
    })
}

/// Edits of several updates together, each in the same way.
fn joined(updates: &[&Update]) -> Vec<Vec<Edit>> {
    let ways = updates.iter().map(|update| update.ways.len()).min().unwrap_or(0);
    let of = |way: usize| -> Vec<Edit> {
        updates.iter().flat_map(|update| update.ways[way].iter().cloned()).collect()
    };
    (0..ways).map(of).filter(|edits| edits.len() <= MAX_EDITS).collect()
}

impl super::places::Text<'_> {
    /// The `if` without `else` of which a statement is all there is, and its condition.
    pub(super) fn only_branch(&self, id: StatementId) -> Option<(StatementId, Span)> {
        let mut parent = self.statement(id).parent?;
        if self.statement(parent).kind == StatementKind::Block && self.children(parent).len() == 1 {
            parent = self.statement(parent).parent?;
        }
        match self.statement(parent).kind {
            StatementKind::If { condition, otherwise: None, .. } => Some((parent, condition)),
            _ => None,
        }
    }
}
