/** The page's own origin, `app://till`: served from the built files, with the content policy, and nothing beside them. */
import { protocol, type Session } from "electron";
import { openPage } from "../host/page.ts";

/** The one address that the window loads. */
export const pageAddress = "app://till/";

/** Whether an address belongs to the page. Only the browser engine knows the origin of our scheme, so that parts are compared. */
export function isOwnPage(address: string | undefined): boolean {
  if (address === undefined || !URL.canParse(address)) return false;
  const { protocol: scheme, host } = new URL(address);
  return scheme === "app:" && host === "till";
}

/** Must run before Electron is ready: the scheme counts as secure, so that the camera may be asked for. */
export function registerScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: "app", privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ]);
}

/** Serves the renderer's folder under the scheme, and cancels every request of a page to anywhere else (but a developer's server). */
export function servePage(session: Session, folder: string, devServer: string | undefined): void {
  const page = openPage(folder, devServer);
  session.protocol.handle("app", async (request) => {
    if (!isOwnPage(request.url) || (request.method !== "GET" && request.method !== "HEAD")) {
      return new Response("Not found\n", { status: 404 });
    }
    const { status, headers, body } = await page(new URL(request.url));
    return new Response(body, { status, headers });
  });
  session.webRequest.onBeforeRequest((details, answer) => {
    const isInside = isOwnPage(details.url) || /^(?:blob:app:\/\/till\/|data:|devtools:)/.test(details.url);
    const isDevServer = devServer !== undefined && URL.parse(details.url)?.host === new URL(devServer).host;
    answer({ cancel: !isInside && !isDevServer });
  });
}
