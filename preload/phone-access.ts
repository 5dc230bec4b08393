/** A real phone in the shop's network plays the customer, in training: what the screens ask for and are shown. */
import { z } from "zod";
import { command } from "./command.ts";

/** The commands of it. */
export const phoneAccessCommands = [
  /**
   * Training, a manager who is signed in: opens the customer's pages to the shop's network for an hour, on one private
   * address of this machine; null takes the likeliest. Refused as `no_private_network`, and as `stale` for an address that
   * this machine no longer has.
   */
  command("open_phone_access", "known_manager", "phone", { address: z.ipv4().nullable() }),
  /** Ends it at once; nothing happens where it is not open. */
  command("close_phone_access", "counter", "phone"),
] as const;

/** A command of it, checked. */
export type PhoneAccessCommand = z.infer<(typeof phoneAccessCommands)[number]["schema"]>;

/** Where a phone in the shop's network finds the customer's pages. */
export interface PhoneAccess {
  /** Holds the code that lets a phone in. */
  readonly url: string;
  /** The same as a square drawing: `size` modules with the quiet zone, the dark ones as the `d` of an SVG path. */
  readonly qr: { readonly size: number; readonly path: string };
  /** Wall clock, milliseconds since the epoch: it ends then by itself. */
  readonly untilMs: number;
  /** Other private addresses of this machine, by the names of their network cards. */
  readonly others: readonly { readonly address: string; readonly card: string }[];
}
