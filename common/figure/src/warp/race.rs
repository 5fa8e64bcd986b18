//! Draws a race: two unordered accesses on the time lines of their threads.

use super::{Pictured, capital, finished, heading, paragraph, shown, triple};
use crate::cells::{Look, Sheet};
use crate::markup::Element;
use crate::svg::{Anchor, Figure, LINE, Point, Rect, TEXT, WIDTH, fit, label, line, wrap};
use report::{Barrier, Race, RaceAccess};

/// Width of each thread's column in the text form, in characters.
const COLUMN: usize = 38;

fn two(race: &Race) -> Option<[&RaceAccess; 2]> {
    race.accesses.iter().collect::<Vec<_>>().try_into().ok()
}

/// A text about what is missing between the two accesses.
fn gap(race: &Race) -> String {
    let same_block = two(race).is_none_or(|[first, second]| first.block == second.block);
    let Some(Barrier { place, after, before }) = &race.barrier else {
        let of_block = "no `__syncthreads()` between the two";
        return if same_block { of_block } else { "nothing orders threads of different blocks" }.to_owned();
    };
    match (place.as_str(), after, before) {
        ("between", Some(after), Some(before)) => {
            format!("no `__syncthreads()` between lines {after} and {before}")
        }
        ("loop-end", ..) => "no `__syncthreads()` at the end of the loop's body".to_owned(),
        ("loop-start", ..) => "no `__syncthreads()` at the start of the loop's body".to_owned(),
        ("none", ..) => "nothing orders threads of different blocks".to_owned(),
        _ => "no `__syncthreads()` between the two".to_owned(),
    }
}

/// The whole race in sentences.
fn told(race: &Race, [first, second]: [&RaceAccess; 2]) -> String {
    format!(
        "In this run, {} first: {}; then {}: {}. {}.",
        who(first),
        events(first).join(", "),
        who(second),
        events(second).join(", "),
        capital(&gap(race))
    )
}

impl Pictured for Race {
    fn summary(&self) -> String {
        format!("Two threads that use `{}` in no order", shown(&self.element))
    }

    fn figure(&self, id: &str) -> Option<Figure> {
        let accesses = two(self)?;
        let mut sheet = Sheet::default();
        sheet.text(&format!("Two threads use `{}`; time goes down, as in this run.", shown(&self.element)));
        let columns = [0.25 * WIDTH, 0.75 * WIDTH];
        let (half, top) = (0.5 * WIDTH - 8.0, sheet.y());
        let names = accesses.map(|access| wrap(&who(access), half));
        for (center, name) in columns.into_iter().zip(&names) {
            let baselines = (1..).map(|nth| top + f64::from(nth) * LINE - 2.0);
            let lines = name.iter().zip(baselines);
            sheet.draw(lines.map(|(text, y)| label(Point::new(center, y), Anchor::Middle, text)));
        }
        let rows = names.iter().map(Vec::len).max().unwrap_or(0);
        let start = top + LINE * rows as f64 + 4.0;
        sheet.skip(start - top);
        let [first, second] = accesses.map(events);
        let height = |event: &[String]| LINE * event.len() as f64 + 6.0;
        let gap: Vec<String> = wrap(&gap(self), WIDTH - 12.0);
        let between = LINE * gap.len() as f64 + 10.0;
        let first_top = start + 8.0;
        let gap_top = first_top + height(&first) + 8.0;
        let second_top = gap_top + between + 8.0;
        let end = second_top + height(&second) + 8.0;
        for center in columns {
            // The time lines leave space for the text in the gap.
            for (from, to) in [(start, gap_top), (gap_top + between, end)] {
                sheet.draw([line(Point::new(center, from), Point::new(center, to)).class("axis")]);
            }
        }
        sheet.draw(event(columns[0], first_top, &first));
        sheet.draw(event(columns[1], second_top, &second));
        for y in [gap_top, gap_top + between] {
            sheet.draw([line(Point::new(0.0, y), Point::new(WIDTH, y)).class("limit")]);
        }
        for (i, text) in gap.iter().enumerate() {
            let at = Point::new(0.5 * WIDTH, gap_top + LINE * (i as f64 + 1.0) + 1.0);
            sheet.draw([label(at, Anchor::Middle, text)]);
        }
        sheet.skip(end - start + 4.0);
        let mut told = vec![told(self, accesses)];
        for (which, access) in ["First", "Second"].into_iter().zip(accesses) {
            if let Some(code) = code(access) {
                let text = format!("{which}: `{}`", shown(code));
                sheet.text(&text);
                told.push(format!("{text}."));
            }
        }
        Some(sheet.figure(id, &self.summary(), told.join(" ")))
    }

    fn text(&self) -> Option<Vec<String>> {
        let accesses = two(self)?;
        let mut lines =
            paragraph(&format!("two threads use `{}`; time goes down, as in this run", shown(&self.element)));
        let row = |left: &str, right: &str| format!("  {left:<COLUMN$}{right}");
        let [left, right] = accesses.map(who);
        lines.push(row(&left, &right));
        let [first, second] = accesses.map(|access| events(access).join(", "));
        lines.extend([row("|", "|"), row(&format!("[{first}]"), "|"), row("|", "|")]);
        lines.extend(paragraph(&format!("- - - {} - - -", gap(self))));
        lines.extend([row("|", "|"), row("|", &format!("[{second}]")), row("|", "|")]);
        for access in accesses {
            if let Some((number, code)) = access.line.zip(code(access)) {
                lines.push(format!("  {}", heading(number, code)));
            }
        }
        Some(finished(lines))
    }
}

fn who(access: &RaceAccess) -> String {
    format!("thread {} of block {}", triple(access.thread), triple(access.block))
}

/// The source text of an access, if there is any.
fn code(access: &RaceAccess) -> Option<&str> {
    access.code.as_deref().filter(|code| !code.is_empty())
}

/// The lines of its box: kind, source line and iteration.
fn events(access: &RaceAccess) -> Vec<String> {
    let mut events = vec![shown(&access.kind)];
    events.extend(access.line.map(|line| format!("line {line}")));
    events.extend(access.next_iteration.filter(|later| *later).map(|_| "next iteration".to_owned()));
    events
}

/// Draws an access as a box on its thread's time line.
fn event(center: f64, top: f64, lines: &[String]) -> Vec<Element> {
    let (width, height) = (0.5 * WIDTH - 24.0, LINE * lines.len() as f64 + 6.0);
    let area = Rect { x: center - width / 2.0, y: top, width, height };
    // The opaque background hides the time line behind the box.
    let mut parts = vec![crate::svg::rect(area).class("back"), Look::Tinted.cell(area)];
    for (i, text) in lines.iter().enumerate() {
        let at = Point::new(center, top + LINE * i as f64 + TEXT + 2.0);
        parts.push(label(at, Anchor::Middle, &fit(text, width - 4.0)));
    }
    parts
}
