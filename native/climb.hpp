// Accelerated Baum-Welch from one place upwards, many steps at a time: what em/climb.py says, which has the formulas.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace cutpoint {

constexpr double first_cap = 4.0;         // longest extrapolation at the start, in EM steps
constexpr double smallest_log = 1e-100;   // smallest number whose logarithm is taken
constexpr double floor_of_leaps = 1e-12;  // smallest share of a row after an extrapolation, where there is a prior

// Parameters in rows that sum to 1, the last of them the initial distribution; the E-step there, and the objective.
struct Place {
    std::vector<double> rows, counts;
    double log_likelihood = 0.0, objective = 0.0;
};

// EStep: bool(const double* rows, double* counts, double& log_likelihood), false where plain floats do not do. Such a
// step is not taken.
template <class EStep>
class Climb {
  public:
    static constexpr std::size_t most_steps = 3;  // E-steps of one step
    double cap = first_cap, gain = HUGE_VAL;
    std::vector<double> history;  // the best objective so far, after each E-step

    Climb(std::size_t width, const double* pseudo, bool learn_initial, Place& here, EStep& e_step)
        : width_(width), pseudo_(pseudo), size_(here.rows.size()), learned_(size_ - (learn_initial ? 0 : width)),
          has_prior_(std::any_of(pseudo, pseudo + size_, [](double value) { return value > 0.0; })), here_(here),
          e_step_(e_step) {
        for (Place* place : {&first_, &second_, &leapt_}) place->rows.resize(size_), place->counts.resize(size_);
        for (auto* logs : {&log_here_, &speed_, &turn_}) logs->resize(size_);
    }

    // The E-step at the place itself; false if it cannot be done.
    bool begin() { return visit(here_); }

    // One EM step, and where it gains a leap along two of them; false if nothing was done.
    bool step() {
        up(here_, first_);
        if (!visit(first_)) return false;
        const double gained = first_.objective - here_.objective;
        if (!(gained > 0.0)) {
            gain = gained, note(here_.objective);
            return true;
        }
        up(first_, second_);
        const double length = extrapolate();
        if (!visit(leapt_)) return false;
        if (leapt_.objective >= first_.objective) {
            if (length >= cap) cap *= 4.0;
            note(first_.objective), note(leapt_.objective);
            std::swap(here_, leapt_.objective > first_.objective ? leapt_ : first_);
        } else {
            if (!visit(second_)) return false;
            cap = std::max(first_cap, cap / 4.0);
            const bool is_second = second_.objective > first_.objective;
            note(first_.objective), note(first_.objective), note(is_second ? second_.objective : first_.objective);
            std::swap(here_, is_second ? second_ : first_);
        }
        gain = gained;
        return true;
    }

  private:
    void note(double objective) { history.push_back(objective); }

    // The M-step: rows of counts and pseudo-counts made to sum to 1; a row without any keeps its value.
    void up(const Place& from, Place& to) const {
        for (std::size_t i = 0; i < size_; i += width_) {
            double total = 0.0;
            for (std::size_t k = i; k < i + width_; ++k) total += to.rows[k] = from.counts[k] + pseudo_[k];
            const bool learned = i < learned_ && total > 0.0;
            for (std::size_t k = i; k < i + width_; ++k) to.rows[k] = learned ? to.rows[k] / total : from.rows[k];
        }
    }

    bool visit(Place& place) {
        if (!e_step_(place.rows.data(), place.counts.data(), place.log_likelihood)) return false;
        place.objective = place.log_likelihood;
        for (std::size_t i = 0; i < size_; ++i)
            if (pseudo_[i] > 0.0) place.objective += pseudo_[i] * std::log(place.rows[i]);
        return std::isfinite(place.objective);
    }

    // SQUAREM in log space from here_, first_ and second_ to leapt_; returns its length.
    double extrapolate() {
        double speeds = 0.0, turns = 0.0;
        const auto log = [](double x) { return std::log(std::max(x, smallest_log)); };
        for (std::size_t i = 0; i < size_; ++i) {
            const double one = log(first_.rows[i]);
            log_here_[i] = log(here_.rows[i]);
            speed_[i] = one - log_here_[i];
            turn_[i] = log(second_.rows[i]) - one - speed_[i];
            speeds += first_.rows[i] * speed_[i] * speed_[i];
            turns += first_.rows[i] * turn_[i] * turn_[i];
        }
        const double length = turns > 0.0 ? std::min(std::max(std::sqrt(speeds / turns), 1.0), cap) : cap;
        for (std::size_t i = 0; i < size_; i += width_) {
            double most = -HUGE_VAL;
            bool moved = false;
            for (std::size_t k = i; k < i + width_; ++k) {
                log_here_[k] += 2.0 * length * speed_[k] + length * length * turn_[k];
                most = std::max(most, log_here_[k]);
                moved |= second_.rows[k] != here_.rows[k];
            }
            double total = 0.0;
            for (std::size_t k = i; k < i + width_; ++k) {
                double& to = leapt_.rows[k] = std::exp(log_here_[k] - most);
                if (has_prior_) to = std::max(to, floor_of_leaps);
                total += to = second_.rows[k] > 0.0 ? to : 0.0;
            }
            const bool leaps = moved && total > 0.0;  // a row that the two steps did not change keeps its bits
            for (std::size_t k = i; k < i + width_; ++k)
                leapt_.rows[k] = leaps ? leapt_.rows[k] / total : second_.rows[k];
        }
        return length;
    }

    const std::size_t width_;
    const double* const pseudo_;
    const std::size_t size_, learned_;
    const bool has_prior_;
    Place& here_;
    EStep& e_step_;
    Place first_, second_, leapt_;
    std::vector<double> log_here_, speed_, turn_;
};

}  // namespace cutpoint
