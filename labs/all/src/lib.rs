//! The only list of all labs; the command line, the tests of the solutions and the benchmarks use it.

use harness::Lab;

/// All labs in order.
pub fn all() -> Vec<Lab> {
    vec![lab_1::lab(), lab_2::lab(), lab_3::lab(), lab_4::lab(), lab_5::lab(), lab_6::lab(), lab_7::lab()]
}
