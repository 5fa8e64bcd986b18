// Corrections that the simulator has tried: which a report has, and a text with one of them made.

/** All corrections of the diagnostics of a report. */
export const suggestions = (diagnostics) => diagnostics.flatMap((one) => (one.json ?? one).suggestions ?? []);

/** A text with the edits of a correction made. Lines and columns count from 1, columns in characters, and an edit ends before its end. */
export const corrected = (text, { edits }) => {
    const starts = [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map(({ index, 0: end }) => index + end.length)];
    const at = (line, column) => starts[line - 1] + [...text.slice(starts[line - 1])].slice(0, column - 1).join("").length;
    let [result, done] = ["", 0];
    for (const edit of edits) {
        result += text.slice(done, at(edit.line, edit.column)) + edit.replacement;
        done = at(edit.end_line, edit.end_column);
    }
    return result + text.slice(done);
};
