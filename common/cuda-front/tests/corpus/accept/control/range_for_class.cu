// Range-for over a class with begin and end.
struct Range {
    int first, last;
    struct It {
        int i;
        __device__ int operator*() const { return i; }
        __device__ It &operator++() {
            ++i;
            return *this;
        }
        __device__ bool operator!=(const It &o) const { return i != o.i; }
    };
    __device__ It begin() const { return It{first}; }
    __device__ It end() const { return It{last}; }
};
__global__ void ranges(int *out) {
    int s = 0;
    for (int i : Range{2, 7}) s += i;
    out[0] = s;
}
