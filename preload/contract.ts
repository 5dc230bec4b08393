/**
 * All that crosses the bridge between the terminal's core and its screens: commands and queries one way, snapshots the
 * other. The host parses commands with these schemas; the renderer imports the types alone, so no schema library loads there.
 */
import type { Command, Reply } from "./commands.ts";
import type { Snapshot } from "./snapshot.ts";

export type { Language } from "./choices.ts";
export { type Symbology, symbologies } from "./choices.ts";
export * from "./commands.ts";
export * from "./credential.ts";
export type { CustomerBridge, CustomerMoment, CustomerView } from "./customer-view.ts";
export * from "./day-view.ts";
export * from "./drawer-money.ts";
export { outcomes, refusals } from "./enums.ts";
export * from "./history.ts";
export { type CheckLine, checkText } from "./machine-check.ts";
export * from "./own-service.ts";
export type { PaperLine } from "./paper-line.ts";
export type { PeopleView, PersonView, Role } from "./people.ts";
export type { PhoneAccess } from "./phone-access.ts";
export * from "./screens.ts";
export * from "./set-up.ts";
export * from "./settings.ts";
export * from "./shop.ts";
export * from "./snapshot.ts";
export * from "./updates.ts";

/** What the host puts on `window.till`, and what the core offers to hosts. */
export interface Bridge {
  dispatch(command: Command): Promise<Reply>;
  /** Calls at once with the latest snapshot, then on every change; the result stops it. */
  subscribe(listener: (snapshot: Snapshot) => void): () => void;
}
