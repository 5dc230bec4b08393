import type { Cleared } from "../../preload/contract.ts";

/** CSV cells of a cleared discrepancy: time, manager, note; empty where there is none. */
export const clearedCells = (cleared: Cleared | null) => [
  cleared?.at ?? null,
  cleared?.by ?? null,
  cleared?.note ?? null,
];
