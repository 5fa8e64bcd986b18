// EXPECT: 6 12 7 7 10 15 20
// Closures that are constants of a file or a class.
#define D __device__
struct L { static constexpr auto lam = [](int x) { return x + 1; }; };
constexpr auto fl = [](int x) { return x + 2; };
inline constexpr auto il = [](auto x) { return x * 3; };
template<class T> struct TL { static constexpr auto lam = [](T x) { return x + T(4); }; };
template<class T> constexpr auto vl = [](T x) { return x + T(5); };
constexpr auto cl = [n = 7](int x) { return x + n; };
static_assert(L::lam(1) == 2 && cl(1) == 8);
int h() { return L::lam(1) + fl(2) + il(3) + cl(4); }
D int ga[fl(3)]; D int gi = TL<int>::lam(3);
__global__ void k(int *p) { constexpr int q = fl(4); p[0] = q; int a[L::lam(2)]; p[1] = sizeof(a); constexpr int r = vl<int>(2); p[2] = r; p[3] = gi; constexpr int s = cl(3); p[4] = s; constexpr int t = il(5); p[5] = t; p[6] = sizeof(ga); }
