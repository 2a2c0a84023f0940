// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_PROMETHEUS_CPP_HPP
#define DASHPOT_ADAPTER_PROMETHEUS_CPP_HPP

#include <dashpot/adapter/guard_metrics.hpp>
#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>

#include <prometheus/client_metric.h>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <prometheus/metric_type.h>

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dashpot::inline DASHPOT_ABI {

namespace detail {

/// Converts the metrics of a GuardMetrics to those of prometheus-cpp.
class PrometheusCppVisitor {
  public:
    void family(const MetricFamily& family) {
        is_counter_ = family.type == MetricFamily::Type::counter;
        auto& added = families_.emplace_back();
        added.name = family.name;
        added.help = family.help;
        added.type = is_counter_ ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge;
    }

    void sample(std::span<const MetricLabel> labels, double value) {
        auto& added = families_.back().metric.emplace_back();
        for (const MetricLabel& label : labels)
            added.label.push_back({std::string{label.name}, std::string{label.value}});
        (is_counter_ ? added.counter.value : added.gauge.value) = value;
    }

    [[nodiscard]] std::vector<prometheus::MetricFamily> finish() && { return std::move(families_); }

  private:
    std::vector<prometheus::MetricFamily> families_;
    bool is_counter_ = false;
};

} // namespace detail

/// Adds the metrics of guards to a service that already uses prometheus-cpp.
///
///     auto guards = std::make_shared<dashpot::PrometheusCollector>(
///         [&] { return dashpot::GuardMetrics{targets, changes}; });
///     exposer.RegisterCollectable(guards);
///
/// **Contract.** `read` is called at each scrape, by the thread that answers the scrape. Several
/// threads may call it at once. The exposer holds the collector only weakly: keep the shared_ptr.
/// Objects that `read` refers to must outlive the collector.
/// **Errors.** The constructor throws std::invalid_argument for an empty function. Exceptions of
/// `read` are passed to prometheus-cpp.
class PrometheusCollector final : public prometheus::Collectable {
  public:
    explicit PrometheusCollector(std::function<GuardMetrics()> read) : read_{std::move(read)} {
        if (!read_) refuse_option("PrometheusCollector: the function must not be empty");
    }

    /// Returns the current families, which are those of to_prometheus_text().
    std::vector<prometheus::MetricFamily> Collect() const override {
        detail::PrometheusCppVisitor visitor;
        read_().visit(visitor);
        return std::move(visitor).finish();
    }

  private:
    const std::function<GuardMetrics()> read_;
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
