// The simulator as the page sees it: questions and answers, and a stop.

/** An error whose `help` the reader may see as it is. */
export class ReaderError extends Error {
    constructor(help) {
        super(help);
        this.help = help;
    }
}

/** What a question ends with when the reader stops the simulator. */
export class Stopped extends ReaderError {
    constructor() {
        super("Stopped.");
    }
}

const file = (name) => new URL(name, import.meta.url);

/** The module, compiled. It is kept, so that a new worker needs neither the network nor another compilation. */
const compiled = async () => {
    // A newer book is asked for each time; without a change the host answers in a few bytes.
    const response = await fetch(file("playground.wasm"), { cache: "no-cache" }).catch(() => {
        throw new ReaderError("The simulator could not be fetched: is there a connection? Press the button to try again.");
    });
    const missing = new ReaderError("This book was built without the playground's simulator. Run the kernel on your computer, as said here. " +
        "CONTRIBUTING.md says how to build a book that includes it.");
    if (!response.ok) {
        throw missing;
    }
    try {
        // Not every host knows the type of the file, and without it only bytes can be compiled.
        const isTyped = response.headers.get("content-type") === "application/wasm";
        return await (isTyped ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer()));
    } catch (error) {
        // Some hosts answer with a page where there is no file.
        throw error instanceof WebAssembly.CompileError ? missing : error;
    }
};

class Simulator {
    #module;
    #worker;
    #spare;
    #waiting = new Map();
    #asked = 0;

    /** Fetches and compiles it, once. */
    async load() {
        this.#module ??= compiled();
        await this.#module.catch((error) => {
            this.#module = undefined;
            throw error;
        });
        this.#spare ??= new Worker(file("worker.js"));
    }

    /** Sends a request; its answer. Throws a `ReaderError` with what the simulator says, or `Stopped`. */
    async ask(request) {
        const module = await this.#module;
        this.#worker ??= this.#started(module);
        const id = ++this.#asked;
        return new Promise((resolve, reject) => {
            this.#waiting.set(id, { resolve, reject });
            this.#worker.postMessage({ id, request });
        });
    }

    /** Ends what runs. The next question starts the worker that waits, so that this works without a network, too. */
    stop(error = new Stopped()) {
        this.#worker?.terminate();
        this.#worker = undefined;
        for (const { reject } of this.#waiting.values()) {
            reject(error);
        }
        this.#waiting.clear();
    }

    #started(module) {
        const worker = this.#spare ?? new Worker(file("worker.js"));
        this.#spare = new Worker(file("worker.js"));
        // Without a network there is no other one in store; then the next stop needs the network.
        this.#spare.onerror = ({ target }) => { if (this.#spare === target) { this.#spare = undefined; } };
        worker.onerror = ({ message }) => this.stop(new ReaderError(`The simulator's worker could not be started${message ? `: ${message}` : ""}. ` +
            "Without a connection it can be stopped once; connect and run again."));
        worker.onmessage = ({ data: { id, answer, trap } }) => {
            // An answer of a worker that was ended on its way here.
            if (!this.#waiting.has(id)) {
                return;
            }
            if (trap !== undefined) {
                this.stop(new ReaderError(`The simulator ended unexpectedly (${trap}). Your text is safe, and the next run starts a new simulator. ` +
                    "Please report the kernel that did this."));
                return;
            }
            const { resolve, reject } = this.#waiting.get(id);
            this.#waiting.delete(id);
            answer.error === undefined ? resolve(answer.ok) : reject(new ReaderError(answer.error));
        };
        worker.postMessage({ module });
        return worker;
    }
}

/** One for all editors of a page: it needs 64 MiB and more. */
export const simulator = new Simulator();
