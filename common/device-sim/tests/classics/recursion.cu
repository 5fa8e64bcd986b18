// Recursive device functions: values, references, pointers into callers' frames, barriers and warp functions at depth.

__device__ int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__global__ void fibonacci_of_each(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = fibonacci(i % 15);
}

// Two functions that call each other.
__device__ int hofstadter_male(int n);

__device__ int hofstadter_female(int n) {
    if (n == 0) return 1;
    return n - hofstadter_male(hofstadter_female(n - 1));
}

__device__ int hofstadter_male(int n) {
    if (n == 0) return 0;
    return n - hofstadter_female(hofstadter_male(n - 1));
}

__global__ void hofstadter(int *female, int *male, int n) {
    int i = threadIdx.x;
    if (i < n) {
        female[i] = hofstadter_female(i);
        male[i] = hofstadter_male(i);
    }
}

__device__ unsigned ackermann(unsigned m, unsigned n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

__global__ void ackermann_table(unsigned *out) {
    out[threadIdx.x] = ackermann(threadIdx.x / 8, threadIdx.x % 8);
}

__device__ void swap(int &a, int &b) {
    int t = a;
    a = b;
    b = t;
}

__device__ void quicksort(int *a, int low, int high) {
    if (low >= high) return;
    int pivot = a[low + (high - low) / 2];
    int i = low, j = high;
    while (i <= j) {
        while (a[i] < pivot) ++i;
        while (a[j] > pivot) --j;
        if (i <= j) swap(a[i++], a[j--]);
    }
    quicksort(a, low, j);
    quicksort(a, i, high);
}

// Each thread sorts a row of its own, of its own length.
__global__ void sort_rows(int *rows, const int *lengths, int pitch) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    quicksort(rows + row * pitch, 0, lengths[row] - 1);
}

struct TreeNode {
    int value, left, right;
};

struct Sum {
    int count;
    long long total;
};

// In order; the reference goes down through every frame to the kernel's own variable.
__device__ void visit(const TreeNode *tree, int at, int limit, Sum &sum) {
    if (at < 0) return;
    visit(tree, tree[at].left, limit, sum);
    if (tree[at].value <= limit) {
        sum.count++;
        sum.total += tree[at].value * (long long)sum.count;
    }
    visit(tree, tree[at].right, limit, sum);
}

__global__ void tree_sums(const TreeNode *tree, const int *limits, int *counts, long long *totals) {
    Sum sum = {0, 0};
    visit(tree, 0, limits[threadIdx.x], sum);
    counts[threadIdx.x] = sum.count;
    totals[threadIdx.x] = sum.total;
}

// Every frame has an array, and the next one writes into it through a pointer.
__device__ int chain(int depth, int *above) {
    int mine[4] = {depth, depth * 10, depth * 100, 0};
    above[3] += depth;
    if (depth > 0) {
        int below = chain(depth - 1, mine);
        return below + mine[3] + mine[depth & 1];
    }
    return mine[1] + above[3];
}

__global__ void frame_arrays(int *out) {
    int top[4] = {1, 2, 3, 4};
    int result = chain(threadIdx.x % 7, top);
    out[threadIdx.x] = result * 1000 + top[3];
}

struct Ray {
    float3 origin, direction;
};

__device__ float3 along(Ray ray, float t) {
    return make_float3(ray.origin.x + t * ray.direction.x, ray.origin.y + t * ray.direction.y,
                       ray.origin.z + t * ray.direction.z);
}

// A ray between two mirrors that swallow a part of it; a struct by value and one as the result.
__device__ float3 trace(Ray ray, int bounces) {
    if (bounces == 0) return make_float3(0.0f, 0.0f, 1.0f);
    float wall = ray.direction.x > 0.0f ? 1.0f : -1.0f;
    float t = (wall - ray.origin.x) / ray.direction.x;
    Ray next;
    next.origin = along(ray, t);
    next.direction = make_float3(-ray.direction.x, ray.direction.y, ray.direction.z);
    if (next.origin.y > 4.0f) return make_float3(1.0f, 0.0f, 0.0f);
    float3 color = trace(next, bounces - 1);
    return make_float3(0.5f * color.x + 0.125f, 0.5f * color.y, 0.5f * color.z + 0.25f);
}

__global__ void ray_tracer(float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Ray ray;
    ray.origin = make_float3(0.0f, 0.0f, 0.0f);
    ray.direction = make_float3(i % 2 ? 1.0f : -0.5f, 0.0625f * i, 0.0f);
    float3 color = trace(ray, i % 6);
    out[3 * i] = color.x;
    out[3 * i + 1] = color.y;
    out[3 * i + 2] = color.z;
}

// All threads of the block go equally deep, with a barrier at each depth.
__device__ int block_sum(int *shared, int width) {
    if (width == 0) return shared[0];
    if (threadIdx.x < width) shared[threadIdx.x] += shared[threadIdx.x + width];
    __syncthreads();
    return block_sum(shared, width / 2);
}

__global__ void recursive_reduction(const int *in, int *out) {
    __shared__ int values[128];
    values[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    __syncthreads();
    int sum = block_sum(values, 64);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// A shuffle among the lanes that are at this depth: fewer the deeper.
__device__ int partial(int depth, int value) {
    unsigned here = __activemask();
    int first = __ffs(here) - 1;
    int lead = __shfl_sync(here, value, first);
    if (depth == 0) return lead;
    int deeper = partial(depth - 1, value + 1);
    return deeper * 2 + lead + __popc(here);
}

__global__ void divergent_shuffles(int *out) {
    out[threadIdx.x] = partial(threadIdx.x % 4, threadIdx.x);
}

template <typename T>
__device__ T power(T base, int exponent) {
    if (exponent == 0) return T(1);
    T half = power(base, exponent / 2);
    return exponent % 2 ? half * half * base : half * half;
}

__global__ void powers(float *single, double *twice, int *whole) {
    int i = threadIdx.x;
    single[i] = power(1.5f, i % 9);
    twice[i] = power(0.25, i % 9);
    whole[i] = power(3, i % 9);
}

// Values of every register type across a call.
__device__ double mixed(int depth, bool odd, float f, double d, long long w, const int *p) {
    if (depth == 0) return odd ? f : d;
    double below = mixed(depth - 1, !odd, f + 1.0f, d * 0.5, w + p[depth & 1], p + 1);
    return below + (odd ? w : -w) + p[0] + f + d;
}

__global__ void mixed_types(const int *in, double *out) {
    int i = threadIdx.x;
    out[i] = mixed(i % 5, i % 3 == 0, i * 0.5f, i * 2.0, i * 1000000007LL, in + i);
}
