/** Headers that may stand once: Node keeps the first of some and joins others, a proxy may take the last. */
const onceOnly: readonly string[] = ["host", "authorization", "content-length", "content-type", "cookie", "origin"];

/** @param rawHeaders names and values in turn, as `node:http` has them. */
export const hasDoubledHeader = (rawHeaders: readonly string[]): boolean => {
  const names = rawHeaders.flatMap((text, at) => (at % 2 === 0 ? [text.toLowerCase()] : []));
  const once = names.filter((name) => onceOnly.includes(name));
  return new Set(once).size < once.length;
};
