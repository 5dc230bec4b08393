/** Whose journal this is: one purpose, one service, one shop; and the ids that a terminal gives its own withdrawals. */
import { z } from "zod";
import type { Device } from "../ports.ts";

const deviceLengthMax = 28;

/** FNV-1a, to tell apart devices whose names begin alike; not for security. */
export const hash = (text: string): string => {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return value.toString(16).padStart(8, "0");
};

const deviceName = (deviceId: string): string => {
  const plain = deviceId.replace(/[^\x21-\x7e]|\./g, "_");
  return plain === deviceId && plain.length <= deviceLengthMax ? plain : `${plain.slice(0, 19)}~${hash(deviceId)}`;
};

/** The terminal's own id of a withdrawal (`transaction_id_partner`), at most 64 visible ASCII characters: `till-1.7K3F9Q.01JD…`, readable in a report, never the same on two terminals. */
export const makeTerminalReference = (deviceId: string, installation: string, id: string): string =>
  `${deviceName(deviceId)}.${installation}.${id}`;

/** Which installation made an id under this device's name; null for every other device's. */
export const installationOf = (deviceId: string, terminalReference: string): string | null => {
  const [device, made = null, id] = terminalReference.split(".");
  return id !== undefined && device === deviceName(deviceId) ? made : null;
};

/** A device in training or with real money, which never share a journal. As the first entry says it; a terminal without a key still knows who it is. */
export const bookSchema = z.object({
  purpose: z.enum(["live", "training"]),
  serviceUrl: z.string(),
  merchantId: z.string(),
  deviceId: z.string(),
});
/** As `bookSchema` has it. */
export type Book = Readonly<z.infer<typeof bookSchema>>;

/** Who it is alone: of a credential without its secret, of a book without its purpose. */
export const deviceOf = ({ serviceUrl, merchantId, deviceId }: Device): Device => ({
  serviceUrl,
  merchantId,
  deviceId,
});

/** The book of an enrolled device. */
export const bookOf = (device: Device, training: boolean): Book => ({
  purpose: training ? "training" : "live",
  ...deviceOf(device),
});

/** The bundled service's port changes from run to run: in training it is always the same service. */
const serviceOf = ({ purpose, serviceUrl }: Book): string => {
  if (purpose === "training") return "sandbox";
  const url = URL.parse(serviceUrl);
  return url === null ? serviceUrl : `${url.origin}${url.pathname}`.replace(/\/+$/, "");
};

const identity = (book: Book): string => JSON.stringify([book.purpose, serviceOf(book), book.merchantId]);

/** Whether two books are one: the same purpose, service and shop. */
export const isSameBook = (one: Book, other: Book): boolean => identity(one) === identity(other);

/** Another device of the same shop cannot report what this one confirmed. */
export const isSameDevice = (one: Book, other: Book): boolean =>
  isSameBook(one, other) && one.deviceId === other.deviceId;

/** Names the book's file when another one is in use: letters, digits and hyphens. */
export const bookName = (book: Book): string => {
  const shop = book.merchantId.replace(/[^A-Za-z0-9]+/g, "-").slice(0, 40);
  return `${book.purpose}-${shop}-${hash(identity(book))}`;
};
