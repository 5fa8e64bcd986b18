template <typename T, int N = (1 > 2)> struct S { enum class E : int { a, b = N }; T x[
__global__ void k(S<S<int>> s { if (s.x[0] < 3 { for (;; { case 1: "
