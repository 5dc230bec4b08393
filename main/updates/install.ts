/** Installs the downloaded version once no customer is served, and continues when the program does not exit. */
import type { UpdateWait } from "../../preload/contract.ts";
import type { Cancel } from "../terminal/ports.ts";
import type { SearchParts, SearchState } from "./search.ts";
import { type UpdateFile, withFailed } from "./update-file.ts";

/** The program exits within seconds once an installation begins; after this time it did not. */
const exitTimeoutMs = 60_000;

/** What an installation works with. */
export interface InstallParts extends SearchParts {
  readonly file: UpdateFile;
  /** Of the running program. */
  readonly version: string;
  /** Writes into the journal that a version is about to be installed. */
  readonly record: (version: string) => void;
  /** What it has to wait for now; null when it may begin. */
  readonly waitNow: (isAgreed: boolean) => UpdateWait | null;
  readonly isClosed: () => boolean;
}

/** @param show runs after each change of `state`. */
export const createInstall = (parts: InstallParts, state: SearchState, show: () => void) => {
  const { source, file, clock, log, waitNow } = parts;
  let cancelTimeout: Cancel | null = null;

  /** The program did not exit: the terminal accepts work again. */
  const continueServing = (): void => {
    const { attempt, failed } = file.load();
    if (attempt !== null) file.save({ attempt: null, failed: withFailed(failed, attempt.to) });
    log("error", "an installation began, and the program did not exit", { version: attempt?.to });
    state.working = null;
    show();
  };

  return {
    /** @param isAgreed a manager has said so; otherwise it happens by itself. */
    async install(isAgreed: boolean): Promise<"begun" | "busy" | "failed"> {
      if (state.held === null || state.working !== null || waitNow(isAgreed) !== null) return "busy";
      const { fetched, kept } = state.held;
      const isWhole = await source.isWhole(fetched);
      if (state.held?.fetched !== fetched) return "busy";
      if (!isWhole) {
        [state.held, state.trouble] = [null, "download"];
        show();
        return "failed";
      }
      // Hashing the file took a moment, in which a customer may have come.
      if (state.working !== null || parts.isClosed() || waitNow(isAgreed) !== null) return "busy";
      const attempt = { from: parts.version, to: fetched.version, starts: 0, ...kept };
      // Without the record a start that fails could not offer the rollback.
      if (!file.save({ attempt })) return "failed";
      parts.record(fetched.version);
      state.working = { kind: "installing", version: fetched.version };
      show();
      source.install();
      cancelTimeout = clock.after(exitTimeoutMs, continueServing);
      return "begun";
    },
    close(): void {
      cancelTimeout?.();
    },
  };
};
