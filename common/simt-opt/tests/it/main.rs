//! The optimiser's integration tests, in one program.

mod passes;
mod random;
mod tiled_matmul;

use simt_ir::{Module, validate};

/// The kernel's text after all passes; it is valid.
fn optimised(mut module: Module) -> String {
    assert_eq!(validate(&module), Ok(()));
    simt_opt::optimise(&mut module);
    assert_eq!(validate(&module), Ok(()), "{module}");
    module.to_string()
}
