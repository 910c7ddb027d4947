#include <ivp/work_memory.hpp>

#include <algorithm>
#include <array>
#include <mutex>

#include <sys/mman.h>

namespace ivp {

namespace {

constexpr std::size_t first_block = 4096;
constexpr std::size_t largest_small_block = 128 << 10;
constexpr std::size_t worth_large_pages = 128 << 10; // a solver with vectors of this size needs several MB
constexpr std::size_t large_block = 2 * work_memory::large_page;

std::size_t multiple_of(std::size_t unit, std::size_t bytes) { return (bytes + unit - 1) / unit * unit; }

/// Before the first access. Without effect where the system has no large pages, or gives them without being asked.
void ask_for_large_pages([[maybe_unused]] void* p, [[maybe_unused]] std::size_t bytes)
{
#ifdef MADV_HUGEPAGE
    (void)madvise(p, bytes, MADV_HUGEPAGE);
#endif
}

/// Large blocks that were given back. The system clears a new page before a program sees it, and would do so for every run again: with 40000
/// equations and a hundred steps that is a tenth of the time.
class spare_blocks {
public:
    static spare_blocks& of_this_process()
    {
        static auto& blocks = *new spare_blocks; // never ends: vectors may outlive everything else
        return blocks;
    }

    /// Null: none of this size.
    void* take(std::size_t size) noexcept
    {
        const std::scoped_lock lock(mutex_);
        for (int k = count_ - 1; k >= 0; --k) {
            if (blocks_[k].size != size) continue;
            void* const p = blocks_[k].begin;
            blocks_[k] = blocks_[--count_];
            total_ -= size;
            return p;
        }
        return nullptr;
    }
    /// False: there are enough.
    bool keep(void* p, std::size_t size) noexcept
    {
        const std::scoped_lock lock(mutex_);
        if (count_ == static_cast<int>(blocks_.size()) || total_ + size > most) return false;
        blocks_[count_++] = {p, size};
        total_ += size;
        return true;
    }

private:
    static constexpr std::size_t most = 64 << 20;
    struct block {
        void* begin;
        std::size_t size;
    };
    std::mutex mutex_;
    std::array<block, 16> blocks_{};
    int count_ = 0;
    std::size_t total_ = 0;
};

} // namespace

void* work_memory::new_block(std::size_t bytes)
{
    if (bytes < large_page) return ::operator new(bytes, std::align_val_t(line));
    const std::size_t size = multiple_of(large_page, bytes);
    if (void* const spare = spare_blocks::of_this_process().take(size)) return spare;
    void* const p = ::operator new(size, std::align_val_t(large_page));
    ask_for_large_pages(p, size);
    return p;
}

void work_memory::delete_block(void* p, std::size_t bytes) noexcept
{
    if (bytes < large_page) return ::operator delete(p, std::align_val_t(line));
    const std::size_t size = multiple_of(large_page, bytes);
    if (!spare_blocks::of_this_process().keep(p, size)) ::operator delete(p, std::align_val_t(large_page));
}

work_memory::~work_memory()
{
    for (const block& b : blocks_) delete_block(b.begin, b.size);
}

void* work_memory::take(std::size_t bytes)
{
    const std::size_t whole = distance(bytes);
    if (blocks_.empty() || blocks_.back().size - used_ < whole) {
        const std::size_t twice = blocks_.empty() ? first_block : std::min(2 * blocks_.back().size, largest_small_block);
        const std::size_t wanted = std::max(whole, bytes < worth_large_pages ? twice : large_block);
        const std::size_t size = multiple_of(wanted < large_page ? line : large_page, wanted);
        blocks_.reserve(blocks_.size() + 1);
        blocks_.push_back({static_cast<std::byte*>(new_block(size)), size});
        used_ = 0;
    }
    std::byte* const p = blocks_.back().begin + used_;
    used_ += whole;
    return p;
}

std::size_t work_memory::size() const
{
    std::size_t sum = 0;
    for (const block& b : blocks_) sum += b.size;
    return sum;
}

} // namespace ivp
