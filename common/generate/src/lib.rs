//! Random programs for tests, and ways to change and to shrink a text. Only tests and the fuzzer use this crate.
//!
//! * [`feature`]: small programs of one feature of C++ each, which store constants.
//! * [`fixtures`]: kernel files as tests.
//! * [`grammar`]: CUDA C++ out of a grammar, correct or with one known mistake.
//! * [`ir`]: kernels in the IR, by hand and at random.
//! * [`words`]: a text as words.
//! * [`reduce`]: the smallest list that still shows something.
//!
//! Everything is a function of the numbers or bytes that it is given, so a case can be repeated and made smaller.

pub mod feature;
pub mod fixtures;
pub mod grammar;
pub mod ir;
pub mod reduce;
pub mod words;
