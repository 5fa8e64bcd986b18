//! Requests of the host that the memory refuses.

/// Why the memory refused a request of the host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// The memory budget is spent.
    #[error("out of device memory: {asked} bytes requested, {used} of {budget} in use")]
    OutOfMemory {
        /// Bytes asked for.
        asked: u64,
        /// Bytes in use.
        used: u64,
        /// The budget in bytes.
        budget: u64,
    },
    /// No such buffer, or it was freed.
    #[error("buffer {0} does not exist or was freed")]
    NoBuffer(u32),
    /// No such module or variable.
    #[error("the module has no such variable")]
    NoSymbol,
    /// No such texture.
    #[error("texture {0:#x} does not exist or was destroyed")]
    NoTexture(u64),
    /// A range outside its buffer.
    #[error("bytes {offset}..{} are outside {bytes}", offset.saturating_add(*len))]
    Range {
        /// First byte.
        offset: u64,
        /// Bytes asked for.
        len: u64,
        /// Bytes there are.
        bytes: u64,
    },
    /// A texture's description does not fit its data.
    #[error("texture: {0}")]
    Texture(String),
}
