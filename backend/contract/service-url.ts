/** Which addresses may be called. Free of dependencies: the set-up screen checks with it too. */

/** Whether a host name means this machine. @param hostname as `URL` gives it: lower case, IPv6 in brackets. */
export const isLoopbackHost = (hostname: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);

/** An address as a person types it: `cash.example.com` gets https; an address with a scheme is kept. */
export const completeServiceUrl = (typed: string): string => {
  const text = typed.trim();
  return text === "" || /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`;
};

/** Whether an address is https, or plain http on this machine; secrets and orders must not travel unencrypted. */
export const isServiceUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || (protocol === "http:" && isLoopbackHost(hostname));
};
