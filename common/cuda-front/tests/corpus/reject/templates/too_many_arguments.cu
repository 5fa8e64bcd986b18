// Too many arguments for a class template.
template <typename T>
struct Box {
    T v;
};
__global__ void k(int *out) {
    Box<int, float> b; // ERROR
    out[0] = 1;
}
