// Whether a routine of the package is ours, or the program brings its own in place of it.
//
// Beside each of ours is a mark. In a static library the object of a replaced routine is not linked, and with it the mark is missing. In a shared one
// the mark is always there, but the routine of that name is the program's, in another file.
#include <dlfcn.h>

// NOLINTBEGIN(readability-identifier-naming): read by Fortran
extern "C" {
[[gnu::weak]] void ivp_detest_own_fcn();
[[gnu::weak]] void ivp_detest_own_pderv();
[[gnu::weak]] void ivp_detest_own_ivalu();
[[gnu::weak]] void ivp_detest_own_true();
[[gnu::weak]] void ivp_detest_own_difnrm();

int ivp_detest_face_is_own(int which, void (*routine)());
}
// NOLINTEND(readability-identifier-naming)

namespace {

const void* file_of(void (*routine)())
{
    Dl_info info{};
    return dladdr(reinterpret_cast<const void*>(routine), &info) != 0 ? info.dli_fbase : nullptr;
}

} // namespace

int ivp_detest_face_is_own(int which, void (*routine)())
{
    void (*const marks[])() = {ivp_detest_own_fcn, ivp_detest_own_pderv, ivp_detest_own_ivalu, ivp_detest_own_true, ivp_detest_own_difnrm};
    void (*const mark)() = marks[which];
    return mark != nullptr && file_of(mark) == file_of(routine) ? 1 : 0;
}
