/** The phone pages' stylesheet, light and dark; text has a contrast of at least 4.5:1. */
const amountStyle = `
.amount-head { display: grid; gap: .15rem; }
.amount-form { flex: 1; display: flex; flex-direction: column; gap: .6rem; }
.amount-field { position: relative; display: flex; align-items: baseline; justify-content: center; border-bottom: 2px solid var(--line); }
.amount-field:focus-within { border-color: var(--accent); }
.amount-field input {
  width: 100%; min-width: 0; padding: 0 3rem; border: 0; background: none; color: inherit; outline: none;
  font: inherit; font-size: 2.9rem; font-weight: 700; line-height: 1.15; text-align: center; letter-spacing: -.02em; font-variant-numeric: tabular-nums;
}
.amount-field .currency { position: absolute; right: .25rem; bottom: .85rem; color: var(--quiet); font-weight: 600; }
.limits { min-height: 1.3em; color: var(--quiet); font-size: .88rem; text-align: center; margin-top: .3rem; }
.limits.problem { color: var(--bad); font-weight: 600; }
.chips { display: flex; gap: .5rem; justify-content: space-between; }
.chip, .key { font: inherit; color: inherit; background: var(--surface); border: 1px solid var(--line); cursor: pointer; touch-action: manipulation; }
.chip { flex: 1; min-width: 0; min-height: 2.75rem; padding: .2rem; border-radius: 12px; font-weight: 600; font-variant-numeric: tabular-nums; }
@media (hover: hover) { .chip:hover, .key:hover { border-color: var(--accent); } }
.chip[aria-pressed="true"] { background: var(--accent-soft); border-color: var(--accent); color: var(--accent-strong); }
.keys { display: grid; grid-template-columns: repeat(3, 1fr); gap: .45rem; }
.key { min-height: 2.95rem; border-radius: 14px; font-size: 1.4rem; font-weight: 600; }
.key:active { background: var(--accent-soft); }
.key svg { width: 1.5rem; height: 1.5rem; vertical-align: middle; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.store-field { display: grid; grid-template-columns: minmax(0, 1fr); gap: .25rem; }
.store-field label, .store-field .label { font-size: .88rem; color: var(--quiet); }
.store-field select, .store-one {
  width: 100%; min-height: 3rem; padding: .5rem .9rem; border: 1px solid var(--line); border-radius: 14px;
  background: var(--surface); color: inherit; font: inherit; font-weight: 600;
}
.store-search { display: flex; gap: .5rem; }
.store-search input { width: 100%; min-width: 0;
  flex: 1; min-width: 0; min-height: 2.75rem; padding: .4rem .9rem; border: 1px solid var(--line); border-radius: 12px;
  background: var(--surface); color: inherit; font: inherit;
}
.store-search .chip { flex: none; padding: .2rem .9rem; }
.store-one { display: flex; align-items: center; gap: .6rem; overflow-wrap: anywhere; }
.store-one svg { flex: none; width: 1.3rem; height: 1.3rem; fill: none; stroke: var(--accent); stroke-width: 2; stroke-linejoin: round; }
@media (max-height: 700px) { .key { min-height: 2.75rem; } .amount-field input { font-size: 2.4rem; } }
`;

/** The sandbox's start page: one column on a phone, two on wider screens. */
const homeStyle = `
.wide, .top:has(+ .wide) { max-width: 64rem; }
.home-head { display: grid; gap: .35rem; max-width: 44rem; }
.home, .home-side { display: grid; gap: .8rem; align-content: start; }
@media (min-width: 52rem) { .home { grid-template-columns: 1.25fr 1fr; align-items: start; } .wide { padding-top: 1rem; } }
.home .card { display: grid; gap: .5rem; align-content: start; }
.starts, .links { list-style: none; display: grid; gap: .5rem; margin-top: .3rem; }
.starts li { display: grid; grid-template-columns: 6.75rem 1fr; gap: .75rem; align-items: center; font-size: .93rem; }
.start {
  min-height: 2.9rem; border: 1px solid var(--accent); border-radius: 12px; background: var(--accent-soft); color: var(--accent-strong);
  font: inherit; font-weight: 700; font-variant-numeric: tabular-nums; cursor: pointer;
}
@media (hover: hover) { .start:hover { background: var(--accent); color: var(--on-accent); } }
.steps { margin: 0; padding-left: 1.3rem; display: grid; gap: .35rem; }
.steps li::marker { color: var(--accent); font-weight: 700; }
.links a { display: inline-block; padding-block: .3rem; }
.facts.small { gap: .3rem; font-size: .93rem; }
.returned { border-color: var(--accent); overflow-wrap: anywhere; }
code { font: .92em ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
`;

const base = `
:root {
  color-scheme: light dark;
  --ground: #eef2f1; --surface: #ffffff; --line: #d3dcd9; --ink: #10211d; --quiet: #4b5f59;
  --accent: #0b6b4f; --accent-strong: #07553e; --on-accent: #ffffff; --accent-soft: #dff1ea;
  --good: #0b6b4f; --good-soft: #dff1ea; --bad: #a3261d; --bad-soft: #fbe9e7; --wait: #7a4b00; --wait-soft: #fdf1d9;
  --focus: #1d5fd1; --shadow: 0 1px 2px #10211d14, 0 8px 24px #10211d12;
  --radius: 18px;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0c1412; --surface: #15201d; --line: #2c3b37; --ink: #eef5f2; --quiet: #a5b8b2;
    --accent: #5ad1a6; --accent-strong: #7fe0bc; --on-accent: #06231a; --accent-soft: #14372c;
    --good: #5ad1a6; --good-soft: #14372c; --bad: #ff9d94; --bad-soft: #40191a; --wait: #ffcf7a; --wait-soft: #3a2a0b;
    --focus: #8ab6ff; --shadow: none;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100dvh; display: flex; flex-direction: column;
  background: var(--ground); color: var(--ink);
  font: 1rem/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Open Sans", sans-serif;
  -webkit-tap-highlight-color: transparent;
}
h1, h2, p, fieldset, legend, dl, dd, ul, figure { margin: 0; padding: 0; }
h1 { font-size: 1.45rem; line-height: 1.2; letter-spacing: -.015em; text-wrap: balance; }
h2 { font-size: 1.05rem; line-height: 1.3; }
h1:focus { outline: none; }
fieldset { border: 0; min-width: 0; }
a { color: var(--accent-strong); text-underline-offset: .2em; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
[hidden] { display: none !important; }
.visually-hidden {
  position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}
.strip {
  display: flex; justify-content: center; gap: .75rem; padding: .3rem 1rem;
  background: var(--wait-soft); color: var(--wait); font-size: .8rem; font-weight: 600;
}
.strip a { color: inherit; }
.top, main { width: 100%; max-width: 27rem; margin-inline: auto; padding-inline: 1rem; }
.top { display: flex; align-items: center; gap: .6rem; padding-block: .65rem; }
.mark {
  flex: none; display: grid; place-items: center; width: 2rem; height: 2rem; border-radius: .6rem;
  background: var(--accent); color: var(--on-accent); font-weight: 700; text-transform: uppercase;
}
.logo { flex: none; width: auto; max-width: 7rem; height: 2rem; object-fit: contain; }
.brand { flex: 1; min-width: 0; line-height: 1.15; }
.brand b, .brand span { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.brand span { color: var(--quiet); font-size: .8rem; }
.languages { display: flex; }
.language { display: grid; place-items: center; min-width: 2.75rem; min-height: 2.75rem; font-size: .85rem; color: var(--quiet); }
main { flex: 1; display: flex; flex-direction: column; gap: .8rem; padding-bottom: 1rem; }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); padding: 1rem; box-shadow: var(--shadow); }
.quiet { color: var(--quiet); }
.button {
  display: flex; align-items: center; justify-content: center; gap: .5rem; width: 100%; min-height: 3.25rem; padding: .6rem 1rem;
  border: 1px solid transparent; border-radius: 14px; background: var(--accent); color: var(--on-accent);
  font: inherit; font-size: 1.05rem; font-weight: 650; text-align: center; text-decoration: none; cursor: pointer;
}
@media (hover: hover) { .button:hover { background: var(--accent-strong); } }
.button[aria-disabled="true"] { background: var(--line); color: var(--quiet); cursor: default; }
.button.second { background: var(--surface); border-color: var(--line); color: var(--ink); }
@media (hover: hover) { .button.second:hover { border-color: var(--quiet); } }
.button.bare { background: none; color: var(--ink); font-weight: 500; text-decoration: underline; text-underline-offset: .2em; min-height: 2.75rem; }
.button.danger { background: var(--surface); border-color: var(--bad); color: var(--bad); }
.actions { display: grid; gap: .55rem; margin-top: auto; padding-top: .2rem; }
.notice { display: grid; gap: .8rem; justify-items: center; text-align: center; padding: 1.6rem 1rem; }
.notice p { max-width: 34ch; color: var(--quiet); }
.sign {
  display: grid; place-items: center; width: 4rem; height: 4rem; border-radius: 50%;
  background: var(--accent-soft); color: var(--accent);
}
.sign svg { width: 2rem; height: 2rem; fill: none; stroke: currentColor; stroke-width: 2.4; stroke-linecap: round; stroke-linejoin: round; }
.good .sign { background: var(--good-soft); color: var(--good); }
.bad .sign { background: var(--bad-soft); color: var(--bad); }
.wait .sign { background: var(--wait-soft); color: var(--wait); }
.offline {
  position: fixed; inset: auto .75rem .75rem; z-index: 2; max-width: 27rem; margin-inline: auto; padding: .7rem .9rem;
  border-radius: 12px; background: var(--ink); color: var(--ground); font-size: .9rem; text-align: center;
}
.spinner { width: 1.1em; height: 1.1em; border-radius: 50%; border: .18em solid currentColor; border-right-color: transparent; animation: turn 1s linear infinite; }
.sign .spinner { width: 1.9rem; height: 1.9rem; }
@keyframes turn { to { transform: rotate(1turn); } }
@media (prefers-reduced-motion: reduce) {
  *, *::before, *::after { animation: none !important; transition: none !important; }
  .spinner { border-right-color: currentColor; opacity: .6; }
}
@media (forced-colors: active) { .button, .card, .key, .chip { border-color: ButtonText; } }
`;

/** The withdrawal page: amount, shop and code. A code is black on white in every theme. */
const withdrawalStyle = `
.sum { display: grid; gap: .05rem; text-align: center; }
.sum .amount { font-size: 2.5rem; font-weight: 750; line-height: 1.1; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
.sum .store { color: var(--quiet); font-weight: 600; overflow-wrap: anywhere; }
.lead { text-align: center; display: grid; gap: .25rem; }
.lead p { color: var(--quiet); }
.codes { display: grid; justify-items: center; gap: .35rem; padding: .5rem .25rem .7rem; border-radius: var(--radius); background: #fff; color: #000; border: 1px solid var(--line); }
.codes .code { display: block; max-width: 100%; height: auto; }
.codes .linear .code { width: 100%; }
.codes .linear, .codes .matrix { max-width: 100%; }
.codes .linear { width: 100%; display: grid; justify-items: center; }
.codes .matrix .code { width: 11.5rem; }
.code-text { font: 600 1.05rem/1.3 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; letter-spacing: .06em; user-select: all; }
.enlarge { border: 1px solid #6b7a76; border-radius: 999px; background: #fff; color: #10211d; min-height: 2.75rem; padding: .3rem 1.1rem; font: inherit; font-weight: 600; cursor: pointer; display: inline-flex; align-items: center; gap: .5rem; }
.enlarge svg { width: 1.1rem; height: 1.1rem; fill: none; stroke: currentColor; stroke-width: 2.2; stroke-linecap: round; stroke-linejoin: round; }
.advice { display: flex; gap: .6rem; align-items: flex-start; font-size: .85rem; color: var(--quiet); }
.advice svg { flex: none; width: 1.25rem; height: 1.25rem; margin-top: .1rem; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; }
.left { display: flex; align-items: baseline; justify-content: center; gap: .4rem; color: var(--quiet); }
.left b { color: var(--ink); font-size: 1.1rem; font-variant-numeric: tabular-nums; }
.left.soon b { color: var(--bad); }
.ring { position: relative; width: 8.5rem; height: 8.5rem; margin-inline: auto; display: grid; place-items: center; }
.ring svg { position: absolute; inset: 0; transform: rotate(-90deg); fill: none; stroke-width: 7; }
.ring .track { stroke: var(--line); }
.ring .run { stroke: var(--accent); stroke-linecap: round; stroke-dasharray: 100; transition: stroke-dashoffset 1s linear; }
.ring.soon .run { stroke: var(--bad); }
.ring b { font-size: 2.4rem; line-height: 1; font-variant-numeric: tabular-nums; }
.outcome { flex: 1; display: grid; align-content: center; justify-items: center; gap: .8rem; text-align: center; padding-block: 1.2rem; }
.outcome p { max-width: 34ch; color: var(--quiet); }
.outcome .amount { font-size: 2.2rem; font-weight: 750; letter-spacing: -.02em; color: var(--ink); font-variant-numeric: tabular-nums; }
.pulse .sign { animation: pulse 1.6s ease-in-out infinite; }
@keyframes pulse { 50% { box-shadow: 0 0 0 .7rem var(--wait-soft); } }
dialog { border: 0; padding: 0; }
dialog.big { width: 100vw; height: 100dvh; max-width: none; max-height: none; background: #fff; color: #000; }
.big-inside { height: 100%; display: grid; grid-template-rows: 1fr auto; justify-items: center; align-items: center; gap: .5rem; padding: .75rem .5rem; }
.big-codes { width: 100%; height: 100%; min-height: 0; display: flex; align-items: center; justify-content: center; }
.big-codes .code { max-width: 100%; max-height: 100%; }
.big-codes { position: relative; overflow: hidden; }
.turned .code { position: absolute; top: 50%; left: 50%; translate: -50% -50%; max-width: none; max-height: none; }
.big-bar { display: flex; gap: .6rem; width: 100%; max-width: 27rem; }
.big-bar button { flex: 1; min-height: 3rem; border: 1px solid #6b7a76; border-radius: 14px; background: #fff; color: #10211d; font: inherit; font-weight: 650; cursor: pointer; }
.big-bar button[aria-pressed="true"] { background: #10211d; color: #fff; }
.confirm { width: min(24rem, calc(100vw - 2rem)); border-radius: var(--radius); background: var(--surface); color: var(--ink); padding: 1.2rem; }
.confirm::backdrop { background: #0009; }
.confirm p { margin-bottom: 1rem; font-size: 1.05rem; font-weight: 600; }
.facts { display: grid; gap: .6rem; width: 100%; }
.facts div { display: flex; justify-content: space-between; gap: 1rem; align-items: baseline; }
.facts dt { color: var(--quiet); }
.facts dd { font-weight: 650; text-align: right; overflow-wrap: anywhere; }
.facts .large dd { font-size: 1.9rem; font-weight: 750; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
`;

/** The whole style sheet. */
export const style = [base, amountStyle, withdrawalStyle, homeStyle].join("\n");
