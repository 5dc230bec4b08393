/** The customer's display as a page: where it is, and the narrower policy that it has. */
import { connectingTo } from "./content-policy.ts";
import type { PageFile } from "./page-files.ts";

/** In the browser host, and under the desktop's scheme, where it has an origin of its own. */
export const customerPaths = {
  page: "/customer-display",
  events: "/customer-display/events",
  /** The built file behind the page. */
  file: "/customer-display.html",
} as const;

/**
 * The page under a narrower policy: no camera and no scanner, and its script may ask for nothing but its own `events` (null
 * on the desktop, where these come over the bridge), so that it cannot send the terminal a command. A developer's server
 * keeps what its hot reload needs beside that.
 */
export const asCustomerPage = (page: PageFile, events: string | null): PageFile => ({
  ...page,
  headers: {
    ...page.headers,
    "content-security-policy": connectingTo(events ?? "'none'", page.headers["content-security-policy"]),
    "permissions-policy": "camera=(), hid=(), serial=(), microphone=(), geolocation=(), usb=(), payment=()",
  },
});
