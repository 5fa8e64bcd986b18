// Defaults of members that read earlier members, in aggregates too.
struct Window {
    int first = 2;
    int last = first + 8;
    int width = last - first;
};
struct Tile {
    Window rows;
    int area = rows.width * 4;
};
__global__ void k(int *out) {
    Window w{out[1]};
    Tile t;
    out[0] = w.width + t.area;
}
