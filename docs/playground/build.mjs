// Bundles the editor: `npm run build` writes docs/src/playground/editor.js and the licences of what is in it; `npm run check` says whether
// the committed files are what this would write.
import { build } from "esbuild";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const to = join(here, "..", "src", "playground");

const { outputFiles, metafile } = await build({
    absWorkingDir: here, entryPoints: ["entry.js"], bundle: true, minify: true, format: "esm", target: "es2022", legalComments: "none",
    charset: "utf8", metafile: true, write: false,
});

/** The packages that the bundle has files of, such as `@codemirror/view`. */
const packages = [...new Set(Object.keys(metafile.inputs)
    .map((path) => path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1]).filter(Boolean))].sort();
const licence = (name) => {
    const folder = join(here, "node_modules", name);
    const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
    if (!file) {
        throw new Error(`${name} has no licence text`);
    }
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
};
const rule = `\n${"-".repeat(80)}\n\n`;
const files = {
    "editor.js": "// CodeMirror, bundled from docs/playground/entry.js; licences in LICENCES.txt.\n" + outputFiles[0].text,
    "LICENCES.txt": "editor.js has these packages in it.\n" + rule + packages.map(licence).join(rule),
};

let differs = false;
mkdirSync(to, { recursive: true });
for (const [name, text] of Object.entries(files)) {
    const path = join(to, name);
    if (!process.argv.includes("--check")) {
        writeFileSync(path, text);
        console.log(`${name}: ${text.length} characters`);
    } else if (readFileSync(path, "utf8") !== text) {
        console.error(`docs/src/playground/${name} differs from what \`npm run build\` writes`);
        differs = true;
    }
}
process.exitCode = differs ? 1 : 0;
