// A class template as a type.
template <typename T, int N>
struct Box {
    T v[N];
};
__global__ void k(Box *b) { // ERROR
}
