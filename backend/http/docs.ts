/** The rendered API reference: Swagger UI from files of this installation, no other host asked. Loaded on demand. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { ServiceError } from "../service-error.ts";
import { docsFiles } from "./docs-files.ts";
import { baseHeaders } from "./headers.ts";

const starter = `window.addEventListener("load", () => {
  SwaggerUIBundle({ url: "openapi.json", dom_id: "#reference", deepLinking: true, docExpansion: "list",
    defaultModelsExpandDepth: 0, tryItOutEnabled: false, validatorUrl: null, persistAuthorization: false });
});
`;

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tillcash API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<main id="reference"></main>
<noscript>The reference needs JavaScript; the document itself is at <a href="openapi.json">openapi.json</a>.</noscript>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

/** Swagger UI sets style attributes; scripts come from here alone and `try it out` calls this service alone. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export const docsPage = (): Response =>
  new Response(page, {
    headers: {
      ...baseHeaders,
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": policy,
      "Referrer-Policy": "no-referrer",
    },
  });

/** @throws ServiceError `not_found` for anything but the three files. */
export const docsAsset = async (name: string): Promise<Response> => {
  const headers = { ...baseHeaders, "Cache-Control": "public, max-age=3600" };
  if (name === "start.js")
    return new Response(starter, { headers: { ...headers, "Content-Type": "text/javascript; charset=utf-8" } });
  if (!Object.hasOwn(docsFiles, name)) throw new ServiceError("not_found");
  const type = docsFiles[name as keyof typeof docsFiles];
  return new Response(await readFile(join(assetFolder(), name)), { headers: { ...headers, "Content-Type": type } });
};

/** Beside the built file (or one up, when the bundler made a chunk of this one), else the installed package. */
const assetFolder = (): string => {
  const built = [join(import.meta.dirname, "swagger-ui"), join(import.meta.dirname, "..", "swagger-ui")];
  const found = built.find((folder) => existsSync(join(folder, "swagger-ui-bundle.js")));
  return found ?? dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
};
