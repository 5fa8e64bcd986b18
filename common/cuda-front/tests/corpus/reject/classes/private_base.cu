// Members of a private base, from outside.
struct Base {
    int value = 3;
};
class Derived : Base {
public:
    __device__ int get() { return value; }
};
__global__ void k(int *out) {
    Derived d;
    out[0] = d.get();
    out[1] = d.value; // ERROR
}
