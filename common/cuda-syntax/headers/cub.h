// CUB's primitives for one thread, warp or block, with the results that its documentation states. What needs a launch of
// its own (`cub::DeviceReduce` and others) is not here, so that `cub` has more names than this text.
//
// Every algorithm that is a template argument runs the same code: shuffles within a warp, then shared memory between
// warps. Operands keep their order, but how a sum of floating-point numbers is parenthesized need not be as on a GPU.
#pragma once
#include <cuda/functional>
#include <cuda/shuffle.h>
enum cudaSharedMemConfig { cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte, cudaSharedMemBankSizeEightByte };
#define CUB_MIN(a, b) (((b) < (a)) ? (b) : (a))
#define CUB_MAX(a, b) (((a) < (b)) ? (b) : (a))
namespace cub {

struct NullType {};
template <int n> struct Int2Type { enum { VALUE = n }; };
template <int n> struct PowerOfTwo { enum { VALUE = n > 0 && (n & (n - 1)) == 0 }; };
template <int n, int at = 0> struct Log2 { enum { VALUE = (1 << at) >= n ? at : int(Log2<n, ((1 << at) >= n ? at : at + 1)>::VALUE) }; };
template <int n> struct Log2<n, 31> { enum { VALUE = 31 }; };

// Functors.
struct Sum {
    template <typename A, typename B> __host__ __device__ constexpr auto operator()(const A &a, const B &b) const { return a + b; }
};
struct Difference {
    template <typename A, typename B> __host__ __device__ constexpr auto operator()(const A &a, const B &b) const { return a - b; }
};
struct Division {
    template <typename A, typename B> __host__ __device__ constexpr auto operator()(const A &a, const B &b) const { return a / b; }
};
struct Equality {
    template <typename A, typename B> __host__ __device__ constexpr bool operator()(const A &a, const B &b) const { return a == b; }
};
struct Inequality {
    template <typename A, typename B> __host__ __device__ constexpr bool operator()(const A &a, const B &b) const { return a != b; }
};
struct Max {
    template <typename T> __host__ __device__ constexpr T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
struct Min {
    template <typename T> __host__ __device__ constexpr T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
template <typename K, typename V> struct KeyValuePair {
    typedef K Key;
    typedef V Value;
    K key;
    V value;
    __host__ __device__ KeyValuePair() {}
    __host__ __device__ KeyValuePair(const K &k, const V &v) : key(k), value(v) {}
    __host__ __device__ bool operator!=(const KeyValuePair &b) const { return value != b.value || key != b.key; }
};
struct ArgMax {
    template <typename K, typename V>
    __host__ __device__ KeyValuePair<K, V> operator()(const KeyValuePair<K, V> &a, const KeyValuePair<K, V> &b) const {
        return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
struct ArgMin {
    template <typename K, typename V>
    __host__ __device__ KeyValuePair<K, V> operator()(const KeyValuePair<K, V> &a, const KeyValuePair<K, V> &b) const {
        return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};

// Shared memory whose elements are not constructed.
template <typename T> struct Uninitialized {
    alignas(T) unsigned char storage[sizeof(T)];
    __device__ T &Alias() { return *reinterpret_cast<T *>(storage); }
};

__device__ inline int RowMajorTid(int x, int y, int z) {
    return (z == 1 ? 0 : (int)threadIdx.z * x * y) + (y == 1 ? 0 : (int)threadIdx.y * x) + (int)threadIdx.x;
}
__device__ inline unsigned int LaneId() {
    return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) % 32u;
}

namespace __detail {
template <typename T, int n> struct cells {
    alignas(T) unsigned char bytes[sizeof(T) * n];
    __device__ T &operator[](int i) { return reinterpret_cast<T *>(bytes)[i]; }
};

// A block whose extents are known.
template <int x, int y, int z> struct block {
    static constexpr int threads = x * y * z, warps = (threads + 31) / 32;
    __device__ static int rank() { return RowMajorTid(x, y, z); }
    // Lanes of a warp, of which the last has fewer.
    __device__ static int lanes(int warp) { return threads - warp * 32 < 32 ? threads - warp * 32 : 32; }
    __device__ static unsigned int mask(int warp) { return 0xffffffffu >> (32 - lanes(warp)); }
};

// The lanes of this thread's logical warp that the block has.
template <int n> struct warp {
    static constexpr bool splits = (n & (n - 1)) == 0;
    __device__ static int index() { return splits ? (int)LaneId() / n : 0; }
    __device__ static int lane() { return splits ? (int)LaneId() % n : (int)LaneId(); }
    __device__ static unsigned int mask() {
        int threads = (int)(blockDim.x * blockDim.y * blockDim.z);
        int rank = (int)((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
        int rest = threads - (rank - lane());
        int lanes = rest < n ? rest : n;
        return (0xffffffffu >> (32 - lanes)) << (index() * n);
    }
};

// The first of `valid` lanes gets the reduction of all of them.
template <typename T, typename Op> __device__ inline T reduce(T v, Op op, int lane, int valid, unsigned int mask) {
    int lanes = __popc(mask);
    if (valid > lanes) valid = lanes;
    for (int step = 1; step < lanes; step *= 2) {
        bool in = lane + step < valid;
        T other = __shuffle::value_of(mask, v, (int)LaneId() + (in ? step : 0));
        if (in) v = op(v, other);
    }
    return v;
}
template <typename T, typename Op> __device__ inline T inclusive(T v, Op op, int lane, unsigned int mask) {
    for (int step = 1; step < __popc(mask); step *= 2) {
        bool in = lane >= step;
        T other = __shuffle::value_of(mask, v, (int)LaneId() - (in ? step : 0));
        if (in) v = op(other, v);
    }
    return v;
}
}

template <int n> __device__ inline unsigned int WarpMask(unsigned int warp) {
    return (0xffffffffu >> (32 - n)) << (__detail::warp<n>::splits ? warp * n : 0u);
}
template <int n, typename T> __device__ inline T ShuffleUp(T v, int offset, int first, unsigned int mask) {
    int lane = __detail::warp<n>::lane();
    return __shuffle::value_of(mask, v, (int)LaneId() - (lane - offset < first ? 0 : offset));
}
template <int n, typename T> __device__ inline T ShuffleDown(T v, int offset, int last, unsigned int mask) {
    int lane = __detail::warp<n>::lane();
    return __shuffle::value_of(mask, v, (int)LaneId() + (lane + offset > last ? 0 : offset));
}
template <int n, typename T> __device__ inline T ShuffleIndex(T v, int from, unsigned int mask) {
    return __shuffle::value_of(mask, v, (int)LaneId() - __detail::warp<n>::lane() + from);
}

enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
template <CacheLoadModifier modifier, typename T> __device__ inline T ThreadLoad(T *p) {
    if constexpr (modifier == LOAD_VOLATILE || modifier == LOAD_CV) return *(volatile T *)p;
    else return *p;
}
template <CacheStoreModifier modifier, typename T> __device__ inline void ThreadStore(T *p, T v) {
    if constexpr (modifier == STORE_VOLATILE) *(volatile T *)p = v;
    else *p = v;
}
template <int n, typename T, typename Op> __device__ inline T ThreadReduce(const T (&in)[n], Op op) {
    T v = in[0];
    for (int i = 1; i < n; ++i) v = op(v, in[i]);
    return v;
}
template <int n, typename T, typename Op> __device__ inline T ThreadReduce(const T (&in)[n], Op op, T prefix) {
    for (int i = 0; i < n; ++i) prefix = op(prefix, in[i]);
    return prefix;
}

template <typename T, int n = 32> class WarpReduce {
    typedef __detail::warp<n> Warp;

  public:
    struct TempStorage : Uninitialized<NullType> {};
    __device__ WarpReduce(TempStorage &) {}
    template <typename Op> __device__ T Reduce(T input, Op op, int valid_items) {
        return __detail::reduce(input, op, Warp::lane(), valid_items, Warp::mask());
    }
    template <typename Op> __device__ T Reduce(T input, Op op) { return Reduce(input, op, n); }
    template <int items, typename Op> __device__ T Reduce(const T (&input)[items], Op op) {
        return Reduce(ThreadReduce(input, op), op, n);
    }
    __device__ T Sum(T input) { return Reduce(input, cub::Sum()); }
    __device__ T Sum(T input, int valid_items) { return Reduce(input, cub::Sum(), valid_items); }
    template <int items> __device__ T Sum(const T (&input)[items]) { return Reduce(input, cub::Sum()); }
    __device__ T Max(T input) { return Reduce(input, cub::Max()); }
    __device__ T Min(T input) { return Reduce(input, cub::Min()); }
    template <typename F, typename Op> __device__ T HeadSegmentedReduce(T input, F head_flag, Op op) {
        return __segmented(input, flags(head_flag) >> 1, op);
    }
    template <typename F, typename Op> __device__ T TailSegmentedReduce(T input, F tail_flag, Op op) {
        return __segmented(input, flags(tail_flag), op);
    }
    template <typename F> __device__ T HeadSegmentedSum(T input, F head_flag) {
        return HeadSegmentedReduce(input, head_flag, cub::Sum());
    }
    template <typename F> __device__ T TailSegmentedSum(T input, F tail_flag) {
        return TailSegmentedReduce(input, tail_flag, cub::Sum());
    }

  private:
    template <typename F> __device__ unsigned int flags(F flag) {
        return (__ballot_sync(Warp::mask(), flag ? 1 : 0) & Warp::mask()) >> (Warp::index() * n);
    }
    // `ends` has a bit for the last lane of each segment.
    template <typename Op> __device__ T __segmented(T input, unsigned int ends, Op op) {
        unsigned int from_here = ends >> Warp::lane() << Warp::lane();
        int valid = from_here != 0u ? __ffs((int)from_here) : n;
        return __detail::reduce(input, op, Warp::lane(), valid, Warp::mask());
    }
};

template <typename T, int n = 32> class WarpScan {
    typedef __detail::warp<n> Warp;
    template <typename Op> __device__ T scan(T input, Op op, T &exclusive, T &aggregate) {
        int lane = Warp::lane(), first = (int)LaneId() - lane;
        unsigned int mask = Warp::mask();
        T v = __detail::inclusive(input, op, lane, mask);
        exclusive = __shuffle::value_of(mask, v, first + (lane == 0 ? 0 : lane - 1));
        aggregate = __shuffle::value_of(mask, v, first + __popc(mask) - 1);
        return v;
    }
    template <typename Op> __device__ void scan(T input, T &inclusive, T &exclusive, T initial, Op op, T &aggregate) {
        T before;
        T v = scan(input, op, before, aggregate);
        inclusive = op(initial, v);
        exclusive = Warp::lane() == 0 ? initial : (T)op(initial, before);
    }

  public:
    struct TempStorage : Uninitialized<NullType> {};
    __device__ WarpScan(TempStorage &) {}
    template <typename Op> __device__ void InclusiveScan(T input, T &output, Op op, T &aggregate) {
        T exclusive;
        output = scan(input, op, exclusive, aggregate);
    }
    template <typename Op> __device__ void InclusiveScan(T input, T &output, Op op) {
        T aggregate;
        InclusiveScan(input, output, op, aggregate);
    }
    template <typename Op> __device__ void InclusiveScan(T input, T &output, T initial, Op op, T &aggregate) {
        T exclusive;
        scan(input, output, exclusive, initial, op, aggregate);
    }
    template <typename Op> __device__ void InclusiveScan(T input, T &output, T initial, Op op) {
        T aggregate;
        InclusiveScan(input, output, initial, op, aggregate);
    }
    template <typename Op> __device__ void ExclusiveScan(T input, T &output, Op op, T &aggregate) {
        scan(input, op, output, aggregate);
    }
    template <typename Op> __device__ void ExclusiveScan(T input, T &output, Op op) {
        T aggregate;
        ExclusiveScan(input, output, op, aggregate);
    }
    template <typename Op> __device__ void ExclusiveScan(T input, T &output, T initial, Op op, T &aggregate) {
        T inclusive;
        scan(input, inclusive, output, initial, op, aggregate);
    }
    template <typename Op> __device__ void ExclusiveScan(T input, T &output, T initial, Op op) {
        T aggregate;
        ExclusiveScan(input, output, initial, op, aggregate);
    }
    template <typename Op> __device__ void Scan(T input, T &inclusive, T &exclusive, Op op) {
        T aggregate, v = scan(input, op, exclusive, aggregate);
        inclusive = v;
    }
    template <typename Op> __device__ void Scan(T input, T &inclusive, T &exclusive, T initial, Op op) {
        T aggregate;
        scan(input, inclusive, exclusive, initial, op, aggregate);
    }
    __device__ void InclusiveSum(T input, T &output) { InclusiveScan(input, output, cub::Sum()); }
    __device__ void InclusiveSum(T input, T &output, T &aggregate) { InclusiveScan(input, output, cub::Sum(), aggregate); }
    __device__ void ExclusiveSum(T input, T &output) { ExclusiveScan(input, output, T(), cub::Sum()); }
    __device__ void ExclusiveSum(T input, T &output, T &aggregate) {
        ExclusiveScan(input, output, T(), cub::Sum(), aggregate);
    }
    __device__ T Broadcast(T input, unsigned int lane) { return ShuffleIndex<n>(input, (int)lane, Warp::mask()); }
};

enum BlockReduceAlgorithm {
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
    BLOCK_REDUCE_RAKING,
    BLOCK_REDUCE_WARP_REDUCTIONS
};
template <typename T, int X, BlockReduceAlgorithm algorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1>
class BlockReduce {
    typedef __detail::block<X, Y, Z> Block;
    typedef __detail::cells<T, Block::warps> Storage;
    Storage &of_warp;
    __device__ static Storage &own() {
        __shared__ Storage storage;
        return storage;
    }

  public:
    struct TempStorage : Uninitialized<Storage> {};
    __device__ BlockReduce() : of_warp(own()) {}
    __device__ BlockReduce(TempStorage &storage) : of_warp(storage.Alias()) {}
    template <typename Op> __device__ T Reduce(T input, Op op, int num_valid) {
        int rank = Block::rank(), warp = rank / 32, lane = rank % 32;
        T v = __detail::reduce(input, op, lane, num_valid - warp * 32, Block::mask(warp));
        if constexpr (Block::warps > 1) {
            if (lane == 0) of_warp[warp] = v;
            __syncthreads();
            if (rank == 0) {
                for (int w = 1; w * 32 < num_valid && w < Block::warps; ++w) v = op(v, of_warp[w]);
            }
        }
        return v;
    }
    template <typename Op> __device__ T Reduce(T input, Op op) { return Reduce(input, op, Block::threads); }
    template <int items, typename Op> __device__ T Reduce(T (&input)[items], Op op) {
        return Reduce(ThreadReduce(input, op), op, Block::threads);
    }
    __device__ T Sum(T input) { return Reduce(input, cub::Sum()); }
    __device__ T Sum(T input, int num_valid) { return Reduce(input, cub::Sum(), num_valid); }
    template <int items> __device__ T Sum(T (&input)[items]) { return Reduce(input, cub::Sum()); }
};

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
namespace __detail {
template <typename T, int warps> struct scan_storage {
    cells<T, warps> of_warp;
    cells<T, 1> prefix;
};
// What goes before the first item: nothing, a value that each thread has, or what the first warp's callback returns.
template <typename T> struct no_prefix {
    static constexpr bool is_given = false;
    template <typename S> __device__ T value(S &, int, T) const { return T(); }
};
template <typename T> struct initial_prefix {
    static constexpr bool is_given = true;
    T initial;
    template <typename S> __device__ T value(S &, int, T) const { return initial; }
};
template <typename T, typename F> struct callback_prefix {
    static constexpr bool is_given = true;
    F &callback;
    template <typename S> __device__ T value(S &storage, int rank, T aggregate) const {
        if (rank < 32) {
            T prefix = callback(aggregate);
            if (rank == 0) storage.prefix[0] = prefix;
        }
        __syncthreads();
        return storage.prefix[0];
    }
};
}

template <typename T, int X, BlockScanAlgorithm algorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1> class BlockScan {
    typedef __detail::block<X, Y, Z> Block;
    typedef __detail::scan_storage<T, Block::warps> Storage;
    typedef __detail::no_prefix<T> None;
    typedef __detail::initial_prefix<T> Initial;
    Storage &storage;
    __device__ static Storage &own() {
        __shared__ Storage storage;
        return storage;
    }

    template <bool inclusive, int items, typename Op, typename Prefix>
    __device__ void scan(const T (&input)[items], T (&output)[items], Op op, const Prefix &prefix, T &aggregate) {
        int rank = Block::rank(), warp = rank / 32, lane = rank % 32;
        unsigned int mask = Block::mask(warp);
        T own = __detail::inclusive(ThreadReduce(input, op), op, lane, mask);
        T before = __shuffle::value_of(mask, own, lane == 0 ? 0 : lane - 1);
        if (lane == Block::lanes(warp) - 1) storage.of_warp[warp] = own;
        __syncthreads();
        T all = storage.of_warp[0];
        for (int w = 1; w < Block::warps; ++w) {
            if (w == warp) before = lane == 0 ? all : (T)op(all, before);
            all = op(all, storage.of_warp[w]);
        }
        T first = prefix.value(storage, rank, all);
        if (Prefix::is_given) before = rank == 0 ? first : (T)op(first, before);
        bool has_before = Prefix::is_given || rank > 0;
        for (int i = 0; i < items; ++i) {
            T next = input[i];
            if (has_before) next = op(before, next);
            if (inclusive) output[i] = next;
            else if (has_before) output[i] = before;
            before = next;
            has_before = true;
        }
        aggregate = all;
    }
    template <bool inclusive, typename Op, typename Prefix>
    __device__ void scan(T input, T &output, Op op, const Prefix &prefix, T &aggregate) {
        T in[1] = {input}, out[1];
        scan<inclusive>(in, out, op, prefix, aggregate);
        if (inclusive || Prefix::is_given || Block::rank() > 0) output = out[0];
    }

  public:
    struct TempStorage : Uninitialized<Storage> {};
    __device__ BlockScan() : storage(own()) {}
    __device__ BlockScan(TempStorage &storage) : storage(storage.Alias()) {}
    __device__ void InclusiveSum(T input, T &output, T &aggregate) {
        scan<true>(input, output, cub::Sum(), None{}, aggregate);
    }
    __device__ void InclusiveSum(T input, T &output) {
        T aggregate;
        InclusiveSum(input, output, aggregate);
    }
    template <typename F> __device__ void InclusiveSum(T input, T &output, F &prefix) {
        InclusiveScan(input, output, cub::Sum(), prefix);
    }
    template <typename Op> __device__ void InclusiveScan(T input, T &output, Op op, T &aggregate) {
        scan<true>(input, output, op, None{}, aggregate);
    }
    template <typename Op> __device__ void InclusiveScan(T input, T &output, Op op) {
        T aggregate;
        InclusiveScan(input, output, op, aggregate);
    }
    template <typename Op, typename F> __device__ void InclusiveScan(T input, T &output, Op op, F &prefix) {
        T aggregate;
        scan<true>(input, output, op, __detail::callback_prefix<T, F>{prefix}, aggregate);
    }
    __device__ void ExclusiveSum(T input, T &output, T &aggregate) {
        scan<false>(input, output, cub::Sum(), Initial{T()}, aggregate);
    }
    __device__ void ExclusiveSum(T input, T &output) {
        T aggregate;
        ExclusiveSum(input, output, aggregate);
    }
    template <typename F> __device__ void ExclusiveSum(T input, T &output, F &prefix) {
        ExclusiveScan(input, output, cub::Sum(), prefix);
    }
    template <typename Op> __device__ void ExclusiveScan(T input, T &output, Op op, T &aggregate) {
        scan<false>(input, output, op, None{}, aggregate);
    }
    template <typename Op> __device__ void ExclusiveScan(T input, T &output, Op op) {
        T aggregate;
        ExclusiveScan(input, output, op, aggregate);
    }
    template <typename Op> __device__ void ExclusiveScan(T input, T &output, T initial, Op op, T &aggregate) {
        scan<false>(input, output, op, Initial{initial}, aggregate);
    }
    template <typename Op> __device__ void ExclusiveScan(T input, T &output, T initial, Op op) {
        T aggregate;
        ExclusiveScan(input, output, initial, op, aggregate);
    }
    template <typename Op, typename F> __device__ void ExclusiveScan(T input, T &output, Op op, F &prefix) {
        T aggregate;
        scan<false>(input, output, op, __detail::callback_prefix<T, F>{prefix}, aggregate);
    }
    template <int items> __device__ void InclusiveSum(T (&input)[items], T (&output)[items], T &aggregate) {
        scan<true>(input, output, cub::Sum(), None{}, aggregate);
    }
    template <int items> __device__ void InclusiveSum(T (&input)[items], T (&output)[items]) {
        T aggregate;
        InclusiveSum(input, output, aggregate);
    }
    template <int items, typename F> __device__ void InclusiveSum(T (&input)[items], T (&output)[items], F &prefix) {
        InclusiveScan(input, output, cub::Sum(), prefix);
    }
    template <int items, typename Op> __device__ void InclusiveScan(T (&input)[items], T (&output)[items], Op op, T &aggregate) {
        scan<true>(input, output, op, None{}, aggregate);
    }
    template <int items, typename Op> __device__ void InclusiveScan(T (&input)[items], T (&output)[items], Op op) {
        T aggregate;
        InclusiveScan(input, output, op, aggregate);
    }
    template <int items, typename Op> __device__ void InclusiveScan(T (&input)[items], T (&output)[items], T initial, Op op, T &aggregate) {
        scan<true>(input, output, op, Initial{initial}, aggregate);
    }
    template <int items, typename Op> __device__ void InclusiveScan(T (&input)[items], T (&output)[items], T initial, Op op) {
        T aggregate;
        InclusiveScan(input, output, initial, op, aggregate);
    }
    template <int items, typename Op, typename F> __device__ void InclusiveScan(T (&input)[items], T (&output)[items], Op op, F &prefix) {
        T aggregate;
        scan<true>(input, output, op, __detail::callback_prefix<T, F>{prefix}, aggregate);
    }
    template <int items> __device__ void ExclusiveSum(T (&input)[items], T (&output)[items], T &aggregate) {
        scan<false>(input, output, cub::Sum(), Initial{T()}, aggregate);
    }
    template <int items> __device__ void ExclusiveSum(T (&input)[items], T (&output)[items]) {
        T aggregate;
        ExclusiveSum(input, output, aggregate);
    }
    template <int items, typename F> __device__ void ExclusiveSum(T (&input)[items], T (&output)[items], F &prefix) {
        ExclusiveScan(input, output, cub::Sum(), prefix);
    }
    template <int items, typename Op> __device__ void ExclusiveScan(T (&input)[items], T (&output)[items], Op op, T &aggregate) {
        scan<false>(input, output, op, None{}, aggregate);
    }
    template <int items, typename Op> __device__ void ExclusiveScan(T (&input)[items], T (&output)[items], Op op) {
        T aggregate;
        ExclusiveScan(input, output, op, aggregate);
    }
    template <int items, typename Op> __device__ void ExclusiveScan(T (&input)[items], T (&output)[items], T initial, Op op, T &aggregate) {
        scan<false>(input, output, op, Initial{initial}, aggregate);
    }
    template <int items, typename Op> __device__ void ExclusiveScan(T (&input)[items], T (&output)[items], T initial, Op op) {
        T aggregate;
        ExclusiveScan(input, output, initial, op, aggregate);
    }
    template <int items, typename Op, typename F> __device__ void ExclusiveScan(T (&input)[items], T (&output)[items], Op op, F &prefix) {
        T aggregate;
        scan<false>(input, output, op, __detail::callback_prefix<T, F>{prefix}, aggregate);
    }
};

// Where the items of a thread are in a tile.
namespace __detail {
struct blocked {
    template <int threads, int items> __device__ static int at(int rank, int i) { return rank * items + i; }
};
struct striped {
    template <int threads, int items> __device__ static int at(int rank, int i) { return i * threads + rank; }
};
struct warp_striped {
    template <int threads, int items> __device__ static int at(int rank, int i) {
        return rank / 32 * 32 * items + i * 32 + rank % 32;
    }
};
template <typename Place, int threads, typename I, typename T, int items>
__device__ inline void load(int rank, I &from, T (&to)[items], int valid) {
    for (int i = 0; i < items; ++i) {
        int at = Place::template at<threads, items>(rank, i);
        if (at < valid) to[i] = from[at];
    }
}
template <typename Place, int threads, typename O, typename T, int items>
__device__ inline void store(int rank, O &to, const T (&from)[items], int valid) {
    for (int i = 0; i < items; ++i) {
        int at = Place::template at<threads, items>(rank, i);
        if (at < valid) to[at] = from[i];
    }
}
template <typename T, typename D, int items> __device__ inline void fill(T (&to)[items], const D &v) {
    for (int i = 0; i < items; ++i) to[i] = v;
}
}
template <typename T, int items, typename I>
__device__ inline void LoadDirectBlocked(int rank, I from, T (&to)[items]) {
    __detail::load<__detail::blocked, 1>(rank, from, to, 0x7fffffff);
}
template <typename T, int items, typename I>
__device__ inline void LoadDirectBlocked(int rank, I from, T (&to)[items], int valid) {
    __detail::load<__detail::blocked, 1>(rank, from, to, valid);
}
template <typename T, typename D, int items, typename I>
__device__ inline void LoadDirectBlocked(int rank, I from, T (&to)[items], int valid, D otherwise) {
    __detail::fill(to, otherwise);
    __detail::load<__detail::blocked, 1>(rank, from, to, valid);
}
template <typename T, int items, typename O>
__device__ inline void StoreDirectBlocked(int rank, O to, T (&from)[items]) {
    __detail::store<__detail::blocked, 1>(rank, to, from, 0x7fffffff);
}
template <typename T, int items, typename O>
__device__ inline void StoreDirectBlocked(int rank, O to, T (&from)[items], int valid) {
    __detail::store<__detail::blocked, 1>(rank, to, from, valid);
}
template <int threads, typename T, int items, typename I>
__device__ inline void LoadDirectStriped(int rank, I from, T (&to)[items]) {
    __detail::load<__detail::striped, threads>(rank, from, to, 0x7fffffff);
}
template <int threads, typename T, int items, typename I>
__device__ inline void LoadDirectStriped(int rank, I from, T (&to)[items], int valid) {
    __detail::load<__detail::striped, threads>(rank, from, to, valid);
}
template <int threads, typename T, typename D, int items, typename I>
__device__ inline void LoadDirectStriped(int rank, I from, T (&to)[items], int valid, D otherwise) {
    __detail::fill(to, otherwise);
    __detail::load<__detail::striped, threads>(rank, from, to, valid);
}
template <int threads, typename T, int items, typename O>
__device__ inline void StoreDirectStriped(int rank, O to, T (&from)[items]) {
    __detail::store<__detail::striped, threads>(rank, to, from, 0x7fffffff);
}
template <int threads, typename T, int items, typename O>
__device__ inline void StoreDirectStriped(int rank, O to, T (&from)[items], int valid) {
    __detail::store<__detail::striped, threads>(rank, to, from, valid);
}
template <typename T, int items, typename I>
__device__ inline void LoadDirectWarpStriped(int rank, I from, T (&to)[items]) {
    __detail::load<__detail::warp_striped, 1>(rank, from, to, 0x7fffffff);
}
template <typename T, int items, typename I>
__device__ inline void LoadDirectWarpStriped(int rank, I from, T (&to)[items], int valid) {
    __detail::load<__detail::warp_striped, 1>(rank, from, to, valid);
}
template <typename T, typename D, int items, typename I>
__device__ inline void LoadDirectWarpStriped(int rank, I from, T (&to)[items], int valid, D otherwise) {
    __detail::fill(to, otherwise);
    __detail::load<__detail::warp_striped, 1>(rank, from, to, valid);
}
template <typename T, int items, typename O>
__device__ inline void StoreDirectWarpStriped(int rank, O to, T (&from)[items]) {
    __detail::store<__detail::warp_striped, 1>(rank, to, from, 0x7fffffff);
}
template <typename T, int items, typename O>
__device__ inline void StoreDirectWarpStriped(int rank, O to, T (&from)[items], int valid) {
    __detail::store<__detail::warp_striped, 1>(rank, to, from, valid);
}

template <typename T, int X, int items, bool time_slicing = false, int Y = 1, int Z = 1> class BlockExchange {
    typedef __detail::block<X, Y, Z> Block;
    typedef __detail::cells<T, Block::warps * 32 * items> Storage;
    Storage &storage;
    __device__ static Storage &own() {
        __shared__ Storage storage;
        return storage;
    }

    template <typename From, typename To, typename U> __device__ void exchange(const T (&input)[items], U (&output)[items]) {
        int rank = Block::rank();
        for (int i = 0; i < items; ++i) storage[From::template at<Block::threads, items>(rank, i)] = input[i];
        __syncthreads();
        for (int i = 0; i < items; ++i) output[i] = storage[To::template at<Block::threads, items>(rank, i)];
    }
    // Items without a place, and places without an item, are left out.
    template <typename To, typename R, typename U, typename F>
    __device__ void scatter(const T (&input)[items], U (&output)[items], const R (&ranks)[items], F goes) {
        int rank = Block::rank();
        for (int i = 0; i < items; ++i) {
            if (goes(i)) storage[(int)ranks[i]] = input[i];
        }
        __syncthreads();
        for (int i = 0; i < items; ++i) output[i] = storage[To::template at<Block::threads, items>(rank, i)];
    }

  public:
    struct TempStorage : Uninitialized<Storage> {};
    __device__ BlockExchange() : storage(own()) {}
    __device__ BlockExchange(TempStorage &storage) : storage(storage.Alias()) {}
    template <typename U> __device__ void StripedToBlocked(const T (&input)[items], U (&output)[items]) {
        exchange<__detail::striped, __detail::blocked>(input, output);
    }
    __device__ void StripedToBlocked(T (&all)[items]) { StripedToBlocked(all, all); }
    template <typename U> __device__ void BlockedToStriped(const T (&input)[items], U (&output)[items]) {
        exchange<__detail::blocked, __detail::striped>(input, output);
    }
    __device__ void BlockedToStriped(T (&all)[items]) { BlockedToStriped(all, all); }
    template <typename U> __device__ void WarpStripedToBlocked(const T (&input)[items], U (&output)[items]) {
        exchange<__detail::warp_striped, __detail::blocked>(input, output);
    }
    __device__ void WarpStripedToBlocked(T (&all)[items]) { WarpStripedToBlocked(all, all); }
    template <typename U> __device__ void BlockedToWarpStriped(const T (&input)[items], U (&output)[items]) {
        exchange<__detail::blocked, __detail::warp_striped>(input, output);
    }
    __device__ void BlockedToWarpStriped(T (&all)[items]) { BlockedToWarpStriped(all, all); }
    template <typename U, typename R>
    __device__ void ScatterToBlocked(const T (&input)[items], U (&output)[items], R (&ranks)[items]) {
        scatter<__detail::blocked>(input, output, ranks, [](int) { return true; });
    }
    template <typename R> __device__ void ScatterToBlocked(T (&all)[items], R (&ranks)[items]) { ScatterToBlocked(all, all, ranks); }
    template <typename U, typename R>
    __device__ void ScatterToStriped(const T (&input)[items], U (&output)[items], R (&ranks)[items]) {
        scatter<__detail::striped>(input, output, ranks, [](int) { return true; });
    }
    template <typename R> __device__ void ScatterToStriped(T (&all)[items], R (&ranks)[items]) { ScatterToStriped(all, all, ranks); }
    template <typename U, typename R>
    __device__ void ScatterToStripedGuarded(const T (&input)[items], U (&output)[items], R (&ranks)[items]) {
        scatter<__detail::striped>(input, output, ranks, [&](int i) { return ranks[i] >= 0; });
    }
    template <typename R> __device__ void ScatterToStripedGuarded(T (&all)[items], R (&ranks)[items]) {
        ScatterToStripedGuarded(all, all, ranks);
    }
    template <typename U, typename R, typename V>
    __device__ void ScatterToStripedFlagged(const T (&input)[items], U (&output)[items], R (&ranks)[items], V (&is_valid)[items]) {
        scatter<__detail::striped>(input, output, ranks, [&](int i) { return (bool)is_valid[i]; });
    }
    template <typename R, typename V>
    __device__ void ScatterToStripedFlagged(T (&all)[items], R (&ranks)[items], V (&is_valid)[items]) {
        ScatterToStripedFlagged(all, all, ranks, is_valid);
    }
};

enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT,
    BLOCK_LOAD_STRIPED,
    BLOCK_LOAD_VECTORIZE,
    BLOCK_LOAD_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT,
    BLOCK_STORE_STRIPED,
    BLOCK_STORE_VECTORIZE,
    BLOCK_STORE_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};
template <typename T, int X, int items, BlockLoadAlgorithm algorithm = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1> class BlockLoad {
    typedef __detail::block<X, Y, Z> Block;
    static constexpr bool transposes = algorithm >= BLOCK_LOAD_TRANSPOSE;
    typedef __detail::cells<T, transposes ? Block::threads * items : 1> Storage;
    Storage &storage;
    __device__ static Storage &own() {
        __shared__ Storage storage;
        return storage;
    }

  public:
    static constexpr int ITEMS_PER_THREAD = items;
    struct TempStorage : Uninitialized<Storage> {};
    __device__ BlockLoad() : storage(own()) {}
    __device__ BlockLoad(TempStorage &storage) : storage(storage.Alias()) {}
    template <typename I> __device__ void Load(I from, T (&to)[items]) { Load(from, to, Block::threads * items); }
    template <typename I> __device__ void Load(I from, T (&to)[items], int valid) {
        if constexpr (transposes) {
            for (int at = Block::rank(); at < valid; at += Block::threads) storage[at] = from[at];
            __syncthreads();
            LoadDirectBlocked<T, items, Storage &>(Block::rank(), storage, to, valid);
        } else if constexpr (algorithm == BLOCK_LOAD_STRIPED) {
            LoadDirectStriped<Block::threads>(Block::rank(), from, to, valid);
        } else {
            LoadDirectBlocked(Block::rank(), from, to, valid);
        }
    }
    template <typename I, typename D> __device__ void Load(I from, T (&to)[items], int valid, D otherwise) {
        __detail::fill(to, otherwise);
        Load(from, to, valid);
    }
};

template <typename T, int X, int items, BlockStoreAlgorithm algorithm = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1> class BlockStore {
    typedef __detail::block<X, Y, Z> Block;
    static constexpr bool transposes = algorithm >= BLOCK_STORE_TRANSPOSE;
    typedef __detail::cells<T, transposes ? Block::threads * items : 1> Storage;
    Storage &storage;
    __device__ static Storage &own() {
        __shared__ Storage storage;
        return storage;
    }

  public:
    static constexpr int ITEMS_PER_THREAD = items;
    struct TempStorage : Uninitialized<Storage> {};
    __device__ BlockStore() : storage(own()) {}
    __device__ BlockStore(TempStorage &storage) : storage(storage.Alias()) {}
    template <typename O> __device__ void Store(O to, T (&from)[items]) { Store(to, from, Block::threads * items); }
    template <typename O> __device__ void Store(O to, T (&from)[items], int valid) {
        if constexpr (transposes) {
            StoreDirectBlocked<T, items, Storage &>(Block::rank(), storage, from, valid);
            __syncthreads();
            for (int at = Block::rank(); at < valid; at += Block::threads) to[at] = storage[at];
        } else if constexpr (algorithm == BLOCK_STORE_STRIPED) {
            StoreDirectStriped<Block::threads>(Block::rank(), to, from, valid);
        } else {
            StoreDirectBlocked(Block::rank(), to, from, valid);
        }
    }
};

namespace __detail {
// The bits of a key, so that unsigned order is the order of keys.
template <typename K> __device__ inline unsigned long long radix(K key) {
    constexpr unsigned long long sign = 1ull << (sizeof(K) * 8 - 1), all = sign - 1ull + sign;
    if constexpr (__is_integral(K)) {
        unsigned long long bits = (unsigned long long)key & all;
        return __is_signed(K) ? bits ^ sign : bits;
    } else {
        unsigned long long bits = 0ull;
        if constexpr (sizeof(K) == 8) bits = (unsigned long long)__double_as_longlong(key);
        else if constexpr (sizeof(K) == 4) bits = __float_as_uint(key);
        else bits = *reinterpret_cast<unsigned short *>(&key);
        // Both zeros are equal.
        if (bits == sign) bits = 0ull;
        return bits & sign ? ~bits & all : bits | sign;
    }
}
template <typename K, typename V, int X, int items, int Y, int Z> struct sort_storage {
    union {
        typename BlockScan<int, X, BLOCK_SCAN_WARP_SCANS, Y, Z>::TempStorage scan;
        typename BlockExchange<K, X, items, false, Y, Z>::TempStorage keys;
        typename BlockExchange<V, X, items, false, Y, Z>::TempStorage values;
    };
};
}

template <typename K, int X, int items, typename V = NullType, int radix_bits = 4, bool memoize = true,
          BlockScanAlgorithm algorithm = BLOCK_SCAN_WARP_SCANS,
          cudaSharedMemConfig banks = cudaSharedMemBankSizeFourByte, int Y = 1, int Z = 1>
class BlockRadixSort {
    typedef __detail::block<X, Y, Z> Block;
    typedef __detail::sort_storage<K, V, X, items, Y, Z> Storage;
    Storage &storage;
    __device__ static Storage &own() {
        __shared__ Storage storage;
        return storage;
    }

    // Stable: keys whose next bit is zero go before the others, one bit after the other.
    template <bool descending, bool striped>
    __device__ void sort(K (&keys)[items], V (&values)[items], int begin, int end) {
        for (int bit = begin; bit < end || (striped && bit == begin); ++bit) {
            bool is_one[items];
            int zeros = 0, before, all, ranks[items];
            for (int i = 0; i < items; ++i) {
                is_one[i] = bit < end && (bool)(__detail::radix(keys[i]) >> bit & 1ull) != descending;
                if (!is_one[i]) ++zeros;
            }
            __syncthreads();
            BlockScan<int, X, BLOCK_SCAN_WARP_SCANS, Y, Z>(storage.scan).ExclusiveSum(zeros, before, all);
            __syncthreads();
            int ones = all + Block::rank() * items - before;
            for (int i = 0; i < items; ++i) ranks[i] = is_one[i] ? ones++ : before++;
            bool last = bit + 1 >= end;
            move<striped>(storage.keys, keys, ranks, last);
            if constexpr (!__is_same_type<V, NullType>::value) {
                __syncthreads();
                move<striped>(storage.values, values, ranks, last);
            }
        }
    }
    template <typename A, typename B> struct __is_same_type { static constexpr bool value = false; };
    template <typename A> struct __is_same_type<A, A> { static constexpr bool value = true; };
    template <bool striped, typename S, typename T>
    __device__ static void move(S &storage, T (&all)[items], int (&ranks)[items], bool last) {
        BlockExchange<T, X, items, false, Y, Z> exchange(storage);
        if (striped && last) exchange.ScatterToStriped(all, ranks);
        else exchange.ScatterToBlocked(all, ranks);
    }

  public:
    struct TempStorage : Uninitialized<Storage> {};
    __device__ BlockRadixSort() : storage(own()) {}
    __device__ BlockRadixSort(TempStorage &storage) : storage(storage.Alias()) {}
    __device__ void Sort(K (&keys)[items], int begin_bit = 0, int end_bit = sizeof(K) * 8) {
        V none[items];
        sort<false, false>(keys, none, begin_bit, end_bit);
    }
    __device__ void Sort(K (&keys)[items], V (&values)[items], int begin_bit = 0, int end_bit = sizeof(K) * 8) {
        sort<false, false>(keys, values, begin_bit, end_bit);
    }
    __device__ void SortDescending(K (&keys)[items], int begin_bit = 0, int end_bit = sizeof(K) * 8) {
        V none[items];
        sort<true, false>(keys, none, begin_bit, end_bit);
    }
    __device__ void SortDescending(K (&keys)[items], V (&values)[items], int begin_bit = 0, int end_bit = sizeof(K) * 8) {
        sort<true, false>(keys, values, begin_bit, end_bit);
    }
    __device__ void SortBlockedToStriped(K (&keys)[items], int begin_bit = 0, int end_bit = sizeof(K) * 8) {
        V none[items];
        sort<false, true>(keys, none, begin_bit, end_bit);
    }
    __device__ void SortBlockedToStriped(K (&keys)[items], V (&values)[items], int begin_bit = 0, int end_bit = sizeof(K) * 8) {
        sort<false, true>(keys, values, begin_bit, end_bit);
    }
    __device__ void SortDescendingBlockedToStriped(K (&keys)[items], int begin_bit = 0, int end_bit = sizeof(K) * 8) {
        V none[items];
        sort<true, true>(keys, none, begin_bit, end_bit);
    }
    __device__ void SortDescendingBlockedToStriped(K (&keys)[items], V (&values)[items], int begin_bit = 0, int end_bit = sizeof(K) * 8) {
        sort<true, true>(keys, values, begin_bit, end_bit);
    }
};

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };
template <typename T, int X, int items, int bins, BlockHistogramAlgorithm algorithm = BLOCK_HISTO_SORT, int Y = 1, int Z = 1>
class BlockHistogram {
    typedef __detail::block<X, Y, Z> Block;

  public:
    struct TempStorage : Uninitialized<NullType> {};
    __device__ BlockHistogram() {}
    __device__ BlockHistogram(TempStorage &) {}
    template <typename C> __device__ void InitHistogram(C histogram[bins]) {
        for (int i = Block::rank(); i < bins; i += Block::threads) histogram[i] = 0;
    }
    template <typename C> __device__ void Composite(T (&input)[items], C histogram[bins]) {
        for (int i = 0; i < items; ++i) atomicAdd(histogram + input[i], (C)1);
    }
    template <typename C> __device__ void Histogram(T (&input)[items], C histogram[bins]) {
        InitHistogram(histogram);
        __syncthreads();
        Composite(input, histogram);
    }
};

template <typename T, int X, int Y = 1, int Z = 1> class BlockShuffle {
    typedef __detail::block<X, Y, Z> Block;
    typedef __detail::cells<T, Block::threads> Storage;
    Storage &storage;
    __device__ static Storage &own() {
        __shared__ Storage storage;
        return storage;
    }

    __device__ void put(T input) {
        storage[Block::rank()] = input;
        __syncthreads();
    }

  public:
    struct TempStorage : Uninitialized<Storage> {};
    __device__ BlockShuffle() : storage(own()) {}
    __device__ BlockShuffle(TempStorage &storage) : storage(storage.Alias()) {}
    __device__ void Offset(T input, T &output, int distance = 1) {
        put(input);
        int from = Block::rank() + distance;
        if (from >= 0 && from < Block::threads) output = storage[from];
    }
    __device__ void Rotate(T input, T &output, unsigned int distance = 1) {
        put(input);
        output = storage[(int)(((unsigned int)Block::rank() + distance) % (unsigned int)Block::threads)];
    }
    template <int items> __device__ void Up(T (&input)[items], T (&previous)[items]) {
        put(input[items - 1]);
        for (int i = items - 1; i > 0; --i) previous[i] = input[i - 1];
        if (Block::rank() > 0) previous[0] = storage[Block::rank() - 1];
    }
    template <int items> __device__ void Up(T (&input)[items], T (&previous)[items], T &block_suffix) {
        Up(input, previous);
        block_suffix = storage[Block::threads - 1];
    }
    template <int items> __device__ void Down(T (&input)[items], T (&next)[items]) {
        put(input[0]);
        for (int i = 0; i + 1 < items; ++i) next[i] = input[i + 1];
        if (Block::rank() + 1 < Block::threads) next[items - 1] = storage[Block::rank() + 1];
    }
    template <int items> __device__ void Down(T (&input)[items], T (&next)[items], T &block_prefix) {
        Down(input, next);
        block_prefix = storage[0];
    }
};

namespace __detail {
template <typename T, int threads> struct edges {
    cells<T, threads> first, last;
};
}
template <typename T, int X, int Y = 1, int Z = 1> class BlockDiscontinuity {
    typedef __detail::block<X, Y, Z> Block;
    typedef __detail::edges<T, Block::threads> Storage;
    Storage &storage;
    __device__ static Storage &own() {
        __shared__ Storage storage;
        return storage;
    }

    template <int items> __device__ void put(T (&input)[items]) {
        storage.first[Block::rank()] = input[0];
        storage.last[Block::rank()] = input[items - 1];
        __syncthreads();
    }
    template <int items, typename F, typename Op> __device__ void heads(F (&flags)[items], T (&input)[items], Op op, const T *before) {
        int rank = Block::rank();
        flags[0] = rank > 0 ? op(storage.last[rank - 1], input[0]) : before ? op(*before, input[0]) : true;
        for (int i = 1; i < items; ++i) flags[i] = op(input[i - 1], input[i]);
    }
    template <int items, typename F, typename Op> __device__ void tails(F (&flags)[items], T (&input)[items], Op op, const T *after) {
        int rank = Block::rank(), last = items - 1;
        flags[last] = rank + 1 < Block::threads ? op(input[last], storage.first[rank + 1]) : after ? op(input[last], *after) : true;
        for (int i = 0; i < last; ++i) flags[i] = op(input[i], input[i + 1]);
    }

  public:
    struct TempStorage : Uninitialized<Storage> {};
    __device__ BlockDiscontinuity() : storage(own()) {}
    __device__ BlockDiscontinuity(TempStorage &storage) : storage(storage.Alias()) {}
    template <int items, typename F, typename Op> __device__ void FlagHeads(F (&flags)[items], T (&input)[items], Op op) {
        put(input);
        heads(flags, input, op, nullptr);
    }
    template <int items, typename F, typename Op> __device__ void FlagHeads(F (&flags)[items], T (&input)[items], Op op, T neighbor) {
        put(input);
        heads(flags, input, op, &neighbor);
    }
    template <int items, typename F, typename Op> __device__ void FlagTails(F (&flags)[items], T (&input)[items], Op op) {
        put(input);
        tails(flags, input, op, nullptr);
    }
    template <int items, typename F, typename Op> __device__ void FlagTails(F (&flags)[items], T (&input)[items], Op op, T neighbor) {
        put(input);
        tails(flags, input, op, &neighbor);
    }
    template <int items, typename F, typename Op>
    __device__ void FlagHeadsAndTails(F (&head_flags)[items], F (&tail_flags)[items], T (&input)[items], Op op) {
        put(input);
        heads(head_flags, input, op, nullptr);
        tails(tail_flags, input, op, nullptr);
    }
    template <int items, typename F, typename Op>
    __device__ void FlagHeadsAndTails(F (&head_flags)[items], F (&tail_flags)[items], T successor, T (&input)[items], Op op) {
        put(input);
        heads(head_flags, input, op, nullptr);
        tails(tail_flags, input, op, &successor);
    }
    template <int items, typename F, typename Op>
    __device__ void FlagHeadsAndTails(F (&head_flags)[items], T predecessor, F (&tail_flags)[items], T (&input)[items], Op op) {
        put(input);
        heads(head_flags, input, op, &predecessor);
        tails(tail_flags, input, op, nullptr);
    }
    template <int items, typename F, typename Op>
    __device__ void FlagHeadsAndTails(F (&head_flags)[items], T predecessor, F (&tail_flags)[items], T successor, T (&input)[items], Op op) {
        put(input);
        heads(head_flags, input, op, &predecessor);
        tails(tail_flags, input, op, &successor);
    }
};

template <typename T, int X, int Y = 1, int Z = 1> class BlockAdjacentDifference {
    typedef __detail::block<X, Y, Z> Block;
    typedef __detail::edges<T, Block::threads> Storage;
    Storage &storage;
    __device__ static Storage &own() {
        __shared__ Storage storage;
        return storage;
    }

    // Item `i` with its neighbour on one side; the first of the tile, or the last of its `valid` items, may have none.
    template <int items, typename D, typename Op>
    __device__ void left(T (&input)[items], D (&output)[items], Op op, int valid, const T *before) {
        int rank = Block::rank();
        storage.last[rank] = input[items - 1];
        __syncthreads();
        for (int i = items - 1; i >= 0; --i) {
            bool is_first = rank == 0 && i == 0, in = rank * items + i < valid;
            if (!in || (is_first && !before)) output[i] = input[i];
            else output[i] = op(input[i], i > 0 ? input[i - 1] : is_first ? *before : storage.last[rank - 1]);
        }
    }
    template <int items, typename D, typename Op>
    __device__ void right(T (&input)[items], D (&output)[items], Op op, int valid, const T *after) {
        int rank = Block::rank();
        storage.first[rank] = input[0];
        __syncthreads();
        for (int i = 0; i < items; ++i) {
            int at = rank * items + i;
            bool is_last = at + 1 == Block::threads * items;
            if (at + 1 >= valid && !(is_last && after)) output[i] = input[i];
            else output[i] = op(input[i], i + 1 < items ? input[i + 1] : is_last ? *after : storage.first[rank + 1]);
        }
    }

  public:
    struct TempStorage : Uninitialized<Storage> {};
    __device__ BlockAdjacentDifference() : storage(own()) {}
    __device__ BlockAdjacentDifference(TempStorage &storage) : storage(storage.Alias()) {}
    template <int items, typename D, typename Op> __device__ void SubtractLeft(T (&input)[items], D (&output)[items], Op op) {
        left(input, output, op, Block::threads * items, nullptr);
    }
    template <int items, typename D, typename Op> __device__ void SubtractLeft(T (&input)[items], D (&output)[items], Op op, T neighbor) {
        left(input, output, op, Block::threads * items, &neighbor);
    }
    template <int items, typename D, typename Op> __device__ void SubtractLeftPartialTile(T (&input)[items], D (&output)[items], Op op, int valid) {
        left(input, output, op, valid, nullptr);
    }
    template <int items, typename D, typename Op> __device__ void SubtractRight(T (&input)[items], D (&output)[items], Op op) {
        right(input, output, op, Block::threads * items, nullptr);
    }
    template <int items, typename D, typename Op> __device__ void SubtractRight(T (&input)[items], D (&output)[items], Op op, T neighbor) {
        right(input, output, op, Block::threads * items, &neighbor);
    }
    template <int items, typename D, typename Op> __device__ void SubtractRightPartialTile(T (&input)[items], D (&output)[items], Op op, int valid) {
        right(input, output, op, valid, nullptr);
    }
    template <int items, typename D, typename Op> __device__ void SubtractLeftPartialTile(T (&input)[items], D (&output)[items], Op op, int valid, T neighbor) {
        left(input, output, op, valid, &neighbor);
    }
};

}
