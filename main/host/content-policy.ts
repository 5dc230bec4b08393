/** What a page of the terminal may load and ask for, as response headers; the same under `app://` and on loopback. */

/** The policy of the terminal's page. */
export const contentPolicy = [
  "default-src 'none'",
  // The barcode decoder is WebAssembly; nothing else is compiled at run time.
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "font-src 'self'",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-src 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  // For browsers that know it; Chromium does not yet, and the desktop program forbids datagrams by its own means.
  "webrtc 'block'",
].join("; ");

/** @param connect hosts that scripts may connect to instead of the page's own origin, as source expressions of `connect-src`. */
export const connectingTo = (connect: string, policy = contentPolicy): string =>
  policy.replace("connect-src 'self'", `connect-src ${connect}`);

const permissions = [
  "camera=(self)",
  "hid=(self)",
  "serial=(self)",
  "fullscreen=(self)",
  ...[
    "microphone",
    "geolocation",
    "display-capture",
    "screen-wake-lock",
    "usb",
    "midi",
    "payment",
    "accelerometer",
  ].map((name) => `${name}=()`),
].join(", ");

/** Headers of every response that a page of the terminal gets. */
export const securityHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": contentPolicy,
  "permissions-policy": permissions,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};
