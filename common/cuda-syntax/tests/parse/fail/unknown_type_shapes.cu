__device__ void f(int n) {
  T<int> *t;
  unknown * p = 0;
  other q(3), &r = q;
  n = (int)(other)3;
  other{1, 2};
}
