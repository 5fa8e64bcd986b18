// cuda::atomic, cuda::atomic_ref, their fences, and cuda::std::atomic, which has the scope of the system. Order and scope become those
// of the access. Types of 1 and 2 bytes are kept in a word, as libcu++ does; what is no number is exchanged as its bits.
#pragma once
#include <cuda/scope.h>
namespace cuda {
namespace std {

enum memory_order {
    memory_order_relaxed,
    memory_order_consume,
    memory_order_acquire,
    memory_order_release,
    memory_order_acq_rel,
    memory_order_seq_cst
};

}
using std::memory_order;
using std::memory_order_relaxed;
using std::memory_order_consume;
using std::memory_order_acquire;
using std::memory_order_release;
using std::memory_order_acq_rel;
using std::memory_order_seq_cst;

// An operation with an order that is known where the program runs: each order is a branch of its own, all but one of which go where
// the order is a constant.
template <thread_scope Scope, typename S>
__device__ inline S __atomic_read(const S *at, memory_order order) {
    return order == memory_order_relaxed   ? __ordered_load(at, 0, Scope)
           : order == memory_order_seq_cst ? __ordered_load(at, 5, Scope)
                                           : __ordered_load(at, 2, Scope);
}
template <thread_scope Scope, typename S>
__device__ inline void __atomic_write(S *at, S value, memory_order order) {
    if (order == memory_order_relaxed) __ordered_store(at, value, 0, Scope);
    else if (order == memory_order_seq_cst) __ordered_store(at, value, 5, Scope);
    else __ordered_store(at, value, 3, Scope);
}
#define __ATOMIC_CHANGE(function, ...)                                                    \
    (order == memory_order_relaxed   ? function(at, __VA_ARGS__, 0, Scope)                \
     : order == memory_order_release ? function(at, __VA_ARGS__, 3, Scope)                \
     : order == memory_order_acq_rel ? function(at, __VA_ARGS__, 4, Scope)                \
     : order == memory_order_seq_cst ? function(at, __VA_ARGS__, 5, Scope)                \
                                     : function(at, __VA_ARGS__, 2, Scope))
template <thread_scope Scope, typename S>
__device__ inline S __atomic_swap(S *at, S value, memory_order order) {
    return __ATOMIC_CHANGE(__ordered_exchange, value);
}
template <thread_scope Scope, typename S>
__device__ inline S __atomic_cas(S *at, S old, S value, memory_order order) {
    return __ATOMIC_CHANGE(__ordered_cas, old, value);
}
template <thread_scope Scope, typename S>
__device__ inline S __atomic_add(S *at, S value, memory_order order) {
    return __ATOMIC_CHANGE(__ordered_add, value);
}
template <thread_scope Scope, typename S>
__device__ inline S __atomic_and(S *at, S value, memory_order order) {
    return __ATOMIC_CHANGE(__ordered_and, value);
}
template <thread_scope Scope, typename S>
__device__ inline S __atomic_or(S *at, S value, memory_order order) {
    return __ATOMIC_CHANGE(__ordered_or, value);
}
template <thread_scope Scope, typename S>
__device__ inline S __atomic_xor(S *at, S value, memory_order order) {
    return __ATOMIC_CHANGE(__ordered_xor, value);
}
template <thread_scope Scope, typename S>
__device__ inline S __atomic_min(S *at, S value, memory_order order) {
    return __ATOMIC_CHANGE(__ordered_min, value);
}
template <thread_scope Scope, typename S>
__device__ inline S __atomic_max(S *at, S value, memory_order order) {
    return __ATOMIC_CHANGE(__ordered_max, value);
}
#undef __ATOMIC_CHANGE

// What an object of a type is kept as: itself, a word that has its value, or the word of its bits.
enum __atomic_kind { __atomic_number, __atomic_small, __atomic_bits };
template <typename T>
constexpr __atomic_kind __atomic_kind_of = __is_class(T) || __is_union(T) ? __atomic_bits
                                           : sizeof(T) < 4                ? __atomic_small
                                                                          : __atomic_number;
template <int Bytes> struct __atomic_word { typedef unsigned int type; };
template <> struct __atomic_word<8> { typedef unsigned long long type; };

template <typename T, __atomic_kind Kind> struct __atomic_cell;
template <typename T> struct __atomic_cell<T, __atomic_number> {
    typedef T stored;
    __device__ static constexpr T pack(T value) { return value; }
    __device__ static constexpr T unpack(T value) { return value; }
};
template <typename T> struct __atomic_cell<T, __atomic_small> {
    typedef unsigned int stored;
    __device__ static constexpr unsigned int pack(T value) { return static_cast<unsigned int>(value); }
    __device__ static constexpr T unpack(unsigned int value) { return static_cast<T>(value); }
};
template <typename T> struct __atomic_cell<T, __atomic_bits> {
    static_assert(sizeof(T) <= 8, "the simulator has atomics of up to 8 bytes");
    typedef typename __atomic_word<sizeof(T)>::type stored;
    __device__ static stored pack(const T &value) {
        stored bits = 0;
        *(T *)&bits = value;
        return bits;
    }
    __device__ static T unpack(stored bits) { return *(T *)&bits; }
};

// Where it is kept: in the object itself, or where it refers to.
template <typename T> struct __atomic_owned {
    typedef __atomic_cell<T, __atomic_kind_of<T>> cell;
    typename cell::stored __value;
    __device__ __atomic_owned() = default;
    __host__ __device__ constexpr __atomic_owned(T value) : __value(cell::pack(value)) {}
    __device__ typename cell::stored *__at() const { return (typename cell::stored *)&__value; }
};
template <typename T> struct __atomic_referred {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "the simulator refers to atomics of 4 and 8 bytes alone");
    typedef __atomic_cell<T, __atomic_kind_of<T>> cell;
    T *__object;
    __device__ constexpr __atomic_referred(T &object) : __object(&object) {}
    __device__ typename cell::stored *__at() const { return (typename cell::stored *)__object; }
};

template <typename T> struct __atomic_difference { typedef T type; };
template <typename T> struct __atomic_difference<T *> { typedef long type; };

template <typename T> __device__ inline T __atomic_less(T a, T b) { return b < a ? b : a; }
template <typename T> __device__ inline T __atomic_greater(T a, T b) { return a < b ? b : a; }

template <typename T, thread_scope Scope, typename Where>
struct __atomic_members : Where {
    typedef T value_type;
    typedef typename __atomic_difference<T>::type difference_type;
    typedef typename Where::cell __cell;
    typedef typename __cell::stored __stored;
    static constexpr bool is_always_lock_free = true;
    using Where::__at;

    static constexpr bool __is_native = __atomic_kind_of<T> == __atomic_number && (__is_integral(T) || __is_floating_point(T));
    static constexpr bool __is_pointer_type = __atomic_kind_of<T> == __atomic_number && !__is_native && !__is_enum(T);

    __device__ __atomic_members() = default;
    using Where::Where;

    __device__ bool is_lock_free() const { return true; }
    __device__ T load(memory_order order = memory_order_seq_cst) const {
        return __cell::unpack(__atomic_read<Scope>((const __stored *)__at(), order));
    }
    __device__ operator T() const { return load(); }
    __device__ T exchange(T value, memory_order order = memory_order_seq_cst) const {
        return __cell::unpack(__atomic_swap<Scope>(__at(), __cell::pack(value), order));
    }
    __device__ void store(T value, memory_order order = memory_order_seq_cst) const {
        __atomic_write<Scope>(__at(), __cell::pack(value), order);
    }
    __device__ bool compare_exchange_strong(T &expected, T value, memory_order order, memory_order) const {
        __stored wanted = __cell::pack(expected);
        __stored old = __atomic_cas<Scope>(__at(), wanted, __cell::pack(value), order);
        if (__same_bits(old, wanted)) return true;
        expected = __cell::unpack(old);
        return false;
    }
    __device__ bool compare_exchange_strong(T &expected, T value, memory_order order = memory_order_seq_cst) const {
        return compare_exchange_strong(expected, value, order, order);
    }
    __device__ bool compare_exchange_weak(T &expected, T value, memory_order order, memory_order failure) const {
        return compare_exchange_strong(expected, value, order, failure);
    }
    __device__ bool compare_exchange_weak(T &expected, T value, memory_order order = memory_order_seq_cst) const {
        return compare_exchange_strong(expected, value, order, order);
    }
    __device__ void wait(T old, memory_order order = memory_order_seq_cst) const {
        while (__same_bits(__cell::pack(load(order)), __cell::pack(old))) {}
    }
    __device__ void notify_one() const {}
    __device__ void notify_all() const {}

    __device__ T fetch_add(difference_type by, memory_order order = memory_order_seq_cst) const {
        if constexpr (__is_pointer_type) {
            return (T)__atomic_add<Scope>((unsigned long long *)__at(), (unsigned long long)(by * (long)sizeof(*T())), order);
        } else if constexpr (__is_native) {
            return __atomic_add<Scope>(__at(), by, order);
        } else {
            return __update(order, [=](T old) { return (T)(old + by); });
        }
    }
    __device__ T fetch_sub(difference_type by, memory_order order = memory_order_seq_cst) const {
        return fetch_add(-by, order);
    }
    __device__ T fetch_and(T by, memory_order order = memory_order_seq_cst) const {
        if constexpr (__is_native) return __atomic_and<Scope>(__at(), by, order);
        else return __update(order, [=](T old) { return (T)(old & by); });
    }
    __device__ T fetch_or(T by, memory_order order = memory_order_seq_cst) const {
        if constexpr (__is_native) return __atomic_or<Scope>(__at(), by, order);
        else return __update(order, [=](T old) { return (T)(old | by); });
    }
    __device__ T fetch_xor(T by, memory_order order = memory_order_seq_cst) const {
        if constexpr (__is_native) return __atomic_xor<Scope>(__at(), by, order);
        else return __update(order, [=](T old) { return (T)(old ^ by); });
    }
    __device__ T fetch_min(T by, memory_order order = memory_order_seq_cst) const {
        if constexpr (__is_native && __is_integral(T)) return __atomic_min<Scope>(__at(), by, order);
        else return __update(order, [=](T old) { return __atomic_less(old, by); });
    }
    __device__ T fetch_max(T by, memory_order order = memory_order_seq_cst) const {
        if constexpr (__is_native && __is_integral(T)) return __atomic_max<Scope>(__at(), by, order);
        else return __update(order, [=](T old) { return __atomic_greater(old, by); });
    }
    __device__ T operator++() const { return fetch_add(1) + 1; }
    __device__ T operator++(int) const { return fetch_add(1); }
    __device__ T operator--() const { return fetch_sub(1) - 1; }
    __device__ T operator--(int) const { return fetch_sub(1); }
    __device__ T operator+=(difference_type by) const { return fetch_add(by) + by; }
    __device__ T operator-=(difference_type by) const { return fetch_sub(by) - by; }
    __device__ T operator&=(T by) const { return fetch_and(by) & by; }
    __device__ T operator|=(T by) const { return fetch_or(by) | by; }
    __device__ T operator^=(T by) const { return fetch_xor(by) ^ by; }

    __device__ static bool __same_bits(__stored a, __stored b) {
        if constexpr (__is_floating_point(__stored)) {
            if constexpr (sizeof(T) == 4) return __float_as_uint(a) == __float_as_uint(b);
            else return __double_as_longlong(a) == __double_as_longlong(b);
        } else {
            return a == b;
        }
    }
    template <typename F>
    __device__ T __update(memory_order order, F next) const {
        __stored old = __atomic_read<Scope>((const __stored *)__at(), memory_order_relaxed);
        while (true) {
            __stored seen = __atomic_cas<Scope>(__at(), old, __cell::pack(next(__cell::unpack(old))), order);
            if (__same_bits(seen, old)) return __cell::unpack(old);
            old = seen;
        }
    }
};

template <typename T, thread_scope Scope = thread_scope_system>
struct atomic : __atomic_members<T, Scope, __atomic_owned<T>> {
    __device__ atomic() = default;
    __host__ __device__ constexpr atomic(T value) : __atomic_members<T, Scope, __atomic_owned<T>>(value) {}
    atomic(const atomic &) = delete;
    atomic &operator=(const atomic &) = delete;
    __device__ T operator=(T value) {
        this->store(value);
        return value;
    }
};

template <typename T, thread_scope Scope = thread_scope_system>
struct atomic_ref : __atomic_members<T, Scope, __atomic_referred<T>> {
    static constexpr size_t required_alignment = sizeof(T);
    __device__ explicit constexpr atomic_ref(T &object) : __atomic_members<T, Scope, __atomic_referred<T>>(object) {}
    __device__ T operator=(T value) const {
        this->store(value);
        return value;
    }
};

template <thread_scope Scope = thread_scope_system>
struct atomic_flag {
    atomic<unsigned int, Scope> __set;
    __device__ atomic_flag() = default;
    __host__ __device__ constexpr atomic_flag(bool set) : __set(set) {}
    __device__ bool test(memory_order order = memory_order_seq_cst) const { return __set.load(order) != 0u; }
    __device__ bool test_and_set(memory_order order = memory_order_seq_cst) const { return __set.exchange(1u, order) != 0u; }
    __device__ void clear(memory_order order = memory_order_seq_cst) const { __set.store(0u, order); }
    __device__ void wait(bool old, memory_order order = memory_order_seq_cst) const { __set.wait(old, order); }
    __device__ void notify_one() const {}
    __device__ void notify_all() const {}
};

template <thread_scope Scope>
__device__ inline void __atomic_fence(memory_order order) {
    if (order == memory_order_seq_cst) __ordered_fence(5, Scope);
    else if (order != memory_order_relaxed) __ordered_fence(4, Scope);
}
__device__ inline void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system) {
    if (scope == thread_scope_system) __atomic_fence<thread_scope_system>(order);
    else if (scope == thread_scope_device) __atomic_fence<thread_scope_device>(order);
    else if (scope == thread_scope_block) __atomic_fence<thread_scope_block>(order);
}
__device__ inline void atomic_signal_fence(memory_order) {}

namespace std {

template <typename T>
struct atomic : __atomic_members<T, thread_scope_system, __atomic_owned<T>> {
    __device__ atomic() = default;
    __host__ __device__ constexpr atomic(T value) : __atomic_members<T, thread_scope_system, __atomic_owned<T>>(value) {}
    atomic(const atomic &) = delete;
    atomic &operator=(const atomic &) = delete;
    __device__ T operator=(T value) {
        this->store(value);
        return value;
    }
};
template <typename T>
struct atomic_ref : cuda::atomic_ref<T, thread_scope_system> {
    __device__ explicit constexpr atomic_ref(T &object) : cuda::atomic_ref<T, thread_scope_system>(object) {}
    __device__ T operator=(T value) const {
        this->store(value);
        return value;
    }
};
typedef cuda::atomic_flag<thread_scope_system> atomic_flag;
typedef atomic<bool> atomic_bool;
typedef atomic<char> atomic_char;
typedef atomic<short> atomic_short;
typedef atomic<int> atomic_int;
typedef atomic<unsigned int> atomic_uint;
typedef atomic<long> atomic_long;
typedef atomic<unsigned long> atomic_ulong;
typedef atomic<long long> atomic_llong;
typedef atomic<unsigned long long> atomic_ullong;
typedef atomic<unsigned long> atomic_size_t;

__device__ inline void atomic_thread_fence(memory_order order) { cuda::atomic_thread_fence(order); }
__device__ inline void atomic_signal_fence(memory_order) {}

}

// The functions of C: of the methods' names, and with `_explicit` where an order is given.
template <typename T, thread_scope S, typename W>
__device__ inline void atomic_init(__atomic_members<T, S, W> *a, typename __atomic_members<T, S, W>::value_type v) {
    a->store(v, memory_order_relaxed);
}
template <typename T, thread_scope S, typename W>
__device__ inline T atomic_load(const __atomic_members<T, S, W> *a) { return a->load(); }
template <typename T, thread_scope S, typename W>
__device__ inline T atomic_load_explicit(const __atomic_members<T, S, W> *a, memory_order order) { return a->load(order); }
template <typename T, thread_scope S, typename W>
__device__ inline void atomic_store(__atomic_members<T, S, W> *a, typename __atomic_members<T, S, W>::value_type v) {
    a->store(v);
}
template <typename T, thread_scope S, typename W>
__device__ inline void atomic_store_explicit(
    __atomic_members<T, S, W> *a, typename __atomic_members<T, S, W>::value_type v, memory_order order) {
    a->store(v, order);
}
#define __ATOMIC_FUNCTION(name, method)                                                                          \
    template <typename T, thread_scope S, typename W>                                                            \
    __device__ inline T name(__atomic_members<T, S, W> *a, typename __atomic_members<T, S, W>::difference_type v) {   \
        return a->method(v);                                                                                     \
    }                                                                                                            \
    template <typename T, thread_scope S, typename W>                                                            \
    __device__ inline T name##_explicit(                                                                         \
        __atomic_members<T, S, W> *a, typename __atomic_members<T, S, W>::difference_type v, memory_order order) {    \
        return a->method(v, order);                                                                              \
    }
__ATOMIC_FUNCTION(atomic_exchange, exchange)
__ATOMIC_FUNCTION(atomic_fetch_add, fetch_add)
__ATOMIC_FUNCTION(atomic_fetch_sub, fetch_sub)
__ATOMIC_FUNCTION(atomic_fetch_and, fetch_and)
__ATOMIC_FUNCTION(atomic_fetch_or, fetch_or)
__ATOMIC_FUNCTION(atomic_fetch_xor, fetch_xor)
#undef __ATOMIC_FUNCTION

}
