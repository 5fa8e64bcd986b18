// A class or enumeration and a variable or function of the same name: `struct NAME` still means the class.
struct data { int x; };
__device__ int data = 3;
struct stat { int x; };
__device__ int stat(struct stat *s) { return s->x; }
__device__ int level = 2;
enum level { LOW = 5, HIGH };
struct later;
__device__ int later(struct later *s);
struct later { int x; };
__device__ int later(struct later *s) { return s->x; }
namespace n {
struct pair { int x; };
__device__ int pair(int x) { return x; }
}
__global__ void tags(int *out) {
    struct data d = {4};
    struct stat s = {7};
    enum level l = HIGH;
    struct later r = {9};
    struct n::pair p = {10};
    struct data *data = &d;
    out[0] = d.x + ::data + data->x;
    out[1] = stat(&s) + l + level;
    out[2] = later(&r) + n::pair(p.x) + sizeof(struct data);
}
