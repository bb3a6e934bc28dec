#include "merging.hpp"

#include <math.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace cutpoint {
namespace {

using std::size_t;
using Node = std::int32_t;
constexpr Node none = -1;

// Logarithm of the gamma function of a positive number; std::lgamma would write to a global on some systems.
double log_gamma(double x) {
    int sign = 0;
    return lgamma_r(x, &sign);
}

// Words in lexicographic order, so that those which begin alike are neighbours.
std::vector<size_t> sorted(const LabelledWords& words) {
    std::vector<size_t> order(words.count);
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t r, size_t q) {
        const auto* s = words.symbols;
        const auto* at = words.offsets;
        return std::lexicographical_compare(s + at[r], s + at[r + 1], s + at[q], s + at[q + 1]);
    });
    return order;
}

// The prefix tree with label counts; children of a node are a list in the order of their symbols. Nodes become states
// ("red") one by one; a red node finds its children in a table instead.
class Merging {
   public:
    Merging(const LabelledWords& words, const std::vector<double>& pseudo, size_t n_states, double least,
            size_t most_nodes)
        : n_symbols_(words.n_symbols), n_labels_(pseudo.size()), n_states_(n_states), most_nodes_(most_nodes),
          least_(least), pseudo_(pseudo) {
        total_pseudo_ = std::accumulate(pseudo.begin(), pseudo.end(), 0.0);
        constant_ = log_gamma(total_pseudo_);
        for (const double value : pseudo) constant_ -= log_gamma(value);
        grow(words);
        red_.assign(first_.size(), none);
        promote(0);
    }

    MergedMachine run(size_t width, size_t most_rounds) {
        for (size_t round = 0; round < most_rounds && step(width); ++round) {
        }
        MergedMachine machine;
        for (const Node state : states_) {
            const size_t red = static_cast<size_t>(red_[state]);
            for (size_t a = 0; a < n_symbols_; ++a) {
                const Node child = table_[red * n_symbols_ + a];
                machine.table.push_back(child == none ? none : red_[child]);
            }
            const double* counts = &counts_[static_cast<size_t>(state) * n_labels_];
            machine.counts.insert(machine.counts.end(), counts, counts + n_labels_);
        }
        return machine;
    }

   private:
    struct Edge {
        Node from;
        size_t symbol;
        Node to;
    };
    struct Write {
        Node* place;
        Node old;
    };

    Node add(std::int32_t symbol) {
        if (first_.size() >= most_nodes_) throw std::length_error("too many prefixes");
        first_.push_back(none), next_.push_back(none), last_.push_back(none), symbol_.push_back(symbol);
        counts_.resize(counts_.size() + n_labels_, 0.0);
        mass_.push_back(0.0);
        return static_cast<Node>(first_.size()) - 1;
    }

    void grow(const LabelledWords& words) {
        add(none);
        std::vector<Node> path{0};  // nodes of the word before
        const std::int32_t* before = nullptr;
        size_t before_length = 0;
        for (const size_t r : sorted(words)) {
            const std::int32_t* word = words.symbols + words.offsets[r];
            const size_t length = static_cast<size_t>(words.offsets[r + 1] - words.offsets[r]);
            const std::int32_t* labels = words.labels + words.offsets[r] + r;
            size_t common = 0;
            while (common < std::min(length, before_length) && word[common] == before[common]) ++common;
            path.resize(common + 1);
            for (size_t i = common; i < length; ++i) {
                const Node parent = path.back(), child = add(word[i]);
                (last_[parent] == none ? first_[parent] : next_[last_[parent]]) = child;
                last_[parent] = child;
                path.push_back(child);
            }
            double mass = 0.0;
            for (size_t i = length + 1; i-- > 0;) {
                if (labels[i] != none) {
                    counts_[static_cast<size_t>(path[i]) * n_labels_ + static_cast<size_t>(labels[i])] +=
                        words.weights[r];
                    mass += words.weights[r];
                }
                mass_[path[i]] += mass;
            }
            before = word, before_length = length;
        }
        evidence_.resize(first_.size());
        for (size_t node = 0; node < first_.size(); ++node) evidence_[node] = evidence(&counts_[node * n_labels_]);
    }

    // Log marginal probability of labels drawn with one unknown distribution: Dirichlet-multinomial.
    double evidence(const double* counts) const {
        double total = 0.0, value = constant_;
        for (size_t k = 0; k < n_labels_; ++k) {
            total += counts[k];
            value += log_gamma(pseudo_[k] + counts[k]);
        }
        return total > 0.0 ? value - log_gamma(total_pseudo_ + total) : 0.0;
    }

    void promote(Node node) {
        red_[node] = static_cast<Node>(states_.size());
        states_.push_back(node);
        table_.resize(table_.size() + n_symbols_, none);
        Node* row = table_.data() + (table_.size() - n_symbols_);
        for (Node child = first_[node]; child != none; child = next_[child]) row[symbol_[child]] = child;
    }

    void write(Node* place, Node value) {
        writes_.push_back({place, *place});
        *place = value;
    }

    // Fold the subtree of one node into another, as far as it goes; returns the sum of the log Bayes factors. One that is
    // below `least` ends it at once: the nodes contradict each other.
    double fold(Node into, Node node, double least) {
        double score = 0.0;
        pending_.clear();
        pending_.emplace_back(into, node);
        while (!pending_.empty()) {
            const auto [p, q] = pending_.back();
            pending_.pop_back();
            const double factor = pool(p, q);
            if (factor < least) return -std::numeric_limits<double>::infinity();
            score += factor;
            red_[p] == none ? fold_lists(p, q) : fold_table(p, q);
        }
        return score;
    }

    double pool(Node p, Node q) {
        double* kept = &counts_[static_cast<size_t>(p) * n_labels_];
        const double* more = &counts_[static_cast<size_t>(q) * n_labels_];
        pooled_.push_back(p);
        saved_.insert(saved_.end(), kept, kept + n_labels_);
        saved_.push_back(evidence_[p]);
        saved_.push_back(mass_[p]);
        mass_[p] += mass_[q];
        if (std::all_of(more, more + n_labels_, [](double value) { return value == 0.0; })) return 0.0;
        const bool both = std::any_of(kept, kept + n_labels_, [](double value) { return value > 0.0; });
        for (size_t k = 0; k < n_labels_; ++k) kept[k] += more[k];
        const double apart = evidence_[p] + evidence_[q];
        evidence_[p] = both ? evidence(kept) : evidence_[q];
        return evidence_[p] - apart;
    }

    void fold_table(Node p, Node q) {
        Node* row = &table_[static_cast<size_t>(red_[p]) * n_symbols_];
        for (Node child = first_[q]; child != none; child = next_[child]) {
            Node& place = row[symbol_[child]];
            if (place == none) {
                write(&place, child);
            } else {
                pending_.emplace_back(place, child);
            }
        }
    }

    void fold_lists(Node p, Node q) {
        Node* place = &first_[p];
        for (Node child = first_[q]; child != none;) {
            const Node following = next_[child];
            while (*place != none && symbol_[*place] < symbol_[child]) place = &next_[*place];
            if (*place != none && symbol_[*place] == symbol_[child]) {
                pending_.emplace_back(*place, child);
            } else {
                write(&next_[child], *place);
                write(place, child);
                place = &next_[child];
            }
            child = following;
        }
    }

    void keep() { writes_.clear(), pooled_.clear(), saved_.clear(); }

    void undo() {
        for (size_t k = writes_.size(); k-- > 0;) *writes_[k].place = writes_[k].old;
        const size_t width = n_labels_ + 2;
        for (size_t k = pooled_.size(); k-- > 0;) {
            const size_t p = static_cast<size_t>(pooled_[k]);
            const double* old = &saved_[k * width];
            std::copy(old, old + n_labels_, &counts_[p * n_labels_]);
            evidence_[p] = old[n_labels_];
            mass_[p] = old[n_labels_ + 1];
        }
        keep();
    }

    // Redirect the edge to a state and fold what was behind it into that state.
    double merge(const Edge& edge, Node state, double least) {
        write(&table_[static_cast<size_t>(red_[edge.from]) * n_symbols_ + edge.symbol], state);
        return fold(state, edge.to, least);
    }

    // Edges from states to nodes that are none yet ("blue"), the best documented first.
    std::vector<Edge> frontier(size_t width) const {
        std::vector<Edge> edges;
        for (const Node state : states_)
            for (size_t a = 0; a < n_symbols_; ++a) {
                const Node child = table_[static_cast<size_t>(red_[state]) * n_symbols_ + a];
                if (child != none && red_[child] == none) edges.push_back({state, a, child});
            }
        std::stable_sort(edges.begin(), edges.end(),
                         [&](const Edge& x, const Edge& y) { return mass_[x.to] > mass_[y.to]; });
        if (edges.size() > width) edges.resize(width);
        return edges;
    }

    // One promotion or one merge; false when every edge leads to a state, or none can be merged and there is no room.
    bool step(size_t width) {
        const std::vector<Edge> edges = frontier(width);
        if (edges.empty()) return false;
        constexpr double infinity = std::numeric_limits<double>::infinity();
        double best = -infinity, worst = infinity;
        size_t best_edge = 0, worst_edge = 0;
        Node best_state = 0;
        for (size_t e = 0; e < edges.size(); ++e) {
            double own = -infinity;
            for (const Node state : states_) {
                const double score = merge(edges[e], state, least_);
                undo();
                own = std::max(own, score);
                if (score > best) best = score, best_edge = e, best_state = state;
            }
            if (own < worst) worst = own, worst_edge = e;
        }
        if (worst <= 0.0 && states_.size() < n_states_) {
            promote(edges[worst_edge].to);
        } else if (best > -infinity) {
            merge(edges[best_edge], best_state, -infinity);
            keep();
        } else {
            return false;
        }
        return true;
    }

    size_t n_symbols_, n_labels_, n_states_, most_nodes_;
    double least_;
    std::vector<double> pseudo_;
    double total_pseudo_ = 0.0, constant_ = 0.0;
    std::vector<Node> first_, next_, last_, red_, states_, table_;
    std::vector<std::int32_t> symbol_;
    std::vector<double> counts_, evidence_, mass_;  // mass: labels seen at a node and below it
    std::vector<std::pair<Node, Node>> pending_;
    std::vector<Write> writes_;
    std::vector<Node> pooled_;
    std::vector<double> saved_;
};

}  // namespace

MergedMachine merged_machine(const LabelledWords& words, const std::vector<double>& pseudo, size_t n_states,
                             size_t width, size_t most_rounds, double least, size_t most_nodes) {
    return Merging(words, pseudo, n_states, least, most_nodes).run(width, most_rounds);
}

}  // namespace cutpoint
