// The playground's first part, on every page: buttons "Edit and run", and what the reader has reached. The editor and the simulator are
// loaded when a button is pressed, not before.
(() => {
    "use strict";

    // The other files are beside this one.
    const folder = new URL(".", document.currentScript.src);

    // Where the book is on its host. Books on one host share what the browser keeps, so the name of each kept thing begins with this.
    const BOOK = `warplab:${new URL("..", document.currentScript.src).pathname}:`;

    /** The most earlier versions of a kernel, and the most characters that they take together. */
    const MAX_VERSIONS = 5;
    const MAX_VERSIONS_LENGTH = 50_000;

    /** A short text that tells apart the kernels that a result may be of (32-bit FNV-1a); `null` is the starter. */
    const digest = (text) => {
        let hash = 0x811c9dc5;
        for (const unit of text ?? "") {
            hash = Math.imul(hash ^ unit.codePointAt(0), 0x01000193);
        }
        return `${text?.length ?? "starter"}:${hash >>> 0}`;
    };

    /**
     * What the browser keeps for one kernel: `text` and launch `line` (`null`: as the page has it), `result`, and `versions`, which are earlier texts.
     * Other tabs write it, too. A browser may refuse to keep anything.
     */
    class Kept {
        constructor(name) {
            this.name = name;
        }

        key(what) { return `${BOOK}${this.name}:${what}`; }

        get(what, key = this.key(what)) {
            try {
                return localStorage.getItem(key);
            } catch {
                return null;
            }
        }

        /** Keeps a text, or removes it if it is `null`; whether that worked. */
        set(what, text) {
            try {
                text === null ? localStorage.removeItem(this.key(what)) : localStorage.setItem(this.key(what), text);
                return true;
            } catch {
                return false;
            }
        }

        #parsed(what) {
            try {
                return JSON.parse(this.get(what));
            } catch {
                return null;
            }
        }

        result() {
            const { score, best, digest } = this.#parsed("result") ?? {};
            return Number.isFinite(score) && Number.isFinite(best) ? { score, best, digest } : null;
        }

        /** Keeps the score of a text, from 0 to 100, and the best so far with the digest of its text. */
        keepScore(score, text) {
            const before = this.result();
            const isBest = !before || score >= before.best;
            return this.set("result", JSON.stringify({ score, best: isBest ? score : before.best, digest: isBest ? digest(text) : before.digest }));
        }

        /** Earlier texts with their launch lines and when they were replaced, the newest first. */
        versions() {
            const all = this.#parsed("versions");
            const versions = Array.isArray(all) ? all.filter((one) => one && [one.text, one.line].every((part) => part === null || typeof part === "string")) : [];
            // Kept before names had the book in them: by this book or another on its host, so it is only offered.
            const [text, line] = ["text", "line"].map((what) => this.get(what, `warplab:${this.name}:${what}`));
            return text === null ? versions : [...versions, { text, line, at: null }];
        }

        /** Makes a text with its launch line an earlier version; those that are kept now, before others take their place. */
        keepVersion(text = this.get("text"), line = this.get("line")) {
            if (text === null && line === null) {
                return;
            }
            const others = this.versions().filter((one) => one.at !== null && (one.text !== text || one.line !== line));
            const all = [{ text, line, at: Date.now() }, ...others].slice(0, MAX_VERSIONS);
            while (all.length > 1 && JSON.stringify(all).length > MAX_VERSIONS_LENGTH) {
                all.pop();
            }
            this.set("versions", JSON.stringify(all));
        }

        /** In words, such as `passed 100/100`; empty if there is nothing. */
        state() {
            const result = this.result();
            const text = this.get("text");
            const parts = [];
            if (result) {
                parts.push(result.best < 100 ? `best so far ${result.best}/100` :
                    `passed 100/100${result.digest === digest(text) ? "" : " (before your last change)"}`);
            }
            if (text !== null) {
                parts.push("your text is kept in this browser");
            }
            return parts.join(", ");
        }
    }

    /** An element with properties and children; texts become text, never HTML. */
    const element = (name, properties = {}, ...children) => {
        const made = document.createElement(name);
        for (const [key, value] of Object.entries(properties)) {
            key in made ? (made[key] = value) : made.setAttribute(key, value);
        }
        made.append(...children);
        return made;
    };

    const FROM_DISK = "The playground does not work on pages opened from a file, because browsers load no module or WebAssembly from there. " +
        "Serve the book instead, for example with `mdbook serve docs`, and open the address that it prints.";

    /** Puts the button into a place of a chapter. */
    const prepare = (place) => {
        const { lab, exercise, launch } = place.dataset;
        const isExercise = exercise !== undefined;
        const kernel = isExercise ? { lab: Number(lab), exercise } : { launch, file: place.dataset.file ?? "kernel.cu" };
        const name = isExercise ? `lab-${lab}/${exercise}` : `launch/${kernel.file}`;
        const kept = new Kept(name);
        const button = element("button", {
            type: "button", className: "pg-button pg-primary", textContent: `Edit and run ${exercise ?? kernel.file}`,
        });
        const state = element("span", { className: "pg-state", textContent: kept.state() });
        const message = element("p", { className: "pg-message", role: "status" });
        place.prepend(element("p", { className: "pg-start" }, button, " ", state), message);
        window.addEventListener("storage", () => { state.textContent = kept.state(); });

        const close = () => {
            place.classList.remove("is-open");
            state.textContent = kept.state();
            button.focus();
        };
        button.addEventListener("click", async () => {
            if (location.protocol === "file:") {
                message.textContent = FROM_DISK;
                return;
            }
            button.disabled = true;
            message.textContent = "Loading the editor and the simulator …";
            try {
                const { open } = await import(new URL("panel.js", folder));
                const code = place.querySelector("pre code")?.textContent ?? "";
                await open({ place, kernel: { ...kernel, name, code }, kept, element, close });
                message.textContent = "";
                place.classList.add("is-open");
            } catch (error) {
                // An error with `help` is one of ours; others are the browser's, of a file that did not come.
                message.textContent = error.help ?? `The playground could not be loaded (${error.message}). Try again, or reload the page.`;
            }
            button.disabled = false;
        });
    };

    document.querySelectorAll(".lab-playground").forEach(prepare);

    /** The names of all that is kept. */
    const keys = () => {
        try {
            return Object.keys(localStorage);
        } catch {
            return [];
        }
    };

    // What is reached so far, on the playground's own page.
    for (const place of document.querySelectorAll(".lab-progress")) {
        const nothing = [...place.childNodes];
        const list = () => {
            const own = keys().filter((key) => key.startsWith(BOOK)).map((key) => key.slice(BOOK.length));
            const names = own.map((key) => key.match(/^((lab-\d+)\/\w+):result$/)).filter(Boolean);
            const items = names.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, name, lab]) =>
                element("li", {}, element("a", { href: `${lab}.html`, textContent: name.replace("/", " ") }), `: ${new Kept(name).state()}`));
            place.replaceChildren(...(items.length > 0 ? [element("ul", {}, ...items)] : nothing));
        };
        list();
        window.addEventListener("storage", list);
    }
})();
