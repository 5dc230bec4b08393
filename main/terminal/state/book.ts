/** Whose journal this is: one purpose, one service, one shop. Reports of one book never go to another's service. */
import { hash } from "./partner-id.ts";

/** Who a terminal is at its service. */
export interface Device {
  readonly serviceUrl: string;
  readonly merchantId: string;
  readonly deviceId: string;
}

/** Training and real money never share a journal. */
export type Purpose = "live" | "training";

/** As the journal's first entry says it; a terminal without a key still knows who it is. */
export interface Book extends Device {
  readonly purpose: Purpose;
}

/** The book of an enrolled device. */
export const bookOf = (device: Device, training: boolean): Book => ({
  purpose: training ? "training" : "live",
  serviceUrl: device.serviceUrl,
  merchantId: device.merchantId,
  deviceId: device.deviceId,
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
