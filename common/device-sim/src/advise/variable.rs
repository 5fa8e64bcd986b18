//! Updates through a variable of the thread: `T w = x; w += v; x = w;`.

use super::form::{Form, form};
use super::places::{Text, changed};
use cuda_syntax::outline::{Part, PartKind, StatementId, StatementKind};
use source::{Edit, MAX_EDITS, Span};
use std::collections::HashMap;

/// The statements of an update.
pub(super) struct Through {
    /// What is stored, if it is one operation on what was read.
    pub(super) form: Option<Form>,
    /// The statements that make it, in order; the store is the last one.
    pub(super) places: Vec<Span>,
    /// Where the word is read, if that is an initializer by itself.
    read: Option<Span>,
    /// Whether its variables are used elsewhere.
    is_used: bool,
    /// Whether what is added has the same value where the word is read as where it is stored.
    is_early: bool,
}

/// What is known on the way to a store.
struct Walk<'a> {
    text: &'a Text<'a>,
    word: &'a str,
    /// Variables that were made of what the word held.
    variables: HashMap<String, Option<Form>>,
    /// The names in what was added so far.
    added: Vec<String>,
    through: Through,
    /// Names that other statements changed since the word was read.
    changed: Vec<String>,
    /// Whether one of them had been added before.
    is_stable: bool,
    /// The declarations without a value before the word is read.
    declared: HashMap<String, Span>,
}

/// The update of which a store of a variable is the end; `None` if the value does not come from the word.
pub(super) fn of_store(
    text: &Text<'_>,
    (store, _, value): (&Part, Span, Span),
    word: &str,
) -> Option<Through> {
    let own = text.statement(store.statement);
    let list = text.children(own.parent?);
    let through = Through { form: None, places: Vec::new(), read: None, is_used: false, is_early: true };
    let mut walk = Walk {
        text,
        word,
        variables: HashMap::new(),
        added: Vec::new(),
        through,
        changed: Vec::new(),
        is_stable: true,
        declared: HashMap::new(),
    };
    let mut is_certain = true;
    for id in list.iter().take_while(|id| **id != store.statement) {
        // What happens before the word is read does not matter.
        let begins = walk.variables.is_empty();
        is_certain &= walk.statement(*id) || begins;
    }
    if !text.operands(value).any(|name| walk.variables.contains_key(&name)) {
        return None;
    }
    let form = walk.form(value).flatten();
    let names: Vec<String> = text.operands(value).filter(|n| !walk.variables.contains_key(n)).collect();
    walk.added.extend(names);
    let is_stable = walk.is_stable;
    let mut through = walk.through;
    through.form = form.filter(|_| is_certain && is_stable);
    through.is_early = !walk.changed.iter().any(|name| walk.added.contains(name));
    through.places.push(own.span);
    // Other uses of the variables, such as of the value before the update.
    let function = text.statement(*text.outline.path(store.statement).last()?).span;
    let outside = |at: u32| !through.places.iter().any(|p| p.start <= at && at < p.end);
    through.is_used = walk.variables.keys().any(|name| {
        let body = text.of(function);
        body.match_indices(name.as_str()).any(|(at, _)| {
            let bytes = body.as_bytes();
            let is_name = |at: usize| bytes.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
            let whole = !at.checked_sub(1).is_some_and(is_name) && !is_name(at + name.len());
            whole && outside(function.start + at as u32)
        })
    });
    Some(through)
}

impl Walk<'_> {
    /// What an expression is of the word; `None` if it does not read it.
    fn form(&self, value: Span) -> Option<Option<Form>> {
        let of = |name: &str| match name == self.word {
            true => Some(Some(Form::Whole)),
            false => self.variables.get(name).cloned(),
        };
        let reads = self.text.operands(value).any(|name| of(&name).is_some());
        reads.then(|| form(self.text, value, &|name| of(name).flatten()))
    }

    /// Takes a statement into account; false if the update is not certain any more.
    fn statement(&mut self, id: StatementId) -> bool {
        let text = self.text;
        let span = text.statement(id).span;
        let mut own = text.parts(span).filter(|part| changed(part).is_some());
        let (first, more) = (own.next(), own.next().is_some());
        if text.parts(span).next().is_none() && text.statement(id).kind == StatementKind::Other {
            self.declared.extend(text.words_of(span).last().map(|name| (name.to_owned(), span)));
        }
        let name = first.and_then(changed).map(|name| text.word(name));
        let reads = text.operands(span).any(|n| n == self.word || self.variables.contains_key(&n));
        let (Some(part), Some(name), false) = (first, name, more) else {
            self.changes(span);
            return !reads;
        };
        let is_direct = part.statement == id;
        let old = self.variables.get(&name).cloned();
        let new = match &part.kind {
            PartKind::Variable { value, .. } => self.form(*value).map(|form| (form, *value)),
            PartKind::Assign { op: "", value, .. } => self.form(*value).map(|form| (form, *value)),
            PartKind::Assign { op, value, .. } => {
                old.clone().map(|old| (old.and_then(|old| old.with(text, op, *value)), *value))
            }
            PartKind::Step { op, target, .. } => {
                let one = |old: Form| match (old, Form::one(*op == "-")) {
                    (Form::Whole, one) => Some(one),
                    (Form::Sum(mut all), Form::Sum(one)) => {
                        all.extend(one);
                        Some(Form::Sum(all))
                    }
                    _ => None,
                };
                old.clone().map(|old| (old.and_then(one), *target))
            }
            _ => None,
        };
        match new {
            Some((form, value)) if is_direct => {
                if self.variables.is_empty() {
                    self.changed.clear();
                }
                let is_first = old.is_none() && text.word(value) == self.word;
                if is_first && matches!(part.kind, PartKind::Variable { .. }) && self.through.read.is_none() {
                    self.through.read = Some(value);
                }
                let names: Vec<String> = text
                    .operands(value)
                    .filter(|n| n != self.word && !self.variables.contains_key(n))
                    .collect();
                self.added.extend(names);
                self.through.places.extend(self.declared.remove(&name));
                self.variables.insert(name, form);
                self.through.places.push(span);
                true
            }
            Some(_) => false,
            None => {
                self.changes(span);
                !reads
            }
        }
    }

    /// Notes what a statement that is not of the update changes.
    fn changes(&mut self, span: Span) {
        for name in self.text.parts(span).filter_map(changed).map(|name| self.text.word(name)) {
            self.is_stable &= !self.added.contains(&name);
            self.changed.push(name);
        }
    }
}

impl Through {
    /// The edits that put an atomic operation in the place of the statements.
    pub(super) fn edits(&self, text: &Text<'_>, call: &str) -> Option<Vec<Edit>> {
        let (store, before) = self.places.split_last()?;
        if self.is_used {
            let read = self.read.filter(|_| self.is_early)?;
            return Some(vec![Edit::replace(read, call), Edit::replace(text.line_of(*store), "")]);
        }
        let mut edits: Vec<Edit> = vec![Edit::replace(*store, format!("{call};"))];
        for place in before.iter().rev() {
            let next = edits.last_mut()?;
            let between = text.text.get(place.end as usize..next.span.start as usize)?;
            match between.trim().is_empty() {
                true => next.span.start = place.start,
                false => edits.push(Edit::replace(text.line_of(*place), "")),
            }
        }
        (edits.len() <= MAX_EDITS).then_some(edits)
    }
}
