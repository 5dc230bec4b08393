/**
 * This page's session with the host that served it. It is kept by the page's origin and sent in a header: browsers give
 * cookies of 127.0.0.1 to every port there, and an origin's storage to no other port. The host ends it with itself; what answers at
 * this port afterwards may be another program, so each answer has to prove that it is the host's.
 */

const sessionItem = "till-session";
const hostKeyItem = "till-host-key";
const entryHash = /^#enter=([\w-]{1,100})$/;
/** The host's page that says how to open the terminal. */
const entryPath = "/enter";
const challengeHeader = "till-challenge";
const proofHeader = "till-proof";

/** Used where storage is forbidden: the session then lasts as long as the page. */
const inMemory = new Map<string, string>();

const read = (item: string): string => {
  try {
    return localStorage.getItem(item) ?? inMemory.get(item) ?? "";
  } catch {
    return inMemory.get(item) ?? "";
  }
};

const keep = (item: string, value: string): void => {
  inMemory.set(item, value);
  try {
    localStorage.setItem(item, value);
  } catch {
    // Full or forbidden: see above.
  }
};

/** Exchanges the one-time token in the address for a session; a page without one keeps the stored session. */
const signIn = async (): Promise<void> => {
  const token = entryHash.exec(location.hash)?.[1];
  if (token === undefined) return;
  const answer = await fetch(entryPath, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  history.replaceState(null, "", location.pathname);
  if (!answer.ok) return;
  const { session, hostKey } = (await answer.json()) as { session?: unknown; hostKey?: unknown };
  if (typeof session !== "string" || typeof hostKey !== "string") return;
  keep(sessionItem, session);
  keep(hostKeyItem, hostKey);
};

let signingIn: Promise<void> | null = null;

const hex = (bytes: Iterable<number>): string => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

const proofFor = async (challenge: string, hostKey: string): Promise<string> => {
  const text = new TextEncoder();
  const way = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", text.encode(hostKey), way, false, ["sign"]);
  const signed = await crypto.subtle.sign("HMAC", key, text.encode(`${challenge} ${location.host}`));
  return hex(new Uint8Array(signed));
};

/**
 * Sends a request with this page's session. A page without one, and one whose session the host no longer knows, goes to the host's
 * entry page. Rejects when another program answered.
 */
export const askHost = async (path: string, init: RequestInit = {}): Promise<Response> => {
  signingIn ??= signIn().catch((error: unknown) => {
    signingIn = null;
    throw error;
  });
  await signingIn;
  const hostKey = read(hostKeyItem);
  if (hostKey === "") {
    location.replace(entryPath);
    throw new Error("this page did not come in");
  }
  const challenge = hex(crypto.getRandomValues(new Uint8Array(16)));
  const own = { authorization: `Bearer ${read(sessionItem)}`, [challengeHeader]: challenge };
  const answer = await fetch(path, { ...init, headers: { ...init.headers, ...own } });
  if (answer.headers.get(proofHeader) !== (await proofFor(challenge, hostKey)))
    throw new Error("another program answers in the terminal's place");
  if (answer.status === 401) location.replace(entryPath);
  return answer;
};

/** Reloads when a new one-time address is opened in this tab: a changed hash alone loads nothing. */
export const watchForEntry = (): void =>
  window.addEventListener("hashchange", () => {
    if (entryHash.test(location.hash)) location.reload();
  });
