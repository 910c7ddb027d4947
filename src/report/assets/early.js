// Before the pages are read: shows the one that the address names, and no other.
document.documentElement.classList.add("js");
{
  const id = decodeURIComponent(location.hash.slice(1).split("?")[0]);
  const names = [...document.querySelectorAll(".contents a")].map((a) => a.hash.slice(1));
  const fitting = names.filter((name) => id === name || id.startsWith(`${name}-`)).sort((a, b) => b.length - a.length);
  const style = document.createElement("style");
  style.id = "early";
  style.textContent = `.page{display:none}#${fitting[0] ?? names[0]}{display:block}`;
  document.head.append(style);
}
