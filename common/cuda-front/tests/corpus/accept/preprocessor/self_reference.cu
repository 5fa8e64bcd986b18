// A macro that names itself is expanded once; an object macro without a body is empty.
#define NOTHING
__global__ void self(int *out, int value) {
#define value value + 0
    out[0] = value NOTHING;
#undef value
}
