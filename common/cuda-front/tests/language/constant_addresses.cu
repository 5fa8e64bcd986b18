// EXPECT: 104 5 98 98 3 0 2 30 20 99 7 1 101 121 111 42 9
// Constants that are addresses, of strings and of variables: the host's, whose values the device takes at compile time, and locals.
constexpr const char *name = "hello";
constexpr const char *names[] = {"a", "bc", nullptr};
struct Option { const char *text; int value; };
constexpr Option options[] = {{"x", 30}, {"yy", 20}};
struct Tagged { static constexpr const char *tag = "tag"; };
constexpr int table[] = {5, 6, 7};
constexpr const int *last = table + 2;
constexpr const int *none = nullptr;
__host__ __device__ constexpr int length(const char *s) { int n = 0; while (s[n]) n++; return n; }
static_assert(length(names[1]) == 2 && name[4] == 'o' && *last == 7, "");
template <int N> struct Tail { const char *at = name + N; };
__device__ int device[2] = {1, 42};
__host__ __device__ constexpr int total(const int *t, int n) { return n ? *t + total(t + 1, n - 1) : 0; }
template <int N> __device__ int same() { return N; }
__global__ void k(int *out) {
  constexpr int sum = total(table, 3) - 11;
  constexpr int n = length(name);
  constexpr const char *text = "abc";
  constexpr int second = text[1];
  constexpr const char *const texts[] = {"ab", "b"};
  out[0] = same<name[0]>(); out[1] = n; out[2] = text[1]; out[3] = second;
  out[4] = same<length(Tagged::tag)>(); out[5] = same<(none != nullptr)>();
  out[6] = same<length(options[1].text)>(); out[7] = options[0].value; out[8] = options[1].value;
  const char *run = name;
  out[12] = run[threadIdx.x + 1]; out[13] = options[1].text[0]; out[14] = Tail<3>().at[1];
  constexpr const int *second_of = &device[1]; out[15] = *second_of + out[5]; out[16] = length(names[1]) + sum;
  out[9] = text[2]; out[10] = same<*last>(); out[11] = texts[1][0] == texts[0][1];
}
