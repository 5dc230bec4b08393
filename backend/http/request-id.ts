/** X-Request-Id: what the caller sent, if it can be echoed and logged as it is; else a random one. */

export const requestIdHeader = "X-Request-Id";
export const requestIdLengthMax = 255;

/** Visible ASCII, spaces inside: safe in a header, in a log line and in a terminal. */
const sane = new RegExp(`^[\\x21-\\x7e]([\\x20-\\x7e]{0,${requestIdLengthMax - 2}}[\\x21-\\x7e])?$`);

export const isSaneRequestId = (text: string): boolean => sane.test(text);

/** A header value that reached us holds no control characters but tab: any of at most 255 characters comes back (4.9). */
export const isEchoableRequestId = (text: string): boolean => text !== "" && text.length <= requestIdLengthMax;
