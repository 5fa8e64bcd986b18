//! A stream of results, a line at a time, so that memory does not grow with their number.
//!
//! A run that was interrupted may leave a last line that is cut. It is skipped, and [`Lines::cut`] says so. Any other line that is not a
//! result is an error with its number.

use crate::record::Record;
use std::io::{self, BufRead, Read};
use thiserror::Error;

/// Longest line that is read, bytes: sixteen times the longest report of a kernel file of 1 MiB.
pub const MAX_LINE: u64 = 64 << 20;

/// A line that is not a result.
#[derive(Debug, Error)]
#[error("{name}:{line}: {what}")]
pub struct ReadError {
    /// The stream.
    pub name: String,
    /// The line's number, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub what: String,
}

/// A result with its place in the stream.
#[derive(Clone, Debug)]
pub struct Line {
    /// The line's number, from 1.
    pub number: u64,
    /// Where it begins, in bytes from the beginning of the stream.
    pub offset: u64,
    /// The line as it stands there, without its end.
    pub text: String,
    /// What it says.
    pub record: Record,
}

/// Reads results from a stream.
#[derive(Debug)]
pub struct Lines<R> {
    input: R,
    name: String,
    number: u64,
    offset: u64,
    cut: Option<u64>,
    is_at_end: bool,
}

impl<R: BufRead> Lines<R> {
    /// The results of a stream; errors call it by `name`.
    pub fn new(input: R, name: impl Into<String>) -> Lines<R> {
        Lines { input, name: name.into(), number: 0, offset: 0, cut: None, is_at_end: false }
    }

    /// What errors call the stream.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of the last line, if it is cut. Known when all lines have been read.
    pub fn cut(&self) -> Option<u64> {
        self.cut
    }

    /// The stream, to read parts of it again.
    pub fn into_inner(self) -> R {
        self.input
    }

    fn error(&self, what: impl Into<String>) -> ReadError {
        ReadError { name: self.name.clone(), line: self.number, what: what.into() }
    }

    /// The next line that is not blank.
    fn read(&mut self) -> Result<Option<Line>, ReadError> {
        loop {
            let mut bytes = Vec::new();
            self.number += 1;
            let offset = self.offset;
            let limited = (&mut self.input).take(MAX_LINE + 1).read_until(b'\n', &mut bytes);
            let length = limited.map_err(|e| self.error(format!("cannot be read: {e}")))?;
            self.offset += length as u64;
            if length == 0 {
                return Ok(None);
            }
            let is_whole = bytes.last() == Some(&b'\n');
            if length as u64 > MAX_LINE {
                return Err(self.error(format!("the line has more than {MAX_LINE} bytes")));
            }
            while bytes.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
                bytes.pop();
            }
            let text = match String::from_utf8(bytes) {
                Ok(text) => text,
                // A character of several bytes may be what is cut.
                Err(_) if !is_whole => {
                    self.cut = Some(self.number);
                    return Ok(None);
                }
                Err(_) => return Err(self.error("the line is not UTF-8 text")),
            };
            if text.trim().is_empty() {
                continue;
            }
            match Record::parse(&text) {
                Ok(record) => return Ok(Some(Line { number: self.number, offset, text, record })),
                Err(_) if !is_whole && is_cut(&text) => {
                    self.cut = Some(self.number);
                    return Ok(None);
                }
                Err(what) => return Err(self.error(what)),
            }
        }
    }
}

/// Whether a text is the beginning of a JSON value.
fn is_cut(text: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(text).is_err_and(|e| e.is_eof())
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = Result<Line, ReadError>;

    /// The next result. Nothing follows an error.
    fn next(&mut self) -> Option<Result<Line, ReadError>> {
        if self.is_at_end {
            return None;
        }
        let read = self.read();
        self.is_at_end = !matches!(read, Ok(Some(_)));
        read.transpose()
    }
}

/// Reads `length` bytes from `offset` on, which [`Line`] gave, as text.
///
/// # Errors
/// The stream's, or if it has changed meanwhile.
pub fn reread<R: Read + io::Seek>(input: &mut R, offset: u64, length: usize) -> io::Result<String> {
    input.seek(io::SeekFrom::Start(offset))?;
    let mut bytes = vec![0; length];
    input.read_exact(&mut bytes)?;
    String::from_utf8(bytes).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))
}
