//! Owner tables: which block has accessed which word of a buffer during a launch, to find two blocks that conflict: both access one
//! word, one of them writes it, and not both by atomics.
//!
//! A worker notes what its blocks access in an [access log](log) of its own, and flushes that to the buffer's [owner
//! table](owner_table) when it is full, at the latest when it has no more blocks. So an access costs a few bytes of the log, and no atomic
//! operation.
//!
//! An owner table has a [table](table) for writers and one for readers. Such a table keeps a 64-bit record for each line of 128 bytes: the
//! owner that has accessed all of it, and the launch, so that records of earlier launches count as nothing and no table is
//! ever cleared. A line of which less was accessed at once is *split* into sectors of 32 bytes, each with its owner and a bit for
//! each of its eight words that the owner has accessed. If a sector cannot be described so, because two owners have
//! accessed different words of it, its line is *spilled*: from then on it has an owner for each word, in pages made when first needed.
//!
//! **Nothing is missed, in any interleaving.** Tables are split into shards, each behind a lock; both tables of a sector are in one
//! shard. Of two accesses to one word, the one that is recorded later finds the record of the other, whichever that is and
//! whenever the accesses themselves were. That a conflict is found only some time later does no harm, for then the launch is
//! undone and run again in block order, where there are no conflicts to find.
//!
//! **Nothing is found that is not there**: owners are kept for each word exactly. Only after two blocks have conflicted may
//! records be missing.
//!
//! Which access conflicts with which is not kept; the run in block order finds that out.
//!
//! Memory: a table has 64 bits for 32 words and again for 8, which is 5/16 of its buffer; spilled pages are at
//! worst as large as the buffer, and exist only for parts where blocks share sectors.

pub(crate) mod log;
pub(crate) mod owner_table;
mod table;

#[cfg(test)]
mod batches;
#[cfg(test)]
mod tests;
