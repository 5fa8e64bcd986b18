//! Figures of measured values: rooflines of the exercises, and the steps that approach the card's limit.

use figure::cells::{Look, Sheet};
use figure::roofline::{Kernel, Roofline};
use figure::svg::{Anchor, Figure, LINE, Marker, Point, Rect, TEXT, label, line};
use serde_json::Value;

/// Measured results of one exercise.
struct Measured {
    lab: String,
    exercise: String,
    device: Value,
    kernel: Kernel,
}

/// The exercises with floating-point operations, in the order of the file.
fn measured(labs: &str) -> Result<Vec<Measured>, String> {
    let mut all = Vec::new();
    for (i, text) in labs.lines().enumerate() {
        let report: Value = serde_json::from_str(text).map_err(|e| format!("line {}: {e}", i + 1))?;
        let name = |field: &str| {
            let text = report[field].as_str().map(str::to_owned);
            text.ok_or_else(|| format!("line {}: no `{field}`", i + 1))
        };
        let (lab, exercise) = (name("lab")?, name("exercise")?);
        let metrics = &report["metrics"];
        if metrics["time"]["kind"] != "measured" {
            return Err(format!("line {}: the time of {lab} {exercise} is not measured", i + 1));
        }
        let numbers = (metrics["arithmetic_intensity"].as_f64(), metrics["gflops"].as_f64());
        if let (Some(intensity), Some(gflops)) = numbers {
            let kernel = Kernel { name: exercise.clone(), intensity, rate: 1e9 * gflops };
            all.push(Measured { lab, exercise, device: report["device"].clone(), kernel });
        }
    }
    Ok(all)
}

/// The roofline of some exercises.
fn roofline(width: f64, id: &str, title: &str, chosen: &[&Measured]) -> Result<Figure, String> {
    let first = chosen.first().ok_or_else(|| format!("no exercise for the roofline `{id}`"))?;
    let number =
        |field: &str| first.device[field].as_f64().ok_or_else(|| format!("the device has no `{field}`"));
    let roofline = Roofline {
        id: id.to_owned(),
        device: "an NVIDIA H200".to_owned(),
        source: first.device["source"].as_str().unwrap_or_default().to_owned(),
        bandwidth: number("memory_bandwidth")?,
        peak: number("f32_rate")?,
        basis: "measured".to_owned(),
        kernels: chosen.iter().map(|m| m.kernel.clone()).collect(),
    };
    let figure =
        roofline.figure_of(width).ok_or_else(|| format!("nothing to draw in the roofline `{id}`"))?;
    let mut figure = Figure { id: id.to_owned(), title: title.to_owned(), ..figure };
    key(&mut figure, chosen);
    Ok(figure)
}

/// Lists every point below the plot, because the plot may lack room for a label.
fn key(figure: &mut Figure, chosen: &[&Measured]) {
    for (i, one) in chosen.iter().enumerate() {
        let name = format!("{} {}", one.lab.replace('-', " "), one.exercise);
        figure.body.push(Marker::of(i).draw(Point::new(8.0, figure.height + LINE - 4.0), 10.0));
        figure.body.push(label(Point::new(20.0, figure.height + LINE), Anchor::Start, &name));
        figure.height += LINE + 2.0;
    }
    figure.height += 6.0;
}

/// The fastest exercise of each problem, which exercises of the same intensity share, and the three of lab 6.
pub(crate) fn rooflines(width: f64, labs: &str) -> Result<Vec<Figure>, String> {
    let mut all = measured(labs)?;
    let product: Vec<&Measured> = all.iter().filter(|m| m.lab == "lab-6").collect();
    let of_the_product =
        roofline(width, "roofline-product", "Roofline of lab 6's exercises on an H200, measured", &product)?;
    let mut fastest: Vec<&Measured> = Vec::new();
    for one in &all {
        match fastest.iter_mut().find(|other| other.kernel.intensity == one.kernel.intensity) {
            Some(other) if other.kernel.rate < one.kernel.rate => *other = one,
            Some(_) => {}
            None => fastest.push(one),
        }
    }
    let chosen: Vec<(String, String)> = fastest.iter().map(|m| (m.lab.clone(), m.exercise.clone())).collect();
    all.retain(|m| chosen.contains(&(m.lab.clone(), m.exercise.clone())));
    for one in &mut all {
        let namesakes = chosen.iter().filter(|(_, exercise)| *exercise == one.exercise);
        if namesakes.count() > 1 {
            one.kernel.name = format!("{} {}", one.lab.replace('-', " "), one.exercise);
        }
    }
    let title = "Roofline of the labs' problems on an H200, measured";
    let of_labs = roofline(width, "roofline-labs", title, &all.iter().collect::<Vec<_>>())?;
    Ok(vec![of_labs, of_the_product])
}

/// A row of a table on the page about the card's limit.
struct Step {
    name: String,
    milliseconds: String,
    share: f64,
}

/// The cells of the table `name` on a page, its header first.
pub(crate) fn table<'a>(page: &'a str, name: &str) -> Result<Vec<Vec<&'a str>>, String> {
    let missing = || format!("the page has no table `{name}`");
    let (_, rest) = page.split_once(&format!("<!-- table {name} -->")).ok_or_else(missing)?;
    let (table, _) = rest.split_once("<!-- end -->").ok_or_else(missing)?;
    let rows = table.lines().filter_map(|row| row.strip_prefix('|')?.strip_suffix('|'));
    let cells = |row: &'a str| row.split('|').map(str::trim).collect::<Vec<_>>();
    Ok(rows.map(cells).filter(|row| !row.iter().all(|cell| cell.starts_with('-'))).collect())
}

/// The rows of the table `name` on the page: step, median, gain, share.
fn steps(page: &str, name: &str) -> Result<Vec<Step>, String> {
    let step = |row: Vec<&str>| {
        let [step, median, _, share] = row[..] else {
            return Err(format!("a row of `{name}`: {row:?}"));
        };
        let number = share.parse().map_err(|e| format!("the share in a row of `{name}`: {e}"))?;
        Ok(Step { name: step.replace('`', ""), milliseconds: median.to_owned(), share: number })
    };
    table(page, name)?.into_iter().skip(1).map(step).collect()
}

/// The steps from the first kernel to the fastest one, for three of the labs' problems.
pub(crate) fn ladders(sheet: &Sheet, page: &str) -> Result<Vec<Figure>, String> {
    [
        ("transpose", "Transposition, 16384 x 16384", "a copy"),
        ("convolution", "Convolution, 7 x 7 at 8192 x 8192", "a copy"),
        ("matmul", "Matrix product, 4096 x 4096 x 4096", "cuBLAS"),
    ]
    .into_iter()
    .map(|(name, title, reference)| Ok(ladder(sheet.clone(), [name, title, reference], &steps(page, name)?)))
    .collect()
}

fn ladder(mut sheet: Sheet, [name, title, reference]: [&str; 3], steps: &[Step]) -> Figure {
    let end = sheet.width() - 2.0;
    let text = format!("100 %: {reference}");
    sheet.draw([label(Point::new(sheet.width(), TEXT), Anchor::End, &text).class("muted")]);
    sheet.skip(LINE + 4.0);
    let mut description = format!("Measured on an NVIDIA H200; 100 % is the rate of {reference}.");
    for step in steps {
        let percent = format!("{:.1} %", 100.0 * step.share);
        sheet.text(&step.name);
        let (y, length) = (sheet.y(), end * step.share);
        sheet.draw([Look::Solid.cell(Rect { x: 1.0, y, width: length, height: TEXT })]);
        sheet.draw([
            line(Point::new(end + 1.0, y - 2.0), Point::new(end + 1.0, y + TEXT + 2.0)).class("roof")
        ]);
        sheet.skip(TEXT + 2.0);
        sheet.text(&format!("{percent}, {} ms", step.milliseconds));
        sheet.skip(6.0);
        description.push_str(&format!(" {}: {} ms, {percent}.", step.name, step.milliseconds));
    }
    sheet.figure(&format!("ladder-{name}"), &format!("{title}: steps to the card's limit"), description)
}
