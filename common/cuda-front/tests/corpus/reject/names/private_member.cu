// A private member from outside.
class A {
    int secret;

public:
    __device__ A() : secret(1) {}
};
__global__ void k(int *out) {
    A a;
    out[0] = a.secret; // ERROR
}
