//! What a value is of the word that it was read from: the word and a sum, or an operation on it.

use super::places::Text;
use cuda_syntax::outline::PartKind;
use source::Span;

/// A value that is made of what a word held.
#[derive(Clone, Debug)]
pub(super) enum Form {
    /// What it held.
    Whole,
    /// That and a sum; the operands of a difference are negative.
    Sum(Vec<(bool, String)>),
    /// That, combined with another operand by the function.
    Call(&'static str, String),
}

/// A comparison: whether it is `>` or `>=`, and its sides.
pub(super) type Comparison = (bool, [Span; 2]);

impl Form {
    /// The word and 1, or -1.
    pub(super) fn one(negative: bool) -> Form {
        Form::Sum(vec![(negative, "1".to_owned())])
    }

    /// This value with an operator and its right operand.
    pub(super) fn with(self, text: &Text<'_>, op: &str, operand: Span) -> Option<Form> {
        let code = text.operand(operand);
        match (self, op) {
            (Form::Whole, "+" | "-") => Some(Form::Sum(vec![(op == "-", code)])),
            (Form::Sum(mut all), "+" | "-") => {
                all.push((op == "-", code));
                Some(Form::Sum(all))
            }
            (Form::Whole, _) => Some(Form::Call(atomic_of(op)?, code)),
            (Form::Call(name, other), _) if atomic_of(op)? == name => {
                Some(Form::Call(name, format!("{other} {op} {code}")))
            }
            (Form::Sum(_) | Form::Call(..), _) => None,
        }
    }

    /// The same with the operand on the left.
    fn after(self, text: &Text<'_>, op: &str, operand: Span) -> Option<Form> {
        match (self, op) {
            (_, "-") => None,
            (Form::Sum(mut all), "+") => {
                all.insert(0, (false, text.operand(operand)));
                Some(Form::Sum(all))
            }
            (form, _) => form.with(text, op, operand),
        }
    }

    /// The function that chooses between the word and another operand, and that operand: `chosen` are the values where the comparison holds
    /// and where it does not; `name` gives nothing for the word itself.
    pub(super) fn chosen(
        self,
        (is_greater, sides): Comparison,
        chosen: [Span; 2],
        name: impl Fn(Span) -> Option<String>,
    ) -> Option<(&'static str, Span)> {
        let Form::Whole = self else { return None };
        let (names, picked) = (sides.map(&name), chosen.map(&name));
        let other = if picked[0].is_none() { chosen[1] } else { chosen[0] };
        let is_pair = names.iter().filter(|name| name.is_none()).count() == 1;
        let takes_left = picked[0] == names[0] && picked[1] == names[1];
        let takes_right = picked[0] == names[1] && picked[1] == names[0];
        match (is_pair, takes_left, takes_right) {
            (true, true, false) => Some((if is_greater { "atomicMax" } else { "atomicMin" }, other)),
            (true, false, true) => Some((if is_greater { "atomicMin" } else { "atomicMax" }, other)),
            _ => None,
        }
    }

    /// The function for a word of a type, and its second argument.
    pub(super) fn call(&self, ty: &str) -> Option<(&'static str, String)> {
        let all = match self {
            Form::Whole => return None,
            Form::Call(name, other) => return Some((name, other.clone())),
            Form::Sum(all) => all,
        };
        let sum = |turned: bool| {
            let mut code = String::new();
            for (i, (negative, term)) in all.iter().enumerate() {
                // In the word's type, because the sum of the others may not fit theirs.
                let term = match i == 0 && all.len() > 1 && ty != "int" {
                    true => format!("({ty})({term})"),
                    false => term.clone(),
                };
                let sign = match (*negative != turned, i) {
                    (true, 0) => "-",
                    (false, 0) => "",
                    (true, _) => " - ",
                    (false, _) => " + ",
                };
                code += sign;
                code += &term;
            }
            code
        };
        let is_negative = all.iter().all(|(negative, _)| *negative);
        match (is_negative, ty) {
            (true, "int") => Some(("atomicSub", sum(true))),
            (true, _) => Some(("atomicAdd", format!("-({ty})({})", sum(true)))),
            (false, _) => Some(("atomicAdd", sum(false))),
        }
    }
}

/// What a value is of a word, if it reads that word once.
pub(super) fn plain_form(text: &Text<'_>, value: Span, word: &str) -> Option<Form> {
    form(text, value, &|name| (name == word).then_some(Form::Whole))
}

/// What a value is of a word, where `of` says what the names in it are of that word.
pub(super) fn form(text: &Text<'_>, value: Span, of: &dyn Fn(&str) -> Option<Form>) -> Option<Form> {
    let value = text.bare(value);
    if let Some(own) = of(&text.word(value)) {
        return Some(own);
    }
    let is_free = |span: Span| !text.operands(span).any(|name| of(&name).is_some());
    let part = text.outline.part(value, |kind| {
        matches!(kind, PartKind::Binary { .. } | PartKind::Call { .. } | PartKind::Conditional(_))
    })?;
    match &part.kind {
        PartKind::Binary { op, sides: [left, right], .. } => match (is_free(*left), is_free(*right)) {
            (false, true) => form(text, *left, of)?.with(text, op, *right),
            (true, false) => form(text, *right, of)?.after(text, op, *left),
            _ => None,
        },
        PartKind::Call { callee, arguments } => {
            let name = match text.of(*callee).trim_start_matches("std::") {
                "max" => "atomicMax",
                "min" => "atomicMin",
                _ => return None,
            };
            let &[one, two] = arguments.as_slice() else { return None };
            let (own, other) = if is_free(two) { (one, two) } else { (two, one) };
            let is_whole = is_free(other) && matches!(form(text, own, of)?, Form::Whole);
            is_whole.then(|| Form::Call(name, text.of(other).trim().to_owned()))
        }
        PartKind::Conditional([condition, then, otherwise]) => {
            let name = |span: Span| match of(&text.word(span)) {
                Some(Form::Whole) => None,
                _ => Some(text.word(span)),
            };
            let comparison = text.comparison(*condition)?;
            let (name, other) = Form::Whole.chosen(comparison, [*then, *otherwise], name)?;
            is_free(other).then(|| Form::Call(name, text.of(text.bare(other)).trim().to_owned()))
        }
        _ => None,
    }
}

/// The function of an operator.
fn atomic_of(op: &str) -> Option<&'static str> {
    match op {
        "&" => Some("atomicAnd"),
        "|" => Some("atomicOr"),
        "^" => Some("atomicXor"),
        _ => None,
    }
}

impl Text<'_> {
    /// A range without the parentheses around all of it.
    pub(super) fn bare(&self, span: Span) -> Span {
        let whole = self.of(span);
        let start = span.start + (whole.len() - whole.trim_start().len()) as u32;
        let span = Span { start, end: start + whole.trim().len() as u32, ..span };
        let text = self.of(span);
        let mut depth = 0i32;
        let closes_early = text.char_indices().any(|(at, c)| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth == 0 && at + 1 < text.len()
        });
        match text.starts_with('(') && text.ends_with(')') && !closes_early {
            true => self.bare(Span { start: span.start + 1, end: span.end - 1, ..span }),
            false => span,
        }
    }

    /// An expression as it names a word: without blanks and parentheses around it.
    pub(super) fn word(&self, span: Span) -> String {
        self.plain(self.bare(span))
    }

    pub(super) fn word_text(&self, span: Span) -> String {
        self.of(self.bare(span)).to_owned()
    }

    /// An expression as an operand of a sum.
    pub(super) fn operand(&self, span: Span) -> String {
        let inner = self.bare(span);
        let binds_less = self.outline.part(inner, |kind| match kind {
            PartKind::Binary { op, .. } => !matches!(*op, "*" | "/" | "%"),
            PartKind::Conditional(_) | PartKind::Assign { .. } => true,
            _ => false,
        });
        let code = self.of(inner);
        match binds_less.is_some() || code.starts_with(['-', '+']) {
            true => format!("({code})"),
            false => code.to_owned(),
        }
    }

    /// Names, elements and operands that an expression reads, without blanks.
    pub(super) fn operands(&self, span: Span) -> impl Iterator<Item = String> {
        let names = self.words_of(span).map(str::to_owned);
        let parts = self.parts(span).flat_map(|part| match &part.kind {
            PartKind::Index { .. } => vec![part.span],
            PartKind::Binary { sides, .. } => sides.to_vec(),
            PartKind::Call { arguments, .. } => arguments.clone(),
            PartKind::Conditional(all) => all.to_vec(),
            _ => Vec::new(),
        });
        names.chain(parts.map(|part| self.word(part))).chain([self.word(span)])
    }

    /// Whether an expression reads a word.
    pub(super) fn mentions(&self, span: Span, word: &str) -> bool {
        self.operands(span).any(|name| name == word)
    }

    pub(super) fn comparison(&self, condition: Span) -> Option<Comparison> {
        let part = self.outline.part(self.bare(condition), |kind| matches!(kind, PartKind::Binary { .. }))?;
        match part.kind {
            PartKind::Binary { op: ">" | ">=", sides, .. } => Some((true, sides)),
            PartKind::Binary { op: "<" | "<=", sides, .. } => Some((false, sides)),
            _ => None,
        }
    }
}
