// Lab 3, fir_texture: the taps come through a texture.
//
//   y[i] = f[0] * x[i] + f[1] * x[i + 1] + ... + f[taps - 1] * x[i + taps - 1];  x is 0 from x[n] on
//
// The host creates a texture object over the taps: a handle, not a pointer. `tex1Dfetch<float>(f, k)` reads its
// element k through the texture unit.
//
// Given:   x  n floats, the samples
//          f  a one-dimensional texture over taps floats; taps is 1 to 32
// Write:   y  n floats
// Launch:  one thread per output, blocks of BLOCK threads.
//
// Checks:  every output correct. Only the outputs are written.
// Gates:   through_texture   read the taps from the texture (texture reads: at least 0.95 per tap)
//          fewer_loads       load each element of the large array once per output (other loads: at most 1.2x that)
//          coalesced_loads   read the samples, adjacent samples in adjacent threads (floats loaded: at most 1.5x that)
//          coalesced_stores  store each output once (floats stored: at most 1.5x that)
//          technique         at least 90 % of `y` comes from elements of the texture that its thread reads itself

#ifndef BLOCK
#define BLOCK 256
#endif

__global__ void fir_texture(const float *x, cudaTextureObject_t f, float *y, int n, int taps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // TODO (10 lines): the loop of `fir_global`, with the tap read by tex1Dfetch<float>
}
