// The editor of the playground: CodeMirror with what a kernel needs, behind a few functions of our own.
// `npm run build` bundles this file to docs/src/playground/editor.js; the rest of the page does not know CodeMirror.
import { EditorState, RangeSet, StateEffect, StateField } from "@codemirror/state";
import {
    Decoration, EditorView, GutterMarker, MatchDecorator, ViewPlugin, gutter, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers,
    showPanel,
} from "@codemirror/view";
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory } from "@codemirror/commands";
import {
    bracketMatching, codeFolding, foldEffect, foldKeymap, indentOnInput, indentUnit, syntaxHighlighting, syntaxTree,
} from "@codemirror/language";
import { forEachDiagnostic, lintGutter, nextDiagnostic, previousDiagnostic, setDiagnostics } from "@codemirror/lint";
import { cppLanguage } from "@codemirror/lang-cpp";
import { classHighlighter } from "@lezer/highlight";

// The grammar knows C++. What CUDA adds to it is marked by its spelling, outside of comments and texts.
const CUDA = new MatchDecorator({
    regexp: /\b(?:(__(?:global|device|host|shared|constant|managed|restrict|forceinline|noinline|launch_bounds)__)|(threadIdx|blockIdx|blockDim|gridDim|warpSize|__[a-z]\w*|atomic[A-Z]\w*|tex[123]D\w*))\b/g,
    decorate: (add, from, to, match, view) => {
        if (!/Comment|String|Char/.test(syntaxTree(view.state).resolveInner(from, 1).name)) {
            add(from, to, Decoration.mark({ class: match[1] ? "pg-qualifier" : "pg-builtin" }));
        }
    },
});
const cuda = ViewPlugin.fromClass(class {
    constructor(view) {
        this.tree = syntaxTree(view.state);
        this.decorations = CUDA.createDeco(view);
    }

    update(update) {
        // The tree of a long file is finished later than its text: then everything is marked again.
        const tree = syntaxTree(update.state);
        this.decorations = tree === this.tree ? CUDA.updateDeco(update, this.decorations) : CUDA.createDeco(update.view);
        this.tree = tree;
    }
}, { decorations: (plugin) => plugin.decorations });

// Colours are variables of playground.css, so that they follow the book's theme when the reader switches it. Where CodeMirror's own look
// has pictures as `data:` addresses, which the policy `default-src 'self'` refuses, there is text or a line instead.
const underline = (color) => ({
    backgroundImage: "none", textDecoration: `underline wavy var(${color})`, textDecorationSkipInk: "none", paddingBottom: "0",
});
const marker = (color, sign) => ({
    content: "normal", "&:before": { content: `"${sign}"`, color: `var(${color})`, fontWeight: "bold" },
});
const look = EditorView.theme({
    "&": { color: "var(--pg-text)", backgroundColor: "var(--pg-page)", maxHeight: "var(--pg-height)" },
    ".cm-content, .cm-gutter": { minHeight: "10em" },
    "&.cm-focused": { outline: "2px solid var(--pg-link)", outlineOffset: "-2px" },
    ".cm-content": { caretColor: "var(--pg-text)", fontFamily: "var(--mono-font)", padding: "6px 0" },
    ".cm-scroller": { overflow: "auto", fontFamily: "var(--mono-font)", lineHeight: "1.5" },
    ".cm-gutters": { color: "var(--pg-muted)", backgroundColor: "var(--pg-raised)", borderRight: "1px solid var(--pg-border)" },
    ".cm-activeLine": { backgroundColor: "var(--pg-active)" },
    ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--pg-note)", outline: "1px solid var(--pg-border)" },
    ".cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket": { backgroundColor: "var(--pg-error-back)" },
    ".cm-specialChar": { color: "var(--pg-bad)" },
    ".cm-tooltip": { color: "var(--pg-text)", backgroundColor: "var(--pg-raised)", border: "1px solid var(--pg-border)", maxWidth: "min(60ch, 90vw)" },
    ".cm-diagnostic": { whiteSpace: "pre-wrap", overflowWrap: "anywhere" },
    ".cm-diagnostic-error": { borderLeft: "4px solid var(--pg-bad)" },
    ".cm-diagnostic-warning": { borderLeft: "4px solid var(--pg-caution)" },
    ".cm-lintRange-error": underline("--pg-bad"),
    ".cm-lintRange-warning": underline("--pg-caution"),
    ".cm-lintRange-active": { backgroundColor: "var(--pg-error-back)" },
    ".cm-lint-marker": { width: "0.9em", textAlign: "center" },
    ".cm-lint-marker-error": marker("--pg-bad", "✕"),
    ".cm-lint-marker-warning": marker("--pg-caution", "!"),
    ".pg-counts .cm-gutterElement": { padding: "0 4px", whiteSpace: "nowrap", color: "var(--pg-caution)", textAlign: "right" },
    ".cm-foldPlaceholder": { color: "var(--pg-link)", backgroundColor: "var(--pg-raised)", border: "1px solid var(--pg-border)", padding: "0 4px" },
    ".cm-panels": { color: "var(--pg-muted)", backgroundColor: "var(--pg-raised)", fontFamily: "var(--pg-font)" },
    ".cm-panels.cm-panels-bottom": { borderTop: "1px solid var(--pg-border)" },
    ".pg-keys": { padding: "2px 8px", fontSize: "1.25rem" },
    "@media print": { ".cm-panels": { display: "none" } },
    // The words of a kernel.
    ...Object.fromEntries(Object.entries({
        comment: "comment", string: "string", string2: "string", number: "number", bool: "number", literal: "number", keyword: "keyword",
        typeName: "keyword", meta: "directive",
    }).map(([token, color]) => [`.tok-${token}`, { color: `var(--pg-${color})` }])),
    ".pg-qualifier, .pg-qualifier *": { color: "var(--pg-qualifier)" },
    ".pg-builtin, .pg-builtin *": { color: "var(--pg-link)" },
});

/** Where a line and a column are in the text. Both are 1-based, and columns count characters, as in the reports; CodeMirror counts UTF-16. */
const place = (doc, line, column) => {
    const { from, text } = doc.line(Math.min(Math.max(line, 1), doc.lines));
    return from + [...text].slice(0, Math.max(column - 1, 0)).join("").length;
};

/** What a run counted in a line, in a few characters beside it and in words. */
class Counts extends GutterMarker {
    constructor({ short, long }) {
        super();
        Object.assign(this, { short, long });
    }

    eq(other) { return other.short === this.short && other.long === this.long; }

    toDOM() {
        const dom = document.createElement("span");
        dom.textContent = this.short;
        dom.title = this.long;
        return dom;
    }
}
const setCounts = StateEffect.define();
const counts = StateField.define({
    create: () => RangeSet.empty,
    update: (all, { changes, docChanged, effects, state: { doc } }) => {
        const set = effects.find((effect) => effect.is(setCounts));
        if (set) {
            return RangeSet.of(set.value.map((one) => new Counts(one).range(place(doc, one.line, 1))));
        }
        if (!docChanged) {
            return all;
        }
        // They stay with their lines, and a marker stands where its line begins.
        const moved = new Map();
        for (const at = all.map(changes).iter(); at.value; at.next()) {
            moved.set(doc.lineAt(at.from).from, at.value);
        }
        return RangeSet.of([...moved].map(([from, value]) => value.range(from)), true);
    },
});
/** What the line of the cursor has, in words. */
const countedAt = (state) => {
    const { from } = state.doc.lineAt(state.selection.main.head);
    const at = state.field(counts).iter(from);
    return at.value && at.from === from ? at.value.long : "";
};

/** Lines that are folded away: how many, as something to press. */
const folding = codeFolding({
    preparePlaceholder: ({ doc }, { from, to }) => doc.lineAt(to).number - doc.lineAt(from).number,
    placeholderDOM: (view, onclick, count) => {
        const dom = document.createElement("span");
        dom.className = "cm-foldPlaceholder";
        dom.textContent = `… ${count} more lines`;
        dom.title = "Unfold";
        dom.onclick = onclick;
        return dom;
    },
});
/** The comment that a file begins with, up to a line that is none. */
const HEADER = /^(?:[ \t]*\/\/.*\n|[ \t]*\/\*[^]*?\*\/[ \t]*\n)+/;

/** A line below the text; its `id` lets the text name it as its description. */
const note = (text) => showPanel.of(() => {
    const dom = document.createElement("div");
    dom.className = dom.id = "pg-keys";
    dom.textContent = text;
    return { dom };
});

/**
 * An editor in `parent`.
 * `label` and `keys` are for screen readers, and `keys` is shown, too; `changed` is called after each change of the text, `run` for Ctrl-Enter
 * or Cmd-Enter, `counted` for F9, and `read` with what is counted in the line that the cursor comes to.
 */
export const createEditor = ({ parent, text, label, keys, changed, run, counted, read }) => {
    // In a document CodeMirror writes its rules into a <style> element, which the policy refuses; in a shadow tree it uses constructed style sheets.
    const root = parent.attachShadow({ mode: "open" });
    const view = new EditorView({
        root, parent: root,
        state: EditorState.create({
            doc: text,
            extensions: [
                lineNumbers(), counts, gutter({ class: "pg-counts", markers: (view) => view.state.field(counts) }), lintGutter(),
                highlightSpecialChars(), highlightActiveLine(), history(), bracketMatching(), indentOnInput(), folding, EditorView.lineWrapping,
                indentUnit.of("    "), EditorState.tabSize.of(4), cppLanguage, syntaxHighlighting(classHighlighter),
                cuda, look, note(keys),
                // Tab indents, and Escape before it lets it move on: CodeMirror's own way out for the keyboard.
                keymap.of([
                    { key: "Mod-Enter", run: () => { run(); return true; } },
                    { key: "F8", run: nextDiagnostic }, { key: "Shift-F8", run: previousDiagnostic },
                    { key: "F9", run: () => { counted(); return true; } },
                    indentWithTab, ...foldKeymap, ...defaultKeymap, ...historyKeymap,
                ]),
                EditorView.contentAttributes.of({
                    tabindex: "0", "aria-label": label, "aria-describedby": "pg-keys", spellcheck: "false", autocorrect: "off", autocapitalize: "off",
                }),
                EditorView.updateListener.of((update) => {
                    if (update.docChanged) {
                        changed();
                    }
                    const words = countedAt(update.state);
                    if (words !== countedAt(update.startState)) {
                        read(words);
                    }
                }),
            ],
        }),
    });
    const select = (from, to) => {
        view.dispatch({ selection: { anchor: from, head: to }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
        view.focus();
    };
    return {
        text: () => view.state.doc.toString(),
        /** Replaces the text, as a change that can be undone. */
        // Undone by itself, however soon it follows what was typed.
        replace: (text) => view.dispatch({
            changes: { from: 0, to: view.state.doc.length, insert: text }, annotations: isolateHistory.of("full"),
        }),
        focus: () => view.focus(),
        close: () => view.destroy(),
        /** Puts the cursor at a line and column, and shows them. */
        show: (line, column = 1) => {
            const at = place(view.state.doc, line, column);
            select(at, at);
        },
        /** Shows a starter from its first task on: the comment above the code is folded to its first line, and the cursor stands at the first TODO. */
        showTask: () => {
            const { doc } = view.state;
            const text = doc.toString();
            const header = text.match(HEADER)?.[0].length ?? 0;
            const [from, to] = [doc.line(1).to, header - 1];
            const todo = text.indexOf("TODO", header);
            view.dispatch({
                selection: { anchor: todo < 0 ? 0 : doc.lineAt(todo).to },
                effects: to > from ? [foldEffect.of({ from, to })] : [],
            });
            // After the fold, which moves the line.
            view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main.head, { yMargin: 60 }) });
        },
        /** Shows counts beside their lines: each has `line`, `short` and `long`, in the order of lines. */
        count: (all) => view.dispatch({ effects: setCounts.of(all) }),
        /**
         * Marks what `kind` of question found, `check` or `run`. Marks of the other kind stay where the text moved them.
         * A mark has `line`, `column`, `end_line`, `end_column`, `severity` and `message`.
         */
        mark: (kind, marks) => {
            const doc = view.state.doc;
            const all = [];
            forEachDiagnostic(view.state, (old, from, to) => { if (old.kind !== kind) { all.push({ ...old, from, to }); } });
            for (const { line, column, end_line, end_column, severity, message } of marks) {
                const from = place(doc, line, column);
                const to = Math.max(from, end_line ? place(doc, end_line, end_column) : from);
                all.push({ from, to, kind, severity: severity === "error" ? "error" : "warning", message });
            }
            all.sort((one, other) => one.from - other.from);
            view.dispatch(setDiagnostics(view.state, all));
        },
    };
};
