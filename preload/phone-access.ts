/** In training a real phone in the shop's network can play the customer: commands and state for the screens. */
import { z } from "zod";
import { command } from "./command.ts";

/** Commands about the phone's access. */
export const phoneAccessCommands = [
  /**
   * Training, a manager who is signed in: opens the customer's pages to the shop's network for an hour, on one private
   * address of this machine; null takes the likeliest. Refused as `no_private_network`, and as `stale` for an address that
   * this machine no longer has.
   */
  command("open_phone_access", "known_manager", "phone", { address: z.ipv4().nullable() }),
  /** Ends it at once; does nothing where it is not open. */
  command("close_phone_access", "counter", "phone"),
] as const;

/** Where a phone in the shop's network finds the customer's pages. */
export interface PhoneAccess {
  /** Holds the code that lets a phone in. */
  readonly url: string;
  /** The URL as a QR code: `size` modules including the quiet zone, the dark ones as the `d` of an SVG path. */
  readonly qr: { readonly size: number; readonly path: string };
  /** When it ends by itself: wall clock, milliseconds since the epoch. */
  readonly untilMs: number;
  /** Other private addresses of this machine, by the names of their network cards. */
  readonly others: readonly { readonly address: string; readonly card: string }[];
}
