/** What the updates need from the world: a feed, a place for what was fetched, and a way to install it. Adapters lie beside the desktop host. */
import type { UpdateSettings, UpdateTrouble } from "../../preload/contract.ts";
import type { KeptVersion } from "./update-file.ts";

/** Result of a check. */
export type CheckResult =
  | { readonly kind: "none" }
  | { readonly kind: "found"; readonly version: string }
  | { readonly kind: "failed"; readonly why: UpdateTrouble; readonly detail: string };

/** A version that was downloaded to this machine, with the hash that its signed feed names. */
export interface Fetched {
  readonly version: string;
  readonly file: string;
}

/** Copies kept before an installation. */
export interface KeptFiles {
  /** Of the running version; null where there was nothing to keep, or no room. */
  readonly previous: KeptVersion | null;
  /** Of the fetched one, for the update after it; null where the system keeps it by itself. */
  readonly next: KeptVersion | null;
}

/** A version was not downloaded: the disk, which the journal is on, has no space for it. */
export class NoDiskSpace extends Error {}

/** Where new versions come from and how they replace this program. */
export interface UpdateSource {
  /** Whether a new version starts without a person: the system asks for no password, and no option has to be typed again. */
  readonly isUnattended: boolean;
  /** Never rejects. */
  check(channel: UpdateSettings["channel"]): Promise<CheckResult>;
  /** Downloads what the last check found. Rejects when it does not arrive whole, or with NoDiskSpace. @param progress in percent. */
  fetch(progress: (percent: number) => void): Promise<Fetched>;
  /** Whether the file is still the one that the feed was signed for. Never rejects. */
  isWhole(fetched: Fetched): Promise<boolean>;
  /** Keeps a copy that can bring the running version back. Never rejects. */
  keepRunningVersion(fetched: Fetched): Promise<KeptFiles>;
  /** Exits this program in order and starts the installation. Nothing of the terminal may be used afterwards. */
  install(): void;
}
