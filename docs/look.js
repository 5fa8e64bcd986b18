// CUDA for the highlighter, which knows C++; folded parts are open on paper; and the search finds diagnostic codes.
(() => {
    "use strict";

    const KEYWORDS = "__global__ __device__ __host__ __shared__ __constant__ __managed__ __restrict__ " +
        "__forceinline__ __noinline__ __launch_bounds__ __align__ __grid_constant__";
    const NAMES = "threadIdx blockIdx blockDim gridDim warpSize __syncthreads __syncwarp __ldg " +
        "__shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync __threadfence atomicAdd tex1Dfetch " +
        "fmaf dim3 float2 float4 cudaMalloc cudaMemcpy cudaFree cudaTextureObject_t";

    /** Both keywords of C++ and those of CUDA; `keywords` is a text or a list. */
    const joined = (keywords, more) =>
        Array.isArray(keywords) ? keywords.concat(more.split(" ")) : `${keywords || ""} ${more}`;

    const highlight = () => {
        if (typeof hljs === "undefined" || !hljs.getLanguage("cpp")) {
            return;
        }
        hljs.registerLanguage("cuda", (api) => {
            const cpp = api.getLanguage("cpp").rawDefinition();
            const keywords = cpp.keywords;
            keywords.keyword = joined(keywords.keyword, KEYWORDS);
            keywords.built_in = joined(keywords.built_in, NAMES);
            return { ...cpp, name: "CUDA C++", aliases: ["cu"] };
        });
        // The book's own script ran before, and left out what it did not know.
        for (const block of document.querySelectorAll("code.language-cuda, code.language-cu")) {
            (hljs.highlightElement || hljs.highlightBlock)(block);
        }
    };

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

    // Nothing is loaded before a search.
    bar?.addEventListener("focus", () => {
        const script = document.createElement("script");
        script.src = new URL("codes.js", folder).href;
        script.onload = showCodes;
        document.head.append(script);
        for (const part of [results, document.getElementById("mdbook-searchresults-header")]) {
            changes.observe(part, { childList: true });
        }
    }, { once: true });

    highlight();
})();
