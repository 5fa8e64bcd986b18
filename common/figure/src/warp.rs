//! Draws what a run recorded about single warps, as a picture and as text: accesses, branches, and the two threads of
//! a race.
//!
//! Pictures are computed from the recorded addresses and masks, so their
//! numbers can be compared with the counters. A record that is inconsistent or of an unknown kind has no picture.

mod race;

use crate::access::{REQUEST_KEY, Request, WRITE_KEY};
use crate::banks::{BANK_KEY, BankAccess};
use crate::cells::Sheet;
use crate::lanes::{LaneRows, lanes_named, lanes_of};
use crate::markup::visible;
use crate::number::{count, short};
use crate::svg::Figure;
use report::{WarpAccess, WarpAccesses, WarpBranch};
use std::collections::BTreeMap;

/// Maximum columns of the text form.
pub const COLUMNS: usize = 80;

/// Maximum length of a list of lanes, in bytes; a longer list is replaced by the number of lanes.
const MAX_NAMED: usize = 32;

/// Something recorded that has a picture.
pub trait Pictured {
    /// One sentence, for a heading above the picture.
    fn summary(&self) -> String;

    /// The picture; `None` if the record is inconsistent. `id` must be unique within a page.
    fn figure(&self, id: &str) -> Option<Figure>;

    /// The picture as text, in lines of at most [`COLUMNS`] columns; `None` if the record is inconsistent.
    fn text(&self) -> Option<Vec<String>>;
}

/// What an access touches, depending on its memory.
enum Touched {
    Global(Request),
    Shared(BankAccess),
    /// One row per distinct word, with the lanes that read it.
    Constant(LaneRows),
}

/// The access's memory, such as `global`.
fn memory(access: &WarpAccess) -> &'static str {
    access.kind.words().split(' ').next().unwrap_or_default()
}

/// What the access touches; `None` if the record is inconsistent or of another memory.
fn touched(access: &WarpAccess) -> Option<Touched> {
    let is_sound = matches!(access.bytes, 1 | 2 | 4 | 8 | 16)
        && access.mask != 0
        && access.offsets.len() == access.mask.count_ones() as usize;
    if !is_sound {
        return None;
    }
    let addresses = access.offsets.iter().map(|offset| u64::from(access.start) + u64::from(*offset));
    let lanes: Vec<(u32, u64)> = lanes_of(access.mask).zip(addresses).collect();
    let bytes = u64::from(access.bytes);
    match memory(access) {
        "global" => Some(Touched::Global(Request { lanes, bytes })),
        "shared" => Some(Touched::Shared(BankAccess { lanes, bytes })),
        "constant" => {
            let mut words: BTreeMap<u64, u32> = BTreeMap::new();
            lanes.iter().for_each(|(lane, byte)| *words.entry(byte / 4).or_default() |= 1 << lane);
            let row = |(word, mask): (&u64, &u32)| (format!("byte {}: {}", 4 * word, named(*mask)), *mask);
            Some(Touched::Constant(LaneRows { rows: words.iter().map(row).collect() }))
        }
        _ => None,
    }
}

/// Kind and variable, such as "global load of `in`".
fn what(access: &WarpAccess) -> String {
    let kind = access.kind.words();
    match &access.name {
        Some(name) => format!("{kind} of `{}`", shown(name)),
        None => kind.to_owned(),
    }
}

/// Which warp, how many of its lanes, and how many bytes per lane.
fn who(access: &WarpAccess) -> String {
    let each = if access.bytes == 1 { "1 byte".to_owned() } else { format!("{} bytes", access.bytes) };
    let lanes = access.mask.count_ones();
    let plural = if lanes == 1 { "lane" } else { "lanes" };
    format!("{}: {lanes} {plural}, {each} each", place(access.warp, access.block))
}

/// Whether it is a load, not a store or atomic.
fn reads(access: &WarpAccess) -> bool {
    access.kind.words().ends_with("load")
}

/// A sentence about the access's cost and the minimum cost.
fn cost(access: &WarpAccess, touched: &Touched) -> String {
    match touched {
        Touched::Global(request) => {
            let (sectors, used) = (request.sectors(), count(request.used_bytes()));
            let fewest = match request.fewest() {
                fewest if fewest == sectors as u64 => ", the fewest".to_owned(),
                fewest => format!("; they fit into {fewest}"),
            };
            format!(
                "{} for {used} different bytes{fewest}. {} % of the bytes of these sectors are {}.",
                plural(sectors as u64, "sector"),
                short(request.used_percent()),
                if reads(access) { "used" } else { "written" }
            )
        }
        Touched::Shared(access) => {
            let (passes, fewest) = (access.wavefronts(), access.fewest());
            let fewest = match fewest == passes {
                true => "there is no bank conflict".to_owned(),
                false => format!("without bank conflicts {fewest}"),
            };
            let told: Vec<String> = access.parts().iter().map(|part| part.told()).collect();
            format!("{}; {fewest}. {}", plural(passes as u64, "wavefront"), worst(&told))
        }
        Touched::Constant(rows) => {
            let passes = rows.rows.len() as u64;
            format!("{}, one for each different word; if all lanes read one word, 1.", passes_of(passes))
        }
    }
}

/// For an atomic only: a sentence that says how many lanes update one address one after another.
fn contention(access: &WarpAccess) -> Option<String> {
    let mut lanes: BTreeMap<u32, u32> = BTreeMap::new();
    access.offsets.iter().for_each(|offset| *lanes.entry(*offset).or_default() += 1);
    let most =
        lanes.into_values().max().filter(|most| *most > 1 && access.kind.words().ends_with("atomic"))?;
    Some(format!("Up to {most} lanes update the same address, one after the other."))
}

/// A sentence about all accesses that this one represents.
fn of_all(access: &WarpAccess, touched: &Touched) -> Option<String> {
    let WarpAccesses { requests, wasteful, taken, fewest } = access.all;
    let unit = match touched {
        Touched::Global(_) => "sector",
        Touched::Shared(_) => "wavefront",
        Touched::Constant(_) => "pass",
    };
    let unit = if unit == "pass" { passes_of(taken) } else { plural(taken, unit) };
    let all = format!("It stands for {} such accesses of this line", count(requests));
    let which = match wasteful {
        0 => return (requests > 1).then(|| format!("{all}; none takes more than needed.")),
        n if n == requests => "all of them take".to_owned(),
        1 => "one of them takes".to_owned(),
        n => format!("{} of them take", count(n)),
    };
    let sums = format!("together {unit}, at least {}", count(fewest));
    (requests > 1).then(|| format!("{all}; {which} more than needed: {sums}."))
}

fn access_title(access: &WarpAccess) -> String {
    format!("{} by one warp", capital(&what(access)))
}

/// The picture of an access, on an empty sheet of any width; `None` if the record is inconsistent.
pub fn access_on(access: &WarpAccess, mut sheet: Sheet, id: &str) -> Option<Figure> {
    let touched = touched(access)?;
    let mut told = vec![format!("{}.", capital(&who(access))), cost(access, &touched)];
    told.extend(contention(access));
    match &touched {
        Touched::Global(_) => sheet.key(if reads(access) { &REQUEST_KEY } else { &WRITE_KEY }),
        Touched::Shared(_) => sheet.key(&BANK_KEY),
        Touched::Constant(_) => {}
    }
    told.iter().for_each(|text| sheet.text(text));
    match &touched {
        Touched::Global(request) => {
            sheet.text("A row is a line of 128 bytes, from the byte named at its left.");
            request.draw_with_lanes(&mut sheet);
        }
        Touched::Shared(access) => {
            sheet.text("Words that each of the 32 banks gives, one per pass:");
            access.draw(&mut sheet);
        }
        Touched::Constant(rows) => rows.draw(&mut sheet),
    }
    if let Some(all) = of_all(access, &touched) {
        sheet.text(&all);
        told.push(all);
    }
    Some(sheet.figure(id, &access_title(access), told.join(" ")))
}

impl Pictured for WarpAccess {
    fn summary(&self) -> String {
        let unit = match memory(self) {
            "global" => plural(self.taken.into(), "sector"),
            "shared" => plural(self.taken.into(), "wavefront"),
            _ => passes_of(self.taken.into()),
        };
        format!("One warp's {}: {unit}, at least {}", what(self), self.fewest)
    }

    fn figure(&self, id: &str) -> Option<Figure> {
        access_on(self, Sheet::default(), id)
    }

    fn text(&self) -> Option<Vec<String>> {
        let touched = touched(self)?;
        let mut lines = vec![heading(self.line, &self.text)];
        let all =
            [Some(format!("{} by {}", what(self), who(self))), Some(cost(self, &touched)), contention(self)];
        all.iter().flatten().for_each(|text| lines.extend(paragraph(text)));
        lines.extend(match &touched {
            Touched::Global(request) => {
                request.text(if reads(self) { ["used", "only fetched"] } else { ["written", "only touched"] })
            }
            Touched::Shared(access) => access.text(),
            Touched::Constant(rows) => rows.text(),
        });
        lines.extend(of_all(self, &touched).iter().flat_map(|text| paragraph(text)));
        Some(finished(lines))
    }
}

fn rows(branch: &WarpBranch) -> Option<LaneRows> {
    let (taken, other) = (branch.taken, branch.other);
    if taken == 0 || other == 0 || taken & other != 0 {
        return None;
    }
    let [holds, fails] = match branch.is_loop {
        true => ["stay in the loop", "have left it, and wait"],
        false => ["the condition holds", "it does not"],
    };
    let row = |text: &str, mask: u32| (format!("{text}: {}", named(mask)), mask);
    let absent = !(taken | other);
    let rows = [row(holds, taken), row(fails, other), row("not active here", absent)];
    Some(LaneRows { rows: rows.into_iter().filter(|(_, mask)| *mask != 0).collect() })
}

fn told(branch: &WarpBranch) -> [String; 2] {
    let how = match branch.is_loop {
        true => "Lanes that have left the loop wait until all have.",
        false => "The warp runs both ways one after the other, and lanes of the other way wait.",
    };
    let times = match branch.times {
        1 => "This is the only split in this line.".to_owned(),
        n => format!("Warps are split {} times in this line.", count(n)),
    };
    [how.to_owned(), times]
}

fn branch_title(branch: &WarpBranch) -> String {
    format!("{} that splits a warp", if branch.is_loop { "A loop" } else { "A branch" })
}

impl Pictured for WarpBranch {
    fn summary(&self) -> String {
        let [taken, other] = [self.taken, self.other].map(u32::count_ones);
        match self.is_loop {
            true => format!("One warp's loop: {taken} lanes stay, {other} have left it"),
            false => format!("One warp's branch: {taken} lanes one way, {other} the other"),
        }
    }

    fn figure(&self, id: &str) -> Option<Figure> {
        let rows = rows(self)?;
        let mut sheet = Sheet::default();
        let who = format!("{}.", capital(&place(self.warp, self.block)));
        sheet.text(&who);
        rows.draw(&mut sheet);
        let told = told(self);
        told.iter().for_each(|text| sheet.text(text));
        let lanes = rows.rows.iter().map(|(text, _)| format!("{}.", capital(text)));
        let description: Vec<String> = std::iter::once(who).chain(lanes).chain(told).collect();
        Some(sheet.figure(id, &branch_title(self), description.join(" ")))
    }

    fn text(&self) -> Option<Vec<String>> {
        let rows = rows(self)?;
        let kind = if self.is_loop { "loop" } else { "branch" };
        let mut lines = vec![heading(self.line, &self.text)];
        lines.extend(paragraph(&format!("{kind} that splits {}", place(self.warp, self.block))));
        lines.extend(rows.text());
        lines.extend(told(self).iter().flat_map(|text| paragraph(text)));
        Some(finished(lines))
    }
}

/// Names a warp: `warp 3 of block (0, 0, 0)`.
fn place(warp: u32, block: [u32; 3]) -> String {
    format!("warp {warp} of block {}", triple(block))
}

/// Formats an index: `(1, 2, 0)`.
fn triple([x, y, z]: [u32; 3]) -> String {
    format!("({x}, {y}, {z})")
}

/// The lanes of a mask in words, or only their number if the list is long.
fn named(mask: u32) -> String {
    let named = lanes_named(&lanes_of(mask).collect::<Vec<_>>());
    if named.len() > MAX_NAMED { format!("{} lanes", mask.count_ones()) } else { named }
}

/// A number with its unit: `1 sector`, `32 sectors`.
fn plural(number: u64, unit: &str) -> String {
    format!("{} {unit}{}", count(number), if number == 1 { "" } else { "s" })
}

/// A number of passes: `1 pass`, `5 passes`.
fn passes_of(number: u64) -> String {
    format!("{} {}", count(number), if number == 1 { "pass" } else { "passes" })
}

/// The sentence to show: the first that describes a bank, otherwise the first sentence.
fn worst(told: &[String]) -> &str {
    let found = told.iter().find(|text| text.starts_with("Bank")).or(told.first());
    found.map_or("", String::as_str)
}

/// The text with its first letter capitalised.
fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or(String::new(), |first| first.to_uppercase().chain(rest).collect())
}

/// Text of a program on one line, with hidden characters made visible.
fn shown(text: &str) -> String {
    visible(text).replace(['\n', '\t'], " ")
}

/// The heading of the text form: number and text of the source line.
fn heading(line: u32, text: &str) -> String {
    format!("line {line}  {}", shown(text.trim()))
}

/// Wraps text into indented lines of at most [`COLUMNS`] columns.
fn paragraph(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= COLUMNS => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(format!("  {word}")),
        }
    }
    lines
}

/// Prepares lines for a terminal: ordinary blanks between thousands, and nothing beyond column [`COLUMNS`].
fn finished(lines: Vec<String>) -> Vec<String> {
    let cut = |line: String| {
        let line = line.replace('\u{202f}', " ");
        match line.chars().count() > COLUMNS {
            true => line.chars().take(COLUMNS - 1).chain(['…']).collect(),
            false => line.trim_end().to_owned(),
        }
    };
    lines.into_iter().map(cut).collect()
}
