#include "text/import/xml.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <charconv>

namespace ivp::text::xml {

namespace {

constexpr int deepest_elements = 200;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string local(std::string_view name)
{
    const auto colon = name.rfind(':');
    return std::string(colon == std::string_view::npos ? name : name.substr(colon + 1));
}

class xml_reader {
public:
    xml_reader(const source& s, fault_list& faults) : text_(s.text()), faults_(faults) {}

    element document()
    {
        if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
        skip_between();
        if (!looking_at("<")) fail("no element found; allowed: an XML file");
        element root = one(0);
        skip_between();
        if (at_ < text_.size()) fail("text found after the last element; allowed: one element");
        return root;
    }

private:
    [[noreturn]] void fail(std::string_view what) { faults_.fail(static_cast<place>(std::min(at_, text_.size())), what); }
    [[nodiscard]] bool looking_at(std::string_view what) const { return text_.substr(std::min(at_, text_.size())).starts_with(what); }

    void skip_space()
    {
        while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    }
    void skip_to(std::string_view end, std::string_view what)
    {
        const auto found = text_.find(end, at_);
        if (found == std::string_view::npos) fail("this " + std::string(what) + " has no end; allowed: '" + std::string(end) + "' behind it");
        at_ = found + end.size();
    }
    /// Comments, instructions and blanks.
    void skip_between()
    {
        while (true) {
            skip_space();
            if (looking_at("<!--"))
                skip_to("-->", "comment");
            else if (looking_at("<?"))
                skip_to("?>", "instruction");
            else if (looking_at("<!"))
                fail("a document type is refused; allowed: elements, comments and instructions");
            else
                return;
        }
    }

    std::string_view name()
    {
        const std::size_t begin = at_;
        while (at_ < text_.size() && !is_space(text_[at_]) && std::string_view("=/><\"'&").find(text_[at_]) == std::string_view::npos) ++at_;
        if (begin == at_) fail("a name is missing here");
        return text_.substr(begin, at_ - begin);
    }

    std::string decoded(std::string_view raw, std::size_t from)
    {
        std::string out;
        for (std::size_t k = 0; k < raw.size(); ++k) {
            if (raw[k] != '&') {
                out += raw[k];
                continue;
            }
            const auto end = raw.find(';', k);
            const std::string_view entity = end == std::string_view::npos ? raw.substr(k) : raw.substr(k + 1, end - k - 1);
            const auto fault = [&] {
                at_ = from + k;
                fail("'&' found; allowed: &lt; &gt; &amp; &quot; &apos; and numbers of characters");
            };
            if (end == std::string_view::npos) fault();
            if (entity == "lt")
                out += '<';
            else if (entity == "gt")
                out += '>';
            else if (entity == "amp")
                out += '&';
            else if (entity == "quot")
                out += '"';
            else if (entity == "apos")
                out += '\'';
            else if (entity.starts_with('#')) {
                const bool hex = entity.starts_with("#x");
                const std::string_view digits = entity.substr(hex ? 2 : 1);
                unsigned code = 0;
                const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, hex ? 16 : 10);
                if (error != std::errc{} || stop != digits.data() + digits.size() || code == 0 || code > 0x10FFFF ||
                    (code >= 0xD800 && code < 0xE000))
                    fault();
                out += utf8(static_cast<char32_t>(code));
            } else
                fault();
            k = end;
        }
        return out;
    }

    element one(int depth)
    {
        if (depth > deepest_elements) fail("more than " + std::to_string(deepest_elements) + " nested elements");
        element e;
        e.at = static_cast<place>(at_);
        ++at_; // <
        const std::string_view tag = name();
        e.name = local(tag);
        while (true) {
            skip_space();
            if (looking_at("/>")) {
                at_ += 2;
                return e;
            }
            if (looking_at(">")) break;
            if (at_ >= text_.size()) fail("the element '" + plain_line(e.name, 40) + "' has no end");
            const std::string_view attribute = name();
            skip_space();
            if (!looking_at("=")) fail("'=' is missing after the attribute '" + plain_line(attribute, 40) + "'");
            ++at_;
            skip_space();
            const char quote = at_ < text_.size() ? text_[at_] : '\0';
            if (quote != '"' && quote != '\'') fail("the value of the attribute '" + plain_line(attribute, 40) + "' has no quotes");
            const std::size_t begin = ++at_;
            const auto end = text_.find(quote, begin);
            if (end == std::string_view::npos) fail("the value of the attribute '" + plain_line(attribute, 40) + "' has no end");
            std::string value = decoded(text_.substr(begin, end - begin), begin);
            at_ = end + 1;
            e.attributes.emplace_back(std::string(attribute), std::move(value));
        }
        ++at_; // >
        while (true) {
            const std::size_t begin = at_;
            at_ = std::min(text_.find('<', at_), text_.size());
            e.text += decoded(text_.substr(begin, at_ - begin), begin);
            if (at_ >= text_.size()) fail("the element '" + plain_line(e.name, 40) + "' has no end; allowed: </" + plain_line(tag, 40) + ">");
            if (looking_at("<!--")) {
                skip_to("-->", "comment");
            } else if (looking_at("<![CDATA[")) {
                const std::size_t inner = at_ + 9;
                skip_to("]]>", "text");
                e.text += text_.substr(inner, at_ - 3 - inner);
            } else if (looking_at("<?")) {
                skip_to("?>", "instruction");
            } else if (looking_at("</")) {
                at_ += 2;
                if (const auto closing = name(); closing != tag)
                    at_ -= closing.size(), fail("</" + plain_line(closing, 40) + "> found; allowed here: </" + plain_line(tag, 40) + ">");
                skip_space();
                if (!looking_at(">")) fail("'>' is missing here");
                ++at_;
                return e;
            } else if (looking_at("<!")) {
                fail("a declaration found; allowed: elements");
            } else {
                e.children.push_back(one(depth + 1));
            }
        }
    }

    std::string_view text_;
    fault_list& faults_;
    std::size_t at_ = 0;
};

} // namespace

const std::string* element::attribute(std::string_view wanted) const
{
    const auto it = std::ranges::find(attributes, wanted, &std::pair<std::string, std::string>::first);
    return it == attributes.end() ? nullptr : &it->second;
}

const element* element::child(std::string_view wanted) const
{
    const auto it = std::ranges::find(children, wanted, &element::name);
    return it == children.end() ? nullptr : &*it;
}

const std::vector<element>& element::children_of(std::string_view wanted) const
{
    static const std::vector<element> none;
    const element* const c = child(wanted);
    return c == nullptr ? none : c->children;
}

element read(const source& s, fault_list& faults) { return xml_reader(s, faults).document(); }

} // namespace ivp::text::xml
