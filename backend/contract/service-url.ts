/** Which addresses may be called. Free of dependencies: the set-up screen checks with it too. */

/** This very machine, by any of its names. @param hostname as `URL` gives it: lower case, IPv6 in brackets. */
export const isLoopbackHost = (hostname: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);

/** An address as a person types it: `cash.example.com` is one of https; whatever names a scheme stays as it is. */
export const completeServiceUrl = (typed: string): string => {
  const text = typed.trim();
  return text === "" || /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`;
};

/** https, or plain http on this very machine: everywhere else secrets and orders must not travel in the open. */
export const isServiceUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || (protocol === "http:" && isLoopbackHost(hostname));
};
