// How long the playground takes, in node and in headless Chromium:
//
//     node labs/playground/measure.mjs PLAYGROUND.wasm ANSWERS.jsonl
//
// Each correct kernel of the answers is graded three times: in an instance of its own, which is what a reader waits for at first, and twice
// more in the same one. In node, times are CPU times of the process, which other programs of the computer hardly change; a browser has no
// such clock, so its times are elapsed times. CHROMIUM names the browser.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [module, answers] = process.argv.slice(2);
const bytes = readFileSync(module);
const requests = readFileSync(answers, 'utf8').split('\n').filter(Boolean).map(line => JSON.parse(line))
    .filter(({ request, answer }) => request.do === 'grade' && answer.ok?.score === 100)
    .map(({ request }) => request);

/** Compiles the module once and grades each request; runs in node and, as text, in a worker of a page. */
async function measured(bytes, requests) {
    const inNode = typeof process === 'object';
    const now = () => (inNode ? (process.cpuUsage().user + process.cpuUsage().system) / 1000 : performance.now());
    let begin = now();
    const compiled = await WebAssembly.compile(bytes);
    const compile = now() - begin;
    begin = now();
    await WebAssembly.instantiate(compiled, {});
    const instantiate = now() - begin;
    const times = [];
    for (const request of requests) {
        const { memory, lab_alloc, lab_free, lab_request } = (await WebAssembly.instantiate(compiled, {})).exports;
        const ask = () => {
            const text = new TextEncoder().encode(JSON.stringify(request));
            const at = lab_alloc(text.length);
            new Uint8Array(memory.buffer, at, text.length).set(text);
            const begin = now();
            const address = lab_request(at, text.length) >>> 0;
            const time = now() - begin;
            lab_free(address, 4 + new DataView(memory.buffer).getUint32(address, true));
            return time;
        };
        times.push({ name: `lab-${request.lab}/${request.exercise}`, first: ask(), second: ask(), third: ask(), mebibytes: memory.buffer.byteLength / 2 ** 20 });
    }
    return { compile, instantiate, times };
}

function print(where, { compile, instantiate, times }) {
    const ms = value => value.toFixed(0).padStart(7);
    console.log(`\n${where}: compiled in ${compile.toFixed(0)} ms, ready ${instantiate.toFixed(0)} ms later`);
    console.log('  ms:  first  second   third    MiB');
    for (const { name, first, second, third, mebibytes } of times) {
        console.log(`  ${ms(first)} ${ms(second)} ${ms(third)}${ms(mebibytes)}  ${name}`);
    }
    const slowest = times.reduce((a, b) => (a.first > b.first ? a : b));
    console.log(`  the slowest is ${slowest.name}, ${slowest.first.toFixed(0)} ms`);
}

const browser = process.env.CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

const worker = `${measured}
onmessage = async () => {
    const begin = performance.now();
    const bytes = await (await fetch('/playground.wasm')).arrayBuffer();
    const requests = await (await fetch('/requests')).json();
    const fetched = performance.now() - begin;
    postMessage({ fetched, ...(await measured(bytes, requests)) });
};`;
const page = `<!doctype html><script>
const worker = new Worker('/worker.js');
worker.onmessage = ({ data }) => fetch('/result', { method: 'POST', body: JSON.stringify({ ok: data }) });
worker.onerror = ({ message }) => fetch('/result', { method: 'POST', body: JSON.stringify({ error: message }) });
worker.postMessage(0);
</script>`;

/** Serves the page, opens it, and waits for what it posts. */
async function inBrowser() {
    const files = {
        '/': ['text/html', page],
        '/worker.js': ['text/javascript', worker],
        '/playground.wasm': ['application/wasm', bytes],
        '/requests': ['application/json', JSON.stringify(requests)],
    };
    let done;
    const result = new Promise(resolve => { done = resolve; });
    const server = createServer(async (request, response) => {
        const [type, body] = files[request.url] ?? ['text/plain', ''];
        response.writeHead(200, { 'content-type': type }).end(body);
        if (request.url === '/result') {
            const parts = [];
            for await (const part of request) parts.push(part);
            done(JSON.parse(Buffer.concat(parts).toString()));
        }
    });
    await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
    const profile = mkdtempSync(join(tmpdir(), 'playground-'));
    const child = spawn(browser, ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
        '--disable-background-networking', '--disable-component-update', '--disable-sync', `--user-data-dir=${profile}`,
        `http://127.0.0.1:${server.address().port}/`], { stdio: 'ignore' });
    const ended = new Promise(resolve => { child.on('exit', resolve); child.on('error', resolve); });
    const late = setTimeout(() => done({ error: 'no answer within five minutes' }), 300_000);
    const answer = await Promise.race([result, ended.then(() => ({ error: 'the browser ended' }))]);
    clearTimeout(late);
    child.kill();
    await ended;
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    if (answer.error) throw new Error(answer.error);
    return answer.ok;
}

print('node, CPU time', await measured(bytes, requests));
if (browser) {
    print('Chromium, elapsed time', await inBrowser());
} else {
    console.log('\nskipped: there is no Chromium; CHROMIUM names one');
}
process.exit(0);
