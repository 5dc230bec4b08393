/** Polls the drawer's sensor and records each opening that this program did not command. */
import { drawerSettleMs, drawerWatchMs, drawerWatchSilentMs } from "./bounds.ts";
import type { Core } from "./core.ts";
import type { Cancel, Drawer, DrawerState, Ports } from "./ports.ts";
import { foundOpenAct, hasManyOpenings } from "./withdrawal/problems.ts";
import { drawerPlace } from "./withdrawal/settings.ts";
import { activeWithdrawal, hasSensor } from "./withdrawal/state.ts";

/** @param found records an opening; `who` are the codes of the signed-in people. */
export const createDrawerWatch = (
  { clock, drawer }: Pick<Ports, "clock" | "drawer">,
  core: () => Pick<Core, "state">,
  found: (act: string, who: string | null) => void,
) => {
  let cancel: Cancel | null = null;
  /** `explained`: open by our command, recorded already, or its earlier state is unknown. */
  let last: "closed" | "explained" = "explained";
  /** A status that was read while a command was running, or across one, proves nothing. */
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
    // A slow drawer may still be closed shortly after the command.
    if (now === "closed" && clock.monotonicMs() - orderedAtMs >= drawerSettleMs) last = "closed";
    if (now !== "open" || last !== "closed") return;
    last = "explained";
    // While a withdrawal waits for the drawer, the screen asks to open it by key.
    if (activeWithdrawal(state)?.stage.kind === "opening" || hasManyOpenings(state.drawerProblems)) return;
    const { cashier, manager } = state.people;
    found(foundOpenAct, [...new Set([cashier?.code, manager?.code])].filter(Boolean).join(", ") || null);
  };

  const watched: Drawer = {
    async open(tried) {
      const { settings } = core().state;
      // A test of another drawer explains nothing about this one.
      if (tried !== undefined && drawerPlace(tried, settings) !== drawerPlace(settings.drawer, settings))
        return drawer.open(tried);
      ordered();
      underWay += 1;
      try {
        return await drawer.open(tried);
      } finally {
        underWay -= 1;
        ordered();
      }
    },
    async state(tried) {
      if (tried !== undefined) return drawer.state(tried);
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
    /** The drawer for all users: a command through it explains the following opening. */
    drawer: watched,
    start: () => later(drawerWatchMs),
    stop(): void {
      cancel?.();
      cancel = null;
    },
  };
};
