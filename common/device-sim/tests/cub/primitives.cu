// CUB's primitives against plain loops. The test defines the block's extents, the items of a thread, the types and the
// algorithms before this text; each thread counts what differs.
#include <cub/block/block_shuffle.cuh>
#include <cub/cub.cuh>

typedef unsigned int u32;
const int THREADS = BLOCK_X * BLOCK_Y * BLOCK_Z, TILE = THREADS * ITEMS;

// Functions x -> a * x + b, whose composition depends on the order. There is padding between the members.
struct Affine {
    unsigned char b;
    u32 a;
    __device__ bool operator==(const Affine &o) const { return a == o.a && b == o.b; }
};
struct Compose {
    __device__ Affine operator()(const Affine &f, const Affine &g) const {
        Affine h;
        h.a = f.a * g.a;
        h.b = f.b * g.a + g.b;
        return h;
    }
};
struct Plus {
    template <typename T> __device__ T operator()(const T &a, const T &b) const { return a + b; }
};
struct Larger {
    template <typename T> __device__ T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
struct Differ {
    template <typename T> __device__ bool operator()(const T &a, const T &b) const { return !(a == b); }
};
struct Minus {
    template <typename T> __device__ T operator()(const T &a, const T &b) const { return a - b; }
};

// Small integers, so that sums of floating-point numbers are exact in any order.
__device__ void read(const u32 *in, int i, Affine &to) {
    to.a = in[i] | 1u;
    to.b = in[i] >> 3;
}
template <typename T> __device__ void read(const u32 *in, int i, T &to) { to = (T)((int)(in[i] % 64u) - 20); }
template <typename T> __device__ T item(const u32 *in, int i) {
    T v;
    read(in, i, v);
    return v;
}

struct Check {
    int failed, done;
    template <typename T> __device__ void same(const T &a, const T &b) {
        done++;
        if (!(a == b)) failed++;
    }
};
template <typename T> struct Running {
    T total;
    __device__ T operator()(T aggregate) {
        T before = total;
        total = COMBINE()(total, aggregate);
        return before;
    }
};
__device__ int thread_rank() { return (threadIdx.z * BLOCK_Y + threadIdx.y) * BLOCK_X + threadIdx.x; }

// `from` must be less than `to`.
template <typename T, typename Op> __device__ T fold(const u32 *in, int from, int to, Op op) {
    T v = item<T>(in, from);
    for (int i = from + 1; i < to; i++) v = op(v, item<T>(in, i));
    return v;
}

template <typename T, typename Op> __device__ void block(Check &check, const u32 *in, Op op) {
    typedef cub::BlockReduce<T, BLOCK_X, cub::REDUCE, BLOCK_Y, BLOCK_Z> Reduce;
    typedef cub::BlockScan<T, BLOCK_X, cub::SCAN, BLOCK_Y, BLOCK_Z> Scan;
    __shared__ union {
        typename Reduce::TempStorage reduce;
        typename Scan::TempStorage scan;
    } temp;
    int rank = thread_rank();
    T mine[ITEMS], out[ITEMS], one = item<T>(in, rank), aggregate;
    for (int i = 0; i < ITEMS; i++) mine[i] = item<T>(in, rank * ITEMS + i);

    T v = Reduce(temp.reduce).Reduce(mine, op);
    if (rank == 0) check.same(v, fold<T>(in, 0, TILE, op));
    for (int valid = 1; valid <= THREADS; valid += THREADS > 40 ? 19 : 1) {
        __syncthreads();
        v = Reduce(temp.reduce).Reduce(one, op, valid);
        if (rank == 0) check.same(v, fold<T>(in, 0, valid, op));
    }
    v = Reduce().Reduce(one, op);
    if (rank == 0) check.same(v, fold<T>(in, 0, THREADS, op));

    __syncthreads();
    Scan(temp.scan).InclusiveScan(one, v, op, aggregate);
    check.same(v, fold<T>(in, 0, rank + 1, op));
    check.same(aggregate, fold<T>(in, 0, THREADS, op));
    __syncthreads();
    Scan(temp.scan).ExclusiveScan(one, v, op);
    if (rank > 0) check.same(v, fold<T>(in, 0, rank, op));
    __syncthreads();
    T start = item<T>(in, 5);
    Scan(temp.scan).ExclusiveScan(one, v, start, op, aggregate);
    check.same(v, rank > 0 ? op(start, fold<T>(in, 0, rank, op)) : start);
    check.same(aggregate, fold<T>(in, 0, THREADS, op));
    __syncthreads();
    Scan(temp.scan).InclusiveScan(mine, out, op);
    for (int i = 0; i < ITEMS; i++) check.same(out[i], fold<T>(in, 0, rank * ITEMS + i + 1, op));
    Running<T> running;
    running.total = start;
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        Scan(temp.scan).ExclusiveScan(mine, out, op, running);
        if (round == 0) start = op(start, fold<T>(in, 0, TILE, op));
    }
    for (int i = 0; i < ITEMS; i++) {
        int at = rank * ITEMS + i;
        check.same(out[i], at > 0 ? op(start, fold<T>(in, 0, at, op)) : start);
    }
}

template <typename T> __device__ void sums(Check &check, const u32 *in) {
    typedef cub::BlockReduce<T, BLOCK_X, cub::REDUCE, BLOCK_Y, BLOCK_Z> Reduce;
    typedef cub::BlockScan<T, BLOCK_X, cub::SCAN, BLOCK_Y, BLOCK_Z> Scan;
    __shared__ typename Reduce::TempStorage reduce;
    __shared__ typename Scan::TempStorage scan;
    int rank = thread_rank();
    T mine[ITEMS], out[ITEMS], all, v;
    for (int i = 0; i < ITEMS; i++) mine[i] = item<T>(in, rank * ITEMS + i);
    v = Reduce(reduce).Sum(mine);
    if (rank == 0) check.same(v, fold<T>(in, 0, TILE, Plus()));
    Scan(scan).ExclusiveSum(mine, out, all);
    for (int i = 0; i < ITEMS; i++) check.same(out[i], (T)(fold<T>(in, 0, rank * ITEMS + i + 1, Plus()) - mine[i]));
    check.same(all, fold<T>(in, 0, TILE, Plus()));
    __syncthreads();
    Scan(scan).InclusiveSum(mine[0], v);
    T expected = 0;
    for (int t = 0; t <= rank; t++) expected += item<T>(in, t * ITEMS);
    check.same(v, expected);
}

template <typename T, int W, typename Op> __device__ void warp(Check &check, const u32 *in, Op op) {
    typedef cub::WarpReduce<T, W> Reduce;
    typedef cub::WarpScan<T, W> Scan;
    __shared__ typename Reduce::TempStorage reduce[THREADS / W + 1];
    __shared__ typename Scan::TempStorage scan[THREADS / W + 1];
    int rank = thread_rank(), lane = rank % W, base = rank - lane;
    T one = item<T>(in, rank), v, aggregate;
    v = Reduce(reduce[rank / W]).Reduce(one, op);
    if (lane == 0) check.same(v, fold<T>(in, base, base + W, op));
    v = Reduce(reduce[rank / W]).Reduce(one, op, W / 2 + 1);
    if (lane == 0 && W > 1) check.same(v, fold<T>(in, base, base + W / 2 + 1, op));
    // Segments: an item whose low bits are zero is a head, or a tail.
    int next = rank + 1;
    while (next % W != 0 && in[next] % 4u != 0u) next++;
    v = Reduce(reduce[rank / W]).HeadSegmentedReduce(one, in[rank] % 4u == 0u, op);
    if (lane == 0 || in[rank] % 4u == 0u) check.same(v, fold<T>(in, rank, next, op));
    next = rank;
    while ((next + 1) % W != 0 && in[next] % 4u != 0u) next++;
    v = Reduce(reduce[rank / W]).TailSegmentedReduce(one, in[rank] % 4u == 0u, op);
    if (lane == 0 || in[rank - 1] % 4u == 0u) check.same(v, fold<T>(in, rank, next + 1, op));
    Scan(scan[rank / W]).InclusiveScan(one, v, op, aggregate);
    check.same(v, fold<T>(in, base, rank + 1, op));
    check.same(aggregate, fold<T>(in, base, base + W, op));
    T start = item<T>(in, 7);
    Scan(scan[rank / W]).ExclusiveScan(one, v, start, op);
    check.same(v, lane > 0 ? op(start, fold<T>(in, base, rank, op)) : start);
}

template <typename K> __device__ bool is_before(K a, int i, K b, int j, bool descending) {
    return descending ? b < a || (a == b && i < j) : a < b || (a == b && i < j);
}
template <typename K> __device__ void sort(Check &check, const u32 *in) {
    typedef cub::BlockRadixSort<K, BLOCK_X, ITEMS, int, 4, true, cub::BLOCK_SCAN_WARP_SCANS,
                                cudaSharedMemBankSizeFourByte, BLOCK_Y, BLOCK_Z> Sort;
    __shared__ typename Sort::TempStorage temp;
    __shared__ int order[TILE];
    int rank = thread_rank();
    for (int round = 0; round < 4; round++) {
        bool descending = round % 2 == 1, striped = round >= 2;
        K keys[ITEMS];
        int values[ITEMS];
        for (int i = 0; i < ITEMS; i++) {
            int own = rank * ITEMS + i, place = 0;
            values[i] = own;
            keys[i] = item<K>(in, own);
            for (int j = 0; j < TILE; j++) place += is_before(item<K>(in, j), j, keys[i], own, descending) ? 1 : 0;
            order[place] = own;
        }
        __syncthreads();
        if (striped && descending) Sort(temp).SortDescendingBlockedToStriped(keys, values);
        else if (striped) Sort(temp).SortBlockedToStriped(keys, values);
        else if (descending) Sort(temp).SortDescending(keys, values);
        else Sort(temp).Sort(keys, values);
        for (int i = 0; i < ITEMS; i++) {
            int expected = order[striped ? i * THREADS + rank : rank * ITEMS + i];
            check.same(values[i], expected);
            check.same(keys[i], item<K>(in, expected));
        }
        __syncthreads();
    }
}

template <typename T> __device__ void tile(Check &check, u32 *out, const u32 *in) {
    typedef cub::BlockLoad<u32, BLOCK_X, ITEMS, cub::LOAD, BLOCK_Y, BLOCK_Z> Load;
    typedef cub::BlockStore<u32, BLOCK_X, ITEMS, cub::STORE, BLOCK_Y, BLOCK_Z> Store;
    typedef cub::BlockExchange<u32, BLOCK_X, ITEMS, false, BLOCK_Y, BLOCK_Z> Exchange;
    typedef cub::BlockShuffle<u32, BLOCK_X, BLOCK_Y, BLOCK_Z> Shuffle;
    typedef cub::BlockDiscontinuity<u32, BLOCK_X, BLOCK_Y, BLOCK_Z> Discontinuity;
    typedef cub::BlockAdjacentDifference<u32, BLOCK_X, BLOCK_Y, BLOCK_Z> Difference;
    typedef cub::BlockHistogram<u32, BLOCK_X, ITEMS, 64, cub::HISTOGRAM, BLOCK_Y, BLOCK_Z> Histogram;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
        typename Exchange::TempStorage exchange;
        typename Shuffle::TempStorage shuffle;
        typename Discontinuity::TempStorage discontinuity;
        typename Difference::TempStorage difference;
        typename Histogram::TempStorage histogram;
    } temp;
    __shared__ u32 bins[64];
    int rank = thread_rank();
    bool striped = cub::LOAD == cub::BLOCK_LOAD_STRIPED;
    u32 v[ITEMS], w[ITEMS];
    Load(temp.load).Load(in, v, TILE - 5, 77u);
    for (int i = 0; i < ITEMS; i++) {
        int at = striped ? i * THREADS + rank : rank * ITEMS + i;
        check.same(v[i], at < TILE - 5 ? in[at] : 77u);
    }
    __syncthreads();
    Load(temp.load).Load(in, v);
    __syncthreads();
    Store(temp.store).Store(out, v, TILE - 3);
    __syncthreads();
    if (striped == (cub::STORE == cub::BLOCK_STORE_STRIPED)) {
        for (int i = rank; i < TILE - 3; i += THREADS) check.same(out[i], in[i]);
    }

    for (int i = 0; i < ITEMS; i++) v[i] = in[rank * ITEMS + i];
    Exchange(temp.exchange).BlockedToStriped(v, w);
    for (int i = 0; i < ITEMS; i++) check.same(w[i], in[i * THREADS + rank]);
    __syncthreads();
    Exchange(temp.exchange).StripedToBlocked(w);
    for (int i = 0; i < ITEMS; i++) check.same(w[i], v[i]);
    __syncthreads();
    int ranks[ITEMS];
    for (int i = 0; i < ITEMS; i++) ranks[i] = TILE - 1 - (rank * ITEMS + i);
    Exchange(temp.exchange).ScatterToBlocked(v, w, ranks);
    for (int i = 0; i < ITEMS; i++) check.same(w[i], in[TILE - 1 - (rank * ITEMS + i)]);
    __syncthreads();

    u32 one = 1234u;
    Shuffle(temp.shuffle).Offset(in[rank], one, -2);
    check.same(one, rank >= 2 ? in[rank - 2] : 1234u);
    __syncthreads();
    Shuffle(temp.shuffle).Rotate(in[rank], one, 1u);
    check.same(one, in[(rank + 1) % THREADS]);
    __syncthreads();

    for (int i = 0; i < ITEMS; i++) v[i] = in[rank * ITEMS + i] % 3u;
    int heads[ITEMS], tails[ITEMS];
    Discontinuity(temp.discontinuity).FlagHeadsAndTails(heads, tails, 1u, v, Differ());
    for (int i = 0; i < ITEMS; i++) {
        int at = rank * ITEMS + i;
        check.same(heads[i] != 0, at == 0 || in[at] % 3u != in[at - 1] % 3u);
        check.same(tails[i] != 0, (at + 1 == TILE ? 1u : in[at + 1] % 3u) != v[i]);
    }
    __syncthreads();
    Difference(temp.difference).SubtractLeft(v, w, Minus(), 9u);
    for (int i = 0; i < ITEMS; i++) {
        int at = rank * ITEMS + i;
        check.same(w[i], v[i] - (at == 0 ? 9u : in[at - 1] % 3u));
    }
    __syncthreads();
    Difference(temp.difference).SubtractRightPartialTile(v, w, Minus(), TILE - 2);
    for (int i = 0; i < ITEMS; i++) {
        int at = rank * ITEMS + i;
        check.same(w[i], at + 1 < TILE - 2 ? v[i] - in[at + 1] % 3u : v[i]);
    }
    __syncthreads();

    for (int i = 0; i < ITEMS; i++) v[i] = in[rank * ITEMS + i] % 64u;
    Histogram(temp.histogram).Histogram(v, bins);
    __syncthreads();
    for (int bin = rank; bin < 64; bin += THREADS) {
        u32 count = 0;
        for (int i = 0; i < TILE; i++) count += in[i] % 64u == bin ? 1u : 0u;
        check.same(bins[bin], count);
    }
}

// `out` is first a place for a tile, then two counts of each thread.
extern "C" __global__ void k(u32 *out, const u32 *in) {
    Check check = {0, 0};
    in += 1;
    block<TYPE>(check, in, COMBINE());
    sums<NUMBER>(check, in);
    if constexpr (THREADS % 32 == 0) {
        warp<TYPE, 32>(check, in, COMBINE());
        warp<TYPE, WIDTH>(check, in, COMBINE());
    }
    sort<NUMBER>(check, in);
    tile<u32>(check, out, in);
    out[TILE + 2 * thread_rank()] = check.failed;
    out[TILE + 2 * thread_rank() + 1] = check.done;
}
