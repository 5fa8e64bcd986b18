// Open addressing: inserts and look-ups with compare-and-swap.
struct Slot {
    unsigned key, value;
};
constexpr unsigned EMPTY = 0xffffffffu;
__device__ inline unsigned hash(unsigned k) {
    k ^= k >> 16;
    k *= 0x85ebca6bu;
    k ^= k >> 13;
    k *= 0xc2b2ae35u;
    return k ^ (k >> 16);
}
__global__ void insert(Slot *table, unsigned capacity, const unsigned *keys, const unsigned *values, unsigned n) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned slot = hash(keys[i]) & (capacity - 1);
        while (true) {
            unsigned before = atomicCAS(&table[slot].key, EMPTY, keys[i]);
            if (before == EMPTY || before == keys[i]) {
                table[slot].value = values[i];
                break;
            }
            slot = (slot + 1) & (capacity - 1);
        }
    }
}
__global__ void find(const Slot *__restrict__ table, unsigned capacity, unsigned *keys, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (unsigned slot = hash(keys[i]) & (capacity - 1);; slot = (slot + 1) & (capacity - 1)) {
        const Slot s = table[slot];
        if (s.key == keys[i] || s.key == EMPTY) {
            keys[i] = s.key == EMPTY ? EMPTY : s.value;
            return;
        }
    }
}
