// Addresses, references and functions as template arguments.
__device__ int first = 5, second = 6;
__device__ int table[3] = {1, 2, 3};
template <int *P> __device__ int read() { return *P; }
template <int &R> __device__ void write(int v) { R = v; }
__device__ int twice(int x) { return 2 * x; }
template <int (*F)(int)> __device__ int apply(int x) { return F(x); }
template <auto F> __device__ int apply_any(int x) { return F(x); }
__global__ void k(int *out) {
    write<second>(9);
    out[0] = read<&first>() + read<&second>() + read<table>();
    out[1] = apply<twice>(3) + apply_any<&twice>(4);
}
