// Objects that one thread uses at a time, kept for the next: a thread takes one without waiting for others.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>

namespace kullback::capi {

// A slot holds an object or null. Taking exchanges with null, giving back fills an empty slot; each thread
// begins at a slot of its own, so that threads seldom meet. Objects beyond the slots are destroyed.
template <class T>
class Spares final {
 public:
  Spares() = default;
  Spares(const Spares&) = delete;
  Spares& operator=(const Spares&) = delete;
  ~Spares() {
    for (Slot& slot : slots_) delete slot.object.load();
  }

  // Null where none is spare.
  std::unique_ptr<T> take() {
    const std::size_t first = own_slot();
    for (std::size_t i = 0; i < kSlots; ++i) {
      std::atomic<T*>& slot = slots_[(first + i) % kSlots].object;
      if (slot.load(std::memory_order_relaxed) == nullptr) continue;
      if (T* object = slot.exchange(nullptr, std::memory_order_acquire)) return std::unique_ptr<T>(object);
    }
    return nullptr;
  }

  void give_back(std::unique_ptr<T> object) {
    const std::size_t first = own_slot();
    for (std::size_t i = 0; i < kSlots; ++i) {
      std::atomic<T*>& slot = slots_[(first + i) % kSlots].object;
      T* empty = nullptr;
      if (slot.compare_exchange_strong(empty, object.get(), std::memory_order_release,
                                       std::memory_order_relaxed)) {
        object.release();
        return;
      }
    }
  }

 private:
  static constexpr std::size_t kSlots = 32;
  struct alignas(64) Slot {
    std::atomic<T*> object{nullptr};
  };

  static std::size_t own_slot() {
    thread_local const std::size_t slot = std::hash<std::thread::id>()(std::this_thread::get_id()) % kSlots;
    return slot;
  }

  std::array<Slot, kSlots> slots_;
};

}  // namespace kullback::capi
