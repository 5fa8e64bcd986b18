//! Work without processes, for systems without `fork`: one after the other, with panics caught.

use crate::{Ended, Limits, Stopped, Work};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Does the work of all `numbers` in this process, one after the other. Of the limits that on the result's size holds.
pub fn run(
    _jobs: usize,
    limits: &Limits,
    numbers: &mut dyn Iterator<Item = usize>,
    work: Work<'_>,
    ended: &mut Ended<'_>,
) {
    for number in numbers {
        let result = match catch_unwind(AssertUnwindSafe(|| (work.run)(number))) {
            Ok(bytes) if bytes.len() > limits.output => Err(Stopped::Output { limit: limits.output }),
            Ok(bytes) => Ok(bytes),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text =
                    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message");
                Err(Stopped::Panicked { message: text.to_owned() })
            }
        };
        if let ControlFlow::Break(()) = ended(number, result) {
            return;
        }
    }
}
