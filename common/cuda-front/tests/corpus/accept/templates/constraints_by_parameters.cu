// Which constraint is stricter is told by the parameters that they name; all of a pack satisfy one.
template <class T> concept Some = sizeof(T) > 0;
template <class T> concept More = Some<T> && sizeof(T) > 1;
template <class T, int N> concept Above = sizeof(T) > N;
template <class T> concept Above1 = Above<T, 1>;
template <class T> concept Above3 = Above1<T> && Above<T, 3>;
template <class T> concept Inner = Some<typename T::type>;
template <class T> concept Strict = Inner<T> && More<typename T::type>;
template <class T> concept Either = Some<T> || Above3<T>;
struct Of { using type = int; };
template <Above1 T> __device__ int f(T) { return 1; }
template <Above3 T> __device__ int f(T) { return 2; }
template <Some... T> __device__ int all(T...) { return 1; }
template <More... T> __device__ int all(T...) { return 2; }
template <Inner T> __device__ int g(T) { return 1; }
template <Strict T> __device__ int g(T) { return 2; }
template <class T> requires Either<T> __device__ int h(T) { return 1; }
template <Some T> __device__ int h(T) { return 2; }
__global__ void k(int *out) {
    out[0] = f(1) + all(1, 2.0) + g(Of{}) + h(1);
}
// NVRTC: options --std=c++20
