// The style of all pages. Colours have a contrast of 4.5 : 1 or more on their background, light and dark.
#pragma once

namespace zerocts {

inline constexpr const char* kHtmlStyle = R"(
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --line: #d9dde3; --text: #1b1f24; --soft: #57606a;
  --code: #f0f2f5; --link: #0a5bb5;
  --pass: #0b6b35; --pass-back: #dff5e7; --bad: #b3131b; --bad-back: #fde7e7;
  --known: #7a4d00; --known-back: #fdf0d0; --none: #57606a; --none-back: #eceff2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0e1116; --card: #171b22; --line: #303741; --text: #e6e9ed; --soft: #a3adb8;
    --code: #1f252d; --link: #7db8ff;
    --pass: #5fd68b; --pass-back: #12301e; --bad: #ff8f8a; --bad-back: #3b1719;
    --known: #f0bd5a; --known-back: #35290d; --none: #a3adb8; --none-back: #232932;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 68rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.65rem; line-height: 1.25; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem; }
h3 { font-size: 1.05rem; margin: 0 0 .35rem; overflow-wrap: anywhere; }
h4 { font-size: .8rem; margin: 1rem 0 .3rem; color: var(--soft); text-transform: uppercase; letter-spacing: .05em; }
p { margin: .35rem 0; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.soft { color: var(--soft); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.2rem; margin: 0 0 1rem; }
.verdict { border-left: 8px solid; padding: 1.3rem 1.4rem; }
.verdict.pass { border-left-color: var(--pass); } .verdict.bad { border-left-color: var(--bad); }
.verdict.known { border-left-color: var(--known); } .verdict.none { border-left-color: var(--none); }
.verdict h1 i { font-style: normal; margin-right: .4rem; }
.verdict.pass h1 { color: var(--pass); } .verdict.bad h1 { color: var(--bad); }
.verdict.known h1 { color: var(--known); } .verdict.none h1 { color: var(--none); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem; margin: 0; padding: 0; }
.figures div { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .7rem 1rem; }
.figures dt { color: var(--soft); font-size: .85rem; }
.figures dd { margin: 0; font-size: 1.3rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.figures small { font-size: .85rem; font-weight: 400; color: var(--soft); }
.hole dd { color: var(--bad); }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 10px; background: var(--card); margin: 0 0 1rem; }
table { border-collapse: collapse; width: 100%; font-size: .94rem; }
th, td { padding: .42rem .75rem; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
thead th { color: var(--soft); font-weight: 600; border-top: 0; white-space: nowrap; }
tbody th { font-weight: 600; }
tbody th small { display: block; font-weight: 400; color: var(--soft); }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.cell { white-space: nowrap; }
.mark { display: inline-block; border-radius: 6px; padding: .05rem .5rem; font-size: .85rem; font-weight: 600; white-space: nowrap; }
.mark i { font-style: normal; }
.mark.pass { color: var(--pass); background: var(--pass-back); } .mark.bad { color: var(--bad); background: var(--bad-back); }
.mark.known { color: var(--known); background: var(--known-back); } .mark.none { color: var(--none); background: var(--none-back); }
.chip { display: inline-block; border: 1px solid var(--line); border-radius: 6px; padding: .05rem .5rem; font-size: .85rem; margin-right: .3rem; }
.failure { border-left: 5px solid var(--bad); }
.failure .said { font-size: 1.05rem; font-weight: 600; overflow-wrap: anywhere; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: 8px; padding: .7rem .9rem; margin: .3rem 0; overflow-x: auto;
  font: .86rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
pre mark { background: var(--bad-back); color: var(--bad); font-weight: 600; }
pre .note { white-space: pre-wrap; }
abbr { text-decoration: none; }
code { font: .9em ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
details { margin: .4rem 0; }
summary { cursor: pointer; padding: .2rem 0; }
details.card > summary { font-weight: 600; }
ul { margin: .3rem 0; padding-left: 1.3rem; }
li { overflow-wrap: anywhere; margin: .15rem 0; }
dl.pairs { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .25rem 1.2rem; margin: 0; }
dl.pairs dt { color: var(--soft); } dl.pairs dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 36rem) {
  main { padding: 1rem .7rem 3rem; }
  h1 { font-size: 1.3rem; }
  .card, .verdict { padding: .8rem .9rem; }
  .figures { grid-template-columns: 1fr 1fr; gap: .5rem; }
  .figures dd { font-size: 1.1rem; }
  th, td { padding: .38rem .15rem; }
  th:first-child { padding-left: .5rem; } td:last-child, th:last-child { padding-right: .5rem; }
  dl.pairs { grid-template-columns: 1fr; gap: 0; } dl.pairs dd { margin: 0 0 .4rem; }
  tbody th[scope="row"] { position: sticky; left: 0; background: var(--card); max-width: 8rem; }
  table { font-size: .8rem; }
  td.cell .mark { font-size: 0; padding: .05rem .3rem; } td.cell .mark i { font-size: .8rem; }  /* without words: see the legend */
}
@media print { body { background: none; } .card, .scroll, .figures div { break-inside: avoid; } }
)";

}  // namespace zerocts
