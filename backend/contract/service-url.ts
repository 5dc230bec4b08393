/** Which addresses a till may be connected to. Free of dependencies: the set-up screen checks with it too. */

const ownHosts: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** Plain http is for a service on the till itself; everywhere else the secret must not travel in the open. */
export const isServiceUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || (protocol === "http:" && ownHosts.includes(hostname));
};
