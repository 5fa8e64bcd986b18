//! The functions that the module exports. Addresses and lengths are those of its memory; the caller is a page's script.
//!
//! A request goes to a place from [`lab_alloc`], and its address to [`lab_request`], which frees it. The answer is at the address that
//! this returns: its length in four bytes, the lowest first, and so many bytes of JSON. The caller frees it with [`lab_free`].

use crate::answer;

/// Bytes of an answer's length.
const LENGTH: usize = 4;

/// A place for `len` bytes; 0 if there is no memory for them.
#[unsafe(no_mangle)]
pub extern "C" fn lab_alloc(len: usize) -> usize {
    let mut bytes = Vec::new();
    if bytes.try_reserve_exact(len).is_err() {
        return 0;
    }
    bytes.resize(len, 0);
    given(bytes)
}

/// Frees a place of `len` bytes.
///
/// # Safety
/// The place is from [`lab_alloc`] with the same length, or an answer with its length and the four bytes before; it is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lab_free(at: usize, len: usize) {
    // SAFETY: the caller's promise is that of `taken`.
    drop(unsafe { taken(at, len) });
}

/// Answers the request of `len` bytes at a place, which is freed.
///
/// # Safety
/// The place is from [`lab_alloc`] with the same length; it is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lab_request(at: usize, len: usize) -> usize {
    // SAFETY: the caller's promise is that of `taken`.
    let request = unsafe { taken(at, len) };
    let text = answer(&request);
    drop(request);
    let mut bytes = Vec::with_capacity(LENGTH + text.len());
    bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
    given(bytes)
}

/// Gives bytes away until they are [`taken`] back.
fn given(bytes: Vec<u8>) -> usize {
    Box::into_raw(bytes.into_boxed_slice()).cast::<u8>().expose_provenance()
}

/// Takes back what was [`given`].
///
/// # Safety
/// `at` is from [`given`] with `len` bytes, and is taken back once.
unsafe fn taken(at: usize, len: usize) -> Box<[u8]> {
    let bytes = std::ptr::slice_from_raw_parts_mut(std::ptr::with_exposed_provenance_mut::<u8>(at), len);
    // SAFETY: it is the address of a boxed slice of this length, which nobody else has.
    unsafe { Box::from_raw(bytes) }
}
