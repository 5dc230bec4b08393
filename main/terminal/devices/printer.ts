/** A receipt printer: looks at it, sends the job, waits for its end. Says what is on paper, and never tries again by itself. */
import type { PrintAnswer } from "../ports.ts";
import type { Connection } from "./connection.ts";
import type { Line } from "./line.ts";
import { queryStatus, waitForEnd } from "./query-status.ts";

const sendTimeoutMs = 5_000;
/** A long receipt on a slow printer. */
const endTimeoutMs = 10_000;

type Phase =
  | { readonly kind: "checking" }
  | { readonly kind: "sending"; readonly answers: boolean; readonly paperLow: boolean }
  | { readonly kind: "ending"; readonly answers: boolean; readonly paperLow: boolean }
  | { readonly kind: "over"; readonly answer: PrintAnswer };

const over = (answer: PrintAnswer): Phase => ({ kind: "over", answer });

const checkStatus = async (line: Line, signal: AbortSignal): Promise<Phase> => {
  const status = await queryStatus(line);
  // The drawer goes first; nothing was sent yet.
  if (signal.aborted) return over({ kind: "not_printed", why: "busy" });
  if (status === null && line.silenceMeansAbsent) return over({ kind: "not_printed", why: "unreachable" });
  if (status?.trouble) return over({ kind: "not_printed", why: status.trouble });
  return { kind: "sending", answers: status !== null, paperLow: status?.paperLow ?? false };
};

const send = async (line: Line, job: Uint8Array, before: Extract<Phase, { kind: "sending" }>): Promise<Phase> => {
  const sent = await line.send(job, sendTimeoutMs);
  if (sent === "not_sent") return over({ kind: "not_printed", why: "unreachable" });
  if (sent === "maybe_sent") return over({ kind: "unclear", why: "unreachable" });
  return { ...before, kind: "ending" };
};

const end = async (line: Line, before: Extract<Phase, { kind: "ending" }>, cut: Promise<"cut">): Promise<Phase> => {
  // A printer that never says a word has taken the job: more cannot be known.
  const printed: PrintAnswer = { kind: "printed", paperLow: before.paperLow };
  if (!before.answers) return over(printed);
  const ended = await Promise.race([waitForEnd(line, endTimeoutMs), cut]);
  if (ended === "cut") return over({ kind: "unclear", why: "busy" });
  if (ended) return over(printed);
  const after = await queryStatus(line);
  return over({ kind: "unclear", why: after?.trouble ?? (after === null ? "unreachable" : "offline") });
};

/** Takes a job of ESC/POS bytes. */
export interface RawPrinter {
  /** Prints it once. Never rejects. */
  print(job: Uint8Array): Promise<PrintAnswer>;
}

/** One job at a time over the shared connection; an answer of `unclear` means that some of it may be on paper. */
export const createPrinter = (connection: Connection): RawPrinter => ({
  print: (job) =>
    connection.use("print", async (line, signal) => {
      if (line === null) return { kind: "not_printed", why: "unreachable" };
      const cut = new Promise<"cut">((resolve) => signal.addEventListener("abort", () => resolve("cut")));
      let phase: Phase = { kind: "checking" };
      for (;;) {
        if (phase.kind === "over") return phase.answer;
        if (phase.kind === "checking") phase = await checkStatus(line, signal);
        else if (phase.kind === "sending") phase = await send(line, job, phase);
        else phase = await end(line, phase, cut);
      }
    }),
});
