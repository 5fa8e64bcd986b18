// Looks for the solutions in the playground's WebAssembly module, which must not carry any:
//
//     node labs/playground/solutions.mjs PLAYGROUND.wasm
//
// What gives a solution away is a line that neither a starter nor a hint has. It is looked for as text, however its blanks are, whether escaped, with
// 16 or 32 bits per character or backwards; in what base64 or hexadecimal digits say; and in what gzip, zlib, deflate or Brotli have compressed, wherever that
// begins. Data of other compressors cannot be read here: their signatures must not be there. Before that, the search is tried on parts of the module with a
// solution between them, in each of these forms.
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';

const [file, ...more] = process.argv.slice(2);
if (!file || more.length > 0) {
    console.error('usage: solutions.mjs PLAYGROUND.wasm');
    process.exit(2);
}
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Bytes of a line, blanks aside, that say enough. */
const ENOUGH = 16;

/** Lines of solutions that any kernel may have. */
const COMMON = ['__syncthreads();'];

/** How data begins that some other compressor made. */
const SIGNATURES = { Zstandard: [0x28, 0xb5, 0x2f, 0xfd], xz: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], bzip2: [0x31, 0x41, 0x59, 0x26, 0x53, 0x59], LZ4: [4, 0x22, 0x4d, 0x18] };

const files = folder => readdirSync(folder).map(name => join(folder, name))
    .flatMap(path => (statSync(path).isDirectory() ? files(path) : [path]));
const lines = text => text.split('\n').map(line => line.replace(/\s+/g, ''));
const solutions = readdirSync(join(root, 'solutions')).filter(name => name.startsWith('lab-'))
    .flatMap(name => files(join(root, 'solutions', name))).filter(path => path.endsWith('.cu'));

/** Lines that give a solution away, without their blanks, each with its file. */
function telling() {
    const found = new Map();
    const told = [...COMMON];
    for (const path of solutions) {
        const text = readFileSync(path, 'utf8');
        const parts = text.split(/^.*\/\/ (?:BEGIN|END) SOLUTION.*$/m);
        // A kernel without a part to be written is no exercise, and no reader gets any of its lines.
        const written = parts.length > 1 ? parts.filter((_, i) => i % 2 === 1) : parts;
        told.push(...parts.filter(part => !written.includes(part)));
        for (const line of written.flatMap(lines).filter(line => line.length >= ENOUGH)) {
            found.set(line, relative(root, path));
        }
    }
    const hints = files(join(root, 'labs')).filter(path => dirname(path).endsWith('hints'));
    told.push(...hints.map(path => readFileSync(path, 'utf8')));
    const known = told.map(text => lines(text).join('')).join('\n');
    return new Map([...found].filter(([line]) => !known.includes(line)));
}

/** What of a set of lines is in bytes. */
class Search {
    constructor(all) {
        this.byHead = new Map();
        this.files = all;
        for (const line of all.keys()) {
            const bytes = Buffer.from(line);
            const head = this.head(bytes, 0);
            this.byHead.set(head, [...(this.byHead.get(head) ?? []), bytes]);
        }
    }

    /** Eight bytes as a number, not each with one of its own. */
    head(bytes, at) {
        return Math.imul(bytes.readUInt32LE(at), 31) + bytes.readUInt32LE(at + 4) | 0;
    }

    lines(bytes) {
        const found = new Set();
        for (let at = 0; at + ENOUGH <= bytes.length; at++) {
            for (const line of this.byHead.get(this.head(bytes, at)) ?? []) {
                if (bytes.subarray(at, at + line.length).equals(line)) {
                    found.add(line.toString());
                }
            }
        }
        return found;
    }
}

/** Bytes without blanks, without those that are written as `\n`, and without the zeros of wide characters. */
function compact(bytes) {
    const kept = Buffer.alloc(bytes.length);
    let length = 0;
    for (let at = 0; at < bytes.length; at++) {
        const byte = bytes[at];
        if (byte === 0x5c && 'nrt'.includes(String.fromCharCode(bytes[at + 1]))) {
            at++;
        } else if (byte !== 0 && byte !== 0x5c && byte !== 0x20 && (byte < 9 || byte > 13)) {
            kept[length++] = byte;
        }
    }
    return kept.subarray(0, length);
}

/** What runs of digits say, read from each digit of a group on. */
function* digits(text, runs, encoding, group) {
    for (const [run] of text.matchAll(runs)) {
        for (let from = 0; from < group; from++) {
            yield Buffer.from(run.slice(from), encoding);
        }
    }
}

/** The most that is taken of what begins at a place, and of what it holds. */
const WINDOW = 1 << 16;
const LARGEST = 1 << 20;

/** Whether a block of deflate with codes of its own can begin there (RFC 1951, 3.2.7): the lengths of its first code must fill it exactly. */
function isDynamic(bytes, at) {
    if ((bytes[at] >> 1 & 3) !== 2 || at + 16 > bytes.length) {
        return false;
    }
    let bit = 3;
    const take = count => {
        let value = 0;
        for (let i = 0; i < count; i++, bit++) {
            value |= (bytes[at + (bit >> 3)] >> (bit & 7) & 1) << i;
        }
        return value;
    };
    const [literals, distances, count] = [take(5), take(5), take(4) + 4];
    if (literals > 29 || distances > 29) {
        return false;
    }
    let filled = 0;
    for (let i = 0; i < count; i++) {
        const length = take(3);
        filled += length > 0 ? 128 >> length : 0;
    }
    return filled === 128;
}

/** Bytes over which it is measured how evenly they are spread, and the bits per byte from which on they may be Brotli's: text has about 5, code 6. */
const SPREAD = 256;
const EVEN = 6.9;

/** For each place, whether what begins there is spread evenly. */
function even(bytes) {
    const term = Array.from({ length: SPREAD + 1 }, (_, n) => (n === 0 ? 0 : -n / SPREAD * Math.log2(n / SPREAD)));
    const counts = new Uint16Array(256);
    const is = new Uint8Array(bytes.length);
    let bits = 0;
    const count = (byte, by) => {
        bits -= term[counts[byte]];
        counts[byte] += by;
        bits += term[counts[byte]];
    };
    for (let at = 0; at < bytes.length; at++) {
        if (at >= SPREAD) {
            count(bytes[at - SPREAD], -1);
        }
        count(bytes[at], 1);
        if (at >= SPREAD - 1 && bits >= EVEN) {
            is[at - SPREAD + 1] = 1;
        }
    }
    return is;
}

/** All that can be unpacked from any place on. */
function* unpacked(bytes) {
    const options = { finishFlush: zlib.constants.Z_SYNC_FLUSH, maxOutputLength: LARGEST };
    const brotli = { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH, maxOutputLength: LARGEST };
    const isEven = even(bytes);
    for (let at = 0; at + 8 < bytes.length; at++) {
        const two = bytes.readUInt16BE(at);
        const ways = [
            two === 0x1f8b && bytes[at + 2] === 8 && [zlib.gunzipSync, options],
            (two & 0x8f20) === 0x0800 && two % 31 === 0 && [zlib.inflateSync, options],
            isDynamic(bytes, at) && [zlib.inflateRawSync, options],
            isEven[at] && [zlib.brotliDecompressSync, brotli],
        ];
        for (const [unpack, how] of ways.filter(Boolean)) {
            try {
                yield unpack(bytes.subarray(at, at + WINDOW), how);
            } catch {
                // Nothing begins here.
            }
        }
    }
}

const search = new Search(telling());

/** What gives a solution away in bytes, in words. */
function given(bytes) {
    const found = new Map();
    const look = (form, part) => search.lines(compact(part)).forEach(line => found.set(line, form));
    look('as text', bytes);
    look('backwards', Buffer.from(bytes).reverse());
    const text = compact(bytes).toString('latin1');
    for (const part of digits(text, /[A-Za-z0-9+/_-]{24,}/g, 'base64', 4)) {
        look('as base64', part);
    }
    for (const part of digits(text, /[0-9A-Fa-f]{32,}/g, 'hex', 2)) {
        look('as hexadecimal digits', part);
    }
    for (const part of unpacked(bytes)) {
        look('compressed', part);
    }
    const foreign = Object.entries(SIGNATURES).filter(([, signature]) => bytes.includes(Buffer.from(signature)));
    return [
        ...[...found].map(([line, form]) => `${search.files.get(line)} ${form}: ${line}`),
        ...foreign.map(([name]) => `what begins as ${name} does, which cannot be unpacked here`),
    ];
}

const module = readFileSync(file);
const begin = performance.now();

// The search finds what is there.
const telltale = readFileSync(join(root, 'solutions', 'lab-6-tiled-matmul', 'register_tiled.cu'), 'utf8');
const forms = {
    'as it is': telltale,
    'indented otherwise': telltale.replace(/^ +/gm, '\t'),
    'escaped': JSON.stringify(telltale),
    'with 16 bits per character': Buffer.from(telltale, 'utf16le'),
    'backwards': Buffer.from(telltale).reverse(),
    'as base64': Buffer.from(telltale).toString('base64'),
    'as base64 in lines': Buffer.from(` ${telltale}`).toString('base64').replace(/.{76}/g, '$&\n'),
    'as hexadecimal digits': Buffer.from(telltale).toString('hex'),
    'compressed by gzip': zlib.gzipSync(telltale),
    'compressed by zlib': zlib.deflateSync(telltale),
    'compressed by deflate': zlib.deflateRawSync(telltale),
    'compressed by Brotli': zlib.brotliCompressSync(telltale),
    'compressed by Zstandard': Buffer.from(SIGNATURES.Zstandard),
};
// Not the whole module each time: what is around a planted solution is the same for all.
const around = [module.subarray(0, 1 << 16), module.subarray(-(1 << 16))];
let missed = 0;
for (const [form, planted] of Object.entries(forms)) {
    if (given(Buffer.concat([around[0], Buffer.from(planted), around[1]])).length === 0) {
        console.error(`a solution ${form} is not found: the search is wrong`);
        missed++;
    }
}
const found = given(module);
found.forEach(words => console.error(`the module carries ${words}`));
console.log(`${search.files.size} lines of ${solutions.length} solutions looked for in ${module.length} bytes: ${found.length} found ` +
    `(${((performance.now() - begin) / 1000).toFixed(1)} s, ${Object.keys(forms).length} forms tried)`);
process.exit(found.length + missed > 0 || search.files.size < 300 ? 1 : 0);
