__device__ void s(int n, int *a) {
  int x(1), y{2}, z = {3}; int b[2] = {1, 2};
  if (int k = n; k > 0) x++; else if (n) ; else { return; }
  if constexpr (sizeof(int) == 4) { }
#pragma unroll 2
  for (int i = 0, j = 1; i < n; ++i, j--) continue;
  for (;;) break;
  for (const auto &v : b) x += v;
#pragma unroll
  while (bool go = n-- > 0) { }
  do x--; while (x);
  switch (n) { case 0: case N: x = 1; break; default: ; }
  again: goto again;
  asm volatile("add %0, %1;" : "+r"(x) : "r"(y) : "memory");
  struct L { int q; } l; using R = float; typedef R S; S r = 0;
  static_assert(sizeof(R) == 4, "size");
  n * x;
}
