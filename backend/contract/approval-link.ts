/** The link that leads a customer into the bank's app (`partners set --sca-url`): a template, and what may be one. */
import { isLoopbackHost } from "./service-url.ts";

/** Becomes the withdrawal's id. */
const idPlace = "{transaction_id}";
const lengthMax = 2_048;

/** What browsers run or read themselves, what the operating system opens with a program of its own, or what is no way to an app. */
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
/** Families of the systems and browsers, of which there are new ones each year. */
const refusedFamilies =
  /^(?:ms-|microsoft-|windows|search-|chrome-?|moz-|x-apple|x-man-|com\.apple\.|itms-|app-settings)/;
/** Scheme and `://`: without it readers differ in what is the host (`https:/x`). */
const schemeAndPlace = /^(?:https?:\/\/[^/]|(?!https?:)[a-z][a-z0-9+.-]*:\/\/)/i;

const fill = (template: string, id: string): string => template.replaceAll(idPlace, id);

/**
 * Whether a template is a way to an app: https, http on this very machine, or the app's own scheme, `://` and the place for the id behind
 * scheme and host. Visible ASCII without quotes and angle brackets alone, so that every reader finds the same scheme in it.
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

/** The link of one withdrawal; null where the bank has set none, or one that must not be followed. */
export const approvalLink = (template: string | null, transactionId: string): string | null =>
  template === null || !isApprovalTemplate(template) ? null : fill(template, encodeURIComponent(transactionId));
