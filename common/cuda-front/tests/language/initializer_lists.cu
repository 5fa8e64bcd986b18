#include <initializer_list>
namespace n { struct Q { int a, b; }; }
__device__ int total(std::initializer_list<int> l) { int s = 0; for (int x : l) s = s * 10 + x; return s; }
__device__ int total2(const std::initializer_list<float> &l, int by = 2) { float s = 0; for (auto p = l.begin(); p != l.end(); ++p) s += *p; return int(s * by); }
template <class T> __device__ T most(std::initializer_list<T> l) { T m = *l.begin(); for (const T &x : l) m = x > m ? x : m; return m; }
// Which function a list means.
__device__ int which(int) { return 1; }
__device__ int which(std::initializer_list<double>) { return 2; }
__device__ int pick(std::initializer_list<int>) { return 1; }
__device__ int pick(std::initializer_list<float>) { return 2; }
struct Stack {
    int data[8]; int n = 0; int how = 0;
    __device__ Stack() : how(1) {}
    __device__ Stack(int n, int v) : n(n), how(2) { for (int i = 0; i < n; ++i) data[i] = v; }
    __device__ Stack(std::initializer_list<int> l, int more = 0) : how(3) { for (int x : l) data[n++] = x + more; }
    __device__ int sum() const { int s = 0; for (int i = 0; i < n; ++i) s += data[i]; return s; }
};
struct Inherits : Stack { using Stack::Stack; };
struct Narrow { int how; __device__ Narrow(int, int) : how(1) {} __device__ Narrow(std::initializer_list<n::Q>) : how(2) {} };
template <class T> struct Box { T first; unsigned count; __device__ Box(std::initializer_list<T> l) : first(*l.begin()), count(l.size()) {} };
struct Holder { Stack s; __device__ Holder(std::initializer_list<int> l) : s(l) {} __device__ Holder(float) : s{7, 7, 7} {} };
__device__ int take(Stack s) { return s.sum() * 10 + s.how; }
extern "C" __global__ void k(int *o) {
    o[0] = total({1, 2, 3}) + total({});
    o[1] = total2({1, 2.5f}) + total2({}, 3);
    o[2] = most({3, 9, 4}) * 10 + int(most<double>({1, 2.5, 2}) * 2);
    o[4] = which({1}) * 100 + which({1, 2}) * 10 + which(3);
    o[5] = pick({1, 2}) * 10 + pick({1.f, 2.f});
    Stack a{}, b{3, 4}, c(3, 4), d = {5}, e({1, 2}, 10);
    o[6] = a.how * 10000 + b.how * 1000 + c.how * 100 + d.how * 10 + e.how;
    o[7] = b.sum() * 10000 + c.sum() * 100 + e.sum();
    o[8] = take({1, 2, 3}) + take({});
    Narrow u{1, 2}, v{{1, 2}, {3, 4}}; o[9] = u.how * 10 + v.how;
    auto l = {4, 5, 6}; auto one{3}; static_assert(sizeof(one) == 4); o[10] = int(l.size()) * 100 + total(l) + one;
    const auto &r = {1.5f, 2.f}; o[11] = int(*(r.begin() + 1));
    Box<int> w{8, 9}; Box<double> x{2.5, 1.0}; o[12] = w.first * 10 + w.count + int(x.first * 2);
    int s = 0; for (auto y : {1, 2, 3}) s += y; for (const auto &y : {n::Q{1, 2}, n::Q{3, 4}}) s = s * 10 + y.b; for (auto [f, g] : {n::Q{5, 6}}) s += f * g; o[13] = s;
    Holder h{1, 2}; o[14] = h.s.sum() + Holder(2.f).s.sum();
    std::initializer_list<int> empty; std::initializer_list<int> copy = l, again = copy; o[15] = int(empty.size()) + total(copy) + total(again);
    int i = 1; auto lazy = {i++, i++, i * 10}; o[16] = total(lazy);
    Inherits in{3, 4}; Stack *made = new Stack{1, 2}, *plain = new Stack(1, 2); o[19] = in.how * 100 + made->how * 10 + plain->how; delete made; delete plain;
    o[17] = total2(std::initializer_list<float>{1, 2, 3}); a = {1, 2, 3, 4}; o[18] = a.sum() * 10 + a.how;
}
// EXPECT: 123 7 95 0 221 12 13233 71223 64 12 759 2 87 654 24 912 150 12 103 332
