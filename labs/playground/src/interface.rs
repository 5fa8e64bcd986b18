//! The functions that the WebAssembly module exports. Addresses and lengths refer to the module's memory; a page's
//! script calls the functions.
//!
//! The caller writes a request into memory from [`lab_alloc`] and passes its address to [`lab_request`], which frees
//! it. [`lab_request`] returns the address of the answer: its length in four little-endian bytes, then that many
//! bytes of JSON. The caller frees the answer with [`lab_free`].

use crate::answer;

/// Size of an answer's length field, bytes.
const LENGTH: usize = 4;

/// Allocates `len` bytes; returns 0 if there is no memory.
#[unsafe(no_mangle)]
pub extern "C" fn lab_alloc(len: usize) -> usize {
    let mut bytes = Vec::new();
    if bytes.try_reserve_exact(len).is_err() {
        return 0;
    }
    bytes.resize(len, 0);
    given(bytes)
}

/// Frees `len` bytes at `at`.
///
/// # Safety
/// The memory is from [`lab_alloc`] with the same length, or is an answer, with `len` covering its length field and
/// text. The caller does not use it again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lab_free(at: usize, len: usize) {
    // SAFETY: the caller guarantees what [`taken`] requires.
    drop(unsafe { taken(at, len) });
}

/// Answers the request of `len` bytes at `at`, and frees the request.
///
/// # Safety
/// The memory is from [`lab_alloc`] with the same length. The caller does not use it again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lab_request(at: usize, len: usize) -> usize {
    // SAFETY: the caller guarantees what [`taken`] requires.
    let request = unsafe { taken(at, len) };
    let text = answer(&request);
    drop(request);
    let mut bytes = Vec::with_capacity(LENGTH + text.len());
    bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
    given(bytes)
}

/// Leaks bytes to the caller until they are [`taken`] back; returns their address.
fn given(bytes: Vec<u8>) -> usize {
    Box::into_raw(bytes.into_boxed_slice()).cast::<u8>().expose_provenance()
}

/// Takes back bytes from [`given`].
///
/// # Safety
/// `at` is from [`given`] with `len` bytes, and is taken back once.
unsafe fn taken(at: usize, len: usize) -> Box<[u8]> {
    let bytes = std::ptr::slice_from_raw_parts_mut(std::ptr::with_exposed_provenance_mut::<u8>(at), len);
    // SAFETY: it is the address of a boxed slice of this length, and nothing else owns it.
    unsafe { Box::from_raw(bytes) }
}
