template <class... A> __global__ void k(int *out, A... a) {
    out[0] = (a + ... + 0);
    out[1] = (a.x + ... + 0); // ERROR
}
template __global__ void k<int, int>(int *, int, int);
