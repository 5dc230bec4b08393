/** A receipt printer: looks at it, sends the job, waits for its end. Says what is on paper, and never tries again by itself. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import type { PrintAnswer } from "../ports.ts";
import type { Connection, Line } from "./line.ts";
import { queryStatus, waitForEnd } from "./status.ts";

const sendTimeoutMs = 5_000;
/** A slow printer behind a receipt. */
const endTimeoutMs = 10_000;
/** A day's report can be long, and a serial line slow: one of 9,600 bits a second takes about a millisecond a byte. */
const perByteMs = 2;

type Phase =
  | { readonly kind: "checking" }
  | { readonly kind: "sending"; readonly answers: boolean; readonly paperLow: boolean }
  | { readonly kind: "ending"; readonly answers: boolean; readonly paperLow: boolean }
  | { readonly kind: "over"; readonly answer: PrintAnswer };

const over = (answer: PrintAnswer): Phase => ({ kind: "over", answer });

const checkStatus = async (line: Line): Promise<Phase> => {
  const status = await queryStatus(line);
  if (status === null && line.silenceMeansAbsent) return over({ kind: "not_printed", why: "unreachable" });
  if (status?.trouble) return over({ kind: "not_printed", why: status.trouble });
  return { kind: "sending", answers: status !== null, paperLow: status?.paperLow ?? false };
};

const send = async (line: Line, job: Uint8Array, before: Extract<Phase, { kind: "sending" }>): Promise<Phase> => {
  const sent = await line.send(job, sendTimeoutMs + job.length * perByteMs);
  if (sent === "not_sent") return over({ kind: "not_printed", why: "unreachable" });
  if (sent === "maybe_sent") return over({ kind: "unclear", why: "unreachable" });
  return { ...before, kind: "ending" };
};

const end = async (line: Line, job: Uint8Array, before: Extract<Phase, { kind: "ending" }>): Promise<Phase> => {
  // A printer that never says a word has taken the job: more cannot be known.
  const printed: PrintAnswer = { kind: "printed", paperLow: before.paperLow };
  if (!before.answers || (await waitForEnd(line, endTimeoutMs + job.length * perByteMs))) return over(printed);
  const after = await queryStatus(line);
  return over({ kind: "unclear", why: after?.trouble ?? (after === null ? "unreachable" : "offline") });
};

const nextPhase = (line: Line, job: Uint8Array, phase: Exclude<Phase, { kind: "over" }>): Promise<Phase> => {
  switch (phase.kind) {
    case "checking":
      return checkStatus(line);
    case "sending":
      return send(line, job, phase);
    case "ending":
      return end(line, job, phase);
    default:
      return assertNever(phase);
  }
};

const whenAborted = (signal: AbortSignal): Promise<"cut"> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve("cut");
    else signal.addEventListener("abort", () => resolve("cut"));
  });

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
      const cut = whenAborted(signal);
      let phase: Phase = { kind: "checking" };
      while (phase.kind !== "over") {
        if (signal.aborted && phase.kind !== "ending") return { kind: "not_printed", why: "busy" };
        const next: Phase | "cut" = await Promise.race([cut, nextPhase(line, job, phase)]);
        // The drawer goes first, also before what stalls.
        if (next === "cut") return { kind: phase.kind === "checking" ? "not_printed" : "unclear", why: "busy" };
        phase = next;
      }
      return phase.answer;
    }),
});
