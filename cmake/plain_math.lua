-- Pandoc filter: TeX mathematics as text a person reads in a terminal.
local greek = {alpha="α", beta="β", gamma="γ", delta="δ", epsilon="ε", varepsilon="ε", zeta="ζ", eta="η", theta="θ", kappa="κ",
  lambda="λ", mu="μ", nu="ν", xi="ξ", pi="π", rho="ρ", sigma="σ", tau="τ", phi="φ", varphi="φ", psi="ψ", omega="ω",
  Gamma="Γ", Delta="Δ", Theta="Θ", Lambda="Λ", Phi="Φ", Psi="Ψ", Omega="Ω", Sigma="Σ", Pi="Π"}
local symbols = {cdot="·", times="×", le="≤", leq="≤", ge="≥", geq="≥", ne="≠", neq="≠", pm="±", mp="∓", to="→", infty="∞", partial="∂", nabla="∇", sum="Σ", prod="Π",
  int="∫", ldots="…", dots="…", cdots="…", quad="\u{A0}\u{A0}", qquad="\u{A0}\u{A0}\u{A0}\u{A0}", approx="≈", ["in"]="∈", mathbb="", left="", right="", rm="", mathrm="",
  text="", operatorname="", max="max", min="min", sin="sin", cos="cos", tan="tan", exp="exp", log="log", ln="ln", arctan="arctan",
  prime="′", top="ᵀ", rightarrow="→", leftarrow="←", longrightarrow="→", rightleftharpoons="⇌", sqrt="√", oplus="⊕", otimes="⊗", ll="≪", gg="≫", sim="~",
  mathcal="", mathbf="", bar="", hat="", tilde="", bigl="", bigr="", big="", Big="", displaystyle="", tfrac="", dfrac="", lVert="‖", rVert="‖", Vert="‖", lvert="|", rvert="|", vert="|",
  bmod="mod", mod="mod", star="*", ast="*", mid="|", circ="°", hline="", ell="ℓ", lfloor="⌊", rfloor="⌋"}
local sub = {["0"]="₀",["1"]="₁",["2"]="₂",["3"]="₃",["4"]="₄",["5"]="₅",["6"]="₆",["7"]="₇",["8"]="₈",["9"]="₉",["+"]="₊",["-"]="₋",
  i="ᵢ", j="ⱼ", k="ₖ", n="ₙ", m="ₘ", l="ₗ", t="ₜ", r="ᵣ", s="ₛ", u="ᵤ", v="ᵥ", x="ₓ", a="ₐ", e="ₑ", o="ₒ", p="ₚ"}
local sup = {["0"]="⁰",["1"]="¹",["2"]="²",["3"]="³",["4"]="⁴",["5"]="⁵",["6"]="⁶",["7"]="⁷",["8"]="⁸",["9"]="⁹",["+"]="⁺",["-"]="⁻",["−"]="⁻", n="ⁿ", i="ⁱ", T="ᵀ"}

local function script(text, map, mark)
  local out = ""
  for _, c in utf8.codes(text) do
    local ch = map[utf8.char(c)]
    if not ch then
      local plain = text:match("^%w+$") or utf8.len(text) == 1
      return mark .. (plain and text or "(" .. text .. ")")
    end
    out = out .. ch
  end
  return out
end

local function fraction(a, b)
  -- What is inside parentheses needs no further ones; a sum, product or quotient does.
  local function wrap(x) if x:gsub("%b()", ""):match("[%s%+%-/]") or x:find("·", 1, true) then return "(" .. x .. ")" end return x end
  return wrap(a) .. "/" .. wrap(b)
end

local function row(s)
  s = s:gsub("\\[,;:! ]", " "):gsub("~", " "):gsub("\\\\%b[]", "")
  s = s:gsub("\\([{}%%&_#])", "%1"):gsub("\\|", "‖")
  s = s:gsub("\\text%s*(%b{})", function(g) return " " .. g:sub(2, -2) .. " " end)
  s = s:gsub("\\begin(%b{})", ""):gsub("\\end(%b{})", ""):gsub("&&", "\\qquad "):gsub("&", " ")
  -- innermost first: fractions, roots, scripts of braced groups
  for _ = 1, 12 do
    local before = s
    s = s:gsub("\\([%a]+)", function(c) if c == "frac" or c == "dfrac" or c == "tfrac" or c == "sqrt" then return nil end return greek[c] or symbols[c] or c end)
    s = s:gsub("∂ ", "∂"):gsub("∂² ", "∂²")
    s = s:gsub("\\[dt]?frac%s*{([^{}]*)}%s*{([^{}]*)}", fraction)
    s = s:gsub("\\[dt]?frac%s*(%d)%s*(%d)", fraction)
    s = s:gsub("\\sqrt%s*{([^{}]*)}", "√(%1)")
    s = s:gsub("%^{([^{}]*)}", function(x) return script(x, sup, "^") end)
    s = s:gsub("_{([^{}]*)}", function(x) return script(x, sub, "_") end)
    s = s:gsub("%^(%w)", function(x) return script(x, sup, "^") end)
    s = s:gsub("_(%w)", function(x) return script(x, sub, "_") end)
    if s == before then -- plain groups last: the braces of an outer fraction must survive until its inner groups are done
      s = s:gsub("([^%^_\\%a]){([^{}]*)}", "%1%2"):gsub("^{([^{}]*)}", "%1")
      if s == before then break end
    end
  end
  s = s:gsub("'", "′"):gsub("[{}]", ""):gsub("%s+", " ")
  -- Wide spaces come through the collapsing of the others, so that continued lines stay indented and conditions stand apart.
  s = s:gsub("^ ", ""):gsub(" $", ""):gsub(" ?\u{A0} ?", " ")
  return s
end

function Math(m)
  if m.mathtype == "InlineMath" then return pandoc.Str(row(m.text)) end
  local lines = {}
  local text = m.text:gsub("\\\\%b[]", "\\\\") .. "\\\\"
  for line in text:gmatch("(.-)\\\\") do
    local r = row(line)
    if r ~= "" then
      if #lines > 0 then lines[#lines + 1] = pandoc.LineBreak() end
      lines[#lines + 1] = pandoc.Str("    " .. r)
    end
  end
  return lines
end
