import type { Service } from "../context.ts";
import type { Query } from "../store/statement.ts";
import { run } from "../store/store.ts";

/** Alone with its file: what a process before this one had leased need not wait for the end of the lease. */
export const endOldLeases = async (
  { store, clock }: Service,
  endLeases: (values: { now: number }) => Query<unknown>,
): Promise<void> => {
  if (store.dialect !== "sqlite") return;
  await store.write(() => run(endLeases({ now: clock.now() }))).catch(() => {});
};
