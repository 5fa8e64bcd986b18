//! Elements of a buffer or variable as text and as JSON.

use crate::arguments::Bound;
use crate::spec::Buffer;
use device::{Device, DeviceError};
use serde_json::Value;
use source::Failure;
use std::ops::Range;

/// Elements that were read from a device.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    what: Buffer,
    bytes: Vec<u8>,
}

impl Values {
    /// Reads elements of a buffer.
    ///
    /// # Errors
    /// The error of the device.
    pub(crate) fn of_buffer(
        device: &mut dyn Device,
        bound: &Bound,
        elements: Range<u64>,
    ) -> Result<Values, Failure> {
        let width = bound.what.element_bytes();
        let mut bytes = vec![0; ((elements.end - elements.start) * width) as usize];
        let failed = |e: DeviceError| Failure::new(e.to_string(), "report it with the kernel file");
        device.read(bound.buffer, elements.start * width, &mut bytes).map_err(failed)?;
        Ok(Values { what: bound.what.clone(), bytes })
    }

    /// Elements whose type is that of `what`, from their bytes.
    pub(crate) fn new(what: Buffer, bytes: Vec<u8>) -> Values {
        Values { what, bytes }
    }

    /// Each element as text: `1.5`, or `(1, 2, 3, 4)` if it has several numbers.
    pub(crate) fn texts(&self) -> Vec<String> {
        let text = |bytes: &[u8]| match self.what.is_unwritten(bytes) {
            true => "unwritten".to_owned(),
            false => self.what.scalar.text(bytes),
        };
        let texts = self.elements().map(|element| element.map(text).collect::<Vec<_>>());
        texts.map(|n| if n.len() == 1 { n.concat() } else { format!("({})", n.join(", ")) }).collect()
    }

    /// One line per element, with blanks between the numbers of an element.
    pub(crate) fn lines(&self) -> String {
        let mut out = String::new();
        for element in self.elements() {
            for (at, number) in element.enumerate() {
                out.push_str(if at == 0 { "" } else { " " });
                match self.what.is_unwritten(number) {
                    true => out.push_str("unwritten"),
                    false => out.push_str(&self.what.scalar.text(number)),
                }
            }
            out.push('\n');
        }
        out
    }

    /// Each element as a number or a list of numbers. NaN and infinity are strings, because JSON has no such numbers; an unwritten number
    /// is null.
    pub(crate) fn json(&self) -> Value {
        let number = |bytes: &[u8]| {
            let text = self.what.scalar.text(bytes);
            match self.what.is_unwritten(bytes) {
                true => Value::Null,
                false => serde_json::from_str(&text).unwrap_or(Value::String(text)),
            }
        };
        let elements = self.elements().map(|element| element.map(number).collect::<Vec<_>>());
        elements.map(|mut n| if n.len() == 1 { n.remove(0) } else { n.into() }).collect()
    }

    /// The bytes of each number of each element.
    fn elements(&self) -> impl Iterator<Item = std::slice::ChunksExact<'_, u8>> {
        let number = self.what.scalar.bytes() as usize;
        self.bytes.chunks_exact(self.what.element_bytes() as usize).map(move |e| e.chunks_exact(number))
    }
}

/// A range as text: `[7]` for one element, otherwise `[7..10]`, which does not include element 10.
pub(crate) fn shown(range: &Range<u64>) -> String {
    match range.end - range.start {
        1 => format!("[{}]", range.start),
        _ => format!("[{}..{}]", range.start, range.end),
    }
}
