/** What of swagger-ui-dist the API reference needs; the build copies these into a folder `swagger-ui` beside the service. */
export const docsFiles = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
} as const;
