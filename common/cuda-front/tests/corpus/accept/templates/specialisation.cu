// Full and partial specialisation of classes, full specialisation of functions.
template <typename T>
struct Name {
    static constexpr int id = 0;
};
template <>
struct Name<float> {
    static constexpr int id = 1;
};
template <typename T>
struct Name<T *> {
    static constexpr int id = 100 + Name<T>::id;
};
template <typename T>
__device__ int rank(T) { return 1; }
template <>
__device__ int rank<double>(double) { return 2; }
template <>
__device__ int rank(char) { return 3; }
__global__ void special(int *out) {
    out[0] = Name<int>::id + Name<float>::id + Name<float *>::id + Name<float **>::id;
    out[1] = rank(1) + rank(1.0) * 10 + rank('c') * 100;
}
