struct A{ int x; __device__ int operator[](int i) const{return x+i;} __device__ A operator-() const {return {-x};} __device__ A operator++(int){A t=*this; x++; return t;} __device__ A*operator->(){return this;} __device__ int operator,(int y){return x+y;} __device__ bool operator!() const{return !x;} __device__ A*operator&(){return this;} };
extern "C" __global__ void k(int*o){ A a{3}; o[0]=a[2]; o[1]=(-a).x; A b=a++; o[2]=b.x+a.x; o[3]=a->x; o[4]=!a; o[5]=(a,5); }
// EXPECT: 5 -3 7 4 0 9
