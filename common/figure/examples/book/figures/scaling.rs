//! The simulator's speed: seconds of a launch over the size, from the table on the page.

use super::measured::table;
use figure::cells::Sheet;
use figure::chart::{Decades, LogLog};
use figure::number::duration;
use figure::svg::{Figure, LINE, Marker, Point, polyline};

/// Height of the plot.
const HEIGHT: f64 = 210.0;

/// The seconds of a cell such as `3.72 s (2.31e9/s)`; `None` of a size that was left out.
fn seconds(cell: &str) -> Option<f64> {
    let mut words = cell.split_whitespace();
    let number: f64 = words.next()?.parse().ok()?;
    match words.next()? {
        "s" => Some(number),
        "ms" => Some(1e-3 * number),
        "µs" => Some(1e-6 * number),
        _ => None,
    }
}

/// A column of the table, with the sizes that were measured.
struct Series<'a> {
    name: &'a str,
    points: Vec<(f64, f64)>,
}

fn series(page: &str) -> Result<Vec<Series<'_>>, String> {
    let mut rows = table(page, "sizes")?.into_iter();
    let mut series: Vec<Series<'_>> = rows
        .next()
        .unwrap_or_default()
        .into_iter()
        .skip(1)
        .map(|name| Series { name, points: Vec::new() })
        .collect();
    for row in rows {
        let size: f64 = row[0].parse().map_err(|e| format!("the size in a row of `sizes`: {e}"))?;
        for (one, cell) in series.iter_mut().zip(&row[1..]) {
            one.points.extend(seconds(cell).map(|time| (size, time)));
        }
    }
    Ok(series)
}

/// A line for each kernel and mode.
pub(crate) fn sizes(mut sheet: Sheet, page: &str) -> Result<Figure, String> {
    let series = series(page)?;
    let points = || series.iter().flat_map(|one| one.points.iter());
    let decades = |values: Vec<f64>| Decades::around(values).ok_or("the table `sizes` has no time");
    let (x, y) = (decades(points().map(|p| p.0).collect())?, decades(points().map(|p| p.1).collect())?);
    let frame = LogLog::new((x, "n"), (y, "seconds"), [sheet.width(), HEIGHT]);
    sheet.draw(frame.draw());
    sheet.skip(frame.height() + 4.0);
    let mut description = "Both axes are logarithmic.".to_owned();
    for (nth, Series { name, points }) in series.iter().enumerate() {
        let places: Vec<Point> = points.iter().map(|(size, time)| frame.at(*size, *time)).collect();
        sheet.draw([polyline(&places).class("axis")]);
        sheet.draw(places.iter().map(|at| Marker::of(nth).draw(*at, 9.0)));
        let y = sheet.y();
        sheet.draw([Marker::of(nth).draw(Point::new(8.0, y + LINE - 6.0), 9.0)]);
        sheet.text_at(20.0, sheet.width() - 20.0, name);
        if let [(first, fast), .., (last, slow)] = points[..] {
            description.push_str(&format!(
                " {name}: {} at n = {first}, {} at n = {last}.",
                duration(fast),
                duration(slow)
            ));
        }
    }
    Ok(sheet.figure("speed", "Seconds of a launch over the size n", description))
}
