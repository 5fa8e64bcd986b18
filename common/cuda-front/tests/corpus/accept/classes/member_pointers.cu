// Pointers to members.
struct V {
    float x, y;
    __device__ float sum() const { return x + y; }
};
__device__ float get(const V &v, float V::*m) { return v.*m; }
__global__ void members(float *out) {
    V v{1, 2};
    float (V::*f)() const = &V::sum;
    out[0] = get(v, &V::x) + get(v, &V::y) + (v.*f)();
}
