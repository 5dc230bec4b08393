/** The sheet of the reference: light and dark, one column on a phone, on paper without the contents. */
export const style = `:root {
  color-scheme: light dark;
  --ink: light-dark(#10201c, #e6efec);
  --soft: light-dark(#47564f, #a9bab3);
  --ground: light-dark(#ffffff, #0c1412);
  --panel: light-dark(#f2f6f5, #16211e);
  --line: light-dark(#d3ddd9, #2c3a35);
  --accent: light-dark(#0b6b53, #5fd3b0);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0; display: grid; grid-template-columns: 19rem minmax(0, 1fr); min-height: 100vh;
  font: 1rem/1.55 system-ui, sans-serif; color: var(--ink); background: var(--ground);
}
aside { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1rem; border-right: 1px solid var(--line); background: var(--panel); }
aside h2 { margin: 1.2rem 0 .3rem; font-size: .85rem; color: var(--soft); }
aside ul { margin: 0; padding: 0; list-style: none; }
aside li a { display: flex; gap: .5rem; justify-content: space-between; padding: .35rem .4rem; border-radius: .3rem; color: inherit; text-decoration: none; }
aside li a:hover, aside li a:focus-visible { background: var(--ground); }
aside small { color: var(--accent); font-weight: 700; }
aside label { display: block; font-size: .85rem; }
aside input { width: 100%; min-height: 2.75rem; padding: 0 .6rem; font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--soft); border-radius: .4rem; }
#found { min-height: 1.5em; margin: .2rem 0 0; font-size: .85rem; color: var(--soft); }
main { max-width: 62rem; padding: 1rem 2rem 4rem; }
h1 { margin: .5rem 0; font-size: 1.9rem; }
main h2 { margin: 3rem 0 .5rem; padding-top: 1rem; border-top: 2px solid var(--line); }
article { margin: 0 0 2.5rem; }
article h3 { margin: 2rem 0 .3rem; font-size: 1.25rem; }
a { color: var(--accent); }
code, pre { font: .9em/1.5 ui-monospace, monospace; }
code { overflow-wrap: anywhere; }
pre { margin: .6rem 0; padding: .8rem 1rem; background: var(--panel); border: 1px solid var(--line); border-radius: .4rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.call { margin: .2rem 0; }
.call b { color: var(--accent); }
table { width: 100%; table-layout: fixed; margin: 1rem 0; border-collapse: collapse; font-size: .93rem; }
caption { padding: .2rem 0; text-align: left; font-weight: 700; }
th, td { padding: .35rem .6rem .35rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
thead th { color: var(--soft); font-weight: 600; }
tbody th { font-weight: 600; }
th:first-child { width: 30%; }
th:nth-child(2) { width: 16%; }
td small { color: var(--soft); font-size: .85rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
[hidden] { display: none !important; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem 1rem; background: var(--ground); z-index: 1; }
@media (max-width: 52rem) {
  body { display: block; }
  aside { position: static; height: auto; border: 0; }
  main { padding: 1rem; }
}
@media print { body { display: block; } aside { display: none; } }
`;
