// Objects with destructors in the branches of `?:` and `&&`.
struct Lock {
    int *count;
    __device__ Lock(int *count) : count(count) { ++*count; }
    __device__ Lock(const Lock &other) : count(other.count) { ++*count; }
    __device__ ~Lock() { --*count; }
    __device__ bool held() const { return *count > 0; }
};
__global__ void k(int *out, int n) {
    {
        Lock l = n > 0 ? Lock(out) : Lock(out + 1);
        out[2] = l.held();
    }
    if (n > 1 && Lock(out).held()) out[3] = 1;
}
