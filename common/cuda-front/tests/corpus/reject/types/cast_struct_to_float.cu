// A cast from a struct.
struct P {
    int a;
};
__global__ void k(float *out, P p) {
    out[0] = (float)p; // ERROR
}
