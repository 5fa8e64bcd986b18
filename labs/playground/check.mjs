// Asks the playground's WebAssembly module what the tests have asked the library, and compares the answers, every character of them:
//
//     node labs/playground/check.mjs PLAYGROUND.wasm ANSWERS.jsonl…
//
// A line of the files is an object with a `request` and its `answer`. Nothing is left out of the comparison: neither has a clock, and
// the functions that differ between platforms come from `libm` on both.
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

const [module, ...files] = process.argv.slice(2);
if (files.length === 0) {
    console.error('usage: check.mjs PLAYGROUND.wasm ANSWERS.jsonl…');
    process.exit(2);
}

let begin = performance.now();
const { instance } = await WebAssembly.instantiate(readFileSync(module), {});
console.log(`ready after ${(performance.now() - begin).toFixed(0)} ms`);
const { memory, lab_alloc, lab_free, lab_request } = instance.exports;

/** The text of the answer to a request. */
function ask(request) {
    const bytes = typeof request === 'string' ? new TextEncoder().encode(request) : request;
    const at = lab_alloc(bytes.length);
    if (at === 0) throw new Error(`no memory for ${bytes.length} bytes`);
    new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
    const address = lab_request(at, bytes.length) >>> 0;
    const length = new DataView(memory.buffer).getUint32(address, true);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array(memory.buffer, address + 4, length));
    lab_free(address, 4 + length);
    return text;
}

/** The first place where two values differ, or nothing. */
function difference(place, ours, theirs) {
    if (typeof ours !== typeof theirs || typeof ours !== 'object' || ours === null || theirs === null) {
        return ours === theirs ? null : `${place}: ${JSON.stringify(ours)}, but the library says ${JSON.stringify(theirs)}`;
    }
    for (const key of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
        const found = difference(`${place}.${key}`, ours[key], theirs[key]);
        if (found) return found;
    }
    return null;
}

/** What a request is about, in a line. */
function title(request) {
    const { do: verb, lab, exercise, line, file, term } = request;
    return [verb, lab && `lab-${lab}/${exercise}`, line ?? file ?? term].filter(Boolean).join(' ').slice(0, 60);
}

let wrong = 0;
let asked = 0;
for (const file of files) {
    for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
        const { request, answer } = JSON.parse(line);
        // The library's answer as text: what stands behind `"answer":`, because numbers of 64 bits are more than a script's.
        begin = performance.now();
        const text = ask(JSON.stringify(request));
        const time = performance.now() - begin;
        asked += 1;
        const same = line.startsWith(`{"answer":${text},`);
        const score = answer.ok?.score === undefined ? '' : ` ${answer.ok.score}/100`;
        console.log(`${same ? 'same     ' : 'DIFFERENT'} ${time.toFixed(0).padStart(6)} ms  ${title(request)}${score}`);
        if (!same) {
            wrong += 1;
            console.log(`          ${difference('answer', JSON.parse(text), answer) ?? 'digits that a script rounds'}`);
        }
    }
}

// What is no request at all gets an answer too.
const nothing = [new Uint8Array(), Uint8Array.of(0xff, 0xfe), '{', 'null', '{"do":"list"}x', '['.repeat(1e6), '{"do":'.repeat(1e5)];
for (const bytes of nothing) {
    if (typeof JSON.parse(ask(bytes)).error !== 'string') {
        wrong += 1;
        console.log(`DIFFERENT  no error for ${String(bytes).slice(0, 40)}`);
    }
}
console.log(`${asked} answers, ${wrong} different; ${memory.buffer.byteLength / 2 ** 20} MiB of memory`);
process.exit(wrong === 0 && asked > 0 ? 0 : 1);
