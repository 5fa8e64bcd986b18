//! The lines as they are.

use super::Writer;
use crate::record::Record;

pub(super) struct Jsonl;

impl Writer for Jsonl {
    fn begin(&mut self) -> String {
        String::new()
    }

    fn line(&mut self, text: &str, _: &Record) -> String {
        format!("{text}\n")
    }

    fn end(&mut self) -> String {
        String::new()
    }
}
