//! Lab 4: tiled convolution.
