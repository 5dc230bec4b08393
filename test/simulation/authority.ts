/** Promise 15: what a till asks of its people never becomes less by what somebody does to its files. */
import type { Settings, Snapshot } from "../../preload/contract.ts";

/** Follows the settings that a till goes by. */
export interface AuthorityWatch {
  shows(snapshot: Snapshot): void;
}

/** Before the journal is open nobody hands anything out. */
const isClosed = ({ screen }: Snapshot): boolean => ["starting", "blocked", "setup"].includes(screen.kind);

const lessThan = (before: Settings, { confirmHandOver, drawer, people, drawerMoney }: Settings): string | null => {
  if (before.confirmHandOver && !confirmHandOver) return "takes an open drawer for cash that was handed over";
  if (before.drawer.kind !== drawer.kind) return `opens its drawer as ${drawer.kind}`;
  if (before.people.cashiersSignIn && !people.cashiersSignIn) return "lets everybody to the counter";
  if (before.drawerMoney.enabled && !drawerMoney.enabled) return "does not count its drawer any more";
  const isLess = before.drawerMoney.managerFor.some((right) => !drawerMoney.managerFor.includes(right));
  return isLess ? "asks no manager any more" : null;
};

/** No manager changes these settings in a story: what the till went by first is the least. @param broken is told what is less. */
export const watchAuthority = (broken: (text: string) => void): AuthorityWatch => {
  let first: Settings | null = null;
  return {
    shows(snapshot) {
      if (isClosed(snapshot)) return;
      first ??= snapshot.settings;
      const less = lessThan(first, snapshot.settings);
      if (less !== null) broken(`${less} after its file of settings was changed`);
    },
  };
};
