//! Grades the student's kernels of lab 7: one named test an exercise and check, and the report.

fn main() {
    harness::testing::main(lab_7::lab(), env!("CARGO_MANIFEST_DIR"), |request| {
        backend::open(request.device.as_deref(), request.model.as_deref())
    })
}
