// Overloaded operators as members and as free functions.
struct Vec3 {
    float x, y, z;
    __host__ __device__ Vec3 operator-() const { return {-x, -y, -z}; }
    __host__ __device__ Vec3 &operator+=(const Vec3 &o) {
        x += o.x, y += o.y, z += o.z;
        return *this;
    }
    __host__ __device__ float operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
    __host__ __device__ bool operator==(const Vec3 &o) const { return x == o.x && y == o.y && z == o.z; }
    __host__ __device__ explicit operator bool() const { return x || y || z; }
};
__host__ __device__ inline Vec3 operator+(Vec3 a, const Vec3 &b) { return a += b; }
__host__ __device__ inline Vec3 operator*(float s, const Vec3 &v) { return {s * v.x, s * v.y, s * v.z}; }
__host__ __device__ inline float dot(const Vec3 &a, const Vec3 &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__global__ void vectors(Vec3 *v, float *out, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    Vec3 a = v[i] + 2.0f * -v[0];
    if (a) v[i] += a;
    out[i] = dot(a, v[i]) + a[1] + (a == v[0]);
}
