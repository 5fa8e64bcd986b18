// Values that name their members, as nvcc takes them from GCC.
// NVRTC: line 4 (it has them from C++20 on)
struct Event { int code; int line; };
__global__ void k(int *out) { Event e = Event{ .code = 1, .line = 2 }; out[0] = e.code; }
