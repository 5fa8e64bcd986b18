// The playground's first part, on every page: buttons "Edit and run", and what the reader has reached. The editor and the simulator are
// loaded when a button is pressed, not before.
(() => {
    "use strict";

    // The other files are beside this one.
    const folder = new URL(".", document.currentScript.src);

    /** What the browser keeps for one kernel: its text and its last result. A browser may refuse to keep anything. */
    class Kept {
        constructor(name) {
            this.name = name;
        }

        #get(what) {
            try {
                return localStorage.getItem(`warplab:${this.name}:${what}`);
            } catch {
                return null;
            }
        }

        /** Keeps a text, or removes it if it is `null`; whether that worked. */
        #set(what, text) {
            const key = `warplab:${this.name}:${what}`;
            try {
                text === null ? localStorage.removeItem(key) : localStorage.setItem(key, text);
                return true;
            } catch {
                return false;
            }
        }

        text() { return this.#get("text"); }

        keepText(text) { return this.#set("text", text); }

        line() { return this.#get("line"); }

        keepLine(line) { return this.#set("line", line); }

        result() {
            try {
                const { score, best } = JSON.parse(this.#get("result"));
                return Number.isFinite(score) && Number.isFinite(best) ? { score, best } : null;
            } catch {
                return null;
            }
        }

        /** Keeps a score from 0 to 100, and the best so far. */
        keepScore(score) {
            const best = Math.max(score, this.result()?.best ?? 0);
            return this.#set("result", JSON.stringify({ score, best }));
        }

        /** In words, such as `passed 100/100`; empty if there is nothing. */
        state() {
            const result = this.result();
            const parts = [];
            if (result) {
                parts.push(result.best === 100 ? "passed 100/100" : `best so far ${result.best}/100`);
            }
            if (this.text() !== null) {
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
        const names = keys().map((key) => key.match(/^warplab:((lab-\d+)\/\w+):result$/)).filter(Boolean);
        const items = names.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, name, lab]) =>
            element("li", {}, element("a", { href: `${lab}.html`, textContent: name.replace("/", " ") }), `: ${new Kept(name).state()}`));
        if (items.length > 0) {
            place.replaceChildren(element("ul", {}, ...items));
        }
    }
})();
