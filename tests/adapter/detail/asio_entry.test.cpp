// SPDX-License-Identifier: MIT
#include "../asio_support.hpp"

#include <dashpot/adapter/detail/asio_entry.hpp>

#include "catch.hpp"

#include <memory>
#include <utility>

namespace tests::adapter_detail_asio_entry {

using namespace support;
using dashpot::pipeline;

TEST_CASE("AsioEntryTest: TheCallOwnsItsPipelineItsFunctionAndItsClassifier") {
    asio::io_context context;
    dashpot::Bulkhead hull{1};
    std::optional<Running> running;
    {
        const auto value = std::make_unique<int>(4);
        auto kept = std::make_shared<int>(*value);
        const std::weak_ptr<int> watched = kept;
        // A pointer to the awaitable, because the function that makes it is gone when it is awaited.
        const auto started = std::make_shared<Answer>(call(
            pipeline(hull), {.timeout = 1h}, [kept = std::move(kept)]() -> Reply { co_return *kept; },
            [](int) { return Outcome::success; }));
        running.emplace(context.get_executor(), [started] { return std::move(*started); });
        CHECK_FALSE(watched.expired());
    }
    context.run_for(20s);
    CHECK(running->ending() == "value 4");
    CHECK(hull.in_flight() == 0);
}

template <class P, class F>
constexpr bool can_call = requires(F f) { call(std::declval<P>(), f); };
using Awaits = Reply (*)();
using Blocks = int (*)();
static_assert(can_call<dashpot::Bulkhead&, Awaits>);
static_assert(can_call<std::shared_ptr<dashpot::Bulkhead>, Awaits>);
static_assert(!can_call<dashpot::Bulkhead, Awaits>); // a temporary guard
static_assert(!can_call<dashpot::Bulkhead&, Blocks>);

} // namespace tests::adapter_detail_asio_entry
