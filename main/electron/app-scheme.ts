/** The pages' own origins, `app://till` and `app://customer`: served from the built files, with the content policy, and nothing beside them. */
import { protocol, type Session } from "electron";
import { asCustomerPage, customerPaths, openPage } from "../host/pages.ts";

/** The one address that the window loads. */
export const pageAddress = "app://till/";

/** The customer's display: an origin of its own, so that nothing that the terminal's page may do is open to it. */
export const customerAddress = "app://customer/";

// Only the browser engine knows the origin of our scheme, so that parts are compared.
const isAt = (origin: string, address: string | undefined): boolean => {
  if (address === undefined || !URL.canParse(address)) return false;
  const [{ protocol: scheme, host }, own] = [new URL(address), new URL(origin)];
  return scheme === own.protocol && host === own.host;
};

/** Whether an address belongs to the terminal's page. */
export const isOwnPage = (address: string | undefined): boolean => isAt(pageAddress, address);

/** Whether an address belongs to the customer's display. */
export const isCustomerPage = (address: string | undefined): boolean => isAt(customerAddress, address);

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
    const isCustomer = isCustomerPage(request.url);
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (!isRead || (!isCustomer && !isOwnPage(request.url))) return new Response("Not found\n", { status: 404 });
    const address = new URL(request.url);
    const file =
      isCustomer && address.pathname === "/"
        ? asCustomerPage(await page(new URL(customerPaths.file, address)), null)
        : await page(address);
    return new Response(file.body, { status: file.status, headers: file.headers });
  });
  session.webRequest.onBeforeRequest((details, answer) => {
    const isInside =
      isOwnPage(details.url) ||
      isCustomerPage(details.url) ||
      /^(?:blob:app:\/\/till\/|data:|devtools:)/.test(details.url);
    const isDevServer = devServer !== undefined && URL.parse(details.url)?.host === new URL(devServer).host;
    answer({ cancel: !isInside && !isDevServer });
  });
}
