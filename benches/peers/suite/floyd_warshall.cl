// A step of Floyd and Warshall's shortest paths: those through vertex k.

kernel void floyd_warshall_2d(global int *distance, int n, int k) {
    int j = get_global_id(0);
    int i = get_global_id(1);
    if (i < n && j < n) {
        int through = distance[i * n + k] + distance[k * n + j];
        if (through < distance[i * n + j]) {
            distance[i * n + j] = through;
        }
    }
}

// A block per row.
kernel void floyd_warshall_rows(global int *distance, int n, int k) {
    global int *row = distance + get_group_id(0) * n;
    const int to_k = row[k];
    global const int *from_k = distance + k * n;
    for (int j = get_local_id(0); j < n; j += get_local_size(0)) {
        int through = to_k + from_k[j];
        int direct = row[j];
        if (direct > through) {
            row[j] = through;
        }
    }
}
