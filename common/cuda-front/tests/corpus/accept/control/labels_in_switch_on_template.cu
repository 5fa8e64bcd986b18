// A switch over a template's value and over characters and enumerators of a class.
struct Layout {
    enum Kind { Row, Column, Blocked = 7 };
};
template <int KIND>
__device__ int address(int r, int c, int n) {
    switch (KIND) {
    case Layout::Row: return r * n + c;
    case Layout::Column: return c * n + r;
    case Layout::Blocked: {
        const int b = 4;
        return (r / b * (n / b) + c / b) * b * b + r % b * b + c % b;
    }
    default: return -1;
    }
}
__global__ void copy(float *out, const float *in, int n, char mode) {
    int r = threadIdx.y, c = threadIdx.x, to;
    switch (mode) {
    case 'r': to = address<Layout::Row>(r, c, n); break;
    case 'c': to = address<Layout::Column>(r, c, n); break;
    case 'b':
    case 'B': to = address<Layout::Blocked>(r, c, n); break;
    default: to = 0;
    }
    out[to] = in[r * n + c];
}
