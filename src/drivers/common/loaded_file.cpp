#include "loaded_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <span>
#include <string_view>

namespace ivp {

namespace {

constexpr const char* note_beside = "ivp-build.txt"; // written by tools/build-sundials

std::size_t padded(std::size_t size) { return (size + 3) / 4 * 4; }

/// The build-id among the notes of one segment.
std::string build_id_in(std::string_view notes)
{
    while (notes.size() >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) head;
        std::memcpy(&head, notes.data(), sizeof head);
        const std::size_t name_at = sizeof head;
        const std::size_t text_at = name_at + padded(head.n_namesz);
        const std::size_t next = text_at + padded(head.n_descsz);
        if (next > notes.size()) break;
        if (head.n_type == NT_GNU_BUILD_ID && notes.substr(name_at, head.n_namesz) == std::string_view("GNU\0", 4)) {
            std::string id;
            for (const char c : notes.substr(text_at, head.n_descsz)) id += fmt::format("{:02x}", static_cast<unsigned char>(c));
            return id;
        }
        notes.remove_prefix(next);
    }
    return {};
}

struct search {
    std::uintptr_t address;
    std::string build_id;
};

int look_for_build_id(dl_phdr_info* file, std::size_t /*size*/, void* data)
{
    auto& wanted = *static_cast<search*>(data);
    const std::span segments(file->dlpi_phdr, file->dlpi_phnum);
    const auto holds = [&](const ElfW(Phdr) & s) {
        const std::uintptr_t start = file->dlpi_addr + s.p_vaddr;
        return s.p_type == PT_LOAD && wanted.address >= start && wanted.address < start + s.p_memsz;
    };
    if (std::ranges::none_of(segments, holds)) return 0;
    for (const auto& s : segments)
        if (s.p_type == PT_NOTE && wanted.build_id.empty())
            wanted.build_id =
                build_id_in({reinterpret_cast<const char*>(file->dlpi_addr + s.p_vaddr), s.p_memsz}); // NOLINT(performance-no-int-to-ptr)
    return 1;
}

} // namespace

std::string loaded_file::describe() const
{
    constexpr std::size_t telling = 16; // digits of a build-id
    if (path.empty()) return "not a shared library";
    std::string text = std::filesystem::path(path).filename().string();
    if (!build_id.empty()) text += " (build-id " + build_id.substr(0, telling) + ")";
    return text + ", " + (compiled.empty() ? "flags not known" : compiled);
}

loaded_file file_with(const char* symbol)
{
    loaded_file f;
    void* const address = dlsym(RTLD_DEFAULT, symbol);
    Dl_info known{};
    if (address == nullptr || dladdr(address, &known) == 0 || known.dli_fname == nullptr) return f;
    std::error_code ignored;
    const std::filesystem::path named(known.dli_fname);
    const auto file = std::filesystem::canonical(named, ignored);
    f.path = ignored ? named.string() : file.string();
    search wanted{reinterpret_cast<std::uintptr_t>(address), {}};
    dl_iterate_phdr(look_for_build_id, &wanted);
    f.build_id = wanted.build_id;
    std::ifstream note(std::filesystem::path(f.path).replace_filename(note_beside));
    std::getline(note, f.compiled);
    return f;
}

} // namespace ivp
