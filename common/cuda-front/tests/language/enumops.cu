enum class E:unsigned char{A=1,B}; enum F{X=4,Y}; __device__ constexpr E operator|(E a,E b){return E(int(a)|int(b));} namespace q{enum class Z{P,Q}; __device__ int z(Z v){return int(v);} } extern "C" __global__ void k(int*o){ E e=E::A|E::B; o[0]=int(e); o[1]=F::Y; o[2]=z(q::Z::Q); E m{3}; o[3]=(int)m; switch(e){case E::A:break; default:o[4]=1;} }
// EXPECT: 3 5 1 3 1
