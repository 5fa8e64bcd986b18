// goto: backwards, forwards over each other, out of nested loops, between the states of a machine.

__global__ void retries(const int *need, int *tries, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int count = 0, left = need[i];
retry:
    ++count;
    left -= count;
    if (left > 0) goto retry;
    tries[i] = count;
}

// How many words of digits and letters a text has: each lane reads its own.
__global__ void words(const unsigned char *text, const int *begin, int *numbers, int *names) {
    int at = begin[threadIdx.x], end = begin[threadIdx.x + 1];
    int digits = 0, letters = 0;
    unsigned char c;
between:
    if (at == end) goto done;
    c = text[at++];
    if (c >= '0' && c <= '9') goto number;
    if (c >= 'a' && c <= 'z') goto name;
    goto between;
number:
    if (at == end) { ++digits; goto done; }
    c = text[at++];
    if (c >= '0' && c <= '9') goto number;
    ++digits;
    if (c >= 'a' && c <= 'z') goto name;
    goto between;
name:
    if (at == end) { ++letters; goto done; }
    c = text[at++];
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) goto name;
    ++letters;
    goto between;
done:
    numbers[threadIdx.x] = digits;
    names[threadIdx.x] = letters;
}

// A loop with two entries, which no structured loop has.
__global__ void two_entries(int *out) {
    int i = threadIdx.x, a = i, steps = 0;
    if (i % 3 == 0) goto middle;
top:
    a += 5;
    ++steps;
middle:
    a = a * 3 % 101;
    if (++steps < 12 && a > 20) goto top;
    out[i] = a * 100 + steps;
}

// Out of nested loops and back, in a function that is called and returns from among the jumps.
__device__ int search(const int *grid, int n, int key) {
    int row, column, rounds = 0;
again:
    for (row = 0; row < n; ++row) {
        for (column = 0; column < n; ++column) {
            if (grid[row * n + column] == key) goto found;
            if (grid[row * n + column] > 90) break;
        }
    }
    if (++rounds == 4) return -key;
    key += 7;
    goto again;
found:
    return row * 1000 + column * 10 + rounds;
}

__global__ void searches(const int *grid, int n, int *out) {
    out[threadIdx.x] = search(grid, n, threadIdx.x);
}

// Jumps of the inner block to labels of the outer one, inside a loop with continue and break.
__global__ void nested(int *out, int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        int tries = 0;
    outer:
        {
            int inner = 0;
        back:
            ++inner;
            sum += inner;
            if (inner < 3) goto back;
            if (++tries < (int)(threadIdx.x % 3) + 1) goto outer;
            if (sum % 5 == 0) continue;
            if (sum > 150) break;
        }
        sum += 100 * tries;
    }
    out[threadIdx.x] = sum;
}

// Barriers in a loop of jumps that all threads go through alike.
__global__ void rotate(int *out, int rounds) {
    __shared__ int values[64];
    int round = 0, next;
    values[threadIdx.x] = threadIdx.x;
again:
    __syncthreads();
    next = values[(threadIdx.x + 1) % 64];
    __syncthreads();
    values[threadIdx.x] = next;
    if (++round < rounds) goto again;
    out[threadIdx.x] = values[threadIdx.x];
}

__global__ void forever(int *out) {
again:
    out[threadIdx.x] += 1;
    goto again;
}
