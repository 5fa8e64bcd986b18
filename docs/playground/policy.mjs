// The Content-Security-Policy that a host must send with a built book: `node docs/playground/policy.mjs docs/book` prints it.
//
// The playground itself needs `default-src 'self'; script-src 'self' 'wasm-unsafe-eval'`. mdBook's pages have inline scripts and styles, which are
// allowed one by one, by their hashes, so that nothing else inline can run.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { argv, exit } from "node:process";
import { pathToFileURL } from "node:url";

/** What the playground needs, and no more. */
export const STRICT = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The policy for the pages of a folder. */
export const policy = (folder) => {
    const scripts = new Set();
    const styles = new Set();
    for (const name of readdirSync(folder).filter((name) => name.endsWith(".html"))) {
        const page = readFileSync(join(folder, name), "utf8");
        for (const [, text] of page.matchAll(/<script>([^]*?)<\/script>/g)) {
            scripts.add(hash(text));
        }
        for (const [, text] of page.matchAll(/<[a-z][^<>]* style="([^"]*)"/g)) {
            styles.add(hash(text));
        }
    }
    // Those that mdBook's own scripts set.
    for (const name of readdirSync(folder).filter((name) => name.endsWith(".js"))) {
        for (const [, text] of readFileSync(join(folder, name), "utf8").matchAll(/setAttribute\('style', '([^']*)'\)/g)) {
            styles.add(hash(text));
        }
    }
    return `${[STRICT, ...scripts].join(" ")}; ${["style-src 'self' 'unsafe-hashes'", ...styles].join(" ")}; img-src 'self' data:`;
};

if (argv[1] && import.meta.url === pathToFileURL(argv[1]).href) {
    if (argv.length !== 3) {
        console.error("usage: node policy.mjs FOLDER, the folder of a built book");
        exit(2);
    }
    console.log(`Content-Security-Policy: ${policy(argv[2])}`);
}
