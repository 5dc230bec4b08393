/** Headers that may stand once: Node keeps the first of some and joins others, a proxy may take the last. */
const onceOnly: readonly string[] = ["host", "authorization", "content-length", "content-type", "cookie", "origin"];

/** @param rawHeaders names and values in turn, as `node:http` has them. */
export const hasDoubledHeader = (rawHeaders: readonly string[]): boolean => {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? "";
    if (!onceOnly.includes(name)) continue;
    if (seen.has(name)) return true;
    seen.add(name);
  }
  return false;
};
