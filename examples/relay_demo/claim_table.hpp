// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_DEMO_CLAIM_TABLE_HPP
#define DASHPOT_EXAMPLES_RELAY_DEMO_CLAIM_TABLE_HPP

#include "sample.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace relay_demo {

/// How CLAIM fared in each scene.
class ClaimTable {
  public:
    struct Row {
        std::string scene;
        Sample sample;
        std::chrono::duration<double> length;

        [[nodiscard]] double per_second() const {
            return static_cast<double>(sample.count()) / length.count();
        }
    };

    const Row& add(Row row) { return rows_.emplace_back(std::move(row)); }
    [[nodiscard]] const std::vector<Row>& rows() const noexcept { return rows_; }
    void print() const;

  private:
    std::vector<Row> rows_;
};

[[nodiscard]] double to_ms(std::chrono::nanoseconds time);

} // namespace relay_demo

#endif
