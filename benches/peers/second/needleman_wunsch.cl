// A diagonal of tiles of Needleman and Wunsch's matrix of scores, each by its own diagonals in shared memory; a pair of
// sequences per row of the grid.

#define TILE 16

kernel void needleman_wunsch_two(global const int *similar, global int *scores, int pitch, int penalty, int diagonal) {
    local int temp[TILE + 1][TILE + 1];
    local int ref[TILE][TILE];
    int tx = get_local_id(0);
    int bx = get_group_id(0);
    int by = diagonal - bx;
    int corner = get_group_id(1) * pitch * pitch + by * TILE * pitch + bx * TILE;
    if (tx == 0) {
        temp[0][0] = scores[corner];
    }
    for (int ty = 0; ty < TILE; ty++) {
        ref[ty][tx] = similar[corner + (ty + 1) * pitch + tx + 1];
    }
    temp[tx + 1][0] = scores[corner + (tx + 1) * pitch];
    temp[0][tx + 1] = scores[corner + tx + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int m = 0; m < TILE; m++) {
        if (tx <= m) {
            int x = tx + 1;
            int y = m - tx + 1;
            int score = temp[y - 1][x - 1] + ref[y - 1][x - 1];
            score = max(score, temp[y][x - 1] - penalty);
            score = max(score, temp[y - 1][x] - penalty);
            temp[y][x] = score;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int m = TILE - 2; m >= 0; m--) {
        if (tx <= m) {
            int x = tx + TILE - m;
            int y = TILE - tx;
            int score = temp[y - 1][x - 1] + ref[y - 1][x - 1];
            score = max(score, temp[y][x - 1] - penalty);
            score = max(score, temp[y - 1][x] - penalty);
            temp[y][x] = score;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int ty = 0; ty < TILE; ty++) {
        scores[corner + (ty + 1) * pitch + tx + 1] = temp[ty + 1][tx + 1];
    }
}

int best_of(int a, int b, int c) {
    int best = a;
    if (b > best)
        best = b;
    return c > best ? c : best;
}

#define AT(row, column) cells[(row) * (TILE + 1) + (column)]

// One loop over the diagonals; scores are written as soon as they are known.
kernel void needleman_wunsch_one(global const int *similar, global int *scores, int pitch, int penalty, int diagonal) {
    local int cells[(TILE + 1) * (TILE + 1)];
    const int column = get_local_id(0) + 1;
    const size_t origin = (size_t)(diagonal - get_group_id(0)) * TILE * pitch + get_group_id(0) * TILE;
    const size_t pair = (size_t)get_group_id(1) * pitch * pitch;
    global const int *ref = similar + pair + origin;
    global int *tile = scores + pair + origin;
    AT(0, column) = tile[column];
    AT(column, 0) = tile[column * pitch];
    if (column == TILE)
        AT(0, 0) = *tile;
    for (int m = 2; m <= 2 * TILE; m++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const int row = m - column;
        if (row < 1 || row > TILE)
            continue;
        AT(row, column) = best_of(AT(row - 1, column - 1) + ref[row * pitch + column], AT(row, column - 1) - penalty,
                                  AT(row - 1, column) - penalty);
        tile[row * pitch + column] = AT(row, column);
    }
}
