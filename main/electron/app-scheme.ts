/** The pages' own origins, `app://till` and `app://customer`: the built files alone; requests elsewhere are cancelled. */
import { protocol, type Session } from "electron";
import { asCustomerPage, customerPaths, openPage } from "../host/pages.ts";

/** The window's address. */
export const pageAddress = "app://till/";

/** The customer display's address: a separate origin without the terminal page's permissions. */
export const customerAddress = "app://customer/";

// `URL.origin` does not support our scheme, so scheme and host are compared.
const isAt = (origin: string, address: string | undefined): boolean => {
  if (address === undefined || !URL.canParse(address)) return false;
  const [{ protocol: scheme, host }, own] = [new URL(address), new URL(origin)];
  return scheme === own.protocol && host === own.host;
};

/** Whether an address belongs to the terminal's page. */
export const isOwnPage = (address: string | undefined): boolean => isAt(pageAddress, address);

/** Whether an address belongs to the customer's display. */
export const isCustomerPage = (address: string | undefined): boolean => isAt(customerAddress, address);

/** Call it before Electron is ready. The scheme is secure, so that the page may request the camera. */
export function registerScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: "app", privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ]);
}

/** Serves the renderer's folder under the scheme, and cancels all other requests of pages except to a development server. */
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
