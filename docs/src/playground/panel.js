// The opened playground: editor, buttons, verdict, report. One `Panel` for each kernel that the reader opened.
//
// All that comes from a kernel or a report is put into the page as text (`textContent`, `append`), never as HTML.

import { createEditor } from "./editor.js";
import { ReaderError, Stopped, simulator } from "./simulator.js";
import { columns, ofExercise, ofLaunch } from "./verdict.js";

/** Time without a key after which the text is kept and checked, milliseconds. */
const PAUSE = 300;

/** Stands below the text, and describes it to screen readers. */
const KEYS = "Escape, then Tab leaves the editor. Ctrl-Enter runs, F8 shows the next mark.";

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

class Panel {
    constructor({ place, kernel, kept, element, close }, { starter, file, hints, next }) {
        Object.assign(this, { place, kernel, kept, element, starter, hints, next });
        // Messages call the file by its name, without folders.
        this.file = file.split("/").pop();
        this.hintsShown = 0;
        this.asked = 0;
        this.build(`pg-${++panels}`);
        this.onClose = close;
        this.editor = createEditor({
            parent: this.parts.editor, text: kept.text() ?? starter, label: `Kernel ${this.file}`, keys: KEYS,
            changed: () => this.changed(), run: () => this.run(),
        });
        this.leave = () => this.keep();
        window.addEventListener("pagehide", this.leave);
        place.append(this.parts.panel);
        this.editor.focus();
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
            hint: button("Hint", () => this.hint(), { hidden: this.hints === 0 }),
            reset: button("Reset", () => this.parts.confirm.showModal()),
            close: button("Close", () => this.close()),
            clock: element("span", { className: "pg-clock", ariaHidden: "true" }),
            verdict: element("p", { className: "pg-verdict", role: "status" }),
            next: element("p", { className: "pg-next" }),
            editor: element("div", { className: "pg-editor" }),
            unkept: element("p", { className: "pg-message", role: "status" }),
            count: element("p", { className: "pg-count", role: "status" }),
            problems: element("ul", { className: "pg-problems" }),
            explained: element("pre", { className: "pg-text pg-explained", tabIndex: -1, hidden: true }),
            report: this.fold("Report"),
            lines: this.fold("Counters by line"),
            hints: this.fold("Hints"),
        };
        parts.confirm = element("dialog", { className: "pg-confirm", ariaLabel: "Reset" },
            element("p", { textContent: `Replace your text of ${this.file} with the ${kernel.exercise ? "starter" : "example"}?` }),
            button("Reset", () => this.reset(), { className: "pg-button pg-primary" }), " ",
            button("Keep my text", () => parts.confirm.close()));
        if (kernel.launch !== undefined) {
            parts.line = element("input", { className: "pg-line", id: `${id}-line`, value: this.kept.line() ?? kernel.launch,
                spellcheck: false, autocomplete: "off", autocapitalize: "off" });
            parts.line.addEventListener("input", () => this.kept.keepLine(parts.line.value));
            parts.line.addEventListener("keydown", (event) => { if (event.key === "Enter") { this.run(); } });
        }
        parts.panel = element("section", { className: "pg-panel", ariaLabel: `Playground: ${this.file}` },
            element("div", { className: "pg-bar" }, element("code", { textContent: this.file }),
                parts.run, parts.stop, parts.clock, parts.hint, parts.reset, parts.close),
            ...(parts.line ? [element("div", { className: "pg-launch" }, element("label", { htmlFor: parts.line.id, textContent: "Launch" }), parts.line)] : []),
            parts.verdict, parts.next, parts.editor, parts.unkept, parts.count, parts.problems, parts.explained,
            parts.report.fold, parts.lines.fold, parts.hints.fold, parts.confirm);
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

    /** Keeps the text, unless it is the starter. */
    keep() {
        const text = this.editor.text();
        if (!this.kept.keepText(text === this.starter ? null : text)) {
            this.parts.unkept.textContent = "This browser keeps no texts: copy yours before you leave the page.";
        }
    }

    changed() {
        clearTimeout(this.pause);
        this.pause = setTimeout(() => {
            this.keep();
            this.check();
        }, PAUSE);
        if (this.judged && !this.parts.verdict.dataset.stale) {
            this.parts.verdict.dataset.stale = "true";
            this.parts.verdict.append(" (before your last change)");
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
        const request = kernel.exercise ? { do: "grade", lab: kernel.lab, exercise: kernel.exercise, text } :
            { do: "launch", text, line: parts.line.value, file };
        this.keep();
        this.begin();
        try {
            const report = await simulator.ask(request);
            this.show(kernel.exercise ? ofExercise(report, this.next) : ofLaunch(report), report);
        } catch (error) {
            if (!this.closed) {
                this.say(error instanceof Stopped ? "stopped" : "error", error.message);
            }
        }
        this.end();
    }

    begin() {
        const { parts } = this;
        this.running = true;
        this.asked++;
        this.judged = false;
        this.swap(parts.run, parts.stop);
        this.say("running", "Running …");
        // An old report beside a new verdict would mislead.
        parts.next.replaceChildren();
        parts.report.fill();
        parts.lines.fill();
        const from = performance.now();
        this.clock = setInterval(() => { parts.clock.textContent = `${Math.round((performance.now() - from) / 1000)} s`; }, 1000);
    }

    end() {
        clearInterval(this.clock);
        this.running = false;
        this.parts.clock.textContent = "";
        this.swap(this.parts.stop, this.parts.run);
        if (!this.closed && this.parts.verdict.dataset.stale) {
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
        this.judged = true;
        this.say(verdict.kind, verdict.title, verdict.detail);
        if (verdict.score !== undefined) {
            this.kept.keepScore(verdict.score);
        }
        parts.next.replaceChildren(...this.nextStep(verdict));
        this.mark("run", verdict.diagnostics);
        parts.report.fill(this.pre(report.rendered));
        parts.report.fold.open = true;
        parts.lines.fill(...this.table(columns(report.lines ?? [])));
        // The verdict is what the reader waits for; nothing moves if it is in view.
        parts.panel.querySelector(".pg-bar").scrollIntoView({ block: "nearest" });
        parts.next.scrollIntoView({ block: "nearest" });
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
        const head = element("tr", {}, ...["line", ...titles, "source"].map((textContent) => element("th", { scope: "col", textContent })));
        return [element("div", { className: "pg-scroll", tabIndex: 0, role: "region", ariaLabel: "Counters by line" },
            element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows.map(row))))];
    }

    /** Puts marks of one kind into the editor, and all of that kind into the list below it. */
    mark(kind, diagnostics) {
        const { parts, element } = this;
        const own = diagnostics.filter(({ line }) => line);
        this.found = { ...this.found, [kind]: own };
        this.editor.mark(kind, own.map((one) => ({ ...one, message: [one.message, ...[one.help ?? []].flat()].join("\n") })));
        // A run repeats what the check has found.
        const known = new Set();
        const all = [...(this.found.run ?? []), ...(this.found.check ?? [])].filter(({ code, line, column }) => {
            const key = `${code} ${line} ${column}`;
            return !known.has(key) && known.add(key);
        });
        const text = all.length === 0 ? "" : `${all.length} ${all.length === 1 ? "message" : "messages"}, the first in line ${all[0].line}`;
        // Said again only if it changed: this is read out while the reader types.
        if (parts.count.textContent !== text) {
            parts.count.textContent = text;
        }
        parts.problems.replaceChildren(...all.map(({ line, column, severity, code, message }) => {
            const to = element("button", { type: "button", className: "pg-link", textContent: `line ${line}` });
            to.addEventListener("click", () => this.editor.show(line, column));
            const what = element("button", { type: "button", className: "pg-link", textContent: code, title: "What does this mean?" });
            what.addEventListener("click", () => this.explain(code));
            return element("li", {}, to, ` ${severity} [`, what, `]: ${message}`);
        }));
        if (all.length === 0) {
            parts.explained.hidden = true;
        }
    }

    async explain(term) {
        const { explained } = this.parts;
        const answer = await simulator.ask({ do: "explain", term }).catch((error) => ({ text: error.message }));
        explained.textContent = answer.text;
        explained.hidden = false;
        explained.focus();
    }

    /** One more hint with each press. */
    async hint() {
        const { parts, kernel, element } = this;
        const step = Math.min(this.hintsShown + 1, this.hints);
        const answer = await simulator.ask({ do: "hint", lab: kernel.lab, exercise: kernel.exercise, step })
            .catch((error) => ({ text: error.message, steps: this.hints }));
        if (step > this.hintsShown) {
            this.hintsShown = step;
            const text = element("pre", { className: "pg-text", tabIndex: -1, textContent: answer.text });
            parts.hints.fill(...parts.hints.body.childNodes, text);
        }
        parts.hint.textContent = step < this.hints ? `Hint ${step + 1} of ${this.hints}` : "Hints";
        parts.hints.fold.open = true;
        parts.hints.body.lastElementChild.focus();
    }

    reset() {
        // Gives the focus back to the button, so it comes first.
        this.parts.confirm.close();
        this.editor.replace(this.starter);
        if (this.parts.line) {
            this.parts.line.value = this.kernel.launch;
            this.kept.keepLine(null);
        }
        this.editor.focus();
        this.say("ready", "Reset.", "Ctrl-Z brings your text back.");
        this.judged = false;
    }

    close() {
        clearTimeout(this.pause);
        this.keep();
        this.closed = true;
        if (this.running) {
            this.stop();
        }
        window.removeEventListener("pagehide", this.leave);
        this.editor.close();
        this.parts.panel.remove();
        // Without an editor the simulator is not needed, and ended it gives its memory back.
        if (!document.querySelector(".pg-panel")) {
            simulator.stop();
        }
        this.onClose();
    }
}
