//! A memo of inputs and host references that several runs in a process share, limited in size.
//!
//! The exercises of a lab use the same inputs and reference at equal sizes, and sweeps use them repeatedly.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// Maximum bytes stored.
const ROOM: usize = 96 << 20;

/// Smaller values are not stored, because computing them takes about as long as the lookup.
const SMALL: usize = 16 << 10;

struct Entry {
    key: String,
    bytes: usize,
    value: Arc<dyn Any + Send + Sync>,
}

static KEPT: LazyLock<Mutex<VecDeque<Entry>>> = LazyLock::new(Mutex::default);

/// Returns the stored value of `key`, or computes and stores a new one of about `bytes` bytes.
///
/// The key must name everything that the value depends on (algorithm, seed, sizes). When there is no room, the oldest
/// values are removed first.
pub fn kept<T: Send + Sync + 'static>(key: &str, bytes: usize, make: impl FnOnce() -> T) -> Arc<T> {
    if !(SMALL..=ROOM).contains(&bytes) {
        return Arc::new(make());
    }
    let lock = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let found = lock().iter().find(|e| e.key == key).map(|e| e.value.clone());
    if let Some(value) = found.and_then(|value| value.downcast().ok()) {
        return value;
    }
    // Compute without holding the lock, so that other threads can get other values meanwhile.
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
        // Values that are too small or too large are not stored.
        assert_eq!([get("kept c", SMALL - 1), get("kept c", ROOM + 1)], [3, 4]);
        // A value that fills the room evicts all others.
        assert_eq!([get("kept d", ROOM), get("kept d", ROOM), get("kept a", SMALL)], [5, 5, 6]);
        assert!(KEPT.lock().unwrap().iter().map(|e| e.bytes).sum::<usize>() <= ROOM);
    }

    #[test]
    fn a_key_of_another_type_is_no_answer() {
        assert_eq!(*kept("kept type", SMALL, || 1u8), 1);
        assert_eq!(*kept("kept type", SMALL, || "other"), "other");
    }
}
