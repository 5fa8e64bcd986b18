// `auto &` as a result refers to what is returned.
struct Row {
    float cells[4];
    __device__ auto &at(int i) { return cells[i]; }
    __device__ const auto &read(int i) const { return cells[i]; }
};

__global__ void k(float *out) {
    Row r{};
    r.at(1) = 2;
    out[0] = r.read(1);
}
