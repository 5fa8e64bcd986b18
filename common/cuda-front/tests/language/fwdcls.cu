struct A; struct B{ A*a; __device__ int f(); }; struct A{int x; B*b;}; __device__ int B::f(){return a->x;} template<typename T> struct N{ T v; N<T>*next; N*nx2; }; extern "C" __global__ void k(int*o){ A a{3}; B b{&a}; o[0]=b.f(); N<int> n{4}; N<int> m{5,&n,&n}; o[1]=m.next->v+m.nx2->v; }
// EXPECT: 3 8
