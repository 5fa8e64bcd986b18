// A step of a simulation of a chip's temperature; cells beyond the border are as warm as those at it.

#define AMBIENT 80.0f

kernel void hotspot_global(global const float *temperature, global const float *power, global float *out, int width, int height,
                       float cap, float rx, float ry, float rz) {
    int x = get_group_id(0) * get_local_size(0) + get_local_id(0);
    int y = get_group_id(1) * get_local_size(1) + get_local_id(1);
    if (x >= width || y >= height) {
        return;
    }
    int c = x + y * width;
    int w = x == 0 ? c : c - 1;
    int e = x == width - 1 ? c : c + 1;
    int n = y == 0 ? c : c - width;
    int s = y == height - 1 ? c : c + width;
    float t = temperature[c];
    float delta = cap * (power[c] + (temperature[s] + temperature[n] - 2.0f * t) * ry +
                         (temperature[e] + temperature[w] - 2.0f * t) * rx + (AMBIENT - t) * rz);
    out[c] = t + delta;
}

#define SIDE 16
#define CLAMP(value, low, high) ((value) < (low) ? (low) : (value) > (high) ? (high) : (value))

// Blocks overlap: the outer threads only load.
kernel void hotspot_overlap(global const float *temperature, global const float *power, global float *out, int width, int height,
                        float cap, float rx, float ry, float rz) {
    local float now[SIDE][SIDE];
    const int tx = get_local_id(0), ty = get_local_id(1);
    const int column = (int)get_group_id(0) * (SIDE - 2) + tx - 1;
    const int row = (int)get_group_id(1) * (SIDE - 2) + ty - 1;
    now[ty][tx] = temperature[CLAMP(row, 0, height - 1) * width + CLAMP(column, 0, width - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tx >= 1 && tx < SIDE - 1 && ty >= 1 && ty < SIDE - 1 && column < width && row < height) {
        float flow = (now[ty + 1][tx] + now[ty - 1][tx] - 2.0f * now[ty][tx]) * ry;
        flow += (now[ty][tx + 1] + now[ty][tx - 1] - 2.0f * now[ty][tx]) * rx;
        flow += (AMBIENT - now[ty][tx]) * rz;
        out[row * width + column] = now[ty][tx] + cap * (power[row * width + column] + flow);
    }
}
