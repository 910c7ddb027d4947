#include <ivp/work_memory.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ivp {

namespace {

template <class T>
std::uintptr_t address(const work_vector<T>& v)
{
    return reinterpret_cast<std::uintptr_t>(v.data());
}

/// Whether the system was asked for large pages where v begins.
bool asked_for_large_pages(const work_vector<double>& v)
{
    std::ifstream maps("/proc/self/smaps");
    bool inside = false;
    for (std::string text; std::getline(maps, text);) {
        std::istringstream words(text);
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
        char dash = 0;
        if (words >> std::hex >> begin >> dash >> end && dash == '-') inside = begin <= address(v) && address(v) < end;
        if (inside && text.rfind("VmFlags:", 0) == 0) return text.find(" hg") != std::string::npos;
    }
    return false;
}

} // namespace

TEST(work_memory, vectors_begin_on_lines_are_zero_and_do_not_overlap)
{
    work_memory memory;
    std::vector<work_vector<double>> vectors;
    for (const std::size_t n : {1, 3, 8, 9, 511, 512, 513, 5, 4000, 20000, 7, 40000, 40000, 1, 300000, 2}) {
        vectors.emplace_back(n, memory);
        work_vector<double>& v = vectors.back();
        ASSERT_EQ(v.size(), n);
        EXPECT_EQ(address(v) % work_memory::line, 0u) << n;
        EXPECT_EQ(std::accumulate(v.begin(), v.end(), 0.0), 0.0) << n;
        for (double& x : v) x = static_cast<double>(vectors.size());
    }
    for (std::size_t k = 0; k < vectors.size(); ++k)
        for (const double x : vectors[k]) ASSERT_EQ(x, static_cast<double>(k + 1));
}

TEST(work_memory, small_vectors_share_one_small_block)
{
    work_memory memory;
    EXPECT_EQ(memory.size(), 0u);
    std::vector<work_vector<double>> vectors;
    for (int k = 0; k < 30; ++k) vectors.emplace_back(4, memory);
    EXPECT_EQ(memory.size(), 4096u);
    EXPECT_EQ(address(vectors.back()) - address(vectors.front()), 29 * work_memory::line);
}

TEST(work_memory, large_vectors_share_large_pages)
{
    work_memory memory;
    std::vector<work_vector<double>> vectors;
    for (int k = 0; k < 24; ++k) vectors.emplace_back(40000, memory); // 7.7 MB
    EXPECT_EQ(address(vectors[0]) % work_memory::large_page, 0u);
    EXPECT_LE(memory.size(), 5 * work_memory::large_page);
    EXPECT_EQ(memory.size() % work_memory::large_page, 0u);
    EXPECT_EQ(address(vectors[1]) - address(vectors[0]), work_memory::distance(40000 * sizeof(double)));
}

TEST(work_memory, a_vector_larger_than_a_block_gets_a_block_of_its_size)
{
    work_memory memory;
    const work_vector<double> v(2'000'000, memory);
    EXPECT_EQ(address(v) % work_memory::large_page, 0u);
    EXPECT_EQ(memory.size(), 8 * work_memory::large_page);
}

TEST(work_memory, vectors_of_whole_small_pages_do_not_begin_at_the_same_place_of_a_page)
{
    work_memory memory;
    const work_vector<double> a(1 << 15, memory);
    const work_vector<double> b(1 << 15, memory);
    EXPECT_NE((address(b) - address(a)) % 4096, 0u);
}

TEST(work_memory, large_pages_are_asked_for_where_the_system_has_them)
{
    if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage/enabled")) GTEST_SKIP() << "no large pages on this system";
    work_memory memory;
    const work_vector<double> shared(40000, memory);
    const work_vector<double> alone(1'000'000);
    EXPECT_TRUE(asked_for_large_pages(shared));
    EXPECT_TRUE(asked_for_large_pages(alone));
}

TEST(work_memory, large_blocks_are_used_again_and_cleared)
{
    const double* first = nullptr;
    {
        const work_vector<double> v(1'000'000, 3.0);
        first = v.data();
    }
    const work_vector<double> smaller(800'000); // as many pages
    const work_vector<double> other(1'000'000);
    EXPECT_EQ(smaller.data(), first);
    EXPECT_NE(other.data(), first);
    EXPECT_EQ(std::accumulate(smaller.begin(), smaller.end(), 0.0), 0.0);
}

TEST(work_vector, without_a_memory_has_a_block_of_its_own)
{
    work_vector<int> small(3, 7);
    EXPECT_EQ(address(small) % work_memory::line, 0u);
    small.resize(100, 8);
    EXPECT_EQ(small[2], 7);
    EXPECT_EQ(small[99], 8);
    const work_vector<double> large(1'000'000);
    EXPECT_EQ(address(large) % work_memory::large_page, 0u);
}

TEST(work_vector, keeps_its_memory_when_it_is_moved_or_exchanged)
{
    work_memory memory;
    work_memory other;
    work_vector<double> a(10, memory);
    work_vector<double> b(20, other);
    work_vector<double> alone(30);
    const auto* const in_a = a.data();
    const auto* const in_b = b.data();
    const auto* const in_alone = alone.data();
    a.swap(b);
    EXPECT_EQ(a.data(), in_b);
    EXPECT_EQ(b.data(), in_a);
    a = std::move(alone);
    EXPECT_EQ(a.data(), in_alone);
    EXPECT_EQ(a.get_allocator().shared(), nullptr);
    const work_vector<double> moved(std::move(b));
    EXPECT_EQ(moved.data(), in_a);
    EXPECT_EQ(moved.get_allocator().shared(), &memory);
}

TEST(work_vector, of_an_impossible_size_is_refused)
{
    work_memory memory;
    EXPECT_THROW((void)work_allocator<double>(memory).allocate(std::numeric_limits<std::size_t>::max() / 2), std::bad_alloc);
    EXPECT_THROW((void)work_allocator<char>(memory).allocate(std::numeric_limits<std::size_t>::max()), std::bad_alloc);
    const work_vector<double> v(5, 1.0, memory); // still works
    EXPECT_EQ(v[4], 1.0);
}

} // namespace ivp
