/** Updates of the program: what a manager sets and asks for, and what the screens know of them. */
import { z } from "zod";
import { updateChannels } from "./choices.ts";

/** An hour of the day on this terminal's clock: `02:30`. */
const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);

/** The settings about updates. */
export const updateSettingsSchema = z.object({
  /** Looks for new versions and fetches them. False: nothing is asked and nothing installed. */
  enabled: z.boolean().default(true),
  channel: z.enum(updateChannels).default("latest"),
  /** When a version may be installed by itself; over midnight where `to` is before `from`. Null: at any time of day. */
  window: z.object({ from: timeOfDay, to: timeOfDay }).nullable().default(null),
});
/** The settings about updates. */
export type UpdateSettings = z.infer<typeof updateSettingsSchema>;

/** The commands about updates; `commands.ts` puts them among the others. */
export const updateCommandSchemas = [
  /** Looks for a new version now. Refused as `busy` while it is being looked or fetched, and as `invalid` where there are no updates. */
  z.object({ type: z.literal("look_for_update") }),
  /** A manager agrees: installs `version`, which was fetched, now. Refused as `busy` while money or a report is open. */
  z.object({ type: z.literal("install_update"), version: z.string().min(1).max(64) }),
] as const;
/** Commands about updates. */
export type UpdateCommand = z.infer<(typeof updateCommandSchemas)[number]>;

/** Why a feed is not believed. `replayed`: an older one than was seen here before. */
export type FeedTrouble = "unsigned" | "wrong_signature" | "malformed" | "other_feed" | "replayed" | "expired";
/** Why there is no new version. `download`: it did not arrive whole; `no_room`: the disk has no room for it. */
export type UpdateTrouble = FeedTrouble | "unreachable" | "download" | "no_room";

/** What a version that was fetched waits for. `manager`: it is installed on request alone. */
export type UpdateWait = "withdrawal" | "report" | "printing" | "day" | "window" | "quiet" | "manager";

/** How far it is. */
export type UpdateProgress =
  | { readonly kind: "off" }
  /** Nothing newer is known. `lookedAt`: the last good look, ISO 8601; null before the first. */
  | { readonly kind: "idle"; readonly lookedAt: string | null; readonly trouble: UpdateTrouble | null }
  | { readonly kind: "looking" }
  | { readonly kind: "downloading"; readonly version: string; readonly percent: number }
  /** `failedBefore`: it was installed once and did not start, or its installation failed. */
  | {
      readonly kind: "ready";
      readonly version: string;
      readonly waitsFor: UpdateWait | null;
      readonly failedBefore: boolean;
    }
  | { readonly kind: "installing"; readonly version: string };

/** What every screen knows of updates. */
export interface UpdateStatus {
  readonly progress: UpdateProgress;
  /** Installs without a person; elsewhere the system asks for an administrator, so that a manager must begin it. */
  readonly isUnattended: boolean;
}
