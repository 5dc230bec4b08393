/** Playwright's `test` without what costs time in each call and each page, and of which nobody sees or hears anything. */
import { type BrowserContext, test as base, type Page, type TestInfo } from "@playwright/test";

/**
 * The lines of Playwright and Node stand in a stack as they are; only those of the tests are looked up in their source maps. Each call
 * reads a stack: with `quietCalls` this saves a third of what the process that runs the tests takes.
 */
const withMaps = Error.prepareStackTrace;
Error.prepareStackTrace = (error, frames) => {
  const lines = frames.map((frame) => {
    if (!withMaps || !frame.getFileName()?.endsWith(".ts")) return `\n    at ${frame}`;
    const mapped = String(withMaps(error, [frame]));
    return mapped.slice(mapped.lastIndexOf("\n    at "));
  });
  return `${error.name || "Error"}: ${error.message || ""}${lines.join("")}`;
};

/** What Playwright calls for each step; not part of its interface: where it has another name, tests only take longer. */
interface StepKeeper {
  _addStep?(step: { readonly category: string }, parent?: unknown): unknown;
}

/** Nothing is kept of a call; what a call fails with says where and why. Expectations and the steps of a test stay. */
const quietCalls = (keeper: StepKeeper): void => {
  const addStep = keeper._addStep?.bind(keeper);
  if (!addStep) return;
  keeper._addStep = (step, parent) =>
    step.category === "pw:api"
      ? { steps: [], attachmentIndices: [], complete: () => undefined }
      : addStep(step, parent);
};

/** Sounds are made as ever, for a recording that nobody starts: playing them keeps two threads awake a hundred times a second. */
export const silence = (context: BrowserContext): Promise<unknown> =>
  context.addInitScript(() => {
    class Unheard extends OfflineAudioContext {
      constructor() {
        super(1, 1, 44_100);
      }
      override get state(): AudioContextState {
        return "running";
      }
      override resume(): Promise<void> {
        return Promise.resolve();
      }
    }
    window.AudioContext = Unheard as unknown as typeof AudioContext;
  });

/** For all files; `shop.ts` adds shops to it. `keptPage`: see `kept-page.ts`; opened where it is asked for. */
export const test = base.extend<{ readonly calls: undefined }, { readonly keptPage: () => Promise<Page> }>({
  calls: [
    async ({ trace }, use, testInfo) => {
      // A trace shows the calls.
      if (trace === "off") quietCalls(testInfo as TestInfo & StepKeeper);
      await use(undefined);
    },
    { auto: true },
  ],
  context: async ({ context }, use) => {
    await silence(context);
    await use(context);
  },
  // Of all tests, as a worker is started anew for a file whose workers have other fixtures.
  keptPage: [
    async ({ browser }, use) => {
      let page: Page | null = null;
      await use(async () => {
        if (page !== null) return page;
        const context = await browser.newContext();
        await silence(context);
        page = await context.newPage();
        return page;
      });
      await (page as Page | null)?.context().close();
    },
    { scope: "worker" },
  ],
});
