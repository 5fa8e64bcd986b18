// A class template with methods, defined inside and outside, and static members.
template <typename T, int R, int C>
class Tile {
public:
    static const int SIZE = R * C;
    __device__ Tile() {
        for (int i = 0; i < SIZE; i++) data[i] = T(0);
    }
    __device__ T &operator()(int r, int c) { return data[r * C + c]; }
    __device__ const T &operator()(int r, int c) const { return data[r * C + c]; }
    __device__ T sum() const;

private:
    T data[SIZE];
};
template <typename T, int R, int C>
__device__ T Tile<T, R, C>::sum() const {
    T s = 0;
    for (int i = 0; i < SIZE; i++) s += data[i];
    return s;
}
__global__ void tiles(float *out) {
    Tile<float, 2, 3> t;
    t(1, 2) = 5.0f;
    const auto &c = t;
    out[0] = t.sum() + c(1, 2) + Tile<int, 1, 1>::SIZE;
}
