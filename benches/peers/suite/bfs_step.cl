// A step of a breadth-first search: vertices that were not visited and are neighbours of the frontier.

kernel void bfs_step_if(global const int *offsets, global const int *edges, global const int *frontier,
                        global const int *visited, global int *next, int vertices) {
    int v = get_global_id(0);
    if (v < vertices && frontier[v]) {
        for (int e = offsets[v]; e < offsets[v + 1]; e++) {
            int to = edges[e];
            if (!visited[to]) {
                atomic_xchg(&next[to], 1);
            }
        }
    }
}

kernel void bfs_step_return(global const int *offsets, global const int *edges, global const int *frontier,
                            global const int *visited, global int *next, int vertices) {
    const int v = get_global_id(0);
    if (v >= vertices) {
        return;
    }
    if (frontier[v] == 0) {
        return;
    }
    global const int *edge = edges + offsets[v];
    int left = offsets[v + 1] - offsets[v];
    while (left > 0) {
        if (visited[*edge] == 0) {
            atomic_xchg(next + *edge, 1);
        }
        edge++;
        left--;
    }
}
