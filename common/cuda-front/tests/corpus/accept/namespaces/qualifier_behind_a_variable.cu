// Before `::` a variable of the same name does not count.
enum class dir { x, y };

__global__ void k(int *out, int n) {
    int dir = n;
    out[0] = dir;
    out[1] = int(dir::y);
}
