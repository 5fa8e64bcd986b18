// EXPECT: 3 98 3 9 3 97 121 98 9 7 3 8 99 97
// One of two arrays is an array.
template<class T, int N> __device__ int n(const T (&a)[N]) { return N + a[0]; }
__global__ void k(int *p) {
  int x[2] = {1, 2}, y[2] = {3, 4}; int s[2]; s[0] = 5; bool c = p[0] == 0;
  p[0] = sizeof(c ? "ab" : "cd"); const char (&r)[3] = c ? "ab" : "cd"; p[1] = r[1]; p[2] = n(c ? x : y); (c ? x : y)[1] = 9; p[3] = x[1]; int (&ra)[2] = c ? y : x; p[4] = ra[0];
  const char *q = c ? "ab" : "cd"; p[5] = q[0]; constexpr const char *ce = true ? "xy" : "zw"; p[6] = ce[1]; p[7] = (c ? "ab" : "cd")[1]; int *z = c ? x : s; p[8] = z[1]; for (int v : c ? y : x) p[9] += v; p[10] = *(c ? y : x); p[11] = sizeof(c ? x : y); p[12] = (c ? "abc" : "cd")[2]; const char *t = c ? "a" : nullptr; p[13] = t[0];
}
