// EXPECT: 1 5 3 9 4 7 3 1 4 8 2 6
// Function templates that are declared before they are defined: other names of parameters and template parameters, pointers, arrays,
// references; default arguments of the declaration. Constants whose constructor gives the value; a variable named as one outside.
template <class T> __device__ void set(T *);
template <class U> __device__ void set(U *to) { *to = 1; }
template <class T, int N> __device__ T sum(T (&a)[N], T first = 2);
template <class A, int M> __device__ A sum(A (&list)[M], A first) { for (int i = 0; i < M; i++) first += list[i]; return first; }
template <class T> __device__ T least(const T *a, T const &b);
template <class T> __device__ T least(const T *x, const T &y) { return *x < y ? *x : y; }
template <class T> __device__ T more(T a, int by = 5);
template <class T> __device__ T more(T value, int by) { return value + by; }
template <class T, class F> __device__ T apply(F (*f)(T), T v);
template <class V, class G> __device__ V apply(G (*g)(V), V value) { return g(value); }
template <typename... Ts> __device__ int count(Ts... values);
template <typename... Us> __device__ int count(Us... us) { return sizeof...(us); }
template <class T> __device__ int kind(T *);
template <class T> __device__ int kind(T *const *) { return 1; }
template <class T> __device__ int kind(T *) { return 4; }
struct Less { __device__ bool operator()(int a, int b) const { return a < b; } };
struct Made { int v; __host__ __device__ constexpr Made() : v(8) {} };
struct Given { int a = 2; };
constexpr Made made;
constexpr Given given;
__device__ int n = 6;
__device__ int twice(int v) { return 2 * v; }
__global__ void k(int *out) {
  int list[2] = {1, 2};
  set(out); out[1] = sum(list); out[2] = sum(list, 0); out[3] = more(4); out[4] = more(1, 3);
  const Less less;
  constexpr Made local;
  int n = ::n;
  out[5] = least(list, 7) + apply(twice, 3); out[6] = count(1, 2.f, 'c'); out[7] = less(1, 2); out[8] = kind(list);
  out[9] = made.v; out[10] = given.a; out[11] = n + local.v - 8;
}
