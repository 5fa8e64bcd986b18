// A method that is not const on a const object.
struct C {
    int n;
    __device__ void add() { n++; }
};
__device__ void f(const C &c) {
    c.add(); // ERROR
}
__global__ void k(int *out) { f(C{1}); }
