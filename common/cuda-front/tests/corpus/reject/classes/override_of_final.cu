// A function that is `final` is overridden.
struct Shape { __device__ virtual int sides() const { return 0; } };
struct Square : Shape { __device__ int sides() const final { return 4; } };
struct Tile : Square {
    __device__ int sides() const { return 5; } // ERROR
};
__global__ void k(int *out) { Tile t; out[0] = t.sides(); }
