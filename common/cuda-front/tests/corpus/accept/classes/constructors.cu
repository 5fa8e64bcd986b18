// Constructors with initialiser lists, defaults of members, delegation, = default, copies.
class Ray {
public:
    __device__ Ray() : Ray(0.0f, 1.0f) {}
    __device__ Ray(float o, float d) : origin(o), direction{d} {}
    Ray(const Ray &) = default;
    __device__ float at(float t) const { return origin + t * direction + bias; }

private:
    float origin;
    float direction;
    float bias = 0.5f;
};
struct Plain {
    int a = 1;
    int b = a + 1;
    Plain() = default;
};
__global__ void rays(float *out) {
    Ray r;
    Ray s(1, 2);
    Ray t = s;
    Ray u = Ray(3, 4);
    Plain p;
    out[0] = r.at(1) + s.at(2) + t.at(3) + u.at(4) + p.a + p.b;
}
