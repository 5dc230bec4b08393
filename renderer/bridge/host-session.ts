/**
 * This page's session with the host that served it. It is kept by the page's origin and sent in a header: browsers give
 * cookies of 127.0.0.1 to every port there, and an origin's storage to no other port.
 */

const storageKey = "till-session";
const entryHash = /^#enter=([\w-]{1,100})$/;
/** The host's page that says how to open the terminal. */
const entryPath = "/enter";

/** Used where storage is forbidden: the session then lasts as long as the page. */
let inMemory: string | null = null;

const read = (): string => {
  try {
    return localStorage.getItem(storageKey) ?? inMemory ?? "";
  } catch {
    return inMemory ?? "";
  }
};

const keep = (session: string | null): void => {
  if (session === null) return;
  inMemory = session;
  try {
    localStorage.setItem(storageKey, session);
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
  const { session } = (await answer.json()) as { session?: unknown };
  if (typeof session === "string") keep(session);
};

let signingIn: Promise<void> | null = null;

/** Sends a request with this page's session. Answered with 401, the page goes to the host's entry page. */
export const askHost = async (path: string, init: RequestInit = {}): Promise<Response> => {
  signingIn ??= signIn().catch((error: unknown) => {
    signingIn = null;
    throw error;
  });
  await signingIn;
  const answer = await fetch(path, { ...init, headers: { ...init.headers, authorization: `Bearer ${read()}` } });
  keep(answer.headers.get("till-session"));
  if (answer.status === 401) location.replace(entryPath);
  return answer;
};

/** Reloads when a new one-time address is opened in this tab: a changed hash alone loads nothing. */
export const watchForEntry = (): void =>
  window.addEventListener("hashchange", () => {
    if (entryHash.test(location.hash)) location.reload();
  });
