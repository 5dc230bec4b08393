/** What the updates need from the world: a feed, a place for what was fetched, and a way to install it. Adapters lie beside the desktop host. */
import type { UpdateSettings, UpdateTrouble } from "../../preload/contract.ts";
import type { KeptVersion } from "./update-file.ts";

/** What a look into the feed came to. */
export type Looked =
  | { readonly kind: "none" }
  | { readonly kind: "found"; readonly version: string }
  | { readonly kind: "failed"; readonly why: UpdateTrouble; readonly detail: string };

/** A version that lies on this machine, with the hash that its feed was signed with. */
export interface Fetched {
  readonly version: string;
  readonly file: string;
}

/** What was kept before an installation. */
export interface KeptFiles {
  /** Of the running version; null where there was nothing to keep, or no room. */
  readonly previous: KeptVersion | null;
  /** Of the fetched one, for the update after it; null where the system keeps it by itself. */
  readonly next: KeptVersion | null;
}

/** A version was not fetched: the disk, which the journal is on, has no room for it. */
export class NoRoom extends Error {}

/** Where new versions come from and how they get into this program's place. */
export interface UpdateSource {
  /** Whether a new version comes up without a person: the system asks for no password, and nothing has to be typed again. */
  readonly isUnattended: boolean;
  look(channel: UpdateSettings["channel"]): Promise<Looked>;
  /** Fetches what the last look found. Rejects when it does not arrive whole, or with NoRoom. @param progress in percent. */
  fetch(progress: (percent: number) => void): Promise<Fetched>;
  /** Whether the file is still the one that the feed was signed for. Never rejects. */
  isWhole(fetched: Fetched): Promise<boolean>;
  /** Keeps what can bring the running version back. Never rejects. */
  keepPresent(fetched: Fetched): Promise<KeptFiles>;
  /** Ends this program in order and starts the installation. Nothing of the terminal may be used afterwards. */
  install(): void;
}
