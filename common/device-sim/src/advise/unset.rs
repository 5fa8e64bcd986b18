//! Shared memory that is added to before it has a value: all of it begins at 0, which a sum does not change.

use super::Advice;
use super::places::{Place, target};
use cuda_syntax::outline::{Part, PartKind, StatementId, StatementKind};
use simt::Target;
use simt_ir::SharedVariable;
use source::{Edit, Span, Suggestion};

const ADDED_TO: &str = "because it is added to before it has a value";

impl Advice<'_> {
    /// The statements that set a shared variable to 0, after its declaration or where only some of it is set.
    pub(super) fn cleared(&self, target: &Target, access: Span) -> Vec<Suggestion> {
        let kernels = &self.program.module.kernels;
        let mut variables = kernels.iter().filter_map(|k| k.shared.get(target.allocation as usize));
        let variable = variables.find(|v| Some(&v.name) == target.name.as_ref() && !v.dynamic);
        let Some(variable) = variable.filter(|v| self.is_added_to(&v.name, access)) else {
            return Vec::new();
        };
        let Some(code) = self.clearing(variable, access) else { return Vec::new() };
        let (sets, sets_other) = self.sets(&variable.name, access);
        if sets_other || self.is_used_in_turns(&variable.name, access) {
            return Vec::new();
        }
        let text = &self.text;
        let edits = match sets.first() {
            Some(id) => Some(vec![Edit::replace(text.statement(*id).span, code)]),
            None => self.span(Some(variable.location)).and_then(|declared| {
                let id = text.outline.innermost(declared)?;
                let margin = text.margin(text.statement(id).span.start);
                text.put(Place::After(id), &format!("{code}\n{margin}__syncthreads();"))
            }),
        };
        edits.map(|edits| Suggestion::new(edits, ADDED_TO)).into_iter().collect()
    }

    /// Whether the function of an access adds to a variable of the name, so that 0 is a value to begin with.
    fn is_added_to(&self, name: &str, access: Span) -> bool {
        let text = &self.text;
        let Some(body) = text.path(access).last().map(|id| text.statement(*id).span) else { return false };
        text.parts(body).any(|part| self.adds_to(part, name))
    }

    fn adds_to(&self, part: &Part, name: &str) -> bool {
        let text = &self.text;
        let is_of = |span: Span| text.words_of(span).next() == Some(name);
        match &part.kind {
            PartKind::Call { callee, arguments } => {
                let adds = ["atomicAdd", "atomicSub", "atomicOr", "atomicXor"];
                adds.iter().any(|own| text.of(*callee).starts_with(own))
                    && arguments.first().is_some_and(|pointer| is_of(*pointer))
            }
            PartKind::Assign { op: "+" | "-" | "|" | "^", target, .. } | PartKind::Step { target, .. } => {
                is_of(*target)
            }
            _ => false,
        }
    }

    /// Whether a loop adds to a variable and uses the sum, too: each iteration may begin at 0.
    fn is_used_in_turns(&self, name: &str, access: Span) -> bool {
        let text = &self.text;
        let uses = |span: Span| text.words_of(span).filter(|word| *word == name).count();
        let loops = text.outline.statements.iter().filter_map(|statement| match statement.kind {
            StatementKind::Loop(_) if text.path(access).last() == text.path(statement.span).last() => {
                Some(statement.span)
            }
            _ => None,
        });
        let adds = |span: Span| -> usize {
            let parts = text.parts(span).filter(|part| self.adds_to(part, name));
            parts.map(|part| uses(part.span)).sum()
        };
        loops.into_iter().any(|span| adds(span) > 0 && uses(span) > adds(span))
    }

    /// Statements that set elements of a variable to 0 in the function of an access, and whether something else is stored there.
    fn sets(&self, name: &str, access: Span) -> (Vec<StatementId>, bool) {
        let text = &self.text;
        let Some(body) = text.path(access).last().map(|id| text.statement(*id).span) else {
            return (Vec::new(), true);
        };
        let (mut sets, mut sets_other) = (Vec::new(), false);
        for part in text.parts(body) {
            let PartKind::Assign { op: "", value, .. } = part.kind else { continue };
            if target(part).and_then(|t| text.words_of(t).next()) != Some(name) {
                continue;
            }
            let is_zero = matches!(text.word(value).trim_end_matches(['f', 'u', 'U']), "0" | "0.0" | "0.");
            let mut id = part.statement;
            while let Some((around, _)) = text.only_branch(id) {
                id = around;
            }
            let in_loop = text
                .outline
                .path(id)
                .iter()
                .any(|id| matches!(text.statement(*id).kind, StatementKind::Loop(_)));
            sets_other |= !is_zero || in_loop || !text.statement(id).is_in_list;
            sets.push(id);
        }
        (sets, sets_other)
    }

    /// The statement that sets all of a variable to 0.
    fn clearing(&self, variable: &SharedVariable, access: Span) -> Option<String> {
        let text = &self.text;
        let body = text.statement(*text.path(access).last()?).span;
        let name = &variable.name;
        let uses = |word: &str| text.of(body).contains(word);
        if uses("threadIdx.z") {
            return None;
        }
        let of_plane = uses("threadIdx.y");
        match variable.elements.dimensions.as_slice() {
            [] if of_plane => Some(format!("if (threadIdx.x == 0 && threadIdx.y == 0) {name} = 0;")),
            [] => Some(format!("if (threadIdx.x == 0) {name} = 0;")),
            [length] => {
                let (first, step) = match of_plane {
                    true => ("threadIdx.y * blockDim.x + threadIdx.x", "blockDim.x * blockDim.y"),
                    false => ("threadIdx.x", "blockDim.x"),
                };
                let length = self.length(variable).unwrap_or_else(|| length.to_string());
                Some(format!("for (int i = {first}; i < {length}; i += {step}) {name}[i] = 0;"))
            }
            _ => None,
        }
    }

    /// The length of an array as its declaration has it.
    fn length(&self, variable: &SharedVariable) -> Option<String> {
        let declared = self.span(Some(variable.location))?;
        let statement = self.text.statement(self.text.outline.innermost(declared)?).span;
        let rest = self.text.of(statement).split_once(&format!("{}[", variable.name))?.1;
        let length = rest.split_once(']')?.0;
        (!length.contains('[')).then(|| length.trim().to_owned())
    }
}
