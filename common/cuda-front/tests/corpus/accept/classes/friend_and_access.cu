// private members, a friend function, getters.
class Account {
    int balance;

public:
    __device__ Account(int b) : balance(b) {}
    __device__ int get() const { return balance; }
    friend __device__ Account operator+(const Account &a, const Account &b) {
        return Account(a.balance + b.balance);
    }
};
__global__ void friends(int *out) {
    Account a(1), b(2);
    out[0] = (a + b).get();
}
