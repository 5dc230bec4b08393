import type { Cleared } from "../../preload/contract.ts";

/** A manager's word; empty cells where there is none. */
export const clearedCells = (cleared: Cleared | null) => [
  cleared?.at ?? null,
  cleared?.by ?? null,
  cleared?.note ?? null,
];
