/** The headers of all answers; `listen.ts` adds HSTS, and the port of the metrics has its own. */

/** On every answer, pages and files as well. */
export const everyAnswer = { "X-Content-Type-Options": "nosniff" } as const;

/** On every answer that is no page of the web SDK or the sandbox: those add what a page needs. */
export const baseHeaders = {
  ...everyAnswer,
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
} as const;

/** Names a request in its answer, in the log and in the history. */
export const requestIdHeader = "X-Request-Id";

/**
 * On every answer of the API. Its Date is the time by which the service works: the one that Node would add is the machine's, which
 * may have been set back meanwhile, and terminals compare what a withdrawal says of times with this one.
 */
export const answerHeaders = (requestId: string, nowMs: number): Record<string, string> => ({
  ...baseHeaders,
  Date: new Date(nowMs).toUTCString(),
  [requestIdHeader]: requestId,
});
