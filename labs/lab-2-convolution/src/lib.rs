//! Lab 2: 2D convolution.
