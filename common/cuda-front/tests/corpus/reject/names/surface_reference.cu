// So were references to surfaces.
surface<void, 2> image; // ERROR

__global__ void k(float *out) {
    out[0] = 1.0f;
}
