#include "ensemble/hypothesis.hpp"

namespace mhb {

void set_node_weights(Hypothesis& hypothesis) {
    for (std::size_t j = hypothesis.nodes.size(); j-- > 0;) {
        HypothesisNode& node = hypothesis.nodes[j];
        for (const std::int32_t link : {node.left, node.right}) {
            node.weight += link >= 0 ? hypothesis.nodes[static_cast<std::size_t>(link)].weight
                                     : hypothesis.leaf_weight[leaf_of(link)];
        }
    }
}

}  // namespace mhb
