/** Headers of every answer. The answers are data: no browser may run, frame, guess or keep them. */
import { requestIdHeader } from "./request-id.ts";

/** On every answer. */
export const baseHeaders = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
} as const;

/** The same for an answer in JSON, written out by value: spreading objects costs more than the rest of an answer. */
export const jsonHeaders = (requestId: string): Record<string, string> => ({
  "Content-Type": "application/json",
  "Cache-Control": baseHeaders["Cache-Control"],
  "X-Content-Type-Options": baseHeaders["X-Content-Type-Options"],
  "Content-Security-Policy": baseHeaders["Content-Security-Policy"],
  [requestIdHeader]: requestId,
});
