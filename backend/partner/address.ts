/** Where a bank may be called (conventions, "The service's address and how it starts"). */
import { isServiceUrl } from "../contract/service-url.ts";
import { isUnsafeHost } from "../network.ts";

/**
 * What is wrong with an address of a bank, as the end of a sentence; `null` when it may be called.
 * @param sandbox plain http is allowed to every host: no real money moves there.
 */
export const addressProblem = (text: string, sandbox: boolean): string | null => {
  if (!URL.canParse(text)) return "must be an address that begins with https://";
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (protocol !== "https:" && protocol !== "http:") return "must be an address that begins with https://";
  if (username !== "" || password !== "") return "must not hold a user or a password";
  if (search !== "" || hash !== "") return "must not hold ? or #";
  if (isUnsafeHost(hostname)) return `must not point to ${hostname}, where no bank can be`;
  if (!sandbox && !isServiceUrl(text)) return "must be https (plain http is for this very machine alone)";
  return null;
};
