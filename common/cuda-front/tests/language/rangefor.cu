struct It{ int i; __device__ bool operator!=(const It&b) const {return i!=b.i;} __device__ It&operator++(){++i;return *this;} __device__ int operator*() const {return i;} };
struct R{ int n; __device__ It begin() const {return {0};} __device__ It end() const {return {n};} };
struct Arr{ int v[3]; __device__ int*begin(){return v;} __device__ int*end(){return v+3;} };
struct Q{int n;}; __device__ It begin(const Q&){return {1};} __device__ It end(const Q&q){return {q.n};}
extern "C" __global__ void k(int*o){ int s=0; for(int i:R{4}) s+=i; o[0]=s; Arr a{{1,2,3}}; for(auto &x:a) x*=2; for(auto x:a) s+=x; o[1]=s; for(auto x:Q{5}) s+=x; o[2]=s; for(int x:{7,8}) s+=x; o[3]=s; }
// EXPECT: 6 18 28 43
