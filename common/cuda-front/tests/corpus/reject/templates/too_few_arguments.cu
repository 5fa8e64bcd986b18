// Too few arguments for a class template.
template <typename T, int N>
struct Box {
    T v[N];
};
__global__ void k(int *out) {
    Box<int> b; // ERROR
    out[0] = 1;
}
