// EXPECT: 3 4 5 6 5 5 6 4 5 4 9 9 4 3 4 4 9 9
// Chains of operator->, noexcept(e) of lambdas, letters of names written as \u00e9.
struct P2 { int x = 4; __device__ int f() { return x + 1; } }; struct A2 { P2 p; __device__ P2 *operator->() { return &p; } };
struct B2 { A2 a; __device__ A2 &operator->() { return a; } };
struct C2 { B2 b; __device__ B2 *q() { return &b; } __device__ B2 &operator->() { return b; } };
template<class T> struct Sp { T *t; __device__ T *operator->() const { return t; } };
template<class T> struct Wr { Sp<T> t; __device__ Sp<T> operator->() const { return t; } };
__global__ void k(int *p) {
  auto l1 = [](auto x) noexcept(sizeof(x) > 1) -> int { return x; }; p[0] = l1(3);
  auto l2 = [] (int a) mutable noexcept(true) { return a; }; p[1] = l2(4); auto l3 = []() noexcept { return 5; }; p[2] = l3();
  auto l4 = []() noexcept(noexcept(1 + 1)) { return 6; }; p[3] = l4();
  int \u00e9 = 4; p[4] = é + 1; int a\u00e9b = 5; p[5] = aéb; int \U000000e9x = 6; p[6] = éx;
  B2 b; p[7] = b->x; p[8] = b->f(); C2 c; p[9] = c->x; c->x = 8; p[10] = c->f(); c.q()->a.p.x = 9; p[11] = c->x;
  P2 o; Wr<P2> w{{&o}}; w->x = 3; p[12] = w->f(); const Wr<P2> cw{{&o}}; p[13] = cw->x++; p[14] = o.x; p[15] = (&w)->t->x;
  auto *pc = &c; p[16] = (*pc)->x; p[17] = c->P2::x; 
}
