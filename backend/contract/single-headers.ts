/** Headers that may stand once: Node keeps the first of some and joins others, a proxy may take the last. */
const onceOnly: readonly string[] = ["host", "authorization", "content-length", "content-type", "cookie", "origin"];

/** @param rawHeaders names and values in turn, as `node:http` has them. */
export const hasDoubledHeader = (rawHeaders: readonly string[]): boolean => {
  let seen = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const place = onceOnly.indexOf(rawHeaders[at]?.toLowerCase() ?? "");
    if (place === -1) continue;
    if (seen & (1 << place)) return true;
    seen |= 1 << place;
  }
  return false;
};
