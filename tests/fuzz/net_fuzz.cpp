// A network of BioNetGen: refused with places and words, or a text.
#include "imported.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace ivp;
    fuzz::read_imported("model.net", text::text_from_net, std::string(fuzz::view(data, size)));
    return 0;
}
