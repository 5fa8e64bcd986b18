// The nearest of several centroids for each point of four dimensions.

#define DIMENSIONS 4
#define CLUSTERS 16

kernel void kmeans_assign_shared(global const float *points, global const float *centroids, global int *labels,
                                 int n) {
    local float centers[CLUSTERS * DIMENSIONS];
    int i = get_global_id(0);
    if (get_local_id(0) < CLUSTERS * DIMENSIONS) {
        centers[get_local_id(0)] = centroids[get_local_id(0)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n) {
        float best = 1e30f;
        int label = 0;
        for (int c = 0; c < CLUSTERS; c++) {
            float distance = 0.0f;
            for (int d = 0; d < DIMENSIONS; d++) {
                float difference = points[i * DIMENSIONS + d] - centers[c * DIMENSIONS + d];
                distance += difference * difference;
            }
            if (distance < best) {
                best = distance;
                label = c;
            }
        }
        labels[i] = label;
    }
}

// The point in registers, and the centroids from global memory.
kernel void kmeans_assign_registers(global const float *points, global const float *centroids, global int *labels,
                                    int n) {
    const int i = get_global_id(0);
    if (i >= n) {
        return;
    }
    global const float *p = points + DIMENSIONS * i;
    const float p0 = p[0], p1 = p[1], p2 = p[2], p3 = p[3];
    int label = -1;
    float best = 0.0f;
    global const float *q = centroids;
    for (int c = 0; c < CLUSTERS; ++c, q += DIMENSIONS) {
        const float distance = (p0 - q[0]) * (p0 - q[0]) + (p1 - q[1]) * (p1 - q[1]) + (p2 - q[2]) * (p2 - q[2]) +
                               (p3 - q[3]) * (p3 - q[3]);
        if (label < 0 || distance < best) {
            best = distance;
            label = c;
        }
    }
    labels[i] = label;
}
