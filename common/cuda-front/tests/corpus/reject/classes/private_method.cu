// A private method from a kernel.
class Tile {
    __device__ int offset() const { return 4; }

public:
    __device__ int first() const { return offset(); }
};
__global__ void k(int *out) {
    Tile t;
    out[0] = t.first();
    out[1] = t.offset(); // ERROR
}
