template <bool B> __device__ int f(int);
__device__ int e(int a, int b, int c, float *p) {
  a = b = c;
  a + b * c - (a << 1 & b);
  a < b && b < c || !a;
  a ? b : c ? a : b, c;
  -a * ~b + *p++ - ++*p;
  p[a][0].x->y(1, {2, 3});
  (float)a * (int *)p - (a) - b;
  sizeof(int) + sizeof(a) + sizeof a;
  float(a) + int{b} + static_cast<float>(a);
  tex2D<float>(t, a, b) + f<(3 > 2)>(a) + a<b>(c);
  [&, a, n = 3](auto x) mutable { return x; };
  0x80000000 + 1.5f + 2.0 + 'a' + 3ull;
  p += a >> b >= c;
}
