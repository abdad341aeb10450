// Vectors that are taken from a pool and given back, so that checking a node allocates nothing.
#pragma once

#include <utility>
#include <vector>

namespace kullback::lang {

template <class T>
class ScratchPool final {
 public:
  class Vector final {
   public:
    explicit Vector(ScratchPool& pool) : pool_(pool) {
      if (!pool_.free_.empty()) {
        items_ = std::move(pool_.free_.back());
        pool_.free_.pop_back();
      }
    }
    ~Vector() {
      items_.clear();
      pool_.free_.push_back(std::move(items_));
    }
    Vector(const Vector&) = delete;
    Vector& operator=(const Vector&) = delete;

    std::vector<T>& operator*() { return items_; }
    std::vector<T>* operator->() { return &items_; }

   private:
    ScratchPool& pool_;
    std::vector<T> items_;
  };

 private:
  std::vector<std::vector<T>> free_;
};

}  // namespace kullback::lang
