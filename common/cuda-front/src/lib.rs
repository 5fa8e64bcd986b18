//! CUDA C++ front-end: text to SIMT IR.
