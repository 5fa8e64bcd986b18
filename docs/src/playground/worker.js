// Runs the simulator away from the page, so that the page stays awake and can end this worker at any time.
// The first message is the compiled module, each later one a request `{ id, request }`; the answer has the same `id`.

let instance;

/** One request to the module: JSON in, JSON out, both as a length and bytes in its memory. */
const answer = (request) => {
    const { memory, lab_alloc, lab_free, lab_request } = instance.exports;
    const bytes = new TextEncoder().encode(JSON.stringify(request));
    const at = lab_alloc(bytes.length) >>> 0;
    if (at === 0) {
        return { error: "There is not enough memory for this text." };
    }
    new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
    const found = lab_request(at, bytes.length) >>> 0;
    // The memory may have grown, so its buffer is asked for again.
    const length = new DataView(memory.buffer).getUint32(found, true);
    const text = new TextDecoder().decode(new Uint8Array(memory.buffer, found + 4, length));
    lab_free(found, 4 + length);
    return JSON.parse(text);
};

self.addEventListener("message", ({ data }) => {
    if (data.module) {
        instance = new WebAssembly.Instance(data.module, {});
        return;
    }
    try {
        self.postMessage({ id: data.id, answer: answer(data.request) });
    } catch (error) {
        // A trap: the instance may be used no more, and the page replaces this worker.
        self.postMessage({ id: data.id, trap: String(error) });
    }
});
