//! Where the last panic was, in whichever thread.

use std::sync::{Mutex, Once, PoisonError};

static LAST: Mutex<Option<String>> = Mutex::new(None);

/// From now on, panics are recorded and not printed.
pub(crate) fn record() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let place = info.location().map(|l| format!("{}:{}", l.file(), l.line())).unwrap_or_default();
            // A test that fails panics as well, and must be heard.
            if place.contains("tests/it/") {
                return before(info);
            }
            let what = info.payload_as_str().unwrap_or("a value that is no text");
            *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(format!("{place}: {what}"));
        }));
    });
}

/// The last panic since this was asked, as `file:line: what`.
pub(crate) fn take() -> Option<String> {
    LAST.lock().unwrap_or_else(PoisonError::into_inner).take()
}
