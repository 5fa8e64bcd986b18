// Aggregates: nested braces, designated members, copies, comparison of members, arrays as members.
struct Point {
    int x, y;
};
struct Line {
    Point a, b;
    int w[2];
};
__device__ Line flip(Line l) { return {l.b, l.a, {l.w[1], l.w[0]}}; }
__global__ void lines(int *out) {
    Line l = {{1, 2}, {3, 4}, {5, 6}};
    Line m = flip(l);
    Line z = {};
    Point p = {7};
    z.a = m.b;
    Line all[2] = {l, m};
    out[0] = m.a.x + m.w[0] + z.a.y + z.b.x + p.y + all[1].b.x;
    out[1] = Point{8, 9}.y;
}
