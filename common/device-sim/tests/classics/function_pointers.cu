// Pointers to device functions: tables, a choice for each lane, template arguments, and functions that call back.

typedef int (*Operation)(int, int);

__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ int larger(int a, int b) { return a > b ? a : b; }

__device__ Operation operations[4] = {add, subtract, multiply, larger};
__constant__ Operation spare[2] = {multiply, nullptr};

// Divergent targets: each lane has its own.
__global__ void table(const int *a, const int *b, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = operations[i % 4](a[i], b[i]);
}

__global__ void with_null(const int *a, const int *b, int *out) {
    int i = threadIdx.x;
    Operation chosen = spare[i % 2];
    out[i] = chosen == nullptr ? -1 : chosen(a[i], b[i]);
}

__global__ void calls_null(int *out, int from) {
    Operation chosen = threadIdx.x < from ? spare[0] : spare[1];
    out[threadIdx.x] = chosen(2, 3);
}

template <Operation F>
__device__ int folded(const int *values, int n) {
    int result = values[0];
    for (int i = 1; i < n; ++i) result = F(result, values[i]);
    return result;
}

__global__ void as_template_argument(const int *values, int *out, int n) {
    out[0] = folded<add>(values, n);
    out[1] = folded<larger>(values, n);
}

__device__ int apply(Operation f, int a, int b) { return f(a, b); }

__global__ void local_table(int *out) {
    Operation table[3];
    table[0] = add;
    table[1] = &subtract;
    table[2] = multiply;
    int i = threadIdx.x;
    out[i] = apply(table[i % 3], i, 7);
}

// A state machine whose states are functions, which call each other through the table: recursion by pointer.
typedef int (*State)(int, int);
__device__ int even_state(int steps, int value);
__device__ int odd_state(int steps, int value);
__device__ State states[2] = {even_state, odd_state};

__device__ int even_state(int steps, int value) {
    if (steps == 0) return value;
    value /= 2;
    return states[value & 1](steps - 1, value);
}

__device__ int odd_state(int steps, int value) {
    if (steps == 0) return value;
    value = 3 * value + 1;
    return states[value & 1](steps - 1, value);
}

__global__ void collatz(int *out, int steps) {
    int start = threadIdx.x + 1;
    out[threadIdx.x] = states[start & 1](steps, start);
}
