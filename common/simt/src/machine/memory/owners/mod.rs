//! Which block has touched which word of a buffer during a launch: how two blocks that touch one word are found out.
//!
//! A worker notes what its blocks touch in a [`AccessLog`] of its own, and puts that into the buffer's tables now and then, at the
//! latest when it has no more blocks. So an access costs a few bytes of the log, and no atomic operation.
//!
//! A buffer has a table for what wrote it and one for what read it. A table keeps one 64-bit word for each line of 128 bytes:
//! the owner that has touched all of it, and the launch, so that what earlier launches left counts as nothing and no table is
//! ever cleared. A line of which less was touched at once is *split* into sectors of 32 bytes, each with its owner and a bit for
//! each of its eight words that the owner has touched. A sector that cannot be described so, since two owners have
//! touched different words of it, is *spilled*: from then on it has an owner for each word, in pages made when first needed.
//!
//! **Nothing is missed, in any interleaving.** Tables are split into shards, each behind a lock; both tables of a sector are in one
//! shard. Of two accesses to one word, the one that gets there later finds the mark of the other, whichever that is and
//! whenever the accesses themselves were. That a clash is seen only some time later is of no harm, for then the launch is
//! undone and run again in block order, where there are no clashes to find.
//!
//! **Nothing is seen that is not there**: owners are kept for each word exactly. Only after two blocks have clashed may
//! marks be missing.
//!
//! Memory: a table has 64 bits for 32 words and again for 8, which is 5/16 of its buffer; spilled pages are at
//! worst as large as the buffer, and are only there for parts where blocks share sectors.

pub(crate) mod log;
pub(crate) mod owner_table;
mod table;

#[cfg(test)]
mod batches;
#[cfg(test)]
mod tests;
