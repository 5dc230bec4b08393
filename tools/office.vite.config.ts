import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { listShippedPackages } from "./release/licences.ts";

/** The chain's page, beside the service's programs; with relative names, so that a proxy can serve it below a path. */
export default defineConfig({
  root: `${import.meta.dirname}/../backend/office`,
  base: "./",
  publicDir: false,
  plugins: [react(), listShippedPackages("office", `${import.meta.dirname}/..`)],
  build: { emptyOutDir: true, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
});
