// . on a pointer.
struct P {
    float x;
};
__global__ void k(P *p) {
    p.x = 1.0f; // ERROR
}
