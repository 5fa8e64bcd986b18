//! Figures of recorded accesses of single warps of the solutions (labs 1, 2, 6 and 7).

use figure::cells::Sheet;
use figure::svg::Figure;
use figure::warp::access_on;
use report::WarpAccess;
use serde::Deserialize;

/// A line of the file: an access and the figure that shows it.
#[derive(Deserialize)]
struct Shown {
    id: String,
    lab: String,
    exercise: String,
    access: WarpAccess,
}

/// A figure for each line of the file.
pub(crate) fn figures(sheet: &Sheet, runs: &str) -> Result<Vec<Figure>, String> {
    let figure = |(number, line): (usize, &str)| {
        let shown: Shown = serde_json::from_str(line).map_err(|e| format!("run {}: {e}", number + 1))?;
        let Shown { id, lab, exercise, access } = shown;
        let drawn = access_on(&access, sheet.clone(), &id)
            .ok_or_else(|| format!("run {}: nothing to draw", number + 1))?;
        let kind = access.kind.words();
        let name = access.name.unwrap_or_default();
        let lab = lab.replace("lab-", "Lab ");
        let title = format!("{lab} {exercise} as it ran: one warp's {kind} of {name}");
        Ok(Figure { title, ..drawn })
    };
    runs.lines().enumerate().map(figure).collect()
}
