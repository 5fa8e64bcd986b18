// A const method writes a member.
struct C {
    int n;
    __device__ void add() const { n++; } // ERROR
};
__global__ void k(int *out) { C{1}.add(); }
