// A member hides a constant of its name that is declared after the class, so a static method has nothing to read.
struct Image {
  int height;
  __device__ static int get() {
    return height; // ERROR
  }
};
static const int height = 4;
__global__ void k(int *out) { out[0] = Image::get() + height; }
