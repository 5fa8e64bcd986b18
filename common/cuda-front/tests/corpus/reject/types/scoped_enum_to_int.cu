// A scoped enumeration does not convert.
enum class E { A, B };
__global__ void k(int *out, E e) {
    int n = e; // ERROR
    out[0] = n;
}
