// A struct has no such member.
struct P {
    float x, y;
};
__global__ void k(P *p) {
    p->z = 1.0f; // ERROR
}
