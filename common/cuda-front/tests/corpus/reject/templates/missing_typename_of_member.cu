template <class T> struct Holder {
    T::type value; // ERROR
};
__global__ void k(int *out) { out[0] = 1; }
