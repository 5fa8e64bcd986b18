// The opened playground: editor, buttons, verdict, report. One `Panel` for each kernel that the reader opened.
//
// All that comes from a kernel or a report is put into the page as text (`textContent`, `append`), never as HTML; pictures are made element by
// element (`picture.js`).

import { createEditor } from "./editor.js";
import { picture } from "./picture.js";
import { ReaderError, Stopped, simulator } from "./simulator.js";
import { corrected, suggestions } from "./suggestion.js";
import { LEGEND, beside, columns, ofBuffer, ofExercise, ofLaunch } from "./verdict.js";

/** Time without a key after which the text is kept and checked, milliseconds. */
const PAUSE = 300;

/** Stands below the text, and describes it to screen readers. */
const KEYS = "Escape, then Tab leaves the editor. Ctrl-Enter runs, F8 shows the next mark, F9 counters beside the lines.";

/** The address of a page of the book. */
const inBook = (page) => new URL(`../${page}`, import.meta.url).href;

let panels = 0;
let labs;

/** What the playground of an exercise starts with; for a launch, what the page has. */
const start = async ({ lab, exercise, code, file }) => {
    if (exercise === undefined) {
        return { starter: code, file, hints: 0, next: null };
    }
    labs ??= await simulator.ask({ do: "list" });
    const found = labs.find(({ number }) => number === lab)?.exercises ?? [];
    const at = found.findIndex(({ name }) => name === exercise);
    if (at < 0) {
        throw new ReaderError(`The simulator of this book does not know ${exercise} of lab ${lab}.`);
    }
    return { ...found[at], next: found[at + 1]?.name ?? null };
};

/** Opens the playground in its place of a page. */
export const open = async (options) => {
    await simulator.load();
    new Panel(options, await start(options.kernel));
};

/** The text or the launch line in a panel: what it is when nothing is kept, and what this tab last read or kept. */
class Draft {
    constructor(what, initial, get, set) {
        Object.assign(this, { what, initial, get, set, base: get() });
    }

    /** Whether this tab has changed it since it was read or kept. */
    isChanged() { return this.get() !== this.base; }

    /** What is kept of it, by whichever tab. */
    of(kept) { return kept.get(this.what) ?? this.initial; }
}

class Panel {
    constructor({ place, kernel, kept, element, close }, { starter, file, hints, next }) {
        Object.assign(this, { place, kernel, kept, element, starter, file, hints, next, found: {}, counts: [], counting: false });
        this.hintsShown = 0;
        this.asked = 0;
        this.build(`pg-${++panels}`);
        this.onClose = close;
        this.editor = createEditor({
            parent: this.parts.editor, text: kept.get("text") ?? starter, label: `Kernel ${this.file}`, keys: KEYS,
            changed: () => this.changed(), run: () => this.run(), counted: () => this.count(!this.counting),
            read: (words) => { this.parts.read.textContent = words; },
        });
        const { line } = this.parts;
        this.drafts = [
            new Draft("text", starter, () => this.editor.text(), (text) => this.editor.replace(text)),
            ...(line ? [new Draft("line", kernel.launch, () => line.value, (text) => { line.value = text; })] : []),
        ];
        // A page that was left and is shown again was told nothing in between.
        this.outside = { pagehide: () => this.keep(), pageshow: () => this.follow(), storage: ({ key }) => this.hear(key) };
        Object.entries(this.outside).forEach(([name, listener]) => window.addEventListener(name, listener));
        this.list();
        place.append(this.parts.panel);
        this.editor.focus();
        this.showTask();
        this.say("ready", "Ready.", "Write your kernel, then run it.");
        this.check();
    }

    /** The elements, top to bottom. The verdict stands above the text, where it is in view on a phone, too. */
    build(id) {
        const { element, kernel } = this;
        const button = (textContent, action, more = {}) => {
            const made = element("button", { type: "button", className: "pg-button", textContent, ...more });
            made.addEventListener("click", action);
            return made;
        };
        const parts = this.parts = {
            run: button("Run", () => this.run(), { className: "pg-button pg-primary", title: "Ctrl-Enter or Cmd-Enter in the editor" }),
            stop: button("Stop", () => this.stop(), { hidden: true }),
            count: button("Counters", () => this.count(!this.counting), { ariaPressed: "false", title: "F9 in the editor" }),
            hint: button("Hint", () => this.hint(), { hidden: this.hints === 0 }),
            reset: button("Reset", () => this.parts.confirm.showModal()),
            close: button("Close", () => this.close()),
            clock: element("span", { className: "pg-clock", ariaHidden: "true" }),
            verdict: element("p", { className: "pg-verdict", role: "status" }),
            next: element("p", { className: "pg-next" }),
            see: element("div", { className: "pg-see" }),
            mend: element("div", { className: "pg-mend" }),
            editor: element("div", { className: "pg-editor" }),
            legend: element("p", { className: "pg-count pg-legend", role: "status" }),
            read: element("p", { className: "pg-count pg-read", role: "status" }),
            unkept: element("p", { className: "pg-message", role: "status" }),
            other: element("p", { className: "pg-message", role: "status" }),
            messages: element("p", { className: "pg-count pg-messages", role: "status" }),
            problems: element("ul", { className: "pg-problems" }),
            explained: element("div", { className: "pg-words", tabIndex: -1, hidden: true }),
            report: this.fold("Report"),
            values: this.fold("Values of the buffers"),
            access: this.fold("What one warp accesses"),
            lines: this.fold("Counters by line"),
            hints: this.fold("Hints"),
            earlier: this.fold("Earlier texts"),
        };
        parts.confirm = element("dialog", { className: "pg-confirm", ariaLabel: "Reset" },
            element("p", { textContent: `Replace your text of ${this.file} with the ${kernel.exercise ? "starter" : "example"}?` }),
            button("Reset", () => this.reset(), { className: "pg-button pg-primary" }), " ",
            button("Keep my text", () => parts.confirm.close()));
        if (kernel.launch !== undefined) {
            parts.line = element("input", { className: "pg-line", id: `${id}-line`, value: this.kept.get("line") ?? kernel.launch,
                spellcheck: false, autocomplete: "off", autocapitalize: "off" });
            parts.line.addEventListener("input", () => {
                this.keep();
                this.age();
            });
            parts.line.addEventListener("keydown", (event) => { if (event.key === "Enter") { this.run(); } });
        }
        parts.panel = element("section", { className: "pg-panel", ariaLabel: `Playground: ${this.file}` },
            element("div", { className: "pg-bar" }, element("code", { textContent: this.file }),
                parts.run, parts.stop, parts.clock, parts.count, parts.hint, parts.reset, parts.close),
            ...(parts.line ? [element("div", { className: "pg-launch" }, element("label", { htmlFor: parts.line.id, textContent: "Launch" }), parts.line)] : []),
            parts.verdict, parts.next, parts.see, parts.mend, parts.other, parts.editor, parts.legend, parts.read, parts.unkept, parts.messages, parts.problems, parts.explained,
            parts.report.fold, parts.values.fold, parts.access.fold, parts.lines.fold, parts.hints.fold, parts.earlier.fold, parts.confirm);
        parts.access.fold.addEventListener("toggle", () => this.draw());
        // The book's own keys (arrows turn pages, `s` searches) are not for what is typed here.
        parts.panel.addEventListener("keydown", (event) => event.stopPropagation());
    }

    /** A part that can be folded away; hidden until it is filled. */
    fold(title) {
        const body = this.element("div", { className: "pg-body" });
        const fold = this.element("details", { hidden: true }, this.element("summary", { textContent: title }), body);
        return { fold, body, fill: (...content) => { body.replaceChildren(...content); fold.hidden = content.length === 0; } };
    }

    pre(text) {
        // A scrolling box must be reachable by keyboard.
        return this.element("pre", { className: "pg-text", tabIndex: 0, textContent: text });
    }

    /** Shows a verdict: its `kind` gives the colour, and the words say it, too. */
    say(kind, title, detail = "") {
        this.parts.verdict.dataset.kind = kind;
        delete this.parts.verdict.dataset.stale;
        this.parts.verdict.replaceChildren(this.element("strong", { textContent: title }), ...(detail ? [" ", detail] : []));
    }

    /** Keeps what this tab has changed, and nothing else: another tab may have kept something newer. The starter is kept as nothing. */
    keep() {
        const { kept } = this;
        const changed = this.drafts.filter((draft) => draft.isChanged());
        // What this tab did not write itself is not in its history either.
        if (changed.some(({ what, own }) => ![null, own].includes(kept.get(what)))) {
            kept.keepVersion();
            this.list();
        }
        for (const draft of changed) {
            const now = draft.get();
            const own = now === draft.initial ? null : now;
            if (kept.set(draft.what, own)) {
                Object.assign(draft, { own, base: now });
            } else {
                this.parts.unkept.textContent = "This browser keeps no texts: copy yours before you leave the page.";
            }
        }
    }

    /** Another tab has changed what is kept under a name. */
    hear(key) {
        if (this.drafts.some(({ what }) => key === this.kept.key(what))) {
            this.follow();
        } else if (key === this.kept.key("versions")) {
            this.list();
        }
    }

    /** Shows what another tab has kept, or offers it if it was changed here, too. */
    follow() {
        const { kept, parts: { other } } = this;
        const newer = this.drafts.filter((draft) => draft.of(kept) !== draft.base);
        if (newer.length === 0) {
            return;
        }
        if (newer.some((draft) => draft.isChanged())) {
            kept.keepVersion();
            this.list();
            const theirs = { text: kept.get("text"), line: kept.get("line") };
            other.replaceChildren("Another tab has changed this kernel, too. Your text stays here, and the other is among the earlier texts below: ",
                this.link("take the other text", () => this.replace(theirs, "Taken from the other tab.")));
            return;
        }
        other.textContent = "Another tab has changed this kernel. Its text is shown here now.";
        for (const draft of newer) {
            draft.base = draft.of(kept);
            draft.set(draft.base);
        }
        this.age();
    }

    /** Lists the earlier texts, each of which can be brought back. */
    list() {
        const { element } = this;
        const items = this.kept.versions().map((version) => {
            const when = version.at === null ? "kept by an older edition of this book, or by another book on this host" :
                new Date(version.at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
            const count = (version.text ?? this.starter).split("\n").length;
            return element("li", {}, this.link(`Bring back the text of ${count} lines`, () => this.replace(version, "Brought back.")), `, ${when}`);
        });
        this.parts.earlier.fill(...(items.length > 0 ? [element("ul", {}, ...items)] : []));
    }

    link(textContent, action) {
        const made = this.element("button", { type: "button", className: "pg-link", textContent });
        made.addEventListener("click", action);
        return made;
    }

    /** Replaces text and launch line. What was there becomes an earlier text. */
    replace({ text, line }, said) {
        this.keep();
        this.kept.keepVersion();
        const values = { text, line };
        this.drafts.forEach((draft) => draft.set(values[draft.what] ?? draft.initial));
        this.keep();
        this.list();
        this.parts.other.replaceChildren();
        this.editor.focus();
        this.showTask();
        this.judged = null;
        this.say("ready", said, "Ctrl-Z brings your text back.");
    }

    /** Shows the starter of an exercise from its first task on. */
    showTask() {
        if (this.kernel.exercise && this.editor.text() === this.starter) {
            this.editor.showTask();
        }
    }

    changed() {
        clearTimeout(this.pause);
        this.pause = setTimeout(() => {
            this.keep();
            this.check();
        }, PAUSE);
        this.age();
    }

    /** Marks the verdict as long as text or launch line are not what was judged. */
    age() {
        const { judged, parts: { verdict, line } } = this;
        const stale = Boolean(judged) && (judged.text !== this.editor.text() || judged.line !== line?.value);
        if (stale && !verdict.dataset.stale) {
            verdict.dataset.stale = "true";
            verdict.append(" (before your last change)");
        } else if (!stale && verdict.dataset.stale) {
            delete verdict.dataset.stale;
            verdict.lastChild.remove();
        }
    }

    /** Marks what the compiler says of the text. A run asks the same, so nothing is asked while one is under way. */
    async check() {
        if (this.running) {
            return;
        }
        const asked = ++this.asked;
        const { diagnostics } = await simulator.ask({ do: "check", text: this.editor.text(), file: this.file }).catch((error) => {
            if (!(error instanceof Stopped)) {
                this.say("error", error.message);
            }
            return {};
        });
        // An answer to an older text is of no use.
        if (diagnostics && asked === this.asked && !this.closed) {
            this.mark("check", diagnostics);
        }
    }

    async run() {
        if (this.running) {
            return;
        }
        const { kernel, file, parts } = this;
        const text = this.editor.text();
        if (this.trying) {
            // A run does not wait for corrections of the last one.
            this.stop();
        }
        const request = kernel.exercise ? { do: "grade", lab: kernel.lab, exercise: kernel.exercise, text } :
            { do: "launch", text, line: parts.line.value, file };
        this.keep();
        this.begin();
        try {
            const report = await simulator.ask(request);
            // Accesses are recorded where all results are correct, as on the command line.
            this.ran = { request, text, line: request.line, races: report.pictures, records: Boolean(report.counters), shown: false, asked: false };
            this.show(kernel.exercise ? ofExercise(report, this.next) : ofLaunch(report), report);
        } catch (error) {
            if (!this.closed) {
                this.say(error instanceof Stopped ? "stopped" : "error", error.message);
            }
        }
        this.end(text);
        this.draw();
    }

    begin() {
        const { parts } = this;
        this.running = true;
        this.asked++;
        this.judged = null;
        this.swap(parts.run, parts.stop);
        this.say("running", "Running …");
        parts.other.replaceChildren();
        // An old report beside a new verdict would mislead.
        parts.next.replaceChildren();
        parts.see.replaceChildren();
        parts.mend.replaceChildren();
        parts.report.fill();
        parts.values.fill();
        parts.access.fill();
        parts.lines.fill();
        this.ran = null;
        this.counts = [];
        this.editor.count([]);
        parts.legend.textContent = "";
        const from = performance.now();
        this.clock = setInterval(() => { parts.clock.textContent = `${Math.round((performance.now() - from) / 1000)} s`; }, 1000);
    }

    /** `text` is what ran. */
    end(text) {
        clearInterval(this.clock);
        this.running = false;
        this.parts.clock.textContent = "";
        this.swap(this.parts.stop, this.parts.run);
        // Nothing was checked during the run.
        if (!this.closed && this.editor.text() !== text) {
            this.check();
        }
    }

    /** Shows a button in place of another, and keeps the focus where the reader has it. */
    swap(from, to) {
        const hasFocus = document.activeElement === from;
        from.hidden = true;
        to.hidden = false;
        if (hasFocus) {
            to.focus();
        }
    }

    stop() {
        simulator.stop();
    }

    show(verdict, report) {
        const { parts } = this;
        if (this.closed) {
            return;
        }
        const { text } = this.judged = this.ran;
        this.say(verdict.kind, verdict.title, verdict.detail);
        this.age();
        if (verdict.score !== undefined) {
            this.kept.keepScore(verdict.score, text === this.starter ? null : text);
        }
        if (verdict.score === 100) {
            this.kept.keepVersion(text);
            this.list();
        }
        parts.next.replaceChildren(...this.nextStep(verdict));
        const isDiagnosed = verdict.kind === "failed" && verdict.diagnostics.some(({ severity, line }) => severity === "error" && line);
        parts.see.replaceChildren(...(this.ran.records ? [this.link("Show what one warp accesses", () => this.see())] : []));
        // A button is not read out; what comes of it is.
        parts.mend.removeAttribute("role");
        parts.mend.replaceChildren(...(isDiagnosed ? [this.link("Try corrections", () => this.mend())] : []));
        this.mark("run", verdict.diagnostics);
        const all = report.rendered_in_full;
        parts.report.fill(this.pre(report.rendered),
            ...(all ? [this.element("details", {}, this.element("summary", { textContent: "All checks" }), this.pre(all))] : []));
        parts.report.fold.open = true;
        parts.values.fill(...this.values(report.buffers ?? []));
        const texts = this.ran.text.split(/\r\n?|\n/);
        const lines = (report.lines ?? []).map((one) => ({ text: texts[one.line - 1] ?? "", ...one }));
        parts.lines.fill(...this.table(columns(lines)));
        this.counts = beside(lines);
        this.count(this.counting);
        // The verdict is what the reader waits for; nothing moves if it is in view.
        parts.panel.querySelector(".pg-bar").scrollIntoView({ block: "nearest" });
        parts.next.scrollIntoView({ block: "nearest" });
    }

    /** Shows counters beside the lines of the editor, or takes them away. */
    count(on) {
        const { parts } = this;
        const counts = on ? this.counts : [];
        this.counting = on;
        parts.count.ariaPressed = String(on);
        this.editor.count(counts);
        const lines = `${counts.length} ${counts.length === 1 ? "line" : "lines"}`;
        parts.legend.textContent = !on ? "" : counts.length > 0 ? `Counters beside ${lines} (${LEGEND}).` :
            "Counters come beside the lines when a kernel has run, and all its results are correct.";
    }

    /**
     * What can be drawn of the last run: its races at once; what single warps access when the part is open, because the kernel runs again for it.
     */
    async draw() {
        const { parts: { access }, ran, element } = this;
        if (!ran || this.closed) {
            return;
        }
        if (!ran.shown) {
            ran.shown = true;
            access.fill(...this.pictures(ran.races), ...(ran.records ? [element("p", { role: "status", textContent: "The kernel runs once more for this." })] : []));
        }
        if (!ran.records || ran.asked || !access.fold.open) {
            return;
        }
        ran.asked = true;
        const said = access.body.lastElementChild;
        said.textContent = "Drawing …";
        const { pictures, error } = await simulator.ask({ ...ran.request, ...(ran.request.do === "grade" ? { do: "access" } : { access: true }) })
            .catch(({ message }) => ({ pictures: [], error: message }));
        if (this.closed || this.ran !== ran) {
            return;
        }
        said.textContent = error ?? (pictures.length === 0 ? "No line takes more sectors or passes than it needs, and no branch splits a warp." :
            `${pictures.length} ${pictures.length === 1 ? "picture" : "pictures"}, drawn from your run:`);
        said.after(...this.pictures(pictures));
    }

    /** Has corrections of the first error tried, and offers those that work. The kernel runs again for each. */
    async mend() {
        const { parts: { mend }, ran, element } = this;
        mend.setAttribute("role", "status");
        mend.replaceChildren("Trying corrections …");
        this.trying = true;
        const { diagnostics, error } = await simulator.ask({ ...ran.request, ...(ran.request.do === "grade" ? { do: "suggest" } : { suggest: true }) })
            .catch(({ message }) => ({ diagnostics: [], error: message }));
        this.trying = false;
        if (this.closed || this.ran !== ran) {
            return;
        }
        const found = suggestions(diagnostics);
        if (found.length === 0) {
            mend.replaceChildren(error ?? "None of the corrections that were tried works.");
            return;
        }
        mend.replaceChildren(...found.map((one) => element("p", {}, `Correction: ${one.message} (tried: ${one.tried.message}). `,
            this.link("make it", () => this.make(one)))));
        mend.querySelector("button").focus();
    }

    /** Makes a correction of what ran. */
    make(suggestion) {
        const { parts: { mend, line }, ran, editor } = this;
        if (editor.text() !== ran.text) {
            mend.append(" The text has changed since that run: run it again first.");
            return;
        }
        this.replace({ text: corrected(ran.text, suggestion), line: line?.value ?? null }, "Corrected.");
        mend.replaceChildren();
    }

    /** Each picture with its line, and with the same in characters. */
    pictures(all) {
        const { element } = this;
        return all.map(({ line, summary, svg, text }) => {
            const to = element("button", { type: "button", className: "pg-link", textContent: `line ${line}`, ariaLabel: `Go to line ${line}` });
            to.addEventListener("click", () => this.editor.show(line));
            const shown = picture(svg);
            return element("figure", { className: "pg-picture", tabIndex: -1, "data-line": String(line) },
                element("figcaption", {}, ...(line ? [to, ": "] : []), summary),
                ...(shown ? [shown] : []),
                element("details", {}, element("summary", { textContent: "In characters" }), this.pre(text)));
        });
    }

    /** What to do next, as a button or a link where it leads somewhere. */
    nextStep({ line, column, next, to }) {
        const { element } = this;
        if (line) {
            const button = element("button", { type: "button", className: "pg-link", textContent: `go to line ${line}` });
            button.addEventListener("click", () => this.editor.show(line, column));
            return ["Next: ", button, ...(next ? [`. ${next}`] : [])];
        }
        if (to) {
            // The next exercise of the page, where it has one.
            const place = [...document.querySelectorAll(".lab-playground")].find(({ dataset }) =>
                Number(dataset.lab) === this.kernel.lab && dataset.exercise === to);
            if (place) {
                const button = element("button", { type: "button", className: "pg-link", textContent: to });
                button.addEventListener("click", () => {
                    place.scrollIntoView({ block: "center" });
                    place.querySelector("button").focus({ preventScroll: true });
                });
                return ["Next: ", button];
            }
        }
        return next ? [`Next: ${next}`] : [];
    }

    /** Rows with a button for each line. */
    table({ titles, rows }) {
        const { element } = this;
        if (rows.length === 0) {
            return [];
        }
        const row = ({ line, text, cells }) => {
            const button = element("button", { type: "button", className: "pg-link", textContent: String(line), ariaLabel: `Go to line ${line}` });
            button.addEventListener("click", () => this.editor.show(line));
            return element("tr", {}, element("th", { scope: "row" }, button),
                ...cells.map((cell) => element("td", { className: "pg-number", textContent: cell })),
                element("td", {}, element("code", { textContent: text })));
        };
        const word = ({ title, entry }) => element("a", { href: inBook(`glossary.html#${entry}`), textContent: title });
        const head = element("tr", {}, ...["line", ...titles.map(word), "source"].map((one) => element("th", { scope: "col" }, one)));
        return [element("div", { className: "pg-scroll", tabIndex: 0, role: "region", ariaLabel: "Counters by line" },
            element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows.map(row))))];
    }

    /** A row for each buffer of a launch. */
    values(buffers) {
        const { element } = this;
        if (buffers.length === 0) {
            return [];
        }
        const titles = ["name", "type", "changed", "first values", "last values"];
        const row = (cells) => element("tr", {}, element("th", { scope: "row" }, element("code", { textContent: cells[0] })),
            ...cells.slice(1).map((textContent) => element("td", { textContent })));
        return [element("div", { className: "pg-scroll", tabIndex: 0, role: "region", ariaLabel: "Values of the buffers" },
            element("table", {}, element("thead", {}, element("tr", {}, ...titles.map((textContent) => element("th", { scope: "col", textContent })))),
                element("tbody", {}, ...buffers.map((one) => row(ofBuffer(one))))))];
    }

    /** Puts marks of one kind into the editor, and all of that kind into the list below it. */
    mark(kind, diagnostics) {
        const { parts, element } = this;
        const own = diagnostics.filter(({ line }) => line).map((one) => ({ ...one, helps: [one.help ?? []].flat() }));
        this.found[kind] = own;
        this.editor.mark(kind, own.map((one) => ({ ...one, message: [one.message, ...one.helps].join("\n") })));
        // A run repeats what the check has found.
        const known = new Set();
        const all = [...(this.found.run ?? []), ...(this.found.check ?? [])].filter(({ code, line, column }) => {
            const key = `${code} ${line} ${column}`;
            return !known.has(key) && known.add(key);
        });
        const text = all.length === 0 ? "" : `${all.length} ${all.length === 1 ? "message" : "messages"}, the first in line ${all[0].line}`;
        // Said again only if it changed: this is read out while the reader types.
        if (parts.messages.textContent !== text) {
            parts.messages.textContent = text;
        }
        parts.problems.replaceChildren(...all.map(({ line, column, severity, code, message, helps, race }) => {
            const to = element("button", { type: "button", className: "pg-link", textContent: `line ${line}` });
            to.addEventListener("click", () => this.editor.show(line, column));
            const what = element("button", { type: "button", className: "pg-link", textContent: code, title: "What does this mean?" });
            what.addEventListener("click", () => this.explain(code));
            const drawn = element("button", { type: "button", className: "pg-link", textContent: "see both accesses" });
            drawn.addEventListener("click", () => this.see(line));
            return element("li", {}, to, ` ${severity} [`, what, `]: ${message}`, ...(race ? [" (", drawn, ")"] : []),
                ...helps.map((help) => element("p", { className: "pg-help", textContent: help })));
        }));
        if (all.length === 0) {
            parts.explained.hidden = true;
        }
    }

    /** Shows the picture of a line, or all. */
    see(line) {
        const { fold, body } = this.parts.access;
        fold.open = true;
        (line ? body.querySelector(`[data-line="${line}"]`) : fold.querySelector("summary"))?.focus();
    }

    /** What a word means, with other words and pages to look at. */
    async explain(term) {
        const { element, parts: { explained } } = this;
        const from = document.activeElement;
        const { text, related, pages } = await simulator.ask({ do: "explain", term })
            .catch((error) => ({ text: error.message, related: [], pages: [] }));
        const word = (textContent) => {
            const made = element("button", { type: "button", className: "pg-link", textContent });
            made.addEventListener("click", () => this.explain(textContent));
            return made;
        };
        const page = (one) => element("a", { href: inBook(one.page), textContent: one.title });
        /** Links of one kind, in a line. */
        const line = (title, links) => (links.length === 0 ? [] : [element("p", {}, title, ...links.flatMap((link, i) => (i === 0 ? [link] : [", ", link])))]);
        explained.replaceChildren(element("pre", { className: "pg-text pg-explained", tabIndex: 0, textContent: text }),
            ...line("See also: ", related.map(word)), ...line("In the book: ", pages.map(page)));
        explained.hidden = false;
        this.lead(from, explained);
    }

    /** Moves the focus to what a press has brought, unless the reader has gone elsewhere meanwhile, say on with the text. `from` had it at the press. */
    lead(from, to) {
        if ([from, document.body].includes(document.activeElement)) {
            to.focus();
        }
    }

    /** One more hint with each press. */
    async hint() {
        const { parts, kernel } = this;
        const step = Math.min(this.hintsShown + 1, this.hints);
        const from = document.activeElement;
        const answer = await simulator.ask({ do: "hint", lab: kernel.lab, exercise: kernel.exercise, step })
            .catch((error) => ({ text: error.message, steps: this.hints }));
        if (step > this.hintsShown) {
            this.hintsShown = step;
            parts.hints.fill(...parts.hints.body.childNodes, this.pre(answer.text));
        }
        parts.hint.textContent = step < this.hints ? `Hint ${step + 1} of ${this.hints}` : "Hints";
        parts.hints.fold.open = true;
        this.lead(from, parts.hints.body.lastElementChild);
    }

    reset() {
        // Gives the focus back to the button, so it comes first.
        this.parts.confirm.close();
        this.replace({ text: null, line: null }, "Reset.");
    }

    close() {
        clearTimeout(this.pause);
        this.keep();
        this.closed = true;
        if (this.running) {
            this.stop();
        }
        Object.entries(this.outside).forEach(([name, listener]) => window.removeEventListener(name, listener));
        this.editor.close();
        this.parts.panel.remove();
        // Without an editor the simulator is not needed, and ended it gives its memory back.
        if (!document.querySelector(".pg-panel")) {
            simulator.stop();
        }
        this.onClose();
    }
}
