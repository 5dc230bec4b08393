/** The sandbox's start page: one column on a phone, two beside each other where there is room. */
export const homeStyle = `
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
