// -> on a value.
struct P {
    float x;
};
__global__ void k(float *out) {
    P p = {1};
    out[0] = p->x; // ERROR
}
