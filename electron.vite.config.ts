import { existsSync } from "node:fs";
import react from "@vitejs/plugin-react";
import { defineConfig } from "electron-vite";

/** Programs that run on Node or in Electron's main process, each one file `out/main/NAME.js` beside shared chunks. */
const programs = {
  index: "main/index.ts",
  launch: "main/launch.ts",
  "browser-host": "main/browser-host.ts",
  service: "backend/cli.ts",
  "journal-cli": "main/terminal/journal-cli.ts",
};

/** Strips blanks and dead code but keeps names, so that a stack trace in a shop's log still says something. */
const readable = { compress: true, mangle: false, codegen: true } as const;

export default defineConfig({
  main: {
    publicDir: false,
    build: {
      externalizeDeps: false,
      rolldownOptions: {
        input: Object.fromEntries(Object.entries(programs).filter(([, file]) => existsSync(file))),
        output: { entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js", minify: readable },
      },
    },
  },
  preload: {
    publicDir: false,
    build: {
      externalizeDeps: false,
      rolldownOptions: {
        input: { index: "preload/index.ts" },
        // A sandboxed preload script is one CommonJS file: it cannot require others.
        output: { format: "cjs", entryFileNames: "[name].cjs", minify: readable },
      },
    },
  },
  ...(existsSync("renderer/index.html")
    ? {
        renderer: {
          root: "renderer",
          plugins: [react()],
          worker: { format: "es" },
          build: {
            minify: true,
            // Inlined assets would need `data:` in the content policy.
            assetsInlineLimit: 0,
            rolldownOptions: { input: "renderer/index.html" },
          },
        },
      }
    : {}),
});
