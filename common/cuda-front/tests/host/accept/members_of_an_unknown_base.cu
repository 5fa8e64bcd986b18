// A class template of the host whose base comes from a header that is not read, with its members outside of it.
#include <stdexcept>
#include <string>

template <class Base>
class Failure : public Base {
public:
    static void raise(const char *file, int line);
    virtual ~Failure() throw();

private:
    explicit Failure(const std::string &text);
};

template <class Base>
void Failure<Base>::raise(const char *file, int line) {
    throw Failure(std::string(file) + std::to_string(line));
}

template <class Base>
inline Failure<Base>::Failure(const std::string &text) : Base(text) {}

template <class Base>
inline Failure<Base>::~Failure() throw() {}

__global__ void kernel(float *out) {
    out[threadIdx.x] = 1.0f;
}
