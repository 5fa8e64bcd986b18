// A protected member from outside of the class and what is derived from it.
class Base {
protected:
    int shared_value = 1;
};
struct Derived : Base {
    __device__ int get() { return shared_value; }
};
__global__ void k(int *out) {
    Derived d;
    out[0] = d.get();
    out[1] = d.shared_value; // ERROR
}
