/** Looks at the drawer's sensor now and then: a drawer that opens without an order of ours is written down, once each time. */
import { drawerSettleMs, drawerWatchMs, drawerWatchSilentMs } from "./bounds.ts";
import type { Core } from "./core.ts";
import type { Cancel, Drawer, DrawerState, Ports } from "./ports.ts";
import { foundOpenAct, hasManyOpenings } from "./withdrawal/problems.ts";
import { activeWithdrawal, hasSensor } from "./withdrawal/state.ts";

/** The drawer as everybody uses it, watched. */
export interface DrawerWatch {
  /** All orders and looks go through it: an order explains the opening behind it, and each look counts. */
  readonly drawer: Drawer;
  start(): void;
  stop(): void;
}

/** @param found writes an opening down; `who` are the codes of those who are signed in. */
export const createDrawerWatch = (
  { clock, drawer }: Pick<Ports, "clock" | "drawer">,
  core: () => Pick<Core, "state">,
  found: (act: string, who: string | null) => void,
): DrawerWatch => {
  let cancel: Cancel | null = null;
  /** `explained`: open by an order of ours or written down already, or nobody knows how it stood before. */
  let last: "closed" | "explained" = "explained";
  /** A look during an order, or across one, says nothing. */
  let orders = 0;
  let underWay = 0;
  let orderedAtMs = Number.NEGATIVE_INFINITY;

  const ordered = (): void => {
    orders += 1;
    orderedAtMs = clock.monotonicMs();
    last = "explained";
  };

  const take = (now: DrawerState): void => {
    const { state } = core();
    // A slow drawer may still be shut a moment after its order.
    if (now === "closed" && clock.monotonicMs() - orderedAtMs >= drawerSettleMs) last = "closed";
    if (now !== "open" || last !== "closed") return;
    last = "explained";
    // A drawer that did not obey is opened by its key, as the screen says.
    if (activeWithdrawal(state)?.stage.kind === "opening" || hasManyOpenings(state.drawerProblems)) return;
    const { cashier, manager } = state.people;
    found(foundOpenAct, [...new Set([cashier?.code, manager?.code])].filter(Boolean).join(", ") || null);
  };

  const watched: Drawer = {
    async open() {
      ordered();
      underWay += 1;
      try {
        return await drawer.open();
      } finally {
        underWay -= 1;
        ordered();
      }
    },
    async state() {
      const before = orders;
      const now = await drawer.state();
      if (before === orders && underWay === 0 && hasSensor(core().state.settings)) take(now);
      return now;
    },
  };

  const look = async (): Promise<void> => {
    const { phase, blocked, settings } = core().state;
    const isWatched = phase === "running" && blocked === null && hasSensor(settings);
    const now = isWatched ? await watched.state().catch((): DrawerState => "unknown") : "unknown";
    if (cancel !== null) later(now === "unknown" ? drawerWatchSilentMs : drawerWatchMs);
  };
  const later = (delayMs: number): void => {
    cancel = clock.after(delayMs, () => void look());
  };

  return {
    drawer: watched,
    start: () => later(drawerWatchMs),
    stop() {
      cancel?.();
      cancel = null;
    },
  };
};
