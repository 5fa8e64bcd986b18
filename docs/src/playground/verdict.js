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

/** What is counted for a line, in the columns of the report; columns without any count are left out. */
const COLUMNS = [
    ["requests", (c) => c.global_load_requests + c.global_store_requests + c.local_load_requests + c.local_store_requests + c.texture_requests],
    ["sectors", (c) => c.global_load_sectors + c.global_store_sectors + c.local_load_sectors + c.local_store_sectors + c.texture_sectors],
    ["shared", (c) => c.shared_load_wavefronts + c.shared_store_wavefronts],
    ["conflicts", (c) => c.shared_load_bank_conflicts + c.shared_store_bank_conflicts],
    ["const", (c) => c.constant_passes],
    ["divergent", (c) => c.divergent_branches],
];

/** Titles and rows of the table of counters by line. */
export const columns = (lines) => {
    const used = COLUMNS.filter(([, count]) => lines.some(({ counters }) => count(counters) > 0));
    const rows = lines.map(({ line, text, counters }) =>
        ({ line, text: text.trim(), cells: used.map(([, count]) => count(counters).toLocaleString("en").replaceAll(",", "\u202f")) }));
    return { titles: used.map(([title]) => title), rows };
};
