//! Proposals that change how a word is accessed: by the read-only path, at the scope of a block, or by a copy that nothing waits for.

use super::Advice;
use super::places::Place;
use cuda_syntax::outline::{PartKind, StatementKind};
use source::{Edit, MAX_EDITS, Span, Suggestion};

const WRITTEN: &str = "because the launch writes it";
const WAITS: &str = "so that the copy is complete";
const OF_THE_DEVICE: &str = "because threads of other blocks take part";

impl Advice<'_> {
    /// A load by the read-only path as a plain one.
    pub(super) fn plain_load(&self, access: Span) -> Option<Suggestion> {
        let text = &self.text;
        let code = text.of(access);
        if let Some(call) = text.outline.part(access, |kind| matches!(kind, PartKind::Call { .. }))
            && let PartKind::Call { callee, arguments } = &call.kind
            && let [pointer] = *arguments.as_slice()
        {
            let is_read_only = text.of(*callee).trim_start_matches(':') == "__ldg";
            let pointer = text.of(text.bare(pointer));
            let is_followed = text.text[access.end as usize..].trim_start().starts_with(['.', '[', '-']);
            let is_simple = |code: &str| code.chars().all(|c| c.is_alphanumeric() || c == '_');
            let code = match pointer.strip_prefix('&') {
                Some(word) => word.to_owned(),
                None if is_simple(pointer) && !is_followed => format!("*{pointer}"),
                None if is_followed => format!("(*({pointer}))"),
                None => format!("*({pointer})"),
            };
            return is_read_only.then(|| Suggestion::new(vec![Edit::replace(access, code)], WRITTEN));
        }
        let statement = text.statement(text.outline.innermost(access)?).span;
        let (span, code) =
            if code.contains(".nc") { (access, code) } else { (statement, text.of(statement)) };
        let at = code.find(".nc.").filter(|_| code.starts_with("asm"))? as u32 + span.start;
        let nc = Span { start: at, end: at + ".nc".len() as u32, ..span };
        Some(Suggestion::new(vec![Edit::replace(nc, "")], WRITTEN))
    }

    /// Operations at the scope of a block at that of the device: one of them, or all.
    pub(super) fn wider_scope(&self) -> Vec<Suggestion> {
        let text = &self.text;
        let mut edits: Vec<Edit> = Vec::new();
        for part in &text.outline.parts {
            let PartKind::Call { callee, .. } = part.kind else { continue };
            let name = text.of(callee);
            if let Some(wide) = name.strip_suffix("_block")
                && (name.starts_with("atomic") || name.starts_with("__threadfence"))
            {
                edits.push(Edit::replace(callee, wide));
            }
        }
        let leaves = text.outline.statements.iter().filter(|s| s.kind == StatementKind::Other);
        for statement in leaves {
            let code = text.of(statement.span);
            let of_ptx = [(".cta.", ".gpu."), (".cta ", ".gpu "), (".cta;", ".gpu;")];
            let of_cpp = [("thread_scope_block", "thread_scope_device")];
            let pairs = if code.starts_with("asm") { &of_ptx[..] } else { &of_cpp[..] };
            for (narrow, wide) in pairs {
                for (at, _) in code.match_indices(narrow) {
                    let start = statement.span.start + at as u32;
                    let span = Span { start, end: start + narrow.len() as u32, ..statement.span };
                    edits.push(Edit::replace(span, *wide));
                }
            }
        }
        edits.sort_by_key(|edit| edit.span.start);
        edits.dedup();
        let all = edits.iter().map(|edit| Suggestion::new(vec![edit.clone()], OF_THE_DEVICE));
        let together = (edits.len() > 1 && edits.len() <= MAX_EDITS)
            .then(|| Suggestion::new(edits.clone(), OF_THE_DEVICE));
        all.chain(together).collect()
    }

    /// A wait for an asynchronous copy before an access, and a barrier after the wait where another thread copies.
    pub(super) fn await_copy(
        &self,
        (copy, access): (Span, Span),
        (is_committed, is_own): (bool, bool),
    ) -> Vec<Suggestion> {
        let text = &self.text;
        let Some(wait) = self.wait_of(copy, is_committed) else { return Vec::new() };
        let barriers: &[&str] = if is_own { &["", " __syncthreads();"] } else { &[" __syncthreads();"] };
        let in_list = |span: Span| text.path(span).into_iter().find(|id| text.statement(*id).is_in_list);
        let before = text.path(access).into_iter().filter(|id| text.statement(*id).is_in_list);
        let places = before.map(Place::Before).chain(in_list(copy).map(Place::After));
        let codes = barriers.iter().map(|barrier| format!("{wait}{barrier}"));
        let of = |place: Place| codes.clone().filter_map(move |code| text.put(place, &code));
        places.flat_map(of).map(|edits| Suggestion::new(edits, WAITS)).collect()
    }

    /// The statement that waits for a copy, in the words of the interface that it was made with.
    fn wait_of(&self, copy: Span, is_committed: bool) -> Option<String> {
        let text = &self.text;
        let span = text.statement(text.outline.innermost(copy)?).span;
        let code = text.of(span);
        if code.starts_with("asm") {
            let of = |what: &str| format!("asm volatile(\"cp.async.{what};\" ::: \"memory\");");
            return code.contains("cp.async").then(|| of("wait_all"));
        }
        let call = text.parts(span).find_map(|part| match &part.kind {
            PartKind::Call { callee, arguments } if text.of(*callee).ends_with("memcpy_async") => {
                Some((text.of(*callee), arguments))
            }
            _ => None,
        });
        let (callee, arguments) = call?;
        if callee == "__pipeline_memcpy_async" {
            let calls = ["__pipeline_commit()", "__pipeline_wait_prior(0)"];
            let calls = calls[usize::from(is_committed)..].iter().map(|call| format!("{call};"));
            return Some(calls.collect::<Vec<_>>().join(" "));
        }
        // Of cooperative groups: the group is the first argument, and there are no more than four.
        let space = callee.strip_suffix("memcpy_async")?;
        let is_of_groups = (3..=4).contains(&arguments.len()) && !space.starts_with("cuda");
        is_of_groups.then(|| format!("{space}wait({});", text.of(arguments[0])))
    }
}
