// A function found through the namespace of its argument; reopened namespaces.
namespace geo {
struct P {
    float x;
};
__device__ float norm(P p) { return p.x < 0 ? -p.x : p.x; }
} // namespace geo
namespace geo {
__device__ P operator+(P a, P b) { return P{a.x + b.x}; }
} // namespace geo
__global__ void adl(float *out) {
    geo::P p{-1}, q{-2};
    out[0] = norm(p + q);
}
