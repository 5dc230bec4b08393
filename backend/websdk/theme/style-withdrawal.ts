/** The withdrawal page: amount, shop and code. A code is black on white in every theme. */
export const withdrawalStyle = `
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
