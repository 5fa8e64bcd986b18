//! The memories of an H200, with the sizes and rates of its device model (lab 3).

use figure::cells::{Look, Sheet, boxed};
use figure::number::{count, scaled, short};
use figure::svg::{Anchor, Figure, LINE, Point, Rect, TEXT, arrow, label, rect, wrap};

/// A number of bytes in the largest binary unit of which it is one or more.
fn binary(bytes: f64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB"];
    let step = units.iter().enumerate().rev().find(|(step, _)| bytes >= libm::exp2(10.0 * *step as f64));
    let (step, unit) = step.unwrap_or((0, &units[0]));
    format!("{} {unit}", short(bytes / libm::exp2(10.0 * step as f64)))
}

/// A number of the model's file: its fields are lines of the form `name = number`.
pub(crate) fn field(model: &str, name: &str) -> Result<f64, String> {
    let value = model.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "));
    let number = value.and_then(|text| text.parse().ok());
    number.ok_or_else(|| format!("the device model has no number `{name}`"))
}

/// Space within the border of the multiprocessor.
const INSET: f64 = 8.0;

/// A memory as a box over the width, less `inset` on both sides: its name, and below it what is said of it.
fn memory(sheet: &mut Sheet, inset: f64, look: Look, [name, told]: [&str; 2]) {
    let width = sheet.width() - 2.0 * inset - 2.0;
    let mut lines = vec![name.to_owned()];
    lines.extend(wrap(told, width - 8.0));
    let area = Rect { x: inset + 1.0, y: sheet.y(), width, height: LINE * lines.len() as f64 + 8.0 };
    sheet.draw(boxed(area, look, &lines));
    sheet.skip(area.height + 6.0);
}

/// What data cross between two levels, with the rate.
fn link(sheet: &mut Sheet, text: &str) {
    let (x, y, high) = (sheet.width() / 4.0, sheet.y() - 6.0, 26.0);
    let [top, bottom] = [y, y + high].map(|y| Point::new(x, y));
    let middle = Point::new(x, y + high / 2.0);
    sheet.draw([arrow(middle, top), arrow(middle, bottom)]);
    sheet.draw([label(Point::new(x + 12.0, middle.y + 0.35 * TEXT), Anchor::Start, text)]);
    sheet.skip(high - 6.0);
}

/// Registers, shared memory and caches of a multiprocessor, the L2 cache, and device memory.
pub(crate) fn hierarchy(mut sheet: Sheet, model: &str) -> Result<Figure, String> {
    let number = |name: &str| field(model, name);
    let (sms, registers) = (number("sms")?, number("registers_per_sm")?);
    let registers = format!("{} of 4 bytes, {}", count(registers as u64), binary(4.0 * registers));
    let (first, shared) = (binary(number("l1_bytes_per_sm")?), binary(number("shared_bytes_per_sm")?));
    let banks = short(number("shared_banks")?);
    let [second, device] = [binary(number("l2_bytes")?), binary(number("memory_bytes")?)];
    let rate = |name: &str| Ok::<_, String>(scaled(number(name)?, "B/s"));
    let (cached, loaded, sent) =
        (rate("l2_bandwidth")?, rate("memory_bandwidth")?, rate("host_link_bandwidth")?);
    let latency = short(number("memory_latency_cycles")?);

    let top = sheet.y();
    sheet.skip(4.0);
    let title = format!("a multiprocessor, one of {}", short(sms));
    sheet.text_at(INSET, sheet.width() - INSET, &title);
    memory(&mut sheet, INSET, Look::Tinted, ["registers", &registers]);
    let told = format!("{banks} banks, filled by the kernel; up to {shared} of the {first} below");
    memory(&mut sheet, INSET, Look::Tinted, ["shared memory", &told]);
    let told = format!("{first} with shared memory; sectors of 32 bytes; loads, __ldg, textures");
    memory(&mut sheet, INSET, Look::Plain, ["L1 cache", &told]);
    memory(&mut sheet, INSET, Look::Plain, ["constant cache", "one address per pass, for all lanes"]);
    let area = Rect { x: 0.5, y: top, width: sheet.width() - 1.0, height: sheet.y() - top };
    sheet.draw([rect(area).class("outline")]);
    sheet.skip(6.0);
    link(&mut sheet, &cached);
    memory(&mut sheet, 0.0, Look::Plain, ["L2 cache", &format!("{second}, for all multiprocessors")]);
    link(&mut sheet, &format!("{loaded}, after {latency} cycles"));
    memory(
        &mut sheet,
        0.0,
        Look::Tinted,
        ["device memory", &format!("{device}: global and constant memory, textures")],
    );
    link(&mut sheet, &format!("{sent} in each direction"));
    memory(&mut sheet, 0.0, Look::Plain, ["host memory", "only by copies"]);
    sheet.caption("A kernel chooses what is in the tinted ones; the hardware fills the caches.");
    let description = format!(
        "Each of the {} multiprocessors has registers ({registers}), shared memory of up to {shared} in {banks} banks, an L1 cache that has \
         the rest of {first}, and a cache for constant memory. All share an L2 cache of {second}, at {cached}. Device memory has {device}, \
         {loaded} and a latency of {latency} cycles; the link to the host has {sent}.",
        short(sms)
    );
    Ok(sheet.figure("memory", "The memories of an H200", description))
}
