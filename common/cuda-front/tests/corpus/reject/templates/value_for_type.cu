// A value where a type is expected.
template <typename T>
struct Box {
    T v;
};
__global__ void k(int *out) {
    Box<3> b; // ERROR
    out[0] = 1;
}
