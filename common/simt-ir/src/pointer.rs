//! The 64-bit pointer value: space, allocation, offset.
//!
//! ```text
//! 63      60 59            40 39                    0
//! [ space 4 ][ allocation 20 ][ byte offset 40, wraps ]
//! ```
//!
//! Offsets are signed in effect: one below 0 wraps to the top of the 40 bits, far above any allocation (1 TiB), and
//! so fails the bounds check as it should. In [`Space::Shared`] and [`Space::Local`] the offset counts from the start
//! of the block's or thread's segment, not of the variable, so that it is the address that banks are taken from; the
//! allocation then says between which offsets it may point. Elsewhere it counts from the allocation's first byte,
//! which is aligned to 256 bytes as `cudaMalloc` guarantees.

/// The memory that a pointer points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Space {
    /// No memory: the null pointer, or an integer that was made a pointer.
    None = 0,
    /// Device memory: buffers, `__device__` variables, and from [`HEAP`] on blocks of the device's heap. Allocation: the buffer's
    /// number in the launch.
    Global = 1,
    /// A block's shared memory. Allocation: index into [`crate::Kernel::shared`].
    Shared = 2,
    /// `__constant__` memory. Allocation: index into [`crate::Module::globals`].
    Constant = 3,
    /// A thread's own memory. Allocation: index into [`crate::Kernel::locals`].
    Local = 4,
}

/// Bits of the byte offset.
pub const OFFSET_BITS: u32 = 40;
/// Mask of the byte offset.
pub const OFFSET_MASK: u64 = (1 << OFFSET_BITS) - 1;
/// Bits of the allocation's number.
pub const ALLOCATION_BITS: u32 = 20;
/// Mask of the allocation's number, once shifted down.
pub const ALLOCATION_MASK: u64 = (1 << ALLOCATION_BITS) - 1;

/// The numbers of allocations of global memory from this one on are those of blocks of the device's heap, which
/// [`crate::InstKind::Malloc`] gives; those below are buffers.
pub const HEAP: u32 = 1 << (ALLOCATION_BITS - 1);

/// The allocation of a pointer to shared memory that was made of a byte number alone: it means whichever variable has that
/// byte.
pub const WINDOW: u32 = ALLOCATION_MASK as u32;

/// The space is the bits from this one on.
pub const SPACE_SHIFT: u32 = 60;

/// Puts a pointer together; `offset` in bytes, cut to 40 bits.
#[inline]
pub const fn pack(space: Space, allocation: u32, offset: u64) -> u64 {
    ((space as u64) << SPACE_SHIFT)
        | ((allocation as u64 & ALLOCATION_MASK) << OFFSET_BITS)
        | (offset & OFFSET_MASK)
}

/// The space of a pointer; an unknown tag is [`Space::None`].
#[inline]
pub const fn space(pointer: u64) -> Space {
    match pointer >> SPACE_SHIFT {
        1 => Space::Global,
        2 => Space::Shared,
        3 => Space::Constant,
        4 => Space::Local,
        _ => Space::None,
    }
}

/// The allocation's number in its space.
#[inline]
pub const fn allocation(pointer: u64) -> u32 {
    ((pointer >> OFFSET_BITS) & ALLOCATION_MASK) as u32
}

/// Whether it points to a block of the device's heap.
#[inline]
pub const fn is_in_heap(pointer: u64) -> bool {
    matches!(space(pointer), Space::Global) && allocation(pointer) >= HEAP
}

/// The byte offset, 0 to 2^40 - 1.
#[inline]
pub const fn offset(pointer: u64) -> u64 {
    pointer & OFFSET_MASK
}

/// The byte offset as a signed number, as a message shows it: what lies below 0 is negative.
#[inline]
pub const fn signed_offset(pointer: u64) -> i64 {
    ((pointer << (64 - OFFSET_BITS)) as i64) >> (64 - OFFSET_BITS)
}

/// Moves the offset by `bytes`, wrapping within its 40 bits; space and allocation stay.
#[inline]
pub const fn add(pointer: u64, bytes: u64) -> u64 {
    (pointer & !OFFSET_MASK) | (pointer.wrapping_add(bytes) & OFFSET_MASK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moving_below_zero_stays_in_the_allocation_and_reads_negative() {
        let p = pack(Space::Global, 7, 4);
        let q = add(p, (-8i64) as u64);
        assert_eq!((space(q), allocation(q), signed_offset(q)), (Space::Global, 7, -4));
        assert_eq!(add(q, 8), p);
    }

    #[test]
    fn null_belongs_to_no_space_even_when_moved() {
        assert_eq!(space(add(0, 4096)), Space::None);
    }
}
