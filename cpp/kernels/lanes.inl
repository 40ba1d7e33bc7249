// The vocabulary of the loops: L lanes of 32-bit numbers, in as many registers as it takes.
//
// Included inside the namespace of one instruction set, after kNativeLanes is defined there. Only
// lane-by-lane operations and a fixed-order fold: the same results for every register width.

template <class T, int W>
struct NativeVector {
    using type __attribute__((vector_size(W * sizeof(T)), may_alias)) = T;
};

// L values of type T, kept as L / W native vectors.
template <class T, int L>
struct Lanes {
    static constexpr int W = L < kNativeLanes ? L : kNativeLanes;
    static constexpr int n_parts = L / W;
    using Part = typename NativeVector<T, W>::type;

    Part part[n_parts];

    static Lanes zero() {
        Lanes lanes;
        for (Part& p : lanes.part) {
            p = Part{};
        }
        return lanes;
    }
    static Lanes load(const T* from) {
        Lanes lanes;
        for (int i = 0; i < n_parts; ++i) {
            lanes.part[i] = *reinterpret_cast<const Part*>(from + i * W);
        }
        return lanes;
    }
    void store(T* to) const {
        for (int i = 0; i < n_parts; ++i) {
            *reinterpret_cast<Part*>(to + i * W) = part[i];
        }
    }
    friend Lanes operator+(Lanes a, const Lanes& b) {
        for (int i = 0; i < n_parts; ++i) {
            a.part[i] += b.part[i];
        }
        return a;
    }
    friend Lanes operator-(Lanes a, const Lanes& b) {
        for (int i = 0; i < n_parts; ++i) {
            a.part[i] -= b.part[i];
        }
        return a;
    }
    friend Lanes operator*(Lanes a, const Lanes& b) {
        for (int i = 0; i < n_parts; ++i) {
            a.part[i] *= b.part[i];
        }
        return a;
    }
};

template <int L>
using IntLanes = Lanes<Unit, L>;
template <int L>
using FloatLanes = Lanes<float, L>;

template <int L>
inline FloatLanes<L> splat(float value) {
    FloatLanes<L> lanes = FloatLanes<L>::zero();
    for (auto& p : lanes.part) {
        p = p + value;
    }
    return lanes;
}

template <class T, int L>
inline Lanes<T, L> magnitude(Lanes<T, L> a) {
    for (auto& p : a.part) {
        p = p < T{0} ? -p : p;
    }
    return a;
}

// positive where the sign of `by` is not negative, else negative.
template <int L>
inline FloatLanes<L> choose(const FloatLanes<L>& by, const FloatLanes<L>& positive,
                            const FloatLanes<L>& negative) {
    FloatLanes<L> out;
    for (int i = 0; i < FloatLanes<L>::n_parts; ++i) {
        out.part[i] = by.part[i] < 0.0F ? negative.part[i] : positive.part[i];
    }
    return out;
}

// Nearest whole numbers, halves away from zero.
template <int L>
inline IntLanes<L> round_to_units(const FloatLanes<L>& a) {
    IntLanes<L> out;
    for (int i = 0; i < FloatLanes<L>::n_parts; ++i) {
        const auto half = a.part[i] < 0.0F ? a.part[i] - 0.5F : a.part[i] + 0.5F;
        out.part[i] = __builtin_convertvector(half, typename IntLanes<L>::Part);
    }
    return out;
}

// The sum of all lanes, halves folded onto each other: 16 -> 8 -> 4 -> 2 -> 1.
using Vector4 = typename NativeVector<Unit, 4>::type;
using Vector8 = typename NativeVector<Unit, 8>::type;
using Vector16 = typename NativeVector<Unit, 16>::type;

inline Unit fold(Vector4 a) {
    a += __builtin_shufflevector(a, a, 2, 3, 0, 1);
    a += __builtin_shufflevector(a, a, 1, 0, 3, 2);
    return a[0];
}
inline Unit fold(Vector8 a) {
    return fold(__builtin_shufflevector(a, a, 0, 1, 2, 3) +
                __builtin_shufflevector(a, a, 4, 5, 6, 7));
}
inline Unit fold(Vector16 a) {
    return fold(__builtin_shufflevector(a, a, 0, 1, 2, 3, 4, 5, 6, 7) +
                __builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15));
}

// The lanes of the first and the second half of a register's parts, added up into one part.
template <int L>
inline typename IntLanes<L>::Part join(const IntLanes<L>& a) {
    auto sum = a.part[0];
    for (int i = 1; i < IntLanes<L>::n_parts; ++i) {
        sum += a.part[i];
    }
    return sum;
}
template <int L>
inline Unit fold(const IntLanes<L>& a) {
    return fold(join<L>(a));
}

// The sums of W vectors of W lanes, as the lanes of one vector: two vectors are folded together
// where one alone would waste half the register.
//
//   a0 a1 a2 a3     a0+a2 b0+b2 a1+a3 b1+b3
//   b0 b1 b2 b3  ->                          ->  A B C D
//   c0 c1 c2 c3     c0+c2 d0+d2 c1+c3 d1+d3
//   d0 d1 d2 d3
inline Vector4 fold_all(const Vector4* v) {
    const Vector4 ab = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5) +
                       __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
    const Vector4 cd = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5) +
                       __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
    return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) +
           __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}
inline Vector8 fold_all(const Vector8* v) {
    Vector8 half[4];  // the left half belongs to v[j], the right one to v[j + 4]
    for (int j = 0; j < 4; ++j) {
        half[j] = __builtin_shufflevector(v[j], v[j + 4], 0, 1, 2, 3, 8, 9, 10, 11) +
                  __builtin_shufflevector(v[j], v[j + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    Vector8 pair[2];
    for (int j = 0; j < 2; ++j) {
        const Vector8 a = half[2 * j];
        const Vector8 b = half[2 * j + 1];
        pair[j] = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13) +
                  __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
    }
    return __builtin_shufflevector(pair[0], pair[1], 0, 1, 8, 9, 4, 5, 12, 13) +
           __builtin_shufflevector(pair[0], pair[1], 2, 3, 10, 11, 6, 7, 14, 15);
}
inline Vector16 fold_all(const Vector16* v) {
    Vector16 half[8];  // of v[j], v[j + 8]
    for (int j = 0; j < 8; ++j) {
        half[j] = __builtin_shufflevector(v[j], v[j + 8], 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19,
                                          20, 21, 22, 23) +
                  __builtin_shufflevector(v[j], v[j + 8], 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26,
                                          27, 28, 29, 30, 31);
    }
    Vector16 quarter[4];  // of v[j], v[j + 4], v[j + 8], v[j + 12]
    for (int j = 0; j < 4; ++j) {
        quarter[j] = __builtin_shufflevector(half[j], half[j + 4], 0, 1, 2, 3, 16, 17, 18, 19, 8, 9,
                                             10, 11, 24, 25, 26, 27) +
                     __builtin_shufflevector(half[j], half[j + 4], 4, 5, 6, 7, 20, 21, 22, 23, 12,
                                             13, 14, 15, 28, 29, 30, 31);
    }
    Vector16 pair[2];
    for (int j = 0; j < 2; ++j) {
        const Vector16 a = quarter[2 * j];
        const Vector16 b = quarter[2 * j + 1];
        pair[j] = __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28,
                                          13, 29) +
                  __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30,
                                          15, 31);
    }
    return __builtin_shufflevector(pair[0], pair[1], 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12,
                                   13, 28, 29) +
           __builtin_shufflevector(pair[0], pair[1], 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14,
                                   15, 30, 31);
}
