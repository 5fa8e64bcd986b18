// Spheres in constant memory and a ray a pixel.
#define SPHERES 20
#define INF 2e10f
struct Sphere {
    float r, g, b, radius, x, y, z;
    __device__ float hit(float ox, float oy, float *n) const {
        float dx = ox - x, dy = oy - y;
        if (dx * dx + dy * dy < radius * radius) {
            float dz = sqrtf(radius * radius - dx * dx - dy * dy);
            *n = dz / sqrtf(radius * radius);
            return dz + z;
        }
        return -INF;
    }
};
__constant__ Sphere s[SPHERES];
__global__ void trace(unsigned char *image, int dim) {
    int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
    int offset = x + y * blockDim.x * gridDim.x;
    float ox = (x - dim / 2), oy = (y - dim / 2), r = 0, g = 0, b = 0, maxz = -INF;
    for (int i = 0; i < SPHERES; i++) {
        float n, t = s[i].hit(ox, oy, &n);
        if (t > maxz) {
            r = s[i].r * n, g = s[i].g * n, b = s[i].b * n;
            maxz = t;
        }
    }
    image[offset * 4 + 0] = (int)(r * 255);
    image[offset * 4 + 1] = (int)(g * 255);
    image[offset * 4 + 2] = (int)(b * 255);
    image[offset * 4 + 3] = 255;
}
