// EXPECT: 3 3 7 1 8 12 -1 200 5 6 1 8 1 0 31 4 9 3 10 48 4 4 1 254 14 1 1 2 8 2 1
// Inside its own enumeration an enumerator has the underlying type if that is fixed, otherwise that of its value; behind the
// closing brace it has the type of the enumeration.
enum class Flags : unsigned { Read = 1, Write = 2, Both = Read | Write, All = Flags::Both | 4u };
enum class Plain { A = 1, B = -A, C = A << 3, D = A ? C + 4 : B };
enum class Byte : unsigned char { Low = 200, Size = sizeof(Low), Next = Low + 5 - 200, After };
enum Open { One = 1, Eight = One << 3, IsOne = One == 1, Small = sizeof('a'), Same = sizeof(One), Of = Open::Eight };
enum Fixed : short { F = 1, G = F | 30, H = sizeof(F) + sizeof(Fixed::G) };
struct Holder { enum class Kind : int { Nine = 9, Three = Nine / 3 }; enum { Ten = 10 }; static constexpr int ten = Ten; };
template <int N> struct Bits { enum class Bit : unsigned { First = N, Last = First << 4 }; enum { Count = N + 1, Same = Count }; };
namespace space { enum class E : long long { Big = 1LL << 40, Bigger = (Big >> 38), Cast = static_cast<int>(Bigger) }; }
enum class Truth : bool { No, Yes = !No };
enum class Wide : unsigned long long { Top = ~0ull, Even = Top - 1 };
enum Large { Half = 0x80000000u, Whole = Half >> 30 };
template <class A, class B> struct Same_ { static constexpr int v = 0; };
template <class A> struct Same_<A, A> { static constexpr int v = 1; };
__device__ int which(Flags) { return 1; }
__device__ int which(unsigned) { return 2; }
__global__ void k(int *out) {
  int n = 0;
  out[n++] = static_cast<int>(Flags::Both); out[n++] = (int)Flags::Both; out[n++] = int(Flags::All);
  out[n++] = (int)Plain::A; out[n++] = (int)Plain::C; out[n++] = (int)Plain::D; out[n++] = (int)Plain::B;
  out[n++] = (int)Byte::Low; out[n++] = (int)Byte::Next; out[n++] = (int)Byte::After; out[n++] = (int)Byte::Size;
  out[n++] = Eight; out[n++] = Small; out[n++] = IsOne - 1; out[n++] = G; out[n++] = H;
  out[n++] = (int)Holder::Kind::Nine; out[n++] = (int)Holder::Kind::Three; out[n++] = Holder::ten;
  out[n++] = (int)Bits<3>::Bit::Last; out[n++] = Bits<3>::Same; out[n++] = (int)space::E::Cast;
  out[n++] = (int)Truth::Yes; out[n++] = (int)((unsigned long long)Wide::Even & 255); 
  enum class Local : unsigned { X = 2, Y = X * 7 }; out[n++] = (int)Local::Y;
  out[n++] = which(Flags::Read); out[n++] = Same_<decltype(Flags::Read), Flags>::v; out[n++] = (int)sizeof(Byte) * 2;
  out[n++] = Of; out[n++] = Whole; out[n++] = Half > 0;
}
