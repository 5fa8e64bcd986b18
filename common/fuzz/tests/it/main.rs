//! The corpus, a fixed number of random cases, and the fuzzer's own tests, in one program.

mod corpus;
mod itself;
mod modes;
