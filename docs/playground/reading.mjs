// Every page for readers with a keyboard, a screen reader, weak eyes or a slow line. `test.mjs` runs these with its own.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { PHONE, THEMES, WIDE, inPlayground, pages, reader, say, serve, test, weak } from "./testing.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Chooses a theme at once, without the half second in which colours change. Runs in the page. */
const show = (theme) => {
    if (document.adoptedStyleSheets.length === 0) {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync("* { transition: none !important; }");
        document.adoptedStyleSheets = [sheet];
    }
    document.getElementById(`mdbook-theme-${theme}`).click();
};

const unfold = () => document.querySelectorAll("main details").forEach((part) => { part.open = true; });

/** What axe finds, one line for each element. Runs in the page. */
const violations = async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
    return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id} (${help}): ${html.slice(0, 160)}`));
};

// Themes differ in colours only, which the next test computes in all of them.
for (const [label, viewport, theme] of [["1280", WIDE, "light"], ["390", PHONE, "navy"]]) {
    test(`every page: axe finds nothing at ${label}, in the theme ${theme}`, async () => {
        const site = await serve();
        const { page, context } = await reader(site, viewport);
        const found = [];
        for (const name of pages) {
            await page.goto(`${site.at}/${name}`, { waitUntil: "load" });
            await page.evaluate(unfold);
            await page.evaluate(show, theme);
            await page.evaluate(AXE);
            found.push(...(await page.evaluate(violations)).map((one) => `${name}: ${one}`));
        }
        assert.equal(found.length, 0, found.join("\n"));
        await context.close();
        site.close();
    });
}

test("every page: text has contrast in every theme", async () => {
    const site = await serve();
    const { page, context } = await reader(site);
    const found = new Set();
    for (const name of pages) {
        await page.goto(`${site.at}/${name}`, { waitUntil: "load" });
        await page.evaluate(unfold);
        for (const theme of THEMES) {
            await page.evaluate(show, theme);
            (await page.locator("body").evaluate(weak)).forEach((one) => found.add(`${name}, ${theme}: ${one}`));
        }
    }
    // On paper, which is white.
    await page.goto(`${site.at}/lab-1.html`, { waitUntil: "load" });
    await page.evaluate(show, "navy");
    await page.emulateMedia({ media: "print" });
    (await page.locator("main").evaluate(weak)).forEach((one) => found.add(`paper: ${one}`));
    await page.emulateMedia({ media: "screen" });
    // What comes with a search, and the list of themes.
    await page.keyboard.press("s");
    await page.locator("#mdbook-searchbar").pressSequentially("barrier");
    await page.locator("#mdbook-searchresults li").first().waitFor();
    await page.click("#mdbook-theme-toggle");
    for (const theme of THEMES) {
        await page.evaluate(show, theme);
        (await page.locator("body").evaluate(weak)).forEach((one) => found.add(`search, ${theme}: ${one}`));
    }
    assert.equal(found.size, 0, [...found].join("\n"));
    await context.close();
    site.close();
});

inPlayground("axe finds nothing in an open panel, with messages and with all that a run shows", async () => {
    const site = await serve();
    const { page, context } = await reader(site, PHONE);
    const check = async (theme, what) => {
        await page.evaluate(() => document.querySelectorAll("details").forEach((part) => { part.open = true; }));
        await page.evaluate(show, theme);
        const found = await page.evaluate(violations);
        assert.equal(found.length, 0, `${what}, ${theme}:\n${found.join("\n")}`);
    };
    const open = async (name) => {
        await page.goto(`${site.at}/${name}`, { waitUntil: "load" });
        await page.evaluate(AXE);
        await page.locator(".lab-playground .pg-start button").first().click();
        await page.locator(".cm-content").waitFor();
        return page.locator(".lab-playground").first();
    };
    const ended = (place) => place.locator('.pg-verdict:not([data-kind="running"]):not([data-kind="ready"])').waitFor({ timeout: 90_000 });
    const launch = await open("playground.html");
    const line = launch.locator(".pg-line");
    await line.fill((await line.inputValue()).replace("f32[1000]=ramp", "f32[999]=ramp"));
    await line.press("Enter");
    await ended(launch);
    // What helps stands under the message, where a telephone shows it, too.
    const help = launch.locator(".pg-problems li").first().locator(".pg-help");
    assert.match(await help.innerText(), /\w{3}/);
    assert.ok(await help.isVisible());
    await launch.locator(".pg-problems button").nth(1).click();
    await launch.locator(".pg-explained").waitFor();
    await check("light", "an error");
    await line.fill((await line.inputValue()).replace("f32[999]", "f32[1000]").replace("--block 256", "--block 250"));
    await line.press("Enter");
    await launch.locator('.pg-verdict[data-kind="passed"]').waitFor({ timeout: 90_000 });
    // All parts are still open, so the pictures come by themselves.
    await launch.locator(".pg-picture svg").first().waitFor();
    await launch.getByRole("button", { name: "Counters" }).click();
    await check("navy", "pictures and counters");
    const exercise = await open("lab-1.html");
    await exercise.getByRole("button", { name: "Hint" }).click();
    await exercise.locator("details", { hasText: "Hints" }).locator("pre").waitFor();
    await exercise.getByRole("button", { name: "Run", exact: true }).click();
    await ended(exercise);
    await check("light", "a starter");
    await context.close();
    site.close();
});

/** What has the focus: its text or name, whether it is in the page's content, and whether one sees that it has the focus. Runs in the page. */
const focused = () => {
    const element = document.activeElement;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const { top, bottom } = element.getBoundingClientRect();
    return {
        name: element.getAttribute("aria-label") ?? element.textContent.trim(), inContent: Boolean(element.closest("main")),
        isMarked: outlineStyle !== "none" && parseFloat(outlineWidth) > 0 && bottom > 0 && top < innerHeight,
    };
};

test("by keyboard: the content is two Tabs away, the first kernel too, and the sidebar opens", async () => {
    const site = await serve();
    const { page, wrong, context } = await reader(site);
    for (const name of ["lab-1.html", "playground.html", "messages.html"]) {
        await page.goto(`${site.at}/${name}`, { waitUntil: "load" });
        await page.keyboard.press("Tab");
        assert.deepEqual(await page.evaluate(focused), { name: "Skip to the content", inContent: false, isMarked: true }, name);
        await page.keyboard.press("Enter");
        await page.keyboard.press("Tab");
        const first = await page.evaluate(focused);
        assert.ok(first.inContent && first.isMarked, `${name}: ${first.name}`);
    }
    await page.goto(`${site.at}/lab-1.html`, { waitUntil: "load" });
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    assert.equal((await page.evaluate(focused)).name, "Skip to the first kernel");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    assert.equal((await page.evaluate(focused)).name, "Edit and run naive");
    // On a telephone the sidebar is closed, and a key opens and closes it.
    await page.setViewportSize(PHONE);
    await page.reload({ waitUntil: "load" });
    const toggle = page.getByRole("button", { name: "Toggle Table of Contents" });
    await toggle.focus();
    for (const [key, isOpen] of [["Enter", true], ["Space", false]]) {
        await page.keyboard.press(key);
        assert.equal(await toggle.getAttribute("aria-expanded"), String(isOpen));
        await page.getByRole("link", { name: "Glossary" }).first().waitFor({ state: isOpen ? "visible" : "hidden" });
    }
    assert.deepEqual(wrong, []);
    await context.close();
    site.close();
});

test("by keyboard: a box that scrolls sideways is reached, seen and scrolled", async () => {
    const site = await serve();
    const { page, context } = await reader(site, PHONE);
    let count = 0;
    for (const name of ["lab-1.html", "commands.html"]) {
        await page.goto(`${site.at}/${name}`, { waitUntil: "load" });
        await page.evaluate(unfold);
        await page.waitForTimeout(100);
        const boxes = await page.locator("main pre > code, main .table-wrapper").all();
        for (const box of boxes) {
            const [scrolls, index, name] = await box.evaluate((e) => [e.scrollWidth > e.clientWidth, e.tabIndex, e.ariaLabel]);
            assert.equal(index, scrolls ? 0 : -1);
            assert.equal(Boolean(name), scrolls);
            count += scrolls ? 1 : 0;
        }
        const box = page.locator('main [aria-label$="scrolls sideways"]').first();
        // From the stop before it, by Tab, as a reader comes to it.
        await box.focus();
        await page.keyboard.press("Shift+Tab");
        await page.keyboard.press("Tab");
        assert.ok((await page.evaluate(focused)).isMarked, name);
        await page.keyboard.press("ArrowRight");
        await page.waitForFunction(() => document.activeElement.scrollLeft > 0);
        assert.match(page.url(), new RegExp(`${name}$`), "the page was turned");
    }
    assert.ok(count > 10, `only ${count} boxes scroll`);
    // In a wide window fewer do, and those that do not are no stops any more.
    await page.setViewportSize({ width: 3000, height: 900 });
    await page.evaluate(() => document.documentElement.style.setProperty("--content-max-width", "2400px"));
    await page.waitForFunction(() => !document.querySelector('[aria-label="Table, scrolls sideways"]'));
    await context.close();
    site.close();
});

test("a first visit loads at most 100 kB of fonts", async () => {
    const site = await serve();
    const { page, context } = await reader(site);
    const sizes = [];
    page.on("response", async (response) => { if (/\.(woff2?|ttf|otf)$/.test(response.url())) { sizes.push((await response.body()).length); } });
    await page.goto(`${site.at}/lab-1.html`, { waitUntil: "networkidle" });
    const sum = sizes.reduce((sum, size) => sum + size, 0);
    assert.ok(sum <= 100_000, `${sum} bytes`);
    say(`fonts: ${sum} bytes`);
    await context.close();
    site.close();
});
