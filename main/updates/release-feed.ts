/** Where this build looks for updates and whose signature it believes: part of the program, changed by a release alone. */
import type { KeyObject } from "node:crypto";
import { z } from "zod";
import { isServiceUrl } from "../../backend/contract/service-url.ts";
import written from "./release-feed.json" with { type: "json" };
import { publicKeyFrom } from "./signed-feed.ts";

const schema = z.object({
  /** Https; ends in a slash. */
  url: z.url().refine((url) => isServiceUrl(url) && url.endsWith("/")),
  /** Public Ed25519 keys, DER in base64: the current one, and a second one during a rotation. */
  keys: z.array(z.string()).max(2),
});

/** The feed of a release. */
export interface ReleaseFeed {
  readonly url: string;
  readonly keys: readonly KeyObject[];
}

/** Null where no key is named: such a build takes no updates. @throws ZodError, or Error for a key that is not Ed25519. */
export const releaseFeedOf = (document: unknown): ReleaseFeed | null => {
  const { url, keys } = schema.parse(document);
  return keys.length === 0 ? null : { url, keys: keys.map(publicKeyFrom) };
};

/** The feed of this build; null: it takes no updates. */
export const releaseFeed = (): ReleaseFeed | null => releaseFeedOf(written);
