// The book in a headless browser: `npm test -- ../book [FOLDER FOR SCREENSHOTS] [WORD OF A TEST'S NAME]`.
//
// Every page at two widths and on paper, every link, the figures' colours, the search, and the playground as a reader uses it: with keys and the mouse, and
// with the real simulator, if the book has one.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { inflateSync } from "node:zlib";
import { STRICT } from "./policy.mjs";
import "./reading.mjs";
import { PHONE, THEMES, TYPES, WIDE, book, inPlayground, opening, pages, reader, runTests, say, serve, shots, test, weak } from "./testing.mjs";

/** How red the only pixel of a PNG is, 0 to 255. */
const red = (png) => {
    const data = [];
    // After eight bytes of signature: length, type, data and checksum of each part.
    for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
        if (png.toString("latin1", at + 4, at + 8) === "IDAT") {
            data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
        }
    }
    // A byte that says how the row is filtered stands before its pixels.
    return inflateSync(Buffer.concat(data))[1];
};

/** Chooses a theme as a reader does. */
const choose = async (page, theme) => {
    if (!await page.locator("#mdbook-theme-list").isVisible()) {
        await page.click("#mdbook-theme-toggle");
    }
    await page.click(`#mdbook-theme-${theme}`);
};

/** What sticks out of its page, or is cut off, in words. Runs in the page. */
const clipped = () => {
    const found = [];
    const width = document.documentElement.clientWidth;
    const say = (element, what) => found.push(`${element.tagName.toLowerCase()}.${element.className?.baseVal ?? element.className}: ` +
        `${element.textContent.trim().slice(0, 50)}: ${what}`);
    const scrolls = (element) => {
        for (let at = element; at && at !== document.body; at = at.parentElement) {
            // mdBook's content box scrolls too, but nothing should need that.
            if (/auto|scroll/.test(getComputedStyle(at).overflowX) && !at.classList.contains("content")) {
                return true;
            }
        }
        return false;
    };
    const content = document.querySelector(".content");
    if (document.documentElement.scrollWidth > width || content.scrollWidth > content.clientWidth) {
        found.push(`the page is wider than the window: ${document.documentElement.scrollWidth}, ${content.scrollWidth} > ${content.clientWidth}`);
    }
    for (const element of content.querySelectorAll("main *")) {
        const box = element.getBoundingClientRect();
        const style = getComputedStyle(element);
        if (box.width === 0 || style.visibility === "hidden" || element.closest("svg") || element.closest(".buttons")) {
            continue;
        }
        if ((box.right > width + 1 || box.left < -1) && !scrolls(element)) {
            say(element, `from ${box.left} to ${box.right} of ${width}`);
        }
        // A field scrolls with its cursor.
        if (/hidden|clip/.test(style.overflowX) && element.localName !== "input" && element.scrollWidth > element.clientWidth + 1) {
            say(element, `cut off at ${element.clientWidth} of ${element.scrollWidth}`);
        }
    }
    return found;
};

/** The places and links of a page. Runs in the page. */
const linked = () => ({
    ids: [...document.querySelectorAll("[id], a[name]")].flatMap((e) => [e.id, e.name]).filter((id) => typeof id === "string"),
    links: [...document.querySelectorAll("a[href]")].map((a) => a.href),
});

/** What is wrong with a page on paper, in words. Runs in the page. */
const onPaper = () => {
    window.dispatchEvent(new Event("beforeprint"));
    const shown = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.getClientRects().length && !e.closest("svg, .buttons"));
    return [
        ...shown("main *").filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map((e) => `too wide: ${e.outerHTML.slice(0, 90)}`),
        ...shown("main details:not([open])").map((e) => `folded: ${e.textContent.slice(0, 50)}`),
        ...shown(".lab-playground button").map((e) => `a button: ${e.textContent}`),
    ];
};

/** Text of a page that its source meant as code or as a formula, and that Markdown read otherwise. Runs in the page. */
const misread = () => {
    const found = [];
    const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const { data, parentElement } = texts.currentNode;
        if (!parentElement.closest("pre, code, svg, script, style") && /[`*]/.test(data)) {
            found.push(`a sign of Markdown: ${data.trim()}`);
        }
    }
    for (const part of document.querySelectorAll("main em, main strong")) {
        const [before, after] = [part.previousSibling?.textContent.at(-1) ?? " ", part.nextSibling?.textContent[0] ?? " "];
        if (/[=+*^]|^\s|\s$/.test(part.textContent) || /[\w)\]]/.test(before) || /[\w([]/.test(after)) {
            found.push(`emphasis in a formula: ${before}${part.outerHTML}${after}`);
        }
    }
    return found;
};

test("every page: code and formulas are read as such", async () => {
    const site = await serve();
    const { page, context } = await reader(site);
    const found = [];
    for (const name of pages) {
        await page.goto(`${site.at}/${name}`, { waitUntil: "domcontentloaded" });
        found.push(...(await page.evaluate(misread)).map((text) => `${name}: ${text}`));
    }
    assert.deepEqual(found, []);
    await context.close();
    site.close();
});

test("every page: nothing clipped at two widths and on paper, no error, pictures there, links valid", async () => {
    const site = await serve();
    const { page, wrong, context } = await reader(site);
    const found = new Map();
    for (const name of pages) {
        await page.setViewportSize(WIDE);
        await page.goto(`${site.at}/${name}`, { waitUntil: "load" });
        found.set(name, await page.evaluate(linked));
        const shot = async (label) => page.screenshot({ path: join(shots, `${name.replace(".html", "")}-${label}.jpg`), type: "jpeg", quality: 60 });
        await shot("1280");
        await page.evaluate(() => document.querySelectorAll("details").forEach((part) => { part.open = true; }));
        assert.deepEqual(await page.evaluate(clipped), [], `${name} at 1280`);
        // A telephone, whose sidebar is closed when the page is loaded.
        await page.setViewportSize(PHONE);
        await page.reload({ waitUntil: "load" });
        await shot("390");
        await page.evaluate(() => document.querySelectorAll("details").forEach((part) => { part.open = true; }));
        assert.deepEqual(await page.evaluate(clipped), [], `${name} at 390`);
        const broken = await page.evaluate(() => [...document.images].filter((i) => i.complete && i.naturalWidth === 0).map((i) => i.src));
        assert.deepEqual(broken, [], name);
        // 180 mm of paper at 96 pixels per inch.
        await page.setViewportSize({ width: 680, height: 960 });
        await page.emulateMedia({ media: "print" });
        await page.evaluate(() => document.querySelectorAll("details").forEach((part) => { part.open = false; }));
        assert.deepEqual(await page.evaluate(onPaper), [], `${name} on paper`);
        await page.emulateMedia({ media: "screen" });
        assert.deepEqual(wrong, [], name);
    }
    let count = 0;
    for (const [name, { links }] of found) {
        for (const link of links.filter((link) => link.startsWith(site.at))) {
            const { pathname, hash } = new URL(link);
            const target = decodeURIComponent(pathname.slice(1)) || "index.html";
            assert.ok(existsSync(join(book, target)), `${name}: ${link} leads nowhere`);
            if (hash && found.has(target)) {
                assert.ok(found.get(target).ids.includes(decodeURIComponent(hash.slice(1))), `${name}: ${link} leads to no place of that page`);
            }
            count++;
        }
    }
    assert.ok(count > 1000, `only ${count} links found: is this test still looking at the pages?`);
    await page.goto(`${site.at}/lab-1.html`);
    const paper = await page.pdf({ path: join(shots, "lab-1.pdf"), format: "A4" });
    assert.ok(paper.length > 50_000, `a PDF of ${paper.length} bytes`);
    await context.close();
    site.close();
    say(`${pages.length} pages, ${count} links`);
});

test("figures follow the theme that is chosen in the book", async () => {
    const site = await serve();
    for (const colorScheme of ["light", "dark"]) {
        const { page, context } = await reader(site, WIDE, { colorScheme });
        await page.goto(`${site.at}/lab-7.html`);
        const figure = page.locator("main figure").first();
        for (const theme of THEMES) {
            await choose(page, theme);
            // The figure's own background, near its corner, in a picture of one pixel.
            await figure.scrollIntoViewIfNeeded();
            const box = await figure.boundingBox();
            const png = await page.screenshot({ clip: { x: Math.round(box.x) + 3, y: Math.round(box.y) + 3, width: 1, height: 1 } });
            const isLight = red(png) > 128;
            assert.equal(isLight, theme === "light" || theme === "rust", `${theme}, with a system that prefers ${colorScheme}`);
        }
        await context.close();
    }
    site.close();
});

test("the search leads to what explains a diagnostic code", async () => {
    const site = await serve();
    const { page, wrong, context } = await reader(site);
    await page.goto(`${site.at}/lab-1.html`, { waitUntil: "networkidle" });
    assert.ok(!site.asked.includes("/codes.js"), "codes are loaded before a search");
    const found = page.locator("#mdbook-searchresults li.code-result");
    /** Types into the search, and waits for a code, or for mdBook's results alone. */
    const searched = async (text, code) => {
        await page.fill("#mdbook-searchbar", "");
        await page.locator("#mdbook-searchbar").pressSequentially(text);
        await (code ? found.first().getByText(code, { exact: true }) : page.locator("#mdbook-searchresults li:not(.code-result)").first()).waitFor();
        return found.allInnerTexts();
    };
    await page.keyboard.press("s");
    // A code with a section, one with a row of a table, one that is pasted from a report, and the beginning of one.
    for (const [text, code, place] of [
        ["shared-memory-race", "shared-memory-race", "shared-memory-race"], ["kernel-result", "kernel-result", "kernel-result"],
        ["error[out-of-bounds]", "out-of-bounds", "out-of-bounds"], ["undeclared n", "undeclared-name", "undeclared-name"], ["NO-THIS", "no-this", "no-this"],
    ]) {
        const [first, ...others] = await searched(text, code);
        assert.match(first, new RegExp(`^${code}\\s+\\S.{10}`), "the code has no title");
        assert.ok(others.length < 5, others.join());
        assert.equal(await found.first().locator("a").evaluate((a) => a.href), `${site.at}/messages.html#${place}`);
    }
    for (const text of ["coalescing", "bank conflict", "halo"]) {
        assert.deepEqual(await searched(text), [], text);
    }
    // By keys: the first result, and from there to the row.
    await searched("kernel-result", "kernel-result");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${site.at}/messages.html#kernel-result`);
    await page.waitForFunction(() => document.readyState === "complete");
    assert.ok(await inView(page.locator("[id='kernel-result']")), "the row is out of view");
    // A page that is opened with a search: this book's script may run after the bar is in focus, and before.
    for (const late of [false, true]) {
        await page.route(/look[^/]*\.js$/, async (route) => {
            await (late && page.waitForFunction(() => document.activeElement?.id === "mdbook-searchbar"));
            await route.continue();
        });
        await page.goto(`${site.at}/messages.html?search=hip-file`);
        await found.first().waitFor();
        await page.unroute(/look[^/]*\.js$/);
    }
    // Every code has a place in its page.
    const codes = await page.evaluate(() => window.diagnosticCodes);
    assert.ok(codes.length > 200, `only ${codes.length} codes`);
    for (const name of new Set(codes.map(([, place]) => place.split("#")[0]))) {
        await page.goto(`${site.at}/${name}`);
        const { ids } = await page.evaluate(linked);
        const missing = codes.filter(([, place]) => place.startsWith(`${name}#`) && !ids.includes(place.split("#")[1]));
        assert.deepEqual(missing, [], name);
    }
    assert.deepEqual(wrong, []);
    await context.close();
    site.close();
});

/** Opens the playground of an exercise, or of the launch line; its element. */
const opened = async (page, selector) => {
    const place = page.locator(`.lab-playground${selector}`);
    await place.locator(".pg-start button").click();
    await place.locator(".cm-content").waitFor();
    return place;
};
const EXERCISE = (lab, name) => `[data-lab="${lab}"][data-exercise="${name}"]`;

/** Runs, and waits for the verdict; its text. */
const verdict = async (place) => {
    await place.page().keyboard.press("Control+Enter");
    // The module may be one that was built quickly, and is slow.
    await place.locator('.pg-verdict:not([data-kind="running"]):not([data-kind="ready"])').waitFor({ timeout: 90_000 });
    return place.locator(".pg-verdict").innerText();
};

/** The text in the editor, line by line, as a reader sees it. */
const lines = async (place) => place.locator(".cm-line").allInnerTexts();

/** Replaces the whole text as a reader who pastes another. */
const paste = async (place, text) => {
    await place.locator(".cm-content").focus();
    await place.page().keyboard.press("Control+a");
    await place.locator(".cm-content").evaluate((element, text) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData("text/plain", text);
        element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }, text);
};

/** Puts the cursor at the end of a line, as a reader who scrolls to it. */
const endOf = async (place, text) => {
    const page = place.page();
    const line = place.locator(".cm-line", { hasText: text });
    // Lines out of view are not in the page.
    await place.locator(".cm-content").focus();
    await page.keyboard.press("Control+Home");
    for (let pages = 0; await line.count() === 0; pages++) {
        assert.ok(pages < 20, `no line has ${text}`);
        await page.keyboard.press("PageDown");
        await page.waitForTimeout(50);
    }
    await line.click();
    // Of a line that is broken in the window, the first press finds the end of a part.
    await page.keyboard.press("End");
    await page.keyboard.press("End");
};

/** Whether an element is wholly inside of the window. */
const inView = (locator) => locator.evaluate((element) => {
    const { top, bottom, left, right } = element.getBoundingClientRect();
    return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
});

test("a book without the simulator says so, and nothing is loaded before the press", async () => {
    const site = await serve({ without: "/playground/playground.wasm" });
    const { page, context } = await reader(site, PHONE);
    await page.goto(`${site.at}/lab-1.html`, { waitUntil: "networkidle" });
    assert.deepEqual(site.asked.filter((path) => /panel|simulator|editor|worker|wasm/.test(path)), []);
    const place = page.locator(".lab-playground").first();
    assert.match(await place.innerText(), /On your computer: cargo lab run 1 naive/);
    await place.locator("button").click();
    await page.waitForFunction(() => /built without the playground/.test(document.querySelector(".pg-message").textContent));
    assert.equal(await place.locator(".pg-panel").count(), 0);
    await context.close();
    site.close();
});

test("a simulator that ends unexpectedly is replaced, and the text is safe", async () => {
    // A module whose answer to every request is a trap.
    const section = (id, ...bytes) => [id, bytes.length, ...bytes];
    const name = (text, ...kind) => [text.length, ...Buffer.from(text), ...kind];
    const module = Buffer.from([
        0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
        // Types: one number to one, two to none, two to one.
        ...section(1, 3, 0x60, 1, 0x7f, 1, 0x7f, 0x60, 2, 0x7f, 0x7f, 0, 0x60, 2, 0x7f, 0x7f, 1, 0x7f),
        ...section(3, 3, 0, 1, 2), ...section(5, 1, 0, 1),
        ...section(7, 4, ...name("memory", 2, 0), ...name("lab_alloc", 0, 0), ...name("lab_free", 0, 1), ...name("lab_request", 0, 2)),
        // Bodies: the number 16, nothing, and `unreachable`.
        ...section(10, 3, 4, 0, 0x41, 16, 0x0b, 2, 0, 0x0b, 3, 0, 0, 0x0b),
    ]);
    const site = await serve({ module });
    const { page, context } = await reader(site);
    await page.goto(`${site.at}/playground.html`);
    const place = await opened(page, "[data-launch]");
    await paste(place, "// mine\n");
    for (let run = 0; run < 3; run++) {
        assert.match(await verdict(place), /ended unexpectedly .*unreachable/);
    }
    assert.deepEqual(await lines(place), ["// mine", "\n"]);
    await page.waitForTimeout(500);
    assert.equal(await page.evaluate(() => localStorage.getItem("warplab:/:launch/saxpy.cu:text")), "// mine\n");
    await context.close();
    site.close();
});

test("without JavaScript the chapter has its commands", async () => {
    const site = await serve();
    const { page, context } = await reader(site, PHONE, { javaScriptEnabled: false });
    await page.goto(`${site.at}/lab-1.html`);
    assert.match(await page.locator(".lab-playground").first().innerText(), /^On your computer: cargo lab run 1 naive\.$/);
    assert.equal(await page.locator(".lab-playground button").count(), 0);
    await context.close();
    site.close();
});

test("a page opened from a file says what to do", async () => {
    const context = await opening({ viewport: PHONE });
    const page = await context.newPage();
    await page.goto(pathToFileURL(join(book, "lab-1.html")).href);
    await page.locator(".lab-playground button").first().click();
    assert.match(await page.locator(".pg-message").first().innerText(), /mdbook serve docs/);
    await context.close();
});

inPlayground("every exercise opens with its starter, and the first one of each lab is graded", async () => {
    const site = await serve();
    let count = 0;
    const times = { open: [], run: [] };
    for (const name of pages.filter((name) => /^lab-\d\.html$/.test(name))) {
        const { page, wrong, context } = await reader(site);
        await page.goto(`${site.at}/${name}`);
        const places = await page.locator(".lab-playground").evaluateAll((all) => all.map(({ dataset }) => [dataset.lab, dataset.exercise]));
        assert.ok(places.length > 0, name);
        for (const [lab, exercise] of places) {
            const begin = performance.now();
            const place = await opened(page, EXERCISE(lab, exercise));
            times.open.push(performance.now() - begin);
            const first = place.locator(".cm-activeLine");
            assert.match(await first.innerText(), /\/\/ TODO/, `lab ${lab} ${exercise}`);
            assert.ok(await inView(first), `lab ${lab} ${exercise}: the first task is out of view`);
            await page.keyboard.press("Control+Home");
            assert.match((await lines(place))[0], new RegExp(`^// Lab ${lab}, ${exercise}\\b.*… \\d+ more lines$`));
            if (exercise === places[0][1]) {
                const start = performance.now();
                assert.match(await verdict(place), /^FAILED \d+\/100/, `lab ${lab} ${exercise}`);
                times.run.push(performance.now() - start);
                assert.match(await place.locator("details").first().innerText(), /FAILED/);
            }
            await place.getByRole("button", { name: "Close" }).click();
            count++;
        }
        assert.deepEqual(wrong, [], name);
        await context.close();
    }
    site.close();
    const longest = (all) => `${(Math.max(...all) / 1000).toFixed(2)} s at most`;
    say(`${count} exercises; from the press to the editor ${longest(times.open)}, a starter's grade ${longest(times.run)}`);
});

inPlayground("lab 1 is solved by typing, with a mistake first, on a phone", async () => {
    const site = await serve();
    const { page, wrong, context } = await reader(site, PHONE);
    await page.goto(`${site.at}/lab-1.html`);
    const place = await opened(page, EXERCISE(1, "naive"));
    // From the end of the marked lines on, as a reader writes: the editor indents.
    const todo = async (text, written) => {
        await endOf(place, text);
        for (const part of written) {
            await page.keyboard.press("Enter");
            await page.keyboard.type(part);
        }
    };
    await todo("TODO (1 line)", ["#define LOADS_AT_RADIUS_3 14"]);
    // A semicolon is missing: it is marked without a run.
    await todo("TODO (10 lines)", ["if (i >= n) return", "float sum = 0.0f;"]);
    await place.locator(".pg-problems li").first().waitFor();
    assert.match(await place.locator(".pg-problems").innerText(), /missing-semicolon/);
    assert.ok(await place.locator(".cm-lint-marker-error").count() > 0, "no mark beside the line");
    assert.match(await place.locator(".pg-messages").innerText(), /^\d+ messages?, the first in line \d+$/);
    await endOf(place, "if (i >= n) return");
    await page.keyboard.type(";");
    await place.locator(".pg-problems", { hasNotText: "missing-semicolon" }).waitFor({ state: "attached" });
    // A mistake of thought: the window of the first elements begins before the array.
    await endOf(place, "float sum = 0.0f;");
    for (const part of ["for (int j = 0; j <= 2 * radius; j++) {", "sum += weights[j] * in[i - radius + j];", "}", "out[i] = sum;"]) {
        await page.keyboard.press("Enter");
        await page.keyboard.type(part);
    }
    const failed = await verdict(place);
    assert.match(failed, /^FAILED \d+\/100 .*outside/);
    await page.screenshot({ path: join(shots, "playground-failed-390.png") });
    assert.ok(await inView(place.locator(".pg-verdict")), "the verdict is out of view");
    assert.ok(await inView(place.locator(".pg-next")), "the next step is out of view");
    // The next step leads to the line, which is then mended.
    await place.locator(".pg-next button").click();
    assert.match(await place.locator(".cm-activeLine").innerText(), /sum \+= weights/);
    await endOf(place, "float sum = 0.0f;");
    await page.keyboard.press("Enter");
    await page.keyboard.type("if (i >= radius && i < n - radius)");
    const passed = await verdict(place);
    assert.match(passed, /^passed 100\/100$/);
    assert.ok(await inView(place.locator(".pg-verdict")) && await inView(place.locator(".pg-next")));
    assert.match(await place.locator(".pg-next").innerText(), /^Next: shared$/);
    // What the lines cost: the table leads back to them.
    const table = place.locator(".pg-scroll table");
    await place.locator("summary", { hasText: "Counters by line" }).click();
    assert.match(await table.innerText(), /sum \+= weights\[j\]/);
    await page.screenshot({ path: join(shots, "playground-passed-390.png") });
    // What single warps access: drawn when the part is opened, each with its line and in words.
    await place.locator("summary", { hasText: "What one warp accesses" }).click();
    await place.locator(".pg-picture").first().waitFor();
    const [branch, load] = await place.locator(".pg-picture").allInnerTexts();
    assert.match(branch, /^line \d+: One warp's branch: 29 lanes one way, 3 the other/);
    assert.match(load, /^line \d+: One warp's global load of `in`: 5 sectors, at least 4/);
    await place.locator(".pg-panel").evaluate((panel) => { document.querySelectorAll("details").forEach((part) => { part.open = true; }); void panel; });
    assert.deepEqual(await page.evaluate(clipped), []);
    // It is still there after the page was left.
    await page.reload();
    assert.match(await page.locator(`.lab-playground${EXERCISE(1, "naive")} .pg-state`).innerText(), /^passed 100\/100, your text is kept/);
    const again = await opened(page, EXERCISE(1, "naive"));
    assert.match(await verdict(again), /^passed 100\/100$/);
    await page.goto(`${site.at}/playground.html`);
    assert.match(await page.locator(".lab-progress").innerText(), /lab-1 naive: passed 100\/100/);
    assert.deepEqual(wrong, []);
    await context.close();
    site.close();
});

inPlayground("a starter opens at its first task; its comment is folded, can be unfolded, and stays in the text", async () => {
    const site = await serve();
    const { page, wrong, context } = await reader(site, PHONE);
    await page.goto(`${site.at}/lab-1.html`);
    const place = await opened(page, NAIVE);
    const folded = place.locator(".cm-foldPlaceholder");
    const count = Number((await folded.innerText()).match(/\d+/)[0]);
    assert.ok(await inView(place.locator(".cm-activeLine", { hasText: "TODO" })));
    await page.keyboard.type(" // mine");
    await pause(page);
    const kept = await page.evaluate(() => localStorage.getItem("warplab:/:lab-1/naive:text"));
    assert.equal(kept.split("\n").filter((line) => line.startsWith("//")).findIndex((line) => line.startsWith("// You may")), count + 1, kept);
    assert.match(kept, /^\/\/ TODO.* \/\/ mine$/m);
    // A press unfolds it, and so do keys.
    await folded.click();
    assert.equal((await lines(place))[1], "//");
    await place.getByRole("button", { name: "Reset" }).click();
    await place.locator("dialog").getByRole("button", { name: "Reset" }).click();
    await folded.waitFor();
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("Control+Shift+BracketRight");
    assert.equal((await lines(place))[1], "//");
    // The reader's own text is shown as it is.
    await page.keyboard.type("// mine\n");
    await pause(page);
    await page.reload();
    await opened(page, NAIVE);
    assert.equal(await folded.count(), 0);
    assert.equal((await lines(place))[0], "// mine");
    assert.deepEqual(wrong, []);
    await context.close();
    site.close();
});

inPlayground("a race is explained, and marked on its line", async () => {
    const site = await serve();
    const { page, wrong, context } = await reader(site);
    await page.goto(`${site.at}/playground.html`);
    const place = await opened(page, "[data-launch]");
    assert.match(await verdict(place), /^saxpy ran, .* µs modelled/);
    await paste(place, "__global__ void k(float *out) {\n    __shared__ float x[64];\n    x[threadIdx.x] = 1.0f;\n    out[threadIdx.x] = x[63 - threadIdx.x];\n}\n");
    await place.locator(".pg-line").fill("--kernel k --grid 1 --block 64 --arg 'f32[64]=zeros'");
    await place.locator(".pg-line").press("Enter");
    await place.locator('.pg-verdict[data-kind="failed"]').waitFor();
    assert.match(await place.locator(".pg-verdict").innerText(), /^Stopped: .*`x\[/);
    assert.match(await place.locator(".pg-problems").innerText(), /shared-memory-race/);
    await place.getByRole("button", { name: "shared-memory-race" }).click();
    await place.locator(".pg-explained", { hasText: "barrier" }).waitFor();
    // From there on to other words, and to the page of the book.
    assert.equal(await place.getByRole("link", { name: "Messages" }).evaluate((a) => a.href), `${site.at}/messages.html#shared-memory-race`);
    // Both accesses on a time line.
    await place.getByRole("button", { name: "see both accesses" }).click();
    const race = place.locator(".pg-picture");
    assert.equal(await race.count(), 1);
    assert.ok(await race.evaluate((figure) => figure === document.activeElement), "the focus is not on the picture");
    assert.match(await race.locator("svg").evaluate((svg) => svg.textContent), /no `?__syncthreads\(\)`? between/);
    // A mark of the run stays while the reader types, and its line moves with the text.
    await place.locator(".cm-line").first().click();
    await page.keyboard.press("Home");
    await page.keyboard.type("// why?\n");
    await page.waitForTimeout(600);
    assert.ok(await place.locator(".cm-lint-marker-error").count() > 0, "the mark of the run is gone");
    assert.match(await place.locator(".pg-verdict").innerText(), /before your last change/);
    // A launch line that cannot be read, and one that would read a file.
    for (const [line, expected] of [["--kernel k --grid", /grid/], ["--kernel k --grid 1 --block 64 --arg @secret.npy", /file/]]) {
        await place.locator(".pg-line").fill(line);
        await place.locator(".pg-line").press("Enter");
        await place.locator('.pg-verdict[data-kind="error"]').waitFor();
        assert.match(await place.locator(".pg-verdict").innerText(), expected);
    }
    assert.deepEqual(wrong, []);
    await context.close();
    site.close();
});

inPlayground("a correction is tried, made, and taken back", async () => {
    const site = await serve();
    const { page, wrong, context } = await reader(site);
    await page.goto(`${site.at}/playground.html`);
    const place = await opened(page, "[data-launch]");
    const text = "// é 𝄞\n__global__ void k(int *out) {\n    /* 𝄞 */ out[0] += threadIdx.x;\n}\n";
    await paste(place, text);
    await place.locator(".pg-line").fill("--kernel k --grid 1 --block 64 --arg 'i32[1]=zeros'");
    await place.locator(".pg-line").press("Enter");
    await place.locator('.pg-verdict[data-kind="failed"]').waitFor();
    await place.getByRole("button", { name: "Try corrections" }).click();
    const found = place.locator(".pg-mend", { hasText: "Correction: " });
    await found.waitFor({ timeout: 90_000 });
    assert.match(await found.innerText(), /atomicAdd.* \(tried: /);
    await place.getByRole("button", { name: "make it" }).click();
    assert.match((await lines(place))[2], /^ {4}\/\* 𝄞 \*\/ atomicAdd\(&?out.*\);$/);
    assert.match(await verdict(place), /^k ran/);
    assert.equal(await place.locator(".pg-mend").innerText(), "");
    await place.locator(".cm-content").focus();
    await page.keyboard.press("Control+z");
    assert.equal((await lines(place))[2], "    /* 𝄞 */ out[0] += threadIdx.x;");
    // Where nothing works, it says so; and what was changed in between stays.
    await paste(place, "__global__ void k(int *out) {\n    out[0] = threadIdx.x;\n}\n");
    assert.match(await verdict(place), /^Stopped/);
    await place.getByRole("button", { name: "Try corrections" }).click();
    await place.locator(".pg-mend", { hasText: /None of the corrections|Correction: / }).waitFor({ timeout: 90_000 });
    assert.deepEqual(wrong, []);
    await context.close();
    site.close();
});

inPlayground("a run is drawn, and counted beside the lines, in the colours of the book's theme", async () => {
    const site = await serve();
    const { page, wrong, context } = await reader(site, PHONE, { colorScheme: "dark" });
    await page.goto(`${site.at}/playground.html`);
    const place = await opened(page, "[data-launch]");
    // 32 lanes, 8 bytes apart: 8 sectors, of which 4 would do. `<` and `&` of the line are text.
    await paste(place, "__global__ void k(float *x, int n) {\n    if (threadIdx.x < 20 && n > 0)\n        x[2 * threadIdx.x + 1] = 2.0f;\n    x[2 * threadIdx.x] = 1.0f; // <b>&amp;</b>\n}\n");
    await place.locator(".pg-line").fill("--kernel k --grid 1 --block 32 --arg 'f32[64]=zeros' --arg 0 --fast");
    await place.locator(".cm-content").focus();
    // Without counters, the page says what is missing.
    await verdict(place);
    await page.keyboard.press("F9");
    assert.match(await place.locator(".pg-legend").innerText(), /^Counters come beside the lines when a kernel has run/);
    assert.ok(await place.locator("summary", { hasText: "What one warp accesses" }).isHidden());
    await place.locator(".pg-line").fill("--kernel k --grid 1 --block 32 --arg 'f32[64]=zeros' --arg 1");
    await place.locator(".cm-content").focus();
    await page.keyboard.press("Control+Enter");
    await place.locator(".pg-counts span", { hasText: "8s" }).waitFor();
    assert.equal(await place.locator(".pg-counts span", { hasText: "8s" }).getAttribute("title"), "In this line: 8 sectors per request.");
    assert.match(await place.locator(".pg-counts span", { hasText: "1d" }).getAttribute("title"), /^In this line: .*1 branch that splits a warp/);
    assert.match(await place.locator(".pg-legend").innerText(), /^Counters beside \d lines \(s: sectors per request;/);
    // They stay with their line, are read out where the cursor is, and F9 takes them away.
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("// one line more\n");
    await place.locator(".cm-line", { hasText: "x[2 * threadIdx.x] =" }).click();
    assert.equal(await place.locator(".pg-read").innerText(), "In this line: 8 sectors per request.");
    const [beside, line] = [place.locator(".pg-counts span", { hasText: "8s" }), place.locator(".cm-line", { hasText: "x[2 * threadIdx.x] =" })];
    assert.ok(Math.abs((await beside.boundingBox()).y - (await line.boundingBox()).y) < 8, "the counter left its line");
    await place.locator(".cm-content").focus();
    await page.keyboard.press("F9");
    assert.equal(await place.locator(".pg-counts span").count(), 0);
    assert.equal(await place.getByRole("button", { name: "Counters" }).getAttribute("aria-pressed"), "false");
    // The pictures, whose texts are texts.
    await page.keyboard.press("Control+Enter");
    await place.locator("summary", { hasText: "What one warp accesses" }).click();
    const pictures = place.locator(".pg-picture");
    await pictures.first().waitFor();
    const named = await pictures.locator("svg").evaluateAll((all) => all.map((svg) => svg.querySelector("title").textContent));
    assert.ok(named.length >= 2 && named.every((title) => title.length > 10), named.join());
    const store = place.getByRole("img", { name: /^Global store of `x`/ });
    assert.equal(await store.count(), 2, "one for each of two lines");
    const words = await store.evaluateAll((all) => all.map((svg) => document.getElementById(svg.getAttribute("aria-describedby")).textContent));
    assert.deepEqual(words.map((text) => text.match(/\d+ sectors/)[0]).sort(), ["5 sectors", "8 sectors"], words.join());
    const own = await page.evaluate(() => [...document.querySelectorAll("[id]")].map(({ id }) => id));
    assert.equal(new Set(own).size, own.length, "an id is there twice");
    await pictures.locator("summary").first().click();
    assert.match(await pictures.locator("pre").first().innerText(), /line \d/);
    assert.equal(await pictures.locator("b, script, style, a").count(), 0);
    for (const theme of THEMES) {
        await choose(page, theme);
        const [back, text] = await pictures.first().evaluate((figure) =>
            [getComputedStyle(figure).backgroundColor, getComputedStyle(figure.querySelector("svg text")).fill].map((color) => Number(color.match(/\d+/)[0])));
        assert.equal(back > 128 && text < 128, theme === "light" || theme === "rust", `${theme}: ${back} behind ${text}`);
        assert.ok(Math.abs(back - text) > 128, `${theme}: ${back} behind ${text}`);
    }
    assert.deepEqual(await page.evaluate(clipped), []);
    await page.screenshot({ path: join(shots, "playground-pictures-390.png") });
    // The list of themes is still open, and would take the focus when it closes.
    await page.click("#mdbook-theme-toggle");
    await pictures.getByRole("button", { name: "Go to line" }).first().click();
    assert.ok(await place.locator(".cm-content").evaluate((e) => e.getRootNode().activeElement === e), "the line is not shown");
    assert.deepEqual(wrong, []);
    await context.close();
    site.close();
});

inPlayground("stop ends an endless kernel, and the next run works, without a connection too", async () => {
    const site = await serve();
    const { page, context } = await reader(site);
    await page.goto(`${site.at}/playground.html`);
    const place = await opened(page, "[data-launch]");
    const starter = (await lines(place)).join("\n");
    await context.setOffline(true);
    await paste(place, "__global__ void k(volatile int *x) {\n    while (true) { x[threadIdx.x] += 1; }\n}\n");
    await place.locator(".pg-line").fill("--kernel k --grid 64 --block 1024 --arg 'i32[1024]=zeros' --budget 100000000000");
    await place.locator(".cm-content").focus();
    await page.keyboard.press("Control+Enter");
    await page.waitForTimeout(700);
    assert.equal(await place.locator(".pg-verdict").innerText(), "Running …");
    await place.getByRole("button", { name: "Stop" }).click();
    await place.locator('.pg-verdict[data-kind="stopped"]').waitFor({ timeout: 2000 });
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Run", "the focus is lost");
    await place.locator(".cm-content").focus();
    await paste(place, starter);
    await place.locator(".pg-line").fill("--kernel saxpy --grid 1 --block 32 --arg 32 --arg 2 --arg 'f32[32]=ones' --arg 'f32[32]=ones'");
    await place.locator(".cm-content").focus();
    assert.match(await verdict(place), /^saxpy ran/);
    await context.close();
    site.close();
});

inPlayground("by keyboard alone: open, write, leave, hint, reset, close", async () => {
    const site = await serve();
    const { page, wrong, context } = await reader(site);
    await page.goto(`${site.at}/lab-1.html`);
    const place = page.locator(`.lab-playground${EXERCISE(1, "naive")}`);
    await place.locator(".pg-start button").focus();
    await page.keyboard.press("Enter");
    await place.locator(".cm-content").waitFor();
    const focused = () => page.evaluate(() => {
        const element = document.activeElement.shadowRoot?.activeElement ?? document.activeElement;
        return element.getAttribute("aria-label") ?? element.textContent;
    });
    assert.equal(await focused(), "Kernel naive.cu");
    // Keys that mean something to the book are letters and movements here.
    const address = page.url();
    await page.keyboard.type("s/?");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowRight");
    const task = place.locator(".cm-activeLine");
    assert.match(await task.innerText(), /\/\/ TODO .*s\/\?$/);
    assert.equal(page.url(), address);
    assert.ok(await page.locator("#mdbook-search-wrapper").evaluate((e) => e.classList.contains("hidden")));
    // Tab writes; Escape and Tab leaves, in both directions.
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "Kernel naive.cu");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    assert.notEqual(await focused(), "Kernel naive.cu");
    await place.locator(".cm-content").focus();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Shift+Tab");
    assert.equal(await focused(), "Close");
    // Hints come one at a time.
    await place.getByRole("button", { name: "Hint" }).focus();
    await page.keyboard.press("Enter");
    await place.locator("details", { hasText: "Hints" }).locator("pre").waitFor();
    assert.match(await focused(), /\w/);
    assert.match(await place.getByRole("button", { name: /^Hint 2 of \d/ }).innerText(), /Hint 2/);
    // Reset asks; Escape keeps the text.
    await place.getByRole("button", { name: "Reset" }).focus();
    await page.keyboard.press("Enter");
    assert.ok(await place.locator("dialog").isVisible());
    await page.keyboard.press("Escape");
    assert.ok(!await place.locator("dialog").isVisible());
    assert.match(await task.innerText(), /s\/\?/);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    assert.match(await task.innerText(), /\/\/ TODO .*radius is 3$/);
    await page.waitForTimeout(500);
    assert.equal(await page.evaluate(() => localStorage.getItem("warplab:/:lab-1/naive:text")), null, "the starter is not kept");
    await place.getByRole("button", { name: "Close" }).focus();
    await page.keyboard.press("Enter");
    assert.equal(await focused(), "Edit and run naive");
    // What a screen reader finds.
    await page.keyboard.press("Enter");
    await place.locator(".cm-content").waitFor();
    assert.equal(await place.getByRole("textbox", { name: "Kernel naive.cu" }).count(), 1);
    assert.equal(await place.getByRole("region", { name: "Playground: naive.cu" }).count(), 1);
    assert.equal(await place.locator('[role="status"].pg-verdict').count(), 1);
    assert.match(await place.locator(".cm-content").evaluate((e) => e.getRootNode().getElementById(e.getAttribute("aria-describedby")).textContent), /Escape, then Tab/);
    assert.deepEqual(wrong, []);
    await context.close();
    site.close();
});

inPlayground("works without a connection once it is open, with everything that it has", async () => {
    const site = await serve();
    const { page, context } = await reader(site);
    await page.goto(`${site.at}/lab-1.html`);
    const place = await opened(page, EXERCISE(1, "naive"));
    await place.locator(".pg-verdict", { hasText: "Ready." }).waitFor();
    // The network is cut for the page and its workers, and the host is gone, too.
    await context.setOffline(true);
    site.close();
    const asked = site.asked.length;
    assert.equal(await page.evaluate(() => fetch("index.html", { cache: "no-store" }).then(() => "answered", () => "failed")), "failed");
    // The compiler's messages, what they mean, and hints.
    await paste(place, "__global__ void stencil_naive(float *out) { out[0] = in[0]; }\n");
    await place.locator(".pg-problems li").first().waitFor();
    await place.locator(".pg-problems button").nth(1).click();
    await place.locator(".pg-explained", { hasText: "undeclared-name" }).waitFor();
    await place.getByRole("button", { name: "Hint" }).click();
    await place.locator("details", { hasText: "Hints" }).locator("pre").waitFor();
    // A grade, its counters, and its pictures.
    await paste(place, SOLVED);
    assert.match(await verdict(place), /^passed 100\/100$/);
    await page.keyboard.press("F9");
    await place.locator(".pg-counts span").first().waitFor();
    await place.locator("summary", { hasText: "What one warp accesses" }).click();
    await place.locator(".pg-picture svg").first().waitFor();
    assert.ok(await place.locator(".pg-picture svg .solid, .pg-picture svg .tint").first().evaluate((part) => getComputedStyle(part).fill !== "rgb(0, 0, 0)"),
        "the picture has no colours");
    // Stopped, and run again.
    await place.locator(".cm-content").focus();
    await page.keyboard.press("Control+Enter");
    await place.getByRole("button", { name: "Stop" }).click({ timeout: 2000 }).catch(() => {});
    await place.locator('.pg-verdict:not([data-kind="running"])').waitFor();
    await place.locator(".cm-content").focus();
    assert.match(await verdict(place), /^passed 100\/100$/);
    // The text and the score are kept.
    assert.equal(await page.evaluate(() => localStorage.getItem("warplab:/:lab-1/naive:text")), SOLVED);
    assert.deepEqual(site.asked.slice(asked), [], "something was asked for");
    await context.close();
});

inPlayground("texts of kernels stay texts", async () => {
    const site = await serve();
    const { page, wrong, context } = await reader(site);
    await page.goto(`${site.at}/playground.html`);
    const place = await opened(page, "[data-launch]");
    const attack = "<img src=x onerror=window.hit=1><script>window.hit=1</script>\u001b[31m\u202e";
    await paste(place, `#error ${attack}\n__global__ void k() { printf("${attack}"); int ${"é".repeat(3)} = "${attack}"; }\n`);
    await place.locator(".pg-problems li").first().waitFor();
    await verdict(place);
    await place.locator(".pg-problems button").nth(1).click();
    assert.equal(await page.evaluate(() => window.hit), undefined);
    assert.equal(await place.locator("img:not(.cm-widgetBuffer), script").count(), 0);
    // And one that prints.
    await place.locator(".cm-content").focus();
    await paste(place, `__global__ void k() { printf("<b>${"bold"}</b>\\033[31m"); }\n`);
    await place.locator(".pg-line").fill("--kernel k --grid 1 --block 1");
    await place.locator(".cm-content").focus();
    assert.match(await verdict(place), /^k ran/);
    assert.equal(await place.locator("details b").count(), 0);
    assert.match(await place.locator("details pre").first().innerText(), /<b>bold<\/b>/);
    assert.deepEqual(wrong, []);
    await context.close();
    site.close();
});

inPlayground("works in a browser that keeps nothing, and says so", async () => {
    const site = await serve();
    const { page, wrong, context } = await reader(site);
    await page.addInitScript(() => {
        Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };
    });
    await page.goto(`${site.at}/playground.html`);
    const place = await opened(page, "[data-launch]");
    assert.match(await verdict(place), /^saxpy ran/);
    await place.locator(".cm-content").focus();
    await page.keyboard.type("// x");
    await place.locator(".pg-message", { hasText: "keeps no texts" }).waitFor();
    assert.deepEqual(wrong, []);
    await context.close();
    site.close();
});

/** A solution of lab 1's first exercise. */
const SOLVED = `#define BLOCK 256
#define LOADS_AT_RADIUS_3 14
__global__ void stencil_naive(const float *in, const float *weights, float *out, int n, int radius) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    if (i >= radius && i < n - radius)
        for (int j = 0; j <= 2 * radius; j++) sum += weights[j] * in[i - radius + j];
    out[i] = sum;
}
`;

const NAIVE = EXERCISE(1, "naive");

/** Another tab of the same reader, with a page open. */
const tab = async (context, address) => {
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(address);
    return page;
};

/** Waits until the text in the editor has a line. */
const hasLine = (place, text) => place.locator(".cm-line", { hasText: text }).first().waitFor();

/** What the playground says of a kernel whose editor is closed. */
const state = (page) => page.locator(`.lab-playground${NAIVE} .pg-state`).innerText();

/** Longer than the pause after which a text is kept. */
const pause = (page) => page.waitForTimeout(600);

inPlayground("a tab in which nothing was written takes nothing away, and shows what another one writes", async () => {
    const site = await serve();
    const { page: idle, wrong, context } = await reader(site);
    await idle.goto(`${site.at}/lab-1.html`);
    const untouched = await opened(idle, NAIVE);
    // A tab that hears nothing of the others, such as one that the browser has put to sleep.
    const asleep = await context.newPage();
    await asleep.addInitScript(() => window.addEventListener("storage", (event) => event.stopImmediatePropagation()));
    await asleep.goto(`${site.at}/lab-1.html`);
    await opened(asleep, NAIVE);
    const closed = await tab(context, `${site.at}/lab-1.html`);
    const busy = await tab(context, `${site.at}/lab-1.html`);
    const place = await opened(busy, NAIVE);
    await paste(place, SOLVED);
    await hasLine(untouched, "LOADS_AT_RADIUS_3 14");
    assert.match(await untouched.locator(".pg-message", { hasText: "Another tab" }).innerText(), /Its text is shown here now/);
    assert.match(await state(closed), /your text is kept/);
    await asleep.close({ runBeforeUnload: true });
    await idle.reload();
    await pause(busy);
    await busy.reload();
    assert.deepEqual((await lines(await opened(busy, NAIVE)))[0], "#define BLOCK 256");
    // A launch line, too.
    await idle.goto(`${site.at}/playground.html`);
    await busy.goto(`${site.at}/playground.html`);
    const [one, other] = [await opened(idle, "[data-launch]"), await opened(busy, "[data-launch]")];
    await other.locator(".pg-line").fill("--kernel saxpy --grid 7");
    await idle.waitForFunction(() => document.querySelector(".pg-line").value === "--kernel saxpy --grid 7");
    await one.getByRole("button", { name: "Close" }).click();
    await other.getByRole("button", { name: "Close" }).click();
    assert.equal(await (await opened(busy, "[data-launch]")).locator(".pg-line").inputValue(), "--kernel saxpy --grid 7");
    assert.deepEqual(wrong, []);
    await context.close();
    site.close();
});

inPlayground("two tabs that both write: each text stays, and can be brought back", async () => {
    const site = await serve();
    const { page, wrong, context } = await reader(site);
    await page.goto(`${site.at}/lab-1.html`);
    const other = await tab(context, `${site.at}/lab-1.html`);
    const [mine, theirs] = [await opened(page, NAIVE), await opened(other, NAIVE)];
    await paste(theirs, "// theirs, first\n");
    await hasLine(mine, "// theirs, first");
    // Typed without a pause, so that nothing of it is kept when the other text comes.
    await paste(mine, "");
    await mine.locator(".cm-content").focus();
    const typing = page.keyboard.type(`// mine ${"x".repeat(80)}`, { delay: 25 });
    await hasLine(mine, "// mine");
    await other.evaluate((key) => localStorage.setItem(key, "// theirs, later\n"), "warplab:/:lab-1/naive:text");
    await typing;
    const message = mine.locator(".pg-message", { hasText: "Another tab" });
    assert.match(await message.innerText(), /Your text stays here, and the other is among the earlier texts/);
    assert.match((await lines(mine))[0], /^\/\/ mine x{80}$/);
    const kept = () => page.evaluate(() => JSON.parse(localStorage.getItem("warplab:/:lab-1/naive:versions")).map(({ text }) => text.slice(0, 16)));
    await pause(page);
    assert.deepEqual(await kept(), ["// theirs, later"]);
    await message.getByRole("button", { name: "take the other text" }).click();
    assert.deepEqual(await lines(mine), ["// theirs, later", "\n"]);
    // The list has what was there before, and a text that is brought back makes one more.
    const earlier = mine.locator("details", { hasText: "Earlier texts" });
    await earlier.locator("summary").click();
    await earlier.getByRole("button").first().click();
    assert.match((await lines(mine))[0], /^\/\/ mine x{80}$/);
    await pause(page);
    assert.deepEqual(await kept(), ["// theirs, later", "// mine xxxxxxxx"]);
    // After "Reset", in a new page. A window in the background draws once a second.
    await page.bringToFront();
    await mine.getByRole("button", { name: "Reset" }).click();
    await mine.locator("dialog").getByRole("button", { name: "Reset" }).click();
    await page.reload();
    const again = await opened(page, NAIVE);
    assert.match((await lines(again))[0], /^\/\/ Lab 1/);
    await again.locator("summary", { hasText: "Earlier texts" }).click();
    await again.locator("details", { hasText: "Earlier texts" }).getByRole("button").first().click();
    assert.match((await lines(again))[0], /^\/\/ mine x{80}$/);
    // There is an end to what is kept, in number and in length.
    for (const [count, rest, expected] of [[6, "", ["// 5", "// 4", "// 3", "// 2", "// 1"]], [3, "// xxxxxxxxxxxxxxxxxxx\n".repeat(800), ["// 2", "// 1"]]]) {
        for (let version = 0; version < count; version++) {
            await paste(again, `// ${version}\n${rest}`);
            await again.getByRole("button", { name: "Reset" }).click();
            await again.locator("dialog").getByRole("button", { name: "Reset" }).click();
        }
        assert.deepEqual((await kept()).map((text) => text.slice(0, 4)), expected);
    }
    assert.deepEqual(wrong, []);
    await context.close();
    site.close();
});

inPlayground("two books on one host keep their texts apart, and neither takes those of an older edition by itself", async () => {
    const site = await serve();
    const { page, wrong, context } = await reader(site);
    await page.goto(`${site.at}/one/lab-1.html`);
    await page.evaluate(() => {
        localStorage.setItem("warplab:lab-1/naive:text", "// of an older edition\n");
        localStorage.setItem("warplab:lab-1/naive:result", '{"score":100,"best":100}');
    });
    const other = await tab(context, `${site.at}/two/lab-1.html`);
    const [one, two] = [await opened(page, NAIVE), await opened(other, NAIVE)];
    await paste(one, SOLVED);
    assert.match(await verdict(one), /^passed 100\/100$/);
    await pause(other);
    assert.match((await lines(two))[0], /^\/\/ Lab 1/);
    for (const [folder, expected] of [["one", /lab-1 naive: passed 100\/100, your text/], ["two", /^Nothing yet/]]) {
        await other.goto(`${site.at}/${folder}/playground.html`);
        assert.match(await other.locator(".lab-progress").innerText(), expected);
    }
    await other.goto(`${site.at}/two/lab-1.html`);
    assert.equal(await state(other), "");
    // The older text is offered, and stays where it was.
    const again = await opened(other, NAIVE);
    await again.locator("summary", { hasText: "Earlier texts" }).click();
    assert.match(await again.locator("details", { hasText: "Earlier texts" }).innerText(), /older edition of this book, or by another book on this host/);
    await again.locator("details", { hasText: "Earlier texts" }).getByRole("button").click();
    assert.equal((await lines(again))[0], "// of an older edition");
    assert.equal(await other.evaluate(() => localStorage.getItem("warplab:lab-1/naive:text")), "// of an older edition\n");
    assert.deepEqual(wrong, []);
    await context.close();
    site.close();
});

inPlayground("a verdict says when it is not of the text that is there: after a change, during a run, in another tab, when it is loaded again", async () => {
    const site = await serve();
    const { page, wrong, context } = await reader(site);
    await page.goto(`${site.at}/lab-1.html`);
    const other = await tab(context, `${site.at}/lab-1.html`);
    const closed = await tab(context, `${site.at}/playground.html`);
    const place = await opened(page, NAIVE);
    const shown = () => place.locator(".pg-verdict").innerText();
    const STALE = /^passed 100\/100 \(before your last change\)$/;
    await paste(place, SOLVED);
    assert.match(await verdict(place), /^passed 100\/100$/);
    // Changed, and changed back.
    await place.locator(".cm-content").focus();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("/");
    assert.match(await shown(), STALE);
    await page.keyboard.press("Backspace");
    assert.match(await shown(), /^passed 100\/100$/);
    // Changed while it runs: not before the run has begun, and before it has ended.
    await page.keyboard.press("Control+Enter");
    await page.keyboard.type("/");
    await place.locator('.pg-verdict[data-kind="passed"]').waitFor({ timeout: 90_000 });
    assert.match(await shown(), STALE);
    // In what is kept, after a pause.
    await pause(page);
    assert.match(await state(other), /^passed 100\/100 \(before your last change\), your text is kept/);
    assert.match(await closed.locator(".lab-progress").innerText(), /lab-1 naive: passed 100\/100 \(before your last change\)/);
    await page.keyboard.press("Backspace");
    await pause(page);
    assert.match(await state(other), /^passed 100\/100, your text is kept/);
    // In another tab, whose text is shown here.
    const theirs = await opened(other, NAIVE);
    await paste(theirs, SOLVED.replace("256", "128"));
    await hasLine(place, "BLOCK 128");
    assert.match(await shown(), STALE);
    await page.reload();
    assert.match(await state(page), /^passed 100\/100 \(before your last change\), your text is kept/);
    // Passed again, and reset.
    const again = await opened(page, NAIVE);
    assert.match(await verdict(again), /^passed 100\/100$/);
    assert.match(await page.evaluate(() => localStorage.getItem("warplab:/:lab-1/naive:result")), /"best":100/);
    await again.getByRole("button", { name: "Reset" }).click();
    await again.locator("dialog").getByRole("button", { name: "Reset" }).click();
    await again.getByRole("button", { name: "Close" }).click();
    assert.equal(await state(page), "passed 100/100 (before your last change)");
    // A launch is also of its line.
    await page.goto(`${site.at}/playground.html`);
    const launch = await opened(page, "[data-launch]");
    const line = launch.locator(".pg-line");
    assert.match(await verdict(launch), /^saxpy ran.*\)$/);
    const before = await line.inputValue();
    await line.fill(before.replace("--grid 4", "--grid 5"));
    assert.match(await launch.locator(".pg-verdict").innerText(), /\(before your last change\)$/);
    await line.fill(before);
    assert.match(await launch.locator(".pg-verdict").innerText(), /\(h200\)$/);
    assert.deepEqual(wrong, []);
    await context.close();
    site.close();
});

inPlayground("a gate that is missed is named, with what was asked", async () => {
    const site = await serve();
    const { page, context } = await reader(site, PHONE);
    await page.goto(`${site.at}/lab-1.html`);
    const place = await opened(page, EXERCISE(1, "naive"));
    await paste(place, SOLVED.replace("RADIUS_3 14", "RADIUS_3 13"));
    assert.match(await verdict(place), /^FAILED 88\/100 loads_counted: 1 load too many or too few; limit: at most 0\.1/);
    assert.match(await place.locator(".pg-next").innerText(), /a window of radius 3 has 7 elements/);
    assert.ok(await inView(place.locator(".pg-verdict")) && await inView(place.locator(".pg-next")));
    await place.getByRole("button", { name: "Close" }).click();
    assert.match(await place.locator(".pg-state").innerText(), /^best so far 88\/100/);
    await context.close();
    site.close();
});

inPlayground("a gate that is missed can be seen: what one warp accesses, on a phone, too", async () => {
    const site = await serve();
    const { page, wrong, context } = await reader(site, PHONE);
    await page.goto(`${site.at}/lab-1.html`);
    const place = await opened(page, EXERCISE(1, "naive"));
    const see = place.getByRole("button", { name: "Show what one warp accesses" });
    // A kernel without results has no accesses to show.
    assert.match(await verdict(place), /^FAILED 0/);
    assert.equal(await see.count(), 0);
    await paste(place, SOLVED.replace("RADIUS_3 14", "RADIUS_3 13"));
    assert.match(await verdict(place), /^FAILED 88\/100 loads_counted/);
    assert.ok(await inView(see), "the button is out of view");
    await see.click();
    await place.locator(".pg-picture").first().waitFor();
    assert.match((await place.locator(".pg-picture").allInnerTexts()).join(), /One warp's global load of `in`: 5 sectors, at least 4/);
    assert.ok(await inView(place.locator("summary", { hasText: "What one warp accesses" })), "the pictures are out of view");
    assert.deepEqual(await page.evaluate(clipped), []);
    await page.screenshot({ path: join(shots, "playground-gate-pictures-390.png") });
    assert.deepEqual(wrong, []);
    await context.close();
    site.close();
});

inPlayground("a report names the buttons of the page, and has all checks", async () => {
    const site = await serve();
    const { page, wrong, context } = await reader(site, PHONE);
    await page.goto(`${site.at}/lab-1.html`);
    const place = await opened(page, EXERCISE(1, "naive"));
    assert.match(await verdict(place), /^FAILED 0/);
    const report = place.locator("details", { has: page.locator("summary", { hasText: "Report" }) }).first();
    assert.match(await report.locator("pre").first().innerText(), /"All checks" lists them[^]*Next: edit naive\.cu; "Hint" gives a hint/);
    await report.locator("summary", { hasText: "All checks" }).click();
    assert.match(await report.locator("details pre").innerText(), /correct_n/);
    assert.doesNotMatch(await place.innerText(), /cargo|`?lab (run|hint|explain)|kernels\/| -v/);
    assert.deepEqual(await page.evaluate(clipped), []);
    assert.deepEqual(wrong, []);
    await context.close();
    site.close();
});

inPlayground("a launch shows the values of its buffers", async () => {
    const site = await serve();
    const { page, wrong, context } = await reader(site, PHONE);
    await page.goto(`${site.at}/playground.html`);
    const place = await opened(page, "[data-launch]");
    await paste(place, "__global__ void k(float2 *p, int *out) {\n    out[threadIdx.x] = threadIdx.x;\n}\n");
    await place.locator(".pg-line").fill("--kernel k --grid 1 --block 6 --arg 'f32[4]=ones' --arg 'i32[8]=zeros'");
    await place.locator(".cm-content").focus();
    assert.match(await verdict(place), /^k ran/);
    await place.locator("summary", { hasText: "Values of the buffers" }).click();
    const rows = await place.getByRole("region", { name: "Values of the buffers" }).locator("tr").evaluateAll((all) =>
        all.map((row) => [...row.cells].map((cell) => cell.textContent)));
    assert.deepEqual(rows[0], ["name", "type", "changed", "first values", "last values"]);
    assert.deepEqual(rows[1], ["p", "f32[4]", "0", "1, 1, 1, 1", "1, 1, 1, 1"]);
    assert.deepEqual(rows[2], ["out", "i32[8]", "5", "0, 1, 2, 3", "4, 5, 0, 0"]);
    assert.deepEqual(await page.evaluate(clipped), []);
    await page.screenshot({ path: join(shots, "playground-values-390.png") });
    assert.deepEqual(wrong, []);
    await context.close();
    site.close();
});

inPlayground("works under the strict policy, and with a host that knows no WebAssembly", async () => {
    const site = await serve({ csp: STRICT, types: { ...TYPES, ".wasm": "application/octet-stream" } });
    const { page, context } = await reader(site);
    await page.addInitScript(() => {
        window.refused = [];
        document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI, sourceFile }) =>
            window.refused.push(`${effectiveDirective} ${blockedURI} ${sourceFile}`));
    });
    await page.goto(`${site.at}/lab-1.html`);
    const before = await page.evaluate(() => window.refused.length);
    const place = await opened(page, EXERCISE(1, "naive"));
    assert.match(await verdict(place), /^FAILED 0\/100/);
    const after = await page.evaluate(() => window.refused);
    assert.deepEqual(after.slice(before), [], "the playground itself needs more than the policy");
    // CodeMirror's rules are there all the same.
    assert.match(await place.locator(".cm-content").evaluate((e) => getComputedStyle(e).whiteSpace), /break-spaces|pre-wrap/);
    await context.close();
    site.close();
});

inPlayground("what a screen reader is told: every control's name, and each change once", async () => {
    const site = await serve();
    const { page, wrong, context } = await reader(site);
    await page.goto(`${site.at}/playground.html`);
    // Each text that a live region gets, in order.
    await page.evaluate(() => {
        window.told = [];
        new MutationObserver((changes) => {
            const regions = new Set(changes.map(({ target }) => (target.closest ? target : target.parentElement)?.closest('[role="status"], [aria-live]')));
            for (const region of regions) {
                if (region?.textContent.trim()) {
                    window.told.push(region.textContent);
                }
            }
        }).observe(document.body, { childList: true, characterData: true, subtree: true });
    });
    const told = () => page.evaluate(() => window.told.splice(0));
    const place = await opened(page, "[data-launch]");
    await place.locator(".pg-verdict", { hasText: "Ready." }).waitFor();
    assert.deepEqual((await told()).at(0), "Loading the editor and the simulator …");
    // A run: that it began, and its verdict; not the seconds that pass.
    const said = await verdict(place);
    await place.getByRole("button", { name: "Run", exact: true }).waitFor();
    assert.deepEqual(await told(), ["Running …", said]);
    // A mistake: how many messages and where, once, and nothing while it stays.
    await paste(place, "__global__ void k(float *x) { x[0] = y; }\n");
    await place.locator(".pg-problems li").first().waitFor();
    assert.deepEqual(await told(), [`${said} (before your last change)`, "1 message, the first in line 1"]);
    await place.locator(".cm-content").focus();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("// more");
    await page.waitForTimeout(600);
    assert.deepEqual(await told(), []);
    // What is wrong is at the verdict, too, and F8 leads to its place.
    assert.match(await verdict(place), /^Not compiled:/);
    assert.match((await told()).at(-1), /^Not compiled: .*y/);
    await page.keyboard.press("F8");
    assert.match(await place.locator(".cm-activeLine").innerText(), /x\[0\] = y/);
    // Every control has a name, and a mark when it has the focus.
    await paste(place, "__global__ void k(float *x) { x[4 * threadIdx.x] = 1.0f; }\n");
    await place.locator(".pg-line").fill("--kernel k --grid 1 --block 32 --arg 'f32[128]=zeros'");
    await place.locator(".cm-content").focus();
    assert.match(await verdict(place), /^k ran/);
    for (const title of ["What one warp accesses", "Counters by line"]) {
        await place.locator("summary", { hasText: title }).focus();
        await page.keyboard.press("Enter");
    }
    await place.locator(".pg-picture svg").waitFor();
    await place.locator(".cm-content").focus();
    await page.keyboard.press("Escape");
    const walked = [];
    for (let presses = 0; presses < 40; presses++) {
        await page.keyboard.press("Tab");
        const at = await page.evaluate(() => {
            const element = document.activeElement;
            if (!element.closest(".pg-panel")) {
                return null;
            }
            const style = getComputedStyle(element);
            const name = element.getAttribute("aria-label") ?? (element.labels?.[0] ?? element).textContent;
            return { name: name.trim(), isMarked: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 };
        });
        if (!at) {
            break;
        }
        assert.ok(at.name, `a control after ${walked.at(-1)} has no name`);
        assert.ok(at.isMarked, `${at.name} has no mark when it has the focus`);
        walked.push(at.name);
    }
    for (const name of ["Report", "What one warp accesses", "Go to line 1", "In characters", "Counters by line", "sectors"]) {
        assert.ok(walked.includes(name), `${name} is not among ${walked.join(", ")}`);
    }
    const tree = await place.locator(".pg-panel").ariaSnapshot();
    for (const part of ['button "Run"', 'button "Counters"', 'button "Reset"', 'button "Close"', 'textbox "Launch"', 'textbox "Kernel saxpy.cu"', 'region "Counters by line"',
        'columnheader "sectors"', /img "Global store of `x` by one warp"/]) {
        assert.ok(typeof part === "string" ? tree.includes(part) : part.test(tree), `${part} is not in\n${tree}`);
    }
    assert.deepEqual(wrong, []);
    await context.close();
    site.close();
});

inPlayground("colours have contrast in every theme", async () => {
    const site = await serve();
    const { page, context } = await reader(site);
    await page.goto(`${site.at}/lab-1.html`);
    const place = await opened(page, EXERCISE(1, "naive"));
    await paste(place, "#include <x.h>\n// comment\n__global__ void k(float *out) { out[threadIdx.x] = 1.0f; const char *s = \"x\"; return 1 }\n");
    await place.locator(".pg-problems li").first().waitFor();
    for (const kind of ["keyword", "number", "comment", "meta", "string"]) {
        await place.locator(`.tok-${kind}`).first().waitFor();
    }
    for (const theme of THEMES) {
        await choose(page, theme);
        assert.deepEqual(await place.locator(".pg-panel").evaluate(weak), [], theme);
        await page.screenshot({ path: join(shots, `playground-${theme}-1280.png`) });
    }
    await context.close();
    site.close();
});

await runTests();
