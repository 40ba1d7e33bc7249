// Edges of all thresholds of a feature from its histogram.

// Left sums start at `before` (nothing, or the missing values) and grow bin by bin; W cuts at a
// time have their |T_l - 2 L_l| folded together. Returns the largest edge.
template <int L>
struct EdgeScan {
    using Part = typename IntLanes<L>::Part;
    static constexpr std::size_t W = IntLanes<L>::W;

    const Unit* histogram;
    IntLanes<L> rest;  // T - 2 L, L the left sums so far
    Unit* edges;
    bool add;

    // Edges of the next `n` cuts (W, or fewer at the end), in the first lanes of a vector.
    template <bool kWhole>
    Part next(std::size_t n) {
        Part sizes[W];
        for (std::size_t j = 0; j < W; ++j) {
            if (kWhole || j < n) {
                const auto bin = IntLanes<L>::load(histogram + j * L);
                rest = rest - bin - bin;
            }
            sizes[j] = join<L>(magnitude(rest));
        }
        histogram += n * L;
        return fold_all(sizes);
    }

    // Stores the edges of some cuts and keeps the largest of each lane.
    void keep(std::size_t k, Part sums, Part& largest) const {
        Part* const place = reinterpret_cast<Part*>(edges + k);
        if (add) {
            sums += *place;
        }
        *place = sums;
        largest = sums > largest ? sums : largest;
    }

    Unit run(std::size_t n_cuts) {
        Part largest = Part{} - 1;
        std::size_t k = 0;
        for (; k + W <= n_cuts; k += W) {
            keep(k, next<true>(W), largest);
        }
        if (k < n_cuts) {
            Part sums = next<false>(n_cuts - k);
            for (std::size_t j = n_cuts - k; j < W; ++j) {
                sums[j] = -1;  // no cut
            }
            keep(k, sums, largest);
        }
        Unit best = -1;
        for (std::size_t j = 0; j < W; ++j) {
            best = largest[j] > best ? largest[j] : best;
        }
        return best;
    }
};

template <int L>
Unit scan_edges(const ScanTask& task, const IntLanes<L>& before, Unit* edges) {
    const auto total = IntLanes<L>::load(task.total);
    EdgeScan<L> scan{.histogram = task.histogram,
                     .rest = total - before - before,
                     .edges = edges,
                     .add = task.add};
    return scan.run(task.n_value_bins - 1);
}

template <int L>
LargestEdges scan_lanes(const ScanTask& task, const ScanEdges& edges) {
    LargestEdges largest;
    largest.missing_right = scan_edges<L>(task, IntLanes<L>::zero(), edges.missing_right);
    if (task.missing != nullptr) {
        const auto missing = IntLanes<L>::load(task.missing);
        largest.missing_left = scan_edges<L>(task, missing, edges.missing_left);
        const auto total = IntLanes<L>::load(task.total);
        largest.only_missing = fold<L>(magnitude(total - missing - missing));
    }
    return largest;
}

LargestEdges scan(const ScanTask& task, const ScanEdges& edges) {
    LargestEdges largest;
    with_lanes(task.lanes, [&](auto lanes) { largest = scan_lanes<lanes>(task, edges); });
    return largest;
}
