// A number does not convert to an enumeration.
enum E { A, B };
__global__ void k(int *out, int n) {
    E e = n; // ERROR
    out[0] = e;
}
