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
inline Unit fold(typename NativeVector<Unit, 4>::type a) {
    a += __builtin_shufflevector(a, a, 2, 3, 0, 1);
    a += __builtin_shufflevector(a, a, 1, 0, 3, 2);
    return a[0];
}
inline Unit fold(typename NativeVector<Unit, 8>::type a) {
    return fold(__builtin_shufflevector(a, a, 0, 1, 2, 3) +
                __builtin_shufflevector(a, a, 4, 5, 6, 7));
}
inline Unit fold(typename NativeVector<Unit, 16>::type a) {
    return fold(__builtin_shufflevector(a, a, 0, 1, 2, 3, 4, 5, 6, 7) +
                __builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15));
}
template <int L>
inline Unit fold(const IntLanes<L>& a) {
    auto sum = a.part[0];
    for (int i = 1; i < IntLanes<L>::n_parts; ++i) {
        sum += a.part[i];
    }
    return fold(sum);
}
