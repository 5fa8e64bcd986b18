// What the tests of the book in a browser are made of: a host for the book, readers with a page, and how tests are run.
//
// The browser is Debian's Chromium, or the one that CHROMIUM names. A request to anywhere but the book fails.
import { AsyncLocalStorage } from "node:async_hooks";
import { createServer } from "node:http";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, extname, join, normalize, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { policy } from "./policy.mjs";

const here = dirname(fileURLToPath(import.meta.url));
export const book = resolve(process.argv[2] ?? join(here, "..", "book"));
export const shots = resolve(process.argv[3] ?? join(here, "..", "..", "target", "book-screenshots"));
const wanted = process.argv[4] ?? "";
const hasSimulator = existsSync(join(book, "playground", "playground.wasm"));
/** Tests that run at a time. */
const AT_ONCE = Number(process.env.AT_ONCE ?? 2);
mkdirSync(shots, { recursive: true });

export const pages = readdirSync(book).filter((name) => name.endsWith(".html") && !["404.html", "toc.html", "print.html"].includes(name));
export const THEMES = ["light", "rust", "coal", "navy", "ayu"];

export const WIDE = { width: 1280, height: 900 };
export const PHONE = { width: 390, height: 844 };
export const TYPES = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".wasm": "application/wasm",
    ".json": "application/json", ".png": "image/png", ".woff2": "font/woff2", ".txt": "text/plain",
};

const POLICY = policy(book);

/** Serves the book with a policy, in `/one/` and `/two/` as well; `without` is a file that is not there, `module` another simulator. Keeps what is asked for. */
export const serve = async ({ csp = POLICY, without = null, types = TYPES, module = null } = {}) => {
    const asked = [];
    const server = createServer((request, response) => {
        const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname)).replace(/^\/(one|two)(?=\/)/, "").replace(/\/$/, "/index.html");
        const file = join(book, path);
        asked.push(path);
        if (module && path.endsWith(".wasm")) {
            response.writeHead(200, { "content-type": "application/wasm", "content-security-policy": csp }).end(module);
            return;
        }
        if (path === without || !existsSync(file) || !statSync(file).isFile()) {
            response.writeHead(404).end();
            return;
        }
        response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream", "content-security-policy": csp });
        response.end(readFileSync(file));
    });
    await new Promise((done) => { server.listen(0, "127.0.0.1", done); });
    const at = `http://127.0.0.1:${server.address().port}`;
    return { at, asked, close: () => server.close() };
};

const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync"],
});

/** The test under way, of those that run at a time: what it opened, and what it has to say. */
const current = new AsyncLocalStorage();

/** A browser's context for the test under way. */
export const opening = async (options) => {
    const context = await browser.newContext(options);
    current.getStore().contexts.push(context);
    return context;
};

/** A page of a new reader. What its console shows, and each request that leaves the book, is kept in `wrong`. */
export const reader = async (site, viewport = WIDE, more = {}) => {
    const context = await opening({ viewport, ...more });
    const page = await context.newPage();
    // Much longer than a press takes: the machine may be busy, and the module one that was built quickly.
    page.setDefaultTimeout(30_000);
    const wrong = [];
    page.on("console", (message) => wrong.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
    page.on("request", (request) => {
        if (!request.url().startsWith(site.at) && !request.url().startsWith("data:")) {
            wrong.push(`a request leaves the book: ${request.url()}`);
        }
    });
    return { page, context, wrong };
};

/** Texts inside of an element whose contrast with what is behind them is below 4.5, in words. Runs in the page. */
export const weak = (root) => {
    const numbers = (color) => color.match(/[\d.]+/g).map(Number);
    const luminance = (color) => numbers(color).slice(0, 3).map((c) => c / 255)
        .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const backs = new Map();
    const behind = (element) => {
        if (!element) {
            return "rgb(255, 255, 255)";
        }
        if (!backs.has(element)) {
            const color = getComputedStyle(element).backgroundColor;
            backs.set(element, (numbers(color)[3] ?? 1) > 0.99 ? color : behind(element.parentElement ?? element.getRootNode().host));
        }
        return backs.get(element);
    };
    const found = [];
    const editors = [...root.querySelectorAll(".pg-editor")].flatMap(({ shadowRoot }) => [...shadowRoot?.querySelectorAll("*") ?? []]);
    for (const element of [...root.querySelectorAll("*"), ...editors]) {
        const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
        if (!own || element.closest("svg, script, style") || !element.getClientRects().length) {
            continue;
        }
        const [one, other] = [luminance(getComputedStyle(element).color), luminance(behind(element))];
        const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
        if (contrast < 4.5) {
            found.push(`${element.localName}.${element.className} ${element.textContent.trim().slice(0, 30)}: ${contrast.toFixed(2)}`);
        }
    }
    return found;
};

/** Adds a line to what the test under way says. */
export const say = (line) => current.getStore().lines.push(`    ${line}`);

const tests = [];
export const test = (name, run) => tests.push({ name, run });
export const inPlayground = (name, run) => test(`playground: ${name}`, hasSimulator ? run : null);

/** Runs a test; what it has to say, and whether it failed. */
const ran = async ({ name, run }, number) => {
    const store = { contexts: [], lines: [] };
    const begin = performance.now();
    let failed = false;
    try {
        await current.run(store, run);
        store.lines.push(`ok    ${name} (${((performance.now() - begin) / 1000).toFixed(1)} s)`);
    } catch (error) {
        failed = true;
        store.lines.push(`FAILED ${name}\n${error.stack}`);
        const page = store.contexts.at(-1)?.pages()[0];
        await page?.screenshot({ path: join(shots, `failed-${number}.png`) }).catch(() => {});
    }
    // Those that a failed test left open would take time from the others.
    await Promise.all(store.contexts.map((context) => context.close().catch(() => {})));
    return { failed, lines: store.lines };
};

/** Runs the tests, and ends the process. */
export const runTests = async () => {
    if (!hasSimulator) {
        console.log("NOT TESTED: the playground itself, because this book has no playground.wasm");
    }
    // Each has contexts and servers of its own, and what they say is printed in the order in which they stand in the file.
    const chosen = tests.filter(({ name, run }) => run && name.includes(wanted));
    const results = chosen.map(() => { const one = {}; one.promise = new Promise((resolve) => { one.resolve = resolve; }); return one; });
    let next = 0;
    const worker = async () => {
        while (next < chosen.length) {
            const at = next++;
            results[at].resolve(await ran(chosen[at], at + 1));
        }
    };
    const workers = Array.from({ length: AT_ONCE }, worker);
    let failures = 0;
    for (const { promise } of results) {
        const { failed, lines } = await promise;
        lines.forEach((line) => console.log(line));
        failures += failed ? 1 : 0;
    }
    await Promise.all(workers);
    await browser.close();
    // A server that a failed test left open must not hold the process.
    process.exit(failures > 0 ? 1 : 0);
};
