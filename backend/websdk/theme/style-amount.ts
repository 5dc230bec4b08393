/** The amount page: what is typed in the middle, keys a thumb can hit without looking. */
export const amountStyle = `
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
