/**
 * This page's session with the host that served it. It is kept by the page's origin and sent in a header: browsers give
 * cookies of 127.0.0.1 to every port there, and an origin's storage to no other port.
 */

const storageKey = "till-session";
const entryForm = /^#enter=([\w-]{1,100})$/;
/** Where the host says how to come in. */
const wayInPath = "/enter";

/** Where storage is forbidden the session lasts as long as the page. */
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

/** Exchanges the one-time token of the address for a session; a page that was opened without one goes on with what it has. */
const enter = async (): Promise<void> => {
  const token = entryForm.exec(location.hash)?.[1];
  if (token === undefined) return;
  const answer = await fetch(wayInPath, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  history.replaceState(null, "", location.pathname);
  if (!answer.ok) return;
  const { session } = (await answer.json()) as { session?: unknown };
  if (typeof session === "string") keep(session);
};

let entering: Promise<void> | null = null;

/** A request to the host in this page's session. Without one, or when it has ended, the page leads to how to come in. */
export const askHost = async (path: string, init: RequestInit = {}): Promise<Response> => {
  entering ??= enter().catch((error: unknown) => {
    entering = null;
    throw error;
  });
  await entering;
  const answer = await fetch(path, { ...init, headers: { ...init.headers, authorization: `Bearer ${read()}` } });
  keep(answer.headers.get("till-session"));
  if (answer.status === 401) location.replace(wayInPath);
  return answer;
};

/** Another one-time address, opened in the tab that shows the terminal already, loads nothing by itself. */
export const watchForEntry = (): void =>
  window.addEventListener("hashchange", () => {
    if (entryForm.test(location.hash)) location.reload();
  });
