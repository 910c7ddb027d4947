#include <ivp/model/work_memory.hpp>

#include <algorithm>

#include <sys/mman.h>

namespace ivp {

namespace {

constexpr std::size_t first_block = 4096;
constexpr std::size_t largest_small_block = 128 << 10;
constexpr std::size_t worth_large_pages = 128 << 10; // a solver with vectors of this size needs several MB
constexpr std::size_t large_block = 2 * work_memory::large_page;

std::size_t multiple_of(std::size_t unit, std::size_t bytes) { return (bytes + unit - 1) / unit * unit; }

/// Blocks that consist of large pages begin with one.
std::size_t alignment_of(std::size_t bytes) { return bytes < work_memory::large_page ? work_memory::line : work_memory::large_page; }

/// Before the first access. Without effect where the system has no large pages, or gives them without being asked.
void ask_for_large_pages([[maybe_unused]] void* p, [[maybe_unused]] std::size_t bytes)
{
#ifdef MADV_HUGEPAGE
    (void)madvise(p, bytes, MADV_HUGEPAGE);
#endif
}

} // namespace

void* work_memory::new_block(std::size_t bytes)
{
    const std::size_t alignment = alignment_of(bytes);
    void* const p = ::operator new(bytes, std::align_val_t(alignment));
    // NOTE: whole pages only: the rest of the last one may belong to others.
    if (alignment == large_page) ask_for_large_pages(p, bytes / large_page * large_page);
    return p;
}

void work_memory::delete_block(void* p, std::size_t bytes) noexcept { ::operator delete(p, bytes, std::align_val_t(alignment_of(bytes))); }

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
