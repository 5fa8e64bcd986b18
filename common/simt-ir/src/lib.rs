//! The SIMT intermediate representation: what a kernel is once its syntax is gone.
