// Private and protected members, where they may be used: in the class, derived classes, friends, nested classes, lambdas.
class Account {
    int balance;
    static constexpr int FEE = 2;

protected:
    int owner;

public:
    __device__ Account(int balance, int owner) : balance(balance), owner(owner) {}
    friend __device__ int audit(const Account &a);
    friend struct Bank;
    struct Statement {
        __device__ int of(const Account &a) const { return a.balance - FEE; }
    };
};
__device__ int audit(const Account &a) { return a.balance; }
struct Bank {
    __device__ int total(const Account &a, const Account &b) const { return a.balance + b.balance + Account::FEE; }
};
struct Savings : Account {
    using Account::Account;
    __device__ int holder() const {
        auto read = [this] { return owner; };
        return read();
    }
};
__global__ void k(int *out) {
    Account a(10, 1);
    Savings s(20, 2);
    out[0] = audit(a) + Bank().total(a, s) + s.holder() + Account::Statement().of(a);
}
