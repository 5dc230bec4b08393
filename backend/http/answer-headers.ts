/** Headers of all answers; `listen.ts` adds HSTS, and the metrics port has its own. */

/** Headers of every answer, pages and files included. */
export const everyAnswer = { "X-Content-Type-Options": "nosniff" } as const;

/** Headers of every answer except the pages of web SDK and sandbox. */
export const baseHeaders = {
  ...everyAnswer,
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
} as const;

/** Identifies a request in its answer, in the log and in the history. */
export const requestIdHeader = "X-Request-Id";

/**
 * Headers of API answers. `Date` is the service's own clock: Node's would be the machine's, which may have been set
 * back, and terminals compare a withdrawal's times with it.
 */
export const answerHeaders = (requestId: string, nowMs: number): Record<string, string> => ({
  ...baseHeaders,
  Date: new Date(nowMs).toUTCString(),
  [requestIdHeader]: requestId,
});
