/** A PostgreSQL that answers questions by a part of their text, and notes what else it is told. */
import type { Run } from "../../../backend/store/partitions.ts";

/** Rows. */
export type Answer = readonly Readonly<Record<string, unknown>>[];

/** @param answers the first whose part is in the text counts; no rows to anything else. */
export const scriptedRun = (answers: Readonly<Record<string, Answer>>) => {
  const said: string[] = [];
  const run: Run = async (text) => {
    if (!text.startsWith("SELECT")) said.push(text);
    return Object.entries(answers).find(([part]) => text.includes(part))?.[1] ?? [];
  };
  return { said, run };
};
