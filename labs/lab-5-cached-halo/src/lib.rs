//! Lab 5: cached-halo convolution.
