/** The till's page in a browser: from the host's one-time address, or enrolled before it is opened. */
import path from "node:path";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from "@playwright/test";
import { findChromium } from "../../chromium.ts";
import { dispatchTo, signIn } from "./bridge-client.ts";
import { type Film, writeFilm } from "./camera-stream.ts";
import { enrolment } from "./set-up.ts";
import { openTillPage, type TillPage } from "./till-page.ts";

const fakeCamera = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"];

/** Chromium's fake camera plays one file for its whole life: a film needs a browser of its own. */
export const browserFor = async (
  shared: Browser,
  film: Film | undefined,
  folder: string,
  closers: (() => Promise<unknown>)[],
): Promise<Browser> => {
  if (!film) return shared;
  const file = path.join(folder, "camera.y4m");
  writeFilm(file, film);
  const own = await chromium.launch({
    ...(await findChromium()),
    args: [...fakeCamera, `--use-file-for-fake-video-capture=${file}`],
  });
  closers.push(() => own.close());
  return own;
};

/** Opens a context of the test's browser, with these settings beside the usual ones. */
type NewContext = (settings?: BrowserContextOptions) => Promise<BrowserContext>;

/** @param entry works once; an address alone needs a session in the context. */
export const openInBrowser = async (entry: string, newContext: NewContext): Promise<TillPage> => {
  const page = await (await newContext()).newPage();
  await page.goto(entry);
  return openTillPage(page);
};

/** With the calls that the set-up makes, before the page is opened: `first-day.spec.ts` goes through its screens. */
export const openEnrolled =
  (serviceUrl: string) =>
  async (entry: string, newContext: NewContext): Promise<TillPage> => {
    const { origin } = new URL(entry);
    const { session, hostKey } = (await signIn(entry)) ?? { session: "", hostKey: "" };
    for (const command of enrolment(serviceUrl)) {
      const reply = await dispatchTo(origin, session, command);
      if (!reply.ok) throw new Error(`${command.type} was refused: ${reply.code}`);
    }
    return openInBrowser(origin, async (settings) => {
      const context = await newContext(settings);
      // Not by the context's `storageState`, for which two more pages are opened and thrown away.
      await context.addInitScript(
        ([of, ...kept]) => {
          if (location.origin !== of || localStorage.getItem("till-session") !== null) return;
          for (const [name, value] of kept) localStorage.setItem(name, value);
        },
        [origin, ["till-session", session], ["till-host-key", hostKey]] as const,
      );
      return context;
    });
  };
