// Objects: assignments as objects, constructors of all kinds, reference members, alignment, shared memory of the file.
extern __shared__ int scratch[];

struct Vec {
    int x, y;
    __host__ __device__ Vec() : x(1), y(2) {}
    __host__ __device__ Vec(int x, int y) : x(x), y(y) {}
    __host__ __device__ explicit Vec(int both) : Vec(both, both) { y += 1; }
    __host__ __device__ Vec plus(const Vec &o) const { return Vec(x + o.x, y + o.y); }
    __host__ __device__ Vec &operator+=(const Vec &o) {
        (x += o.x) += 0;
        y += o.y;
        return *this;
    }
    __host__ __device__ static Vec twice(int v) { Vec a(v, v); return Vec(a.x * 2, a.y * 2); }
};

struct Counter {
    int &count;
    const int *end;
    __host__ __device__ Counter(int &c, const int *e) : count(c), end(e) {}
    __host__ __device__ void add(int n) { count += n; }
};

struct Pair { int &first; int second; };

struct Polygon {
    Vec corners[3];
    int weights[2];
    __host__ __device__ Polygon() : weights{7, 8} {}
};

struct Padded {
    char tag;
    alignas(16) int value;
    char tail;
};

__device__ int pick(int v) {
    switch (v)
    case 3:
    case 4: return 30;
    switch (v) default: return v;
    return -1;
}

__device__ int remember(int i) {
    scratch[i] = i * 5;
    return scratch[i] + scratch[0];
}

__global__ void objects(int *out, int n) {
    int a = 1, b = 2, c = n;
    (a = b) = c;
    out[0] = a;
    out[1] = b;
    (b += 3) *= 2;
    out[2] = b;
    int &r = ++b;
    r += 10;
    out[3] = b;
    a = b = c = 4;
    out[4] = a + b + c;
    ++++a;
    out[5] = a;
    int *p = &(a -= 1);
    *p += 100;
    out[6] = a;
    (out[7] = n) += 2;
    Vec list[4];
    Vec some[3] = {Vec(5, 6), Vec(9)};
    Vec sum(0, 0);
    for (int i = 0; i < 4; ++i) sum += list[i];
    for (int i = 0; i < 3; ++i) sum += some[i];
    out[8] = sum.x;
    out[9] = sum.y;
    out[10] = Vec::twice(n).plus(Vec(1, 1)).y;
    int count = 5;
    Counter counter(count, out);
    counter.add(n);
    Counter other = counter;
    other.add(1);
    out[11] = count;
    Pair pair = {count, 3};
    pair.first = pair.second;
    out[12] = count;
    Polygon polygon;
    out[13] = polygon.corners[0].x + polygon.corners[2].y * 10 + polygon.weights[0] * 100 + polygon.weights[1] * 1000;
    out[14] = sizeof(Padded) + alignof(Padded) * 100;
    out[15] = pick(3) + pick(4) + pick(n);
    scratch[0] = 2;
    out[16] = remember(3);
}
