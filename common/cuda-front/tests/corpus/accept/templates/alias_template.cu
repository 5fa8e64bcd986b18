// Alias templates and variable templates.
template <typename T>
using Ptr = T *;
template <int N>
struct Ints {
    int v[N];
};
template <int N>
using Twice = Ints<N * 2>;
template <typename T>
constexpr T pi = T(3.14159265358979);
__global__ void aliases(Ptr<float> out) {
    Twice<3> t = {};
    t.v[5] = 1;
    out[0] = pi<float> + t.v[5] + sizeof(Twice<4>) + (float)pi<double>;
}
