// Arrays of objects with constructors, members that are objects, default values.
struct Acc {
    float sum;
    int n;
    __device__ Acc() : sum(0), n(0) {}
    __device__ Acc(float s) : sum(s), n(1) {}
    __device__ void add(float x) { sum += x, n++; }
};
struct Two {
    Acc first, second;
    float scale = 1.5f;
    __device__ Two() {}
    __device__ explicit Two(float x) : second(x) {}
};
__global__ void arrays(float *out, const float *in) {
    Acc a[4];
    Acc b[2] = {Acc(1.0f), Acc()};
    Two t, u(3.0f);
    for (int i = 0; i < 4; i++) a[i].add(in[i]);
    t.first.add(a[0].sum);
    out[0] = a[1].sum + b[0].sum + t.first.sum * t.scale + u.second.n;
}
