// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_NAME_MAP_HPP
#define DASHPOT_REGISTRY_DETAIL_NAME_MAP_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/registry/detail/hashed_name.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

namespace dashpot::inline DASHPOT_ABI::detail {

/// What a NameMap finds by its name. The values of a map derive from it.
class NameMapEntry {
  public:
    explicit NameMapEntry(const HashedName& key) : name_{key.name}, hash_{key.hash} {}
    NameMapEntry(const NameMapEntry&) = delete;
    NameMapEntry& operator=(const NameMapEntry&) = delete;

    [[nodiscard]] HashedName key() const noexcept { return {name_, hash_}; }

  protected:
    ~NameMapEntry() = default;

  private:
    friend class NameMap;

    /// Compares the hashes first, and the bytes only if the hashes are equal.
    [[nodiscard]] bool is_of(const HashedName& key) const noexcept {
        return hash_ == key.hash && name_ == key.name;
    }

    const std::string name_;
    const std::uint64_t hash_;
    NameMapEntry* next_ = nullptr; // in the same bucket
};

/// A hash table of entries that others own: each bucket is a list through the entries.
///
/// The table does not depend on the type of its values. A program therefore compiles it once, and not
/// for each policy.
///
/// **Threads.** One thread at a time. **Cost.** find() and take() are O(1) and do not allocate.
class NameMap {
  public:
    NameMap() = default;
    NameMap(const NameMap&) = delete;
    NameMap& operator=(const NameMap&) = delete;
    ~NameMap() {
        if (buckets_ != &first_bucket_) delete[] buckets_;
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    /// Returns the entry of that name, or null.
    [[nodiscard]] NameMapEntry* find(const HashedName& name) const noexcept {
        NameMapEntry* entry = bucket_of(name.hash);
        while (entry != nullptr && !entry->is_of(name)) entry = entry->next_;
        return entry;
    }

    /// Adds an entry whose name is not in the map. If no memory is left for more buckets, the buckets
    /// become longer.
    void insert(NameMapEntry& entry) noexcept {
        if (size_ > last_bucket_) grow();
        push_front(entry);
        ++size_;
    }

    /// Takes an entry out of the map, and returns it, or null.
    NameMapEntry* take(const HashedName& name) noexcept {
        for (NameMapEntry** place = &bucket_of(name.hash); *place != nullptr;
             place = &(*place)->next_) {
            NameMapEntry* const entry = *place;
            if (!entry->is_of(name)) continue;
            *place = entry->next_;
            --size_;
            return entry;
        }
        return nullptr;
    }

    /// Takes out any entry, and returns it, or null if the map is empty.
    NameMapEntry* take_any() noexcept {
        for (std::size_t i = 0; size_ != 0; ++i) {
            if (buckets_[i] != nullptr) return take(buckets_[i]->key());
        }
        return nullptr;
    }

  private:
    /// Selects a bucket by the lower bits of the hash. Their number is a power of two.
    [[nodiscard]] NameMapEntry*& bucket_of(std::uint64_t hash) const noexcept {
        return buckets_[static_cast<std::size_t>(hash) & last_bucket_];
    }

    void push_front(NameMapEntry& entry) noexcept {
        NameMapEntry*& bucket = bucket_of(entry.hash_);
        entry.next_ = bucket;
        bucket = &entry;
    }

    void grow() noexcept {
        const std::size_t before = last_bucket_ + 1;
        const std::size_t after = before < 8 ? 8 : 2 * before;
        NameMapEntry** const wider = new (std::nothrow) NameMapEntry* [after] {};
        if (wider == nullptr) return;
        NameMapEntry** const narrower = buckets_;
        buckets_ = wider;
        last_bucket_ = after - 1;
        for (std::size_t i = 0; i != before; ++i) {
            while (NameMapEntry* const entry = narrower[i]) {
                narrower[i] = entry->next_;
                push_front(*entry);
            }
        }
        if (narrower != &first_bucket_) delete[] narrower;
    }

    NameMapEntry* first_bucket_ = nullptr; // an empty map needs no memory
    NameMapEntry** buckets_ = &first_bucket_;
    std::size_t last_bucket_ = 0; // the number of buckets less one
    std::size_t size_ = 0;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
