#include <vector>
#include <string>
std::vector<float> global_data;
static std::map<int, std::string> names = {{1, "a"}};
class Timer { std::chrono::steady_clock::time_point t; public: void start() { bogus(((; } ~Timer() {} };
template <typename T> std::vector<T> make(size_t n) { return std::vector<T>(n); }
void fill(std::vector<float> &v, const std::string &name = "x") { for (auto &[k, w] : names) v.push_back(w); }
TEST(Suite, Case) { EXPECT_EQ(1, 1); }
float host_only(float x) { return x <<<>>> }
__global__ void k(float *a) { a[0] = 1; }
int main(int argc, char **argv) { k<<<dim3(1), 1>>>(nullptr); try { throw 1; } catch (...) { } auto t = 10ms; }
