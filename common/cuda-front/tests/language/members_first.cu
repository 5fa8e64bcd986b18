// EXPECT: 6 4 6 5 7 9 11 8 3 4 5 6 21 22 5 14 2 13 4 3 1 31 8 40 6 12 4 5
// Members that have the names of what the file declares after their class: constants, kernels, functions, types, templates and
// namespaces. A class is complete in bodies, default arguments and initialisers, so its members are found first.
class Image {
  int w, h;
public:
  __device__ Image(int w, int h) : w(w), h(h) {}
  __device__ int area() const { return w * h; }
  __device__ int with(int scale = unit) const { return h + scale; }
  static constexpr int unit = 1;
};
struct Scaled { int scale; __device__ int get(int x) const { return x * scale; } };
template <class T> struct Pair { T first, second; __device__ T sum() const { return first + second; } };
struct Base { int kept; };
struct Derived : Base { __device__ int get() const { return kept + 1; } };
template <class T> struct DerivedOf : Base { T more; __device__ T get() const { return kept + more; } };
struct Outside { int node; __device__ int get() const; };
struct Ordered { int low, high = low + 1; __device__ Ordered(int x) : low(x), high(low + twice(x)) {} __device__ static int twice(int x) { return 2 * x; } };
struct Defaults { int one = 3; int two = one + 1; };
struct Outer { struct Inner { int depth; __device__ int get() const { return depth; } }; int depth; __device__ int get() const { return depth + 1; } };
union Bits { int word; unsigned short half[2]; __device__ int low() const { return half[0]; } };
struct Flags { unsigned on : 3, off : 5; __device__ unsigned both() const { return on + off; } };
struct Hidden { int local; __device__ int get(int given) const { int local = given; return local + 1; } __device__ int lambda() const { auto f = [this] { return local; }; auto g = [=] { return local + 1; }; return f() + g(); } };
struct Shadowed { int given; __device__ int get(int given) const { { int given = 2; return given; } } };
struct Callable { int base; __device__ int operator()(int x) const { return base + x; } };
struct Holder { Callable call; __device__ int get() const { return call(3); } };
struct Sized { char room[4]; __device__ int get() const { return sizeof(room); } };
struct Anonymous { struct { int inside; }; __device__ int get() const { return inside; } };
namespace sim { struct S { int count; __device__ int get() const { return count; } }; __device__ int count = 2; }
template <int N> struct Table { int rows; template <int M> __device__ int get() const { return rows + N + M; } };
struct Enumerated { enum { red = 3 }; int color; __device__ int get() const { return color + red; } };
struct Captured { __device__ int get(int x) const { auto f = [late = x] { return late; }; auto g = [x](int y) { return x + y; }; return f() + g(late()); } __device__ static int late() { return 0; } };
struct Unevaluated { char h; __device__ static int size() { return sizeof(h); } __device__ auto get() const -> decltype(h) { return h; } };

static const int h = 4;
constexpr int w = 100, unit = 50, twice = 9;
__constant__ int first = 70;
__device__ int second = 80;
template <class T> struct kept {};
struct more { int x; };
namespace node { constexpr int x = 1; }
__device__ int low(int x) { return x; }
__device__ float high;
using one = float;
typedef int two;
__global__ void depth(int *out) { *out = 1; }
template <class T> __device__ T half(T x) { return x; }
enum on { off };
__device__ int local = 60, given = 61;
__device__ int call(int x) { return 90 + x; }
__device__ double room;
__device__ int inside = 99, rows = 98;
enum class color { red };
constexpr int red = 9;
__device__ int x = 7;
__device__ int late = 55;

__global__ void scale(int *out) { *out = 1; }
__global__ void k(int *out) {
  int n = 0;
  Image m(2, 3); out[n++] = m.area(); out[n++] = m.with(); out[n++] = Scaled{3}.get(2);
  out[n++] = Pair<int>{2, 3}.sum(); out[n++] = Derived{6}.get(); out[n++] = DerivedOf<int>{{4}, 5}.get();
  out[n++] = Outside{10}.get(); Ordered o(2); out[n++] = o.low + o.high;
  Defaults d; out[n++] = d.one; out[n++] = d.two;
  out[n++] = Outer::Inner{5}.get(); out[n++] = Outer{5}.get();
  Bits b; b.word = 21; out[n++] = b.low(); Flags f{4, 18}; out[n++] = f.both();
  Hidden l{7}; out[n++] = l.get(4); out[n++] = l.lambda() - 1;
  out[n++] = Shadowed{1}.get(9); out[n++] = Holder{{10}}.get(); out[n++] = Sized{}.get();
  out[n++] = Anonymous{{3}}.get(); out[n++] = sim::S{1}.get(); out[n++] = Table<10>{20}.get<1>();
  out[n++] = Enumerated{5}.get(); out[n++] = Captured{}.get(20); out[n++] = h + sim::count;
  out[n++] = Pair<long>{5, 7}.sum();
  out[n++] = sizeof(h) * Unevaluated::size(); out[n++] = Unevaluated{5}.get();
}
__device__ int Outside::get() const { return node + 1; }
