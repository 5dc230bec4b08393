/** The link that opens the bank's app for the customer (`partners set --sca-url`): its template, and which ones are allowed. */
import { isLoopbackHost } from "./service-url.ts";

/** Placeholder for the withdrawal's id. */
const idPlace = "{transaction_id}";
const lengthMax = 2_048;

/** Schemes that a browser runs or reads itself, or that open another program than the bank's app. */
const refusedSchemes: ReadonlySet<string> = new Set(
  [
    ...["javascript", "vbscript", "data", "blob", "file", "filesystem", "about", "jar", "resource", "devtools"],
    ...["view-source", "wyciwyg", "mhtml", "mk", "res", "its", "content", "intent", "android-app", "market"],
    ...["ftp", "ftps", "sftp", "scp", "ssh", "telnet", "tn3270", "rlogin", "smb", "cifs", "nfs", "afp", "dav", "davs"],
    ...["webdav", "webdavs", "rdp", "vnc", "ldap", "ldaps", "gopher", "git", "svn", "ws", "wss", "magnet"],
    ...["mailto", "tel", "callto", "sms", "smsto", "mms", "sip", "sips", "facetime", "facetime-audio", "skype"],
    ...["feed", "feeds", "webcal", "webcals", "news", "nntp", "snews", "irc", "ircs", "geo", "maps", "bingmaps"],
    ...["search", "shell", "hcp", "help", "man", "jnlp", "cmd", "powershell", "odopen", "onenote", "outlook"],
    ...["apt", "snap", "flatpak", "appstream", "steam", "itunes", "itms", "macappstore", "itmss", "prefs"],
  ].map((scheme) => `${scheme}:`),
);
/** Prefixes of systems' and browsers' own schemes, which grow every year. */
const refusedFamilies =
  /^(?:ms-|microsoft-|windows|search-|chrome-?|moz-|x-apple|x-man-|com\.apple\.|itms-|app-settings)/;
/** Scheme and `://`: without it parsers disagree on the host (`https:/x`). */
const schemeAndPlace = /^(?:https?:\/\/[^/]|(?!https?:)[a-z][a-z0-9+.-]*:\/\/)/i;

const fill = (template: string, id: string): string => template.replaceAll(idPlace, id);

/**
 * Whether a template may be used: https, http on this machine, or an app's own scheme, with the placeholder behind
 * scheme and host. Visible ASCII without quotes and angle brackets, so that every parser finds the same scheme.
 */
export const isApprovalTemplate = (template: string): boolean => {
  if (!template.includes(idPlace) || template.length > lengthMax || !/^[\x21-\x7e]+$/.test(template)) return false;
  if (!schemeAndPlace.test(template)) return false;
  const [one, other] = [fill(template, "0"), fill(template, "1")];
  if (/["'`<>\\{}]/.test(one) || !URL.canParse(one) || !URL.canParse(other)) return false;
  const { protocol, hostname, username, password } = new URL(one);
  if (protocol !== new URL(other).protocol || hostname !== new URL(other).hostname) return false;
  if (username !== "" || password !== "" || refusedSchemes.has(protocol) || refusedFamilies.test(protocol))
    return false;
  return protocol !== "http:" || isLoopbackHost(hostname);
};

/** The link of one withdrawal; null where the bank has no template, or a disallowed one. */
export const approvalLink = (template: string | null, transactionId: string): string | null =>
  template === null || !isApprovalTemplate(template) ? null : fill(template, encodeURIComponent(transactionId));
