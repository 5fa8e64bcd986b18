// No constructor says what the template argument is.
template <typename T> struct Box {
    T value;
    __device__ Box(int) : value() {}
};
__global__ void k(int *out) {
    Box b(3); // ERROR
    out[0] = b.value;
}
