// GNU's header of the whole standard library.
#include <bits/stdc++.h>
#include <ext/pb_ds/assoc_container.hpp>
using namespace std;
__device__ int largest(initializer_list<int> list) { int m = 0; for (int v : list) m = m > v ? m : v; return m; }
__global__ void k(int *out) { out[0] = largest({1, 3, 2}); }
int main() {
    vector<int> v(3);
    sort(v.begin(), v.end());
    cout << accumulate(v.begin(), v.end(), 0) << endl;
}
