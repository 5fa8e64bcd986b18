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
// Gates:   through_texture   texture reads per output: at least 0.95 for each tap
//          fewer_loads       other loads per output: at most 1.2 times what it takes to load what the large array has
//                            for each output once
//          coalesced_loads   floats loaded per output: at most 1.5 times what it takes to read the samples, adjacent
//                            threads adjacent samples
//          coalesced_stores  floats stored per output: at most 1.5 times what it takes to store each output once
//          technique         share of `y` that comes from elements of the texture that its thread reads itself: at
//                            least 90 %

#ifndef BLOCK
#define BLOCK 256
#endif

__global__ void fir_texture(const float *x, cudaTextureObject_t f, float *y, int n, int taps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // BEGIN SOLUTION: the loop of `fir_global`, with the tap read by tex1Dfetch<float>
    if (i >= n) {
        return;
    }
    float sum = 0.0f;
    for (int k = 0; k < taps; k++) {
        if (i + k < n) {
            sum += x[i + k] * tex1Dfetch<float>(f, k);
        }
    }
    y[i] = sum;
    // END SOLUTION
}
