// What the passes over the weights share.
//
// Rows of weights can be wider than a chunk: these loops walk them 16 lanes (or 8, or 4) at a time.

template <class Body>
inline void with_row_lanes(std::size_t lanes, const Body& body) {
    with_lanes(lanes < 16 ? lanes : 16, body);
}

// Running sums of |weight|, one double a lane: rows add in their order whatever the registers are.
template <int L>
struct WeightSum {
    static constexpr int W = FloatLanes<L>::W;
    using Wide = typename NativeVector<double, W>::type;
    Wide lane[FloatLanes<L>::n_parts] = {};

    void add(const FloatLanes<L>& weights) {
        const auto sizes = magnitude(weights);
        for (int i = 0; i < FloatLanes<L>::n_parts; ++i) {
            lane[i] += __builtin_convertvector(sizes.part[i], Wide);
        }
    }
    [[nodiscard]] double total() const {
        double sum = 0;
        for (int i = 0; i < L; ++i) {
            sum += lane[i / W][i % W];
        }
        return sum;
    }
};
