// What is private in a base is private for the derived class too.
class Base {
    int hidden = 3;
};
struct Derived : Base {
    __device__ int get() {
        return hidden; // ERROR
    }
};
__global__ void k(int *out) {
    Derived d;
    out[0] = d.get();
}
