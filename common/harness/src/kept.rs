//! What several runs of a process want: inputs and host references, made once and kept while there is room.
//!
//! The exercises of a lab have the same inputs and the same reference at the same sizes, and a sweep has them again and again.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// Most bytes that are kept.
const ROOM: usize = 96 << 20;

/// Values of fewer bytes are made again: that takes about as long as to look for them.
const SMALL: usize = 16 << 10;

struct Entry {
    key: String,
    bytes: usize,
    value: Arc<dyn Any + Send + Sync>,
}

static KEPT: LazyLock<Mutex<VecDeque<Entry>>> = LazyLock::new(Mutex::default);

/// The value that `key` stands for, of about `bytes`: one that is kept, or a new one from `make`.
///
/// The key names all that the value depends on (algorithm, seed, sizes). What was made first goes first when there is no more
/// room.
pub fn kept<T: Send + Sync + 'static>(key: &str, bytes: usize, make: impl FnOnce() -> T) -> Arc<T> {
    if !(SMALL..=ROOM).contains(&bytes) {
        return Arc::new(make());
    }
    let lock = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let found = lock().iter().find(|e| e.key == key).map(|e| e.value.clone());
    if let Some(value) = found.and_then(|value| value.downcast().ok()) {
        return value;
    }
    // Made without the lock: another thread may want another value meanwhile.
    let value = Arc::new(make());
    let mut entries = lock();
    entries.retain(|e| e.key != key);
    let mut total: usize = entries.iter().map(|e| e.bytes).sum();
    while total + bytes > ROOM
        && let Some(oldest) = entries.pop_front()
    {
        total -= oldest.bytes;
    }
    entries.push_back(Entry { key: key.to_owned(), bytes, value: value.clone() });
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_made_once_while_there_is_room() {
        let made = std::cell::Cell::new(0);
        let get = |key: &str, bytes| {
            *kept(key, bytes, || {
                made.set(made.get() + 1);
                made.get()
            })
        };
        assert_eq!([get("kept a", SMALL), get("kept a", SMALL), get("kept b", SMALL)], [1, 1, 2]);
        // What is too small or too large is not kept.
        assert_eq!([get("kept c", SMALL - 1), get("kept c", ROOM + 1)], [3, 4]);
        // What fills the room drives out all else.
        assert_eq!([get("kept d", ROOM), get("kept d", ROOM), get("kept a", SMALL)], [5, 5, 6]);
        assert!(KEPT.lock().unwrap().iter().map(|e| e.bytes).sum::<usize>() <= ROOM);
    }

    #[test]
    fn a_key_of_another_type_is_no_answer() {
        assert_eq!(*kept("kept type", SMALL, || 1u8), 1);
        assert_eq!(*kept("kept type", SMALL, || "other"), "other");
    }
}
