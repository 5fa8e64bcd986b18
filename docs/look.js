// What the book adds to mdBook's pages: reading them by keyboard, folded parts that are open on paper, and a search that finds diagnostic codes.
(() => {
    "use strict";

    const main = document.querySelector("main");

    /** Puts a link to a place of the page before all others; it is seen when it has the focus. */
    const skipTo = (target, text) => {
        target.tabIndex = -1;
        const link = Object.assign(document.createElement("a"), { className: "skip-link", href: `#${target.id}`, textContent: text });
        document.body.prepend(link);
    };
    const kernel = document.querySelector(".lab-playground");
    if (kernel) {
        kernel.id ||= "first-kernel";
        skipTo(kernel, "Skip to the first kernel");
    }
    skipTo(document.getElementById("mdbook-content"), "Skip to the content");

    // The bar with the book's title and buttons is a landmark, too.
    document.getElementById("mdbook-menu-bar").setAttribute("role", "banner");

    // The corner of a table that has a header in each row and each column names nothing.
    main.querySelectorAll("th:empty").forEach((corner) => corner.replaceWith(document.createElement("td")));

    // A box that scrolls sideways can have the focus, and its arrow keys scroll it instead of turning the page.
    const boxes = new ResizeObserver((changed) => changed.forEach(({ target: box }) => {
        const scrolls = box.scrollWidth > box.clientWidth;
        if (scrolls) {
            box.tabIndex = 0;
            box.setAttribute("role", "group");
            box.setAttribute("aria-label", box.localName === "code" ? "Code, scrolls sideways" : "Table, scrolls sideways");
        } else {
            ["tabindex", "role", "aria-label"].forEach((name) => box.removeAttribute(name));
        }
    }));
    for (const box of main.querySelectorAll("pre > code, .table-wrapper")) {
        boxes.observe(box);
        box.addEventListener("keydown", (event) => {
            if (event.key.startsWith("Arrow")) {
                event.stopPropagation();
            }
        });
    }

    const folded = () => document.querySelectorAll("main details:not([open])");
    let opened = [];
    window.addEventListener("beforeprint", () => {
        opened = [...folded()];
        opened.forEach((part) => { part.open = true; });
    });
    window.addEventListener("afterprint", () => {
        opened.forEach((part) => { part.open = false; });
        opened = [];
    });

    // A row that explains a code is a place that links can name.
    if (document.getElementById("messages-and-what-they-mean")) {
        for (const code of document.querySelectorAll("main td:first-child code")) {
            if (!document.getElementById(code.textContent)) {
                code.id = code.textContent;
            }
        }
        const place = document.getElementById(location.hash.slice(1));
        if (place?.matches("td code")) {
            place.scrollIntoView({ block: "center" });
        }
    }

    // mdBook's search splits a code into its words, and knows headings but no rows. Here what begins as a code leads to what explains it,
    // before all other results; the keys of the search see them as any others.
    const folder = new URL(".", document.currentScript.src);
    const bar = document.getElementById("mdbook-searchbar");
    const results = document.getElementById("mdbook-searchresults");
    /** How many letters say enough, and most codes of one search. */
    const [ENOUGH, MOST] = [4, 5];

    /** The codes that a text begins, each with its place and its title; `error[CODE]` as in a report is understood, too. */
    const begun = (text) => {
        const word = text.trim().toLowerCase().replace(/^\w+\[|\].*$/g, "").replace(/[\s_]+/g, "-");
        const found = word.length < ENOUGH ? [] : (window.diagnosticCodes ?? []).filter(([code]) => code.startsWith(word));
        return found.sort(([one], [other]) => one.length - other.length).slice(0, MOST);
    };

    const showCodes = () => {
        results.querySelectorAll(".code-result").forEach((item) => item.remove());
        results.prepend(...begun(bar.value).map(([code, place, title]) => {
            const [item, link, teaser] = ["li", "a", "span"].map((name) => document.createElement(name));
            item.className = "code-result";
            link.href = new URL(place, folder).href;
            link.textContent = code;
            teaser.className = "teaser";
            teaser.textContent = title;
            item.append(link, teaser);
            return item;
        }));
        changes.takeRecords();
    };
    const changes = new MutationObserver(showCodes);

    // Nothing is loaded before a search. A page that is opened with one may have the bar in focus before this runs.
    const loadCodes = () => {
        const script = document.createElement("script");
        script.src = new URL("codes.js", folder).href;
        script.onload = showCodes;
        document.head.append(script);
        for (const part of [results, document.getElementById("mdbook-searchresults-header")]) {
            changes.observe(part, { childList: true });
        }
    };
    if (bar && document.activeElement === bar) {
        loadCodes();
    } else {
        bar?.addEventListener("focus", loadCodes, { once: true });
    }
})();
