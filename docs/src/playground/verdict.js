// A report in the few words that stand above the editor: the verdict, why, and what to do next.

/** The object of a diagnostic: a grade has it beside its text. */
const objects = (diagnostics) => (diagnostics ?? []).map((one) => one.json ?? one);

const first = (diagnostics) => diagnostics.find(({ severity, line }) => severity === "error" && line) ?? diagnostics.find(({ line }) => line);

/** Of a grade. `next` is the name of the exercise that comes after it, or `null`. */
export const ofExercise = (report, next) => {
    const { status, score, hint, checks = [], gates = [] } = report;
    const diagnostics = objects(report.diagnostics);
    if (status === "passed") {
        return {
            kind: "passed", title: `passed ${score}/100`, score, diagnostics, to: next,
            next: next ? `the exercise ${next}` : "the last exercise of this lab is solved",
        };
    }
    const title = `FAILED ${score}/100`;
    const error = first(diagnostics);
    if (error) {
        return { kind: "failed", title, detail: error.message, score, diagnostics, line: error.line, column: error.column, next: [error.help ?? []].flat()[0] };
    }
    const gate = gates.find(({ passed }) => !passed);
    const check = checks.find(({ status }) => status === "failed");
    // Wrong results come first: a gate says little about a kernel that computes something else.
    if (hint || !gate) {
        return { kind: "failed", title, detail: hint ?? check?.message ?? "", score, diagnostics, next: "change the kernel, and run it again" };
    }
    // The message ends with the hint, which is the next step here.
    const detail = `${gate.id}: ${gate.message.replace(`; ${gate.hint}`, "")}`;
    return { kind: "failed", title, detail, score, diagnostics, line: gate.line, next: gate.hint };
};

/** Of a launch. */
export const ofLaunch = (report) => {
    const { verdict, modelled, kernel } = report;
    const diagnostics = objects(report.diagnostics);
    const error = first(diagnostics);
    if (verdict === "ok") {
        const time = modelled ? `, ${(modelled.seconds * 1e6).toPrecision(4)} µs modelled (${modelled.model})` : "";
        return { kind: "passed", title: `${kernel} ran${time}`, diagnostics, line: error?.line, column: error?.column, next: error?.message };
    }
    return {
        kind: "failed", title: verdict === "rejected" ? "Not compiled:" : "Stopped:", detail: error?.message ?? diagnostics[0]?.message ?? "the report says why",
        diagnostics, line: error?.line, column: error?.column, next: [error?.help ?? []].flat()[0],
    };
};

/** The cells of a buffer: name, type, how many elements changed, first and last values. */
export const ofBuffer = ({ index, name, type, values: { changed, first, last } }) => {
    const one = (value) => (value === null ? "not written" : Array.isArray(value) ? `(${value.map(one).join(", ")})` : String(value));
    const all = (values) => values.map(one).join(", ");
    return [name ?? `argument ${index}`, type, String(changed), all(first), all(last)];
};

const REQUESTS = (c) => c.global_load_requests + c.global_store_requests + c.local_load_requests + c.local_store_requests + c.texture_requests;
const SECTORS = (c) => c.global_load_sectors + c.global_store_sectors + c.local_load_sectors + c.local_store_sectors + c.texture_sectors;

/** What is counted for a line, in the columns of the report, each with its entry of the glossary; columns without any count are left out. */
const COLUMNS = [
    ["requests", REQUESTS, "request"],
    ["sectors", SECTORS, "sector"],
    ["shared", (c) => c.shared_load_wavefronts + c.shared_store_wavefronts, "wavefront"],
    ["conflicts", (c) => c.shared_load_bank_conflicts + c.shared_store_bank_conflicts, "bank-conflict"],
    ["const", (c) => c.constant_passes, "constant-pass"],
    ["divergent", (c) => c.divergent_branches, "divergence"],
];

/** Titles, with their entries of the glossary, and rows of the table of counters by line. */
export const columns = (lines) => {
    const used = COLUMNS.filter(([, count]) => lines.some(({ counters }) => count(counters) > 0));
    const rows = lines.filter(({ counters }) => used.some(([, count]) => count(counters) > 0)).map(({ line, text, counters }) =>
        ({ line, text: text.trim(), cells: used.map(([, count]) => count(counters).toLocaleString("en").replaceAll(",", "\u202f")) }));
    return { titles: used.map(([title, , entry]) => ({ title, entry })), rows };
};

/** What stands beside the lines: what each counted per request, in a few characters and in words. `LEGEND` says what the characters mean. */
export const beside = (lines) => lines.map(({ line, counters: c }) => {
    const [requests, sectors] = [REQUESTS(c) + c.global_atomic_requests, SECTORS(c) + c.global_atomic_sectors];
    const shared = c.shared_load_requests + c.shared_store_requests;
    const wavefronts = c.shared_load_wavefronts + c.shared_store_wavefronts;
    const conflicts = c.shared_load_bank_conflicts + c.shared_store_bank_conflicts;
    const per = (count, of) => Number((count / of).toFixed(1));
    const parts = [
        requests > 0 && [`${per(sectors, requests)}s`, `${per(sectors, requests)} sectors per request`],
        conflicts > 0 && [`${per(wavefronts, shared)}w`, `${per(wavefronts, shared)} wavefronts per request to shared memory, with bank conflicts`],
        c.divergent_branches > 0 && [`${c.divergent_branches}d`, `${c.divergent_branches} ${c.divergent_branches === 1 ? "branch that splits" : "branches that split"} a warp`],
    ].filter(Boolean);
    return { line, short: parts.map(([short]) => short).join(" "), long: `In this line: ${parts.map(([, long]) => long).join(", ")}.`, parts };
}).filter(({ parts }) => parts.length > 0).sort((one, other) => one.line - other.line);

export const LEGEND = "s: sectors per request; w: wavefronts per request to shared memory, where there are bank conflicts; d: branches that split a warp";
