// Packs expanded in the lists of arrays and aggregates.
struct Triple {
    int a, b, c;
};
template <typename... T> __device__ int largest(T... t) {
    int values[] = {t...};
    int best = values[0];
    for (int v : values) best = v > best ? v : best;
    return best;
}
template <typename... T> __device__ Triple triple(T... t) { return Triple{t...}; }
__global__ void k(int *out) {
    out[0] = largest(3, 1, 2);
    out[1] = triple(1, 2, 3).c;
}
