/** A journal of a version that did not say whose it is: what its entries prove, and what of it is this terminal's. */
import type { JournalOrigin } from "../../../preload/contract.ts";
import type { Device } from "../ports.ts";
import { type Book, installationOf, isSameDevice } from "./book.ts";
import type { DurableEvent } from "./events.ts";
import { isUndecided } from "./problems.ts";
import type { State } from "./state.ts";
import { type Facts, factsOf } from "./withdrawal.ts";

/** `shop` is what a person calls the shop, or its id where the service named it no other way. */
export type Names = Pick<Facts, "terminalReference" | "shop">;

const deviceInReference = (terminalReference: string): string => terminalReference.split(".")[0] ?? "";

/** The names that the entries carry. */
export const originOf = (names: Iterable<Names>): JournalOrigin => {
  const shops = new Set<string>();
  const terminals = new Set<string>();
  for (const { terminalReference, shop } of names) {
    if (shop !== "") shops.add(shop);
    terminals.add(deviceInReference(terminalReference));
  }
  return { shops: [...shops], terminals: [...terminals] };
};

const isOfDevice = ({ terminalReference }: Names, { deviceId }: Device): boolean =>
  installationOf(deviceId, terminalReference) !== null;

const isShopItself = ({ shop }: Names, { merchantId }: Device): boolean => shop === "" || shop === merchantId;

/** Whether entries prove that they are this device's: every reference carries its name, and every shop is given by its id. */
export const provesBook = (names: Iterable<Names>, device: Device): boolean => {
  for (const one of names) if (!isOfDevice(one, device) || !isShopItself(one, device)) return false;
  return true;
};

/** Left to the books by the terminal itself. */
const left = (one: Facts, note: string): DurableEvent => ({
  type: "decided",
  withdrawal: factsOf(one),
  decision: "leave_to_books",
  actor: "terminal",
  note,
});

/**
 * What a manager adopts with a mixed journal and another shop or terminal began: left to the books, and never sent. One name
 * besides the shop's id is the shop's own, as the manager has just said; of several nobody knows which.
 */
export const leaveOthers = (
  { open }: Pick<State, "open">,
  names: readonly Names[],
  device: Device,
): readonly DurableEvent[] => {
  const called = new Set(names.filter((one) => !isShopItself(one, device)).map(({ shop }) => shop));
  const isOurs = (one: Names): boolean => isOfDevice(one, device) && (isShopItself(one, device) || called.size === 1);
  return [...open.values()]
    .filter((one) => one.stage.kind !== "review" && !isOurs(one))
    .map((one) => left(one, "another shop's or terminal's"));
};

/**
 * Empty when nothing changes. What the device before confirmed, another one cannot report: it is left to the books. These
 * events belong into one write: a crash between two of them would send the rest under the new name.
 */
export const deviceChange = ({ book, open }: Pick<State, "book" | "open">, next: Book): readonly DurableEvent[] => {
  if (book === null) return [];
  const sameDevice = isSameDevice(book, next);
  if (sameDevice && book.serviceUrl === next.serviceUrl) return [];
  const behind = sameDevice ? [] : [...open.values()].filter((one) => one.decided || isUndecided(one));
  return [{ type: "device_changed", book: next }, ...behind.map((one) => left(one, "another device was enrolled"))];
};
