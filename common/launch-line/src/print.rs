//! `--print out[10..20]` and `--dump out=-`: elements of buffers and variables as text.

use crate::arguments::{self, Arguments, Bound};
use crate::spec::Buffer;
use crate::symbols;
use crate::values::{self, Values};
use device::{Device, ProgramInfo};
use serde_json::{Value, json};
use source::Failure;
use std::ops::Range;

/// Maximum number of elements that one `--print` prints.
const MAX_PRINTED: u64 = 1000;

/// Maximum number of elements that one `--dump ARG=-` prints: they are kept in memory as text.
const MAX_DUMPED: u64 = 1 << 24;

/// Forms of `--print`, for error messages.
const EXAMPLES: &str = "write --print out, out[7], out[10..20] (20 is not printed), out[10..] or out[..20]";

/// A buffer, or a variable of the file, by its name.
#[derive(Clone, Copy)]
pub(crate) enum Place<'a> {
    Buffer(&'a Bound),
    Variable(&'a str),
}

/// The elements that a `--print` selects.
pub(crate) struct Selection<'a> {
    place: Place<'a>,
    what: Buffer,
    elements: Range<u64>,
}

/// The elements that were read for a `--print`.
pub(crate) struct Printed {
    name: String,
    what: Buffer,
    /// The selected range; `values` holds at most the first [`MAX_PRINTED`] elements of it.
    elements: Range<u64>,
    values: Values,
}

impl<'a> Place<'a> {
    /// Finds a buffer by name or index, or else a variable by name. The error is a message, which lists the variables, and a help text,
    /// which lists the buffers.
    pub(crate) fn find(
        program: &ProgramInfo,
        arguments: &'a Arguments,
        name: &'a str,
    ) -> Result<Place<'a>, [String; 2]> {
        match arguments::find(&arguments.bound, name) {
            Some(bound) => Ok(Place::Buffer(bound)),
            None if program.symbol(name).is_some() => Ok(Place::Variable(name)),
            None => {
                let variables = symbols::find(program, name).err().unwrap_or_default();
                let what = format!("no buffer of that name or index, and {variables}");
                Err([what, arguments::names(&arguments.bound)])
            }
        }
    }

    fn name(&self) -> &'a str {
        match self {
            Place::Buffer(bound) => &bound.name,
            Place::Variable(name) => name,
        }
    }

    fn shape(&self, device: &dyn Device, program: &ProgramInfo) -> Result<Buffer, Failure> {
        match self {
            Place::Buffer(bound) => Ok(bound.what.clone()),
            Place::Variable(name) => {
                symbols::shape(device, program, name).map_err(|what| Failure::new(what, EXAMPLES))
            }
        }
    }
}

impl<'a> Selection<'a> {
    /// Reads `NAME`, `NAME[7]` or `NAME[10..20]`.
    ///
    /// # Errors
    /// Says what is wrong with the text, and which names or forms are possible.
    pub(crate) fn parse(
        device: &dyn Device,
        program: &ProgramInfo,
        arguments: &'a Arguments,
        text: &'a str,
    ) -> Result<Selection<'a>, Failure> {
        let failed = |what: &str, help: &str| Failure::new(format!("--print '{text}': {what}"), help);
        // First try the whole text as a name, because the name of a structure's member may contain brackets.
        let whole = Place::find(program, arguments, text);
        let (place, range) = match (whole, text.rsplit_once('[')) {
            (Ok(place), _) => (place, ".."),
            (Err(_), Some((name, rest))) => {
                let range = rest.strip_suffix(']').ok_or_else(|| failed("`]` is missing", EXAMPLES))?;
                let place = Place::find(program, arguments, name.trim());
                (place.map_err(|[what, help]| failed(&what, &help))?, range)
            }
            (Err([what, help]), None) => return Err(failed(&what, &help)),
        };
        let what = place.shape(device, program)?;
        let count = what.elements();
        let elements =
            elements(range, count).ok_or_else(|| failed("that is not a range of elements", EXAMPLES))?;
        if elements.end > count || elements.start >= elements.end {
            let name = place.name();
            let (plural, last) = (if count == 1 { "element" } else { "elements" }, count.saturating_sub(1));
            let problem = if elements.end > count { "out of range" } else { "the range is empty" };
            let has = format!("{problem}: `{name}` has {count} {plural}, [0] to [{last}]");
            return Err(failed(&has, EXAMPLES));
        }
        Ok(Selection { place, what, elements })
    }

    /// Reads the elements, at most [`MAX_PRINTED`].
    ///
    /// # Errors
    /// The error of the device.
    pub(crate) fn read(self, device: &mut dyn Device, program: &ProgramInfo) -> Result<Printed, Failure> {
        let Selection { place, what, elements } = self;
        let few = elements.start..elements.end.min(elements.start + MAX_PRINTED);
        let values = read(device, program, place, &what, few)?;
        Ok(Printed { name: place.name().to_owned(), what, elements, values })
    }
}

/// Parses a range of elements: `7`, `10..20`, `10..`, `..20` or `..`; `None` for any other text.
fn elements(text: &str, count: u64) -> Option<Range<u64>> {
    let number = |text: &str, missing| match text.trim() {
        "" => Some(missing),
        digits if digits.starts_with('+') => None,
        digits => digits.parse().ok(),
    };
    match text.split_once("..") {
        Some((from, to)) => Some(number(from, 0)?..number(to, count)?),
        None if text.trim().is_empty() => None,
        None => number(text, 0).map(|at| at..at.saturating_add(1)),
    }
}

fn read(
    device: &mut dyn Device,
    program: &ProgramInfo,
    place: Place<'_>,
    what: &Buffer,
    elements: Range<u64>,
) -> Result<Values, Failure> {
    match place {
        Place::Buffer(bound) => Values::of_buffer(device, bound, elements),
        Place::Variable(name) => {
            let width = what.element_bytes();
            let mut bytes = symbols::read(device, program, name, elements.end * width)?;
            Ok(Values::new(what.clone(), bytes.split_off((elements.start * width) as usize)))
        }
    }
}

impl Printed {
    /// The elements as JSON. `from` and `to` are the selected range; `values` may hold only the first [`MAX_PRINTED`] elements of it.
    pub(crate) fn json(&self) -> Value {
        json!({
            "name": self.name,
            "type": self.what.spelling(),
            "from": self.elements.start,
            "to": self.elements.end,
            "values": self.values.json(),
        })
    }

    /// The elements in rows of at most `width` columns, each with the index of its first.
    pub(crate) fn text(&self, width: usize) -> String {
        let texts = self.values.texts();
        let end = self.elements.start + texts.len() as u64;
        let label = end.to_string().len() + 2;
        let widest = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0);
        // All rows but the last have the same number of elements: a power of two up to 16, which is easy to count.
        let fitting = width.saturating_sub(4 + label) / (widest + 2);
        let per_row = if fitting < 2 { 1 } else { 1 << fitting.ilog2().min(4) };
        let mut out =
            format!("\n  {}{}  {}\n", self.name, values::shown(&self.elements), self.what.spelling());
        for (row, texts) in texts.chunks(per_row).enumerate() {
            let index = format!("[{}]", self.elements.start + (row * per_row) as u64);
            let cells: Vec<String> = texts.iter().map(|text| format!("{text:>widest$}")).collect();
            out.push_str(&format!("    {index:<label$}  {}\n", cells.join("  ")));
        }
        if end < self.elements.end {
            let more = self.elements.end - end;
            out.push_str(&format!("    and {more} more, from [{end}] on\n"));
        }
        out
    }
}

/// All elements of a buffer or variable, one per line; the numbers of an element have blanks between them.
///
/// # Errors
/// Says that there are more than [`MAX_DUMPED`] elements, or is the error of the device.
pub(crate) fn dump(
    device: &mut dyn Device,
    program: &ProgramInfo,
    place: Place<'_>,
) -> Result<String, Failure> {
    let what = place.shape(device, program)?;
    let (name, count) = (place.name(), what.elements());
    if count > MAX_DUMPED {
        return Err(Failure::new(
            format!("--dump {name}=-: {count} elements; as text, at most {MAX_DUMPED} are written"),
            format!(
                "write a file, --dump {name}={name}.npy, or print some of them, --print '{name}[0..100]'"
            ),
        ));
    }
    let values = read(device, program, place, &what, 0..count)?;
    Ok(values.lines())
}
