// Thrust's pairs, tuples and functors in device code, beside containers and algorithms of the host.
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/pair.h>
#include <thrust/reduce.h>
#include <thrust/tuple.h>
struct Larger {
    __host__ __device__ thrust::pair<int, float> operator()(const thrust::pair<int, float> &a, const thrust::pair<int, float> &b) const {
        return a.second < b.second ? b : a;
    }
};
struct Dot {
    template <typename Tuple> __host__ __device__ float operator()(const Tuple &t) const {
        return thrust::get<0>(t) * thrust::get<1>(t);
    }
};
template <typename T, typename Op> __device__ T fold(const T *in, int n, T v, Op op) {
    for (int i = 0; i < n; i++) v = op(v, in[i]);
    return v;
}
__global__ void k(const float *in, int n, float *out, int *counts) {
    thrust::pair<int, float> best(0, in[0]), none;
    for (int i = 1; i < n; i++) best = Larger()(best, thrust::make_pair(i, in[i]));
    out[0] = best.second + none.second;
    counts[0] = best.first;
    thrust::tuple<float, float> t(in[0], in[1]);
    thrust::tuple<int, float, double> three = thrust::make_tuple(1, 2.0f, 3.0);
    thrust::get<0>(three) += 4;
    out[1] = Dot()(t) + Dot()(thrust::make_tuple(2.0f, 3.0f));
    int a;
    float b;
    thrust::tie(a, b) = thrust::make_tuple(thrust::get<0>(three), 0.5f);
    counts[1] = a;
    out[2] = b;
    out[3] = fold(in, n, 0.0f, thrust::plus<float>());
    out[4] = fold(in, n, in[0], thrust::maximum<float>());
    out[5] = thrust::multiplies<float>()(in[0], in[1]) + thrust::negate<float>()(in[2]);
    counts[2] = thrust::less<float>()(in[0], in[1]) + thrust::equal_to<int>()(a, 5) + thrust::minimum<int>()(a, 2);
}
int main() {
    thrust::device_vector<float> v(100, 1.0f);
    float sum = thrust::reduce(v.begin(), v.end(), 0.0f, thrust::plus<float>());
    k<<<1, 1>>>(thrust::raw_pointer_cast(v.data()), 100, nullptr, nullptr);
    return sum > 0.0f;
}
