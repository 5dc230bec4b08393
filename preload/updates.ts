/** Updates of the program: a manager's settings and commands, and the status on the screens. */
import { z } from "zod";
import { command } from "./command.ts";

/** The commands about updates; `commands.ts` puts them among the others. */
export const updateCommands = [
  /** Checks for a new version now. Refused as `busy` during a check or a download, as `invalid` where there are no updates. */
  command("check_for_update", "manager", "updates"),
  /** A manager agrees: installs the downloaded `version` now. Refused as `busy` while money or a report is open. */
  command("install_update", "manager", "updates", { version: z.string().min(1).max(64) }),
] as const;
/** Why a feed is not trusted. `replayed`: older than one that was seen here before. */
export type FeedTrouble = "unsigned" | "wrong_signature" | "malformed" | "other_feed" | "replayed" | "expired";
/** Why there is no new version. `download`: it did not arrive whole; `no_disk_space`: it does not fit on the disk. */
export type UpdateTrouble = FeedTrouble | "unreachable" | "download" | "no_disk_space";

/** What a downloaded version waits for. `manager`: it installs only on request. */
export type UpdateWait = "withdrawal" | "report" | "printing" | "day" | "window" | "quiet" | "manager";

/** State of the updates. */
export type UpdateProgress =
  | { readonly kind: "off" }
  /** Nothing newer is known. `checkedAt`: when a check was last answered, ISO 8601; null before the first. */
  | { readonly kind: "idle"; readonly checkedAt: string | null; readonly trouble: UpdateTrouble | null }
  | { readonly kind: "checking" }
  | { readonly kind: "downloading"; readonly version: string; readonly percent: number }
  /** `failedBefore`: its installation failed before. */
  | {
      readonly kind: "ready";
      readonly version: string;
      readonly waitsFor: UpdateWait | null;
      readonly failedBefore: boolean;
    }
  | { readonly kind: "installing"; readonly version: string };

/** The status of updates in every snapshot. */
export interface UpdateStatus {
  readonly progress: UpdateProgress;
  /** Whether it installs without a person. False: the system asks for an administrator, so a manager has to start it. */
  readonly isUnattended: boolean;
}
