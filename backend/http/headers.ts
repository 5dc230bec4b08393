/** Headers of every answer. The answers are data: no browser may run, frame, guess or keep them. */
/** On every answer. */
export const baseHeaders = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
} as const;
