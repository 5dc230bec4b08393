/** Identifies a journal's owner (purpose, service, shop), and makes the terminal's own ids of withdrawals. */
import { z } from "zod";
import type { Device } from "../ports.ts";

const deviceLengthMax = 28;

/** FNV-1a, to distinguish devices whose names begin alike; not for security. */
export const hash = (text: string): string => {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return value.toString(16).padStart(8, "0");
};

const deviceName = (deviceId: string): string => {
  const plain = deviceId.replace(/[^\x21-\x7e]|\./g, "_");
  return plain === deviceId && plain.length <= deviceLengthMax ? plain : `${plain.slice(0, 19)}~${hash(deviceId)}`;
};

/** The terminal's id of a withdrawal (`transaction_id_partner`), at most 64 ASCII characters: `till-1.7K3F9Q.01JD…`. */
export const makeTerminalReference = (deviceId: string, installation: string, id: string): string =>
  `${deviceName(deviceId)}.${installation}.${id}`;

/** Tag of the installation that made an id under this device's name; null for other devices. */
export const installationOf = (deviceId: string, terminalReference: string): string | null => {
  const [device, made = null, id] = terminalReference.split(".");
  return id !== undefined && device === deviceName(deviceId) ? made : null;
};

/**
 * A device in training or with real money, which never share a journal. Stored in the first entry, so that a terminal
 * without a key knows whose journal it is.
 */
export const bookSchema = z.object({
  purpose: z.enum(["live", "training"]),
  serviceUrl: z.string(),
  merchantId: z.string(),
  deviceId: z.string(),
});
/** See `bookSchema`. */
export type Book = Readonly<z.infer<typeof bookSchema>>;

/** The identity alone, of a credential or a book. */
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

/** In training the service is always the same, although its port may change. */
const serviceOf = ({ purpose, serviceUrl }: Book): string => {
  if (purpose === "training") return "sandbox";
  const url = URL.parse(serviceUrl);
  return url === null ? serviceUrl : `${url.origin}${url.pathname}`.replace(/\/+$/, "");
};

const identity = (book: Book): string => JSON.stringify([book.purpose, serviceOf(book), book.merchantId]);

/** Whether two books have the same purpose, service and shop. */
export const isSameBook = (one: Book, other: Book): boolean => identity(one) === identity(other);

/** Same book and same device: another device cannot report what this one confirmed. */
export const isSameDevice = (one: Book, other: Book): boolean =>
  isSameBook(one, other) && one.deviceId === other.deviceId;

/** Name of the book's file while another one is in use: letters, digits and hyphens. */
export const bookName = (book: Book): string => {
  const shop = book.merchantId.replace(/[^A-Za-z0-9]+/g, "-").slice(0, 40);
  return `${book.purpose}-${shop}-${hash(identity(book))}`;
};
