import type { Mount } from "../http/create-app.ts";
import { webSdkRoutes } from "./routes.ts";
import { sandboxLinks } from "./sandbox-links.ts";

/** The web-SDK page: part of every service. @param sandbox whether the pages lead to the sandbox's bank. */
export const webSdkMount =
  (sandbox: boolean): Mount =>
  (routes, app) => {
    routes.route("/", webSdkRoutes({ app, sandbox: sandbox ? sandboxLinks : null }));
  };
