/**
 * Runs in the browser. Asks the server to answer when the status is no longer the one shown, then puts the new page in.
 * Uses nothing outside itself: its own text is served as the script (see theme/assets.ts).
 */
export function live(): void {
  const pauseMs = { first: 500, max: 10_000 };
  const failuresBeforeOffline = 2;
  let failures = 0;
  let wake: AbortController | null = null;

  const main = () => document.querySelector<HTMLElement>("main[data-live]");
  let endPause = (): void => {};
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      endPause = resolve;
      setTimeout(resolve, ms);
    });

  const showOffline = (offline: boolean): void => {
    const banner = document.querySelector<HTMLElement>("#offline");
    if (!banner || banner.hidden !== offline) return;
    banner.hidden = !offline;
    banner.textContent = offline ? (banner.dataset.text ?? "") : "";
  };

  const swap = async (): Promise<void> => {
    const reply = await fetch(location.pathname + location.search, {
      headers: { accept: "text/html" },
      cache: "no-store",
    });
    const fresh = new DOMParser().parseFromString(await reply.text(), "text/html");
    const before = document.querySelector("main");
    const after = fresh.querySelector("main");
    if (!before || !after) throw new Error("not a page of ours");
    const hadFocus = before.contains(document.activeElement);
    before.replaceWith(after);
    document.title = fresh.title;
    const heading = after.querySelector<HTMLElement>("h1");
    if (hadFocus) heading?.focus();
    const announcement = document.querySelector("#announcement");
    if (announcement) announcement.textContent = after.dataset.say ?? heading?.textContent ?? "";
    if (after.dataset.urgent !== undefined) navigator.vibrate?.([200, 100, 200]);
    document.dispatchEvent(new Event("tillcash:page"));
  };

  const poll = async (element: HTMLElement): Promise<void> => {
    wake = new AbortController();
    const reply = await fetch(element.dataset.live ?? "", {
      headers: { accept: "application/json" },
      cache: "no-store",
      signal: wake.signal,
    });
    if (reply.status === 404) return location.reload();
    if (!reply.ok) throw new Error(`status ${reply.status}`);
    const { status } = (await reply.json()) as { status: string };
    if (status !== element.dataset.status) return swap();
    await pause(pauseMs.first);
  };

  const follow = async (): Promise<void> => {
    for (let element = main(); element !== null; element = main()) {
      try {
        await poll(element);
        failures = 0;
        showOffline(false);
      } catch (error) {
        if (error instanceof DOMException && error.name === "AbortError") continue;
        failures += 1;
        showOffline(!navigator.onLine || failures >= failuresBeforeOffline);
        await pause(Math.min(pauseMs.max, pauseMs.first * 2 ** failures));
      }
    }
  };
  /** A phone that wakes up, or comes back by its history, may hold a dead request and an old page. */
  const again = (): void => {
    wake?.abort();
    endPause();
  };
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") again();
  });
  addEventListener("online", again);
  addEventListener("offline", () => {
    if (main() !== null) showOffline(true);
    again();
  });
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
  void follow();
}
