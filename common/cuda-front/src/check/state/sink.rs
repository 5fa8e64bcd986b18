//! Where the checker's problems go: reported, kept back with a class, or only counted while something is tried.
//!
//! It knows nothing of names or types, so every other part may be given it beside itself. It also counts the work, because
//! a spent budget is a problem like any other, and ends the checking.

use crate::check::builtins::unsupported;
use cuda_syntax::Marked;
use cuda_syntax::budget::{Budget, Cost, refusal};
use source::hash::{KeyedSet, Set};
use source::{Code, Diagnostic, Severity, Span, Verdict};

/// After so many errors the rest of the file is not checked.
const MAX_ERRORS: usize = 100;
/// How much of what is not supported is kept where nothing was said of it.
const MAX_TRIED: usize = 100;

/// What has been reported, and what will be done with the next problem.
pub(crate) struct Sink<'a> {
    pub(crate) budget: &'a Budget,
    marked: &'a Marked,
    /// Whether nothing more is looked at: a budget is spent, or there are too many errors. It has been reported.
    stopped: bool,
    diagnostics: Vec<Diagnostic>,
    /// Why it stopped.
    ending: Option<Diagnostic>,
    /// What `diagnostics` has, by code, place and title.
    seen: KeyedSet<(Code, Option<Span>, String)>,
    /// The errors among them, without those of classes that may never be reported.
    errors: usize,
    /// Classes in progress whose mistakes are kept back.
    kept_back: u32,
    /// Where earlier stages have found errors: an unknown type is no news to the parser.
    reported: Set<Span>,
    /// Nonzero while diagnostics are only counted.
    silent: u32,
    /// Errors that were only counted.
    silent_errors: u32,
    /// The first of them that says that something is not supported, since it was last taken.
    silent_unsupported: Option<Diagnostic>,
    /// The first error value that became part of the program: an error must have been reported by the end.
    pub(crate) unexplained: Option<Span>,
    /// What is not supported where something was only tried.
    pub(crate) tried: Vec<Diagnostic>,
    /// The parts of the file that may be marked as not supported, where a list of them is asked for.
    pub(crate) parts: Vec<Span>,
    /// The function body at hand.
    pub(crate) body: InBody,
}

/// What a report depends on, or changes, in the function body where it is made.
#[derive(Clone, Default)]
pub(crate) struct InBody {
    /// Whether something in it is wrong or not supported: what its flow and its variables are is not known then.
    pub(crate) failed: bool,
    /// What a message adds inside a template's instance: its name, and the place that asked for it.
    pub(crate) instance: Option<(String, Option<Span>)>,
}

/// How silent it was, see [`Sink::speak`].
#[must_use]
pub(crate) struct Silence(u32);

/// What was reported before a class began, see [`Sink::keep_back`].
#[must_use]
pub(crate) struct Earlier {
    diagnostics: Vec<Diagnostic>,
    seen: KeyedSet<(Code, Option<Span>, String)>,
    silence: Silence,
}

fn is_error(d: &Diagnostic) -> bool {
    d.severity == Severity::Error
}

/// Charges a scan of a list that has no table: its elements are compared quickly.
pub(crate) fn charge_scan(budget: &Budget, elements: usize) {
    // The next expression, type or statement finds that the budget is spent.
    let _ = budget.charge(Cost::Checks, elements as u64 / 64);
}

impl<'a> Sink<'a> {
    /// An empty one, after the diagnostics of earlier stages.
    pub(crate) fn new(budget: &'a Budget, marked: &'a Marked, earlier: &[Diagnostic]) -> Sink<'a> {
        Sink {
            budget,
            marked,
            stopped: false,
            diagnostics: Vec::new(),
            ending: None,
            seen: KeyedSet::default(),
            errors: 0,
            kept_back: 0,
            reported: earlier.iter().filter(|d| is_error(d)).filter_map(Diagnostic::span).collect(),
            silent: 0,
            silent_errors: 0,
            silent_unsupported: None,
            unexplained: None,
            tried: Vec::new(),
            parts: Vec::new(),
            body: InBody::default(),
        }
    }

    /// Reports, unless the same was reported at the same place (by another instance of a template).
    pub(crate) fn push(&mut self, mut diagnostic: Diagnostic) {
        if self.silent > 0 {
            self.silent_errors += u32::from(is_error(&diagnostic));
            if diagnostic.verdict == Verdict::Unsupported {
                self.note_tried(diagnostic.clone());
                self.silent_unsupported.get_or_insert(diagnostic);
            }
            return;
        }
        self.body.failed |= is_error(&diagnostic);
        if self.stopped || diagnostic.span().is_some_and(|s| self.reported.contains(&s)) {
            return;
        }
        if let Some((name, origin)) = &self.body.instance {
            diagnostic = diagnostic.note(format!("in the instance `{name}` of a template"));
            if let Some(origin) = origin {
                diagnostic = diagnostic.label(*origin, "requested here");
            }
        }
        if !self.seen.insert((diagnostic.code, diagnostic.span(), diagnostic.title.clone())) {
            return;
        }
        let counts = is_error(&diagnostic) && self.kept_back == 0;
        self.diagnostics.push(diagnostic);
        if counts {
            self.errors += 1;
            if self.errors == MAX_ERRORS {
                let last = Diagnostic::new(Code::TooManyErrors, "too many errors; the rest is not checked");
                self.stop(last.help("fix the first errors; later ones often follow from them"));
            }
        }
    }

    /// Reports a problem with a label at its place.
    pub(crate) fn report(&mut self, code: Code, title: impl Into<String>, span: Span, label: &str) {
        self.push(Diagnostic::new(code, title).label(span, label));
    }

    /// Reports a problem that needs no label at its place.
    pub(crate) fn wrong(&mut self, code: Code, title: impl Into<String>, span: Span) {
        self.report(code, title, span, "");
    }

    /// Names a feature that is right CUDA but not simulated.
    pub(crate) fn unsupported(&mut self, what: &str, span: Span) {
        let named = |title: String| Diagnostic::new(Code::UnsupportedFeature, title).label(span, "");
        self.push(match unsupported::header(what) {
            // With its header, the name would have been found.
            Some(header) => named(format!("there is no `{what}` without its header"))
                .help(format!("write `#include <{header}>` at the top of the file")),
            None => named(format!("`{what}` is not supported by the simulator yet")),
        });
    }

    /// Whether diagnostics are only counted.
    pub(crate) fn is_silent(&self) -> bool {
        self.silent > 0
    }

    /// Counts an error and gives true while diagnostics are only counted.
    pub(crate) fn is_counted(&mut self) -> bool {
        self.silent_errors += u32::from(self.silent > 0);
        self.silent > 0
    }

    /// From here on diagnostics are only counted; gives the count, for [`Sink::heard`].
    pub(crate) fn hush(&mut self) -> u32 {
        self.silent += 1;
        self.silent_errors
    }

    /// Ends what [`Sink::hush`] began; whether there was no error since then.
    pub(crate) fn heard(&mut self, before: u32) -> bool {
        self.silent -= 1;
        self.silent_errors == before
    }

    /// From here on diagnostics are reported, however silent it was: they are of something that is looked at only once.
    pub(crate) fn speak(&mut self) -> Silence {
        Silence(std::mem::take(&mut self.silent))
    }

    /// Ends what [`Sink::speak`] began.
    pub(crate) fn silence(&mut self, before: Silence) {
        self.silent = before.0;
    }

    /// From here on what is reported belongs to a class, and is kept back.
    pub(crate) fn keep_back(&mut self) -> Earlier {
        self.kept_back += 1;
        let (diagnostics, seen) = (std::mem::take(&mut self.diagnostics), std::mem::take(&mut self.seen));
        Earlier { diagnostics, seen, silence: self.speak() }
    }

    /// Ends what [`Sink::keep_back`] began; what of it is a fault of the class is not reported, but given.
    pub(crate) fn release(
        &mut self,
        earlier: Earlier,
        is_fault: impl Fn(&Diagnostic) -> bool,
    ) -> Vec<Diagnostic> {
        self.kept_back -= 1;
        let found = std::mem::replace(&mut self.diagnostics, earlier.diagnostics);
        self.seen = earlier.seen;
        let (faults, others): (Vec<_>, Vec<_>) = found.into_iter().partition(is_fault);
        let silent = earlier.silence.0 > 0;
        for other in others {
            self.silent_errors += u32::from(silent && is_error(&other));
            // Reported even while others are not: the class is defined only once.
            self.push(other);
        }
        self.silence(earlier.silence);
        faults
    }

    /// Whether what is reported belongs to a class in progress, which may never be used.
    pub(crate) fn is_kept_back(&self) -> bool {
        self.kept_back > 0
    }

    /// Takes the first thing not supported that was only counted, or puts an earlier one back.
    pub(crate) fn swap_unsupported(&mut self, earlier: Option<Diagnostic>) -> Option<Diagnostic> {
        std::mem::replace(&mut self.silent_unsupported, earlier)
    }

    /// Notes that something without a meaning stands in the program.
    pub(crate) fn note_error_value(&mut self, span: Span) {
        if self.silent == 0 {
            self.unexplained.get_or_insert(span);
        }
    }

    /// Keeps what is not supported and was not reported.
    pub(crate) fn note_tried(&mut self, unsupported: Diagnostic) {
        if self.tried.len() < MAX_TRIED {
            self.tried.push(unsupported);
        }
    }

    /// Charges work; false once the budget is spent, which is reported once, however silent the checker is.
    pub(crate) fn charge(&mut self, cost: Cost, amount: u64, span: Span) -> bool {
        if self.budget.charge(cost, amount) || self.stopped {
            return !self.stopped;
        }
        self.stop(refusal(cost, span));
        false
    }

    /// See [`charge_scan`].
    pub(crate) fn charge_scan(&self, elements: usize) {
        charge_scan(self.budget, elements);
    }

    /// Reports what ends the checking of the file, however silent the checker is.
    pub(crate) fn stop(&mut self, diagnostic: Diagnostic) {
        if !std::mem::replace(&mut self.stopped, true) {
            self.ending = Some(diagnostic);
        }
        self.silent_errors += u32::from(self.silent > 0);
    }

    /// Whether nothing more is looked at.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Whether a part is marked as not supported, and reports that.
    pub(crate) fn is_marked(&mut self, span: Span) -> bool {
        match self.marked {
            Marked::Nothing | Marked::Header(_) => false,
            Marked::List => {
                self.parts.push(span);
                false
            }
            Marked::Part(bytes) => {
                let is_marked = span.start == bytes.start && span.end == bytes.end;
                if is_marked {
                    self.unsupported("this", span);
                }
                is_marked
            }
        }
    }

    /// What has been reported and is not kept back, in order.
    pub(crate) fn reported(&mut self) -> &mut Vec<Diagnostic> {
        &mut self.diagnostics
    }

    /// All of it, at the end.
    pub(crate) fn finish(self) -> impl Iterator<Item = Diagnostic> {
        self.diagnostics.into_iter().chain(self.ending)
    }
}
