import { existsSync } from "node:fs";
import path from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "electron-vite";
import type { Rolldown } from "vite";
import manifest from "./package.json" with { type: "json" };
import { listShippedPackages } from "./tools/release/licences.ts";

/** Programs that run on Node or in Electron's main process, each one file `out/main/NAME.js` beside shared chunks. */
const programs = {
  index: "main/start.ts",
  launch: "main/launch.ts",
  "browser-host": "main/browser-host.ts",
  service: "backend/start.ts",
  "journal-cli": "main/journal-tool/cli.ts",
};

/** Drops dead code but keeps names and lines, so that a stack trace in a shop's log still says something. */
const readable = { compress: true, mangle: false, codegen: { removeWhitespace: false } } as const;

/** Some ES packages make a `__dirname` of their own, which the one that electron-vite puts into each chunk would clash with. */
const keepOwnDirname = {
  name: "keep-own-dirname",
  transform: (code: string) =>
    /\b(?:const|let|var) __dirname\b/.test(code)
      ? { code: code.replaceAll("__dirname", "packageDirname"), map: null }
      : null,
};

/** An `import` of `node:http` reads all that it exports, its WebSocket too, which loads undici: 40 ms of each start. */
const importHttpWithoutWebSocket = {
  name: "import-http-without-web-socket",
  renderChunk: (code: string) => ({
    code: code.replace(/^import (\w+|{.+}) from "(?:node:)?http";$/gm, (_, names: string) => {
      return `const ${names.replaceAll(" as ", ": ")} = process.getBuiltinModule("node:http");`;
    }),
    map: null,
  }),
};

/** The pages that load a module before they draw. @param seen modules that have been asked about */
const pagesOf = (id: string, graph: Rolldown.ChunkingContext, seen = new Set<string>()): readonly string[] => {
  if (seen.has(id)) return [];
  seen.add(id);
  const { isEntry = false, importers = [] } = graph.getModuleInfo(id) ?? {};
  return [
    ...(isEntry ? [path.parse(id).name] : []),
    ...importers.flatMap((importer) => pagesOf(importer, graph, seen)),
  ];
};

/** What a page loads before it draws is two files: what both pages have, and the rest. By themselves it would be forty, each with a request. */
const loadedFirst: Rolldown.CodeSplittingGroup = {
  debugName: "loaded first",
  tags: ["$initial"],
  includeDependenciesRecursively: false,
  name: (id, graph) => {
    const [page = "shared", another] = pagesOf(id, graph);
    return another === undefined ? page : "shared";
  },
};

/** A language's texts are named by it, so that one sees which of them a page loads. */
const byLanguage = ({ facadeModuleId }: Rolldown.PreRenderedChunk): string =>
  `assets/${/texts\/(\w+)\/screens\.json$/.exec(facadeModuleId ?? "")?.[1] ?? "[name]"}-[hash].js`;

export default defineConfig({
  main: {
    publicDir: false,
    plugins: [keepOwnDirname, importHttpWithoutWebSocket, listShippedPackages("main", import.meta.dirname)],
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
    plugins: [listShippedPackages("preload", import.meta.dirname)],
    build: {
      externalizeDeps: false,
      rolldownOptions: {
        // A sandboxed preload script is one CommonJS file: it cannot require others, so that the two share no import.
        input: { index: "preload/index.ts", customer: "preload/customer.ts" },
        output: { format: "cjs", entryFileNames: "[name].cjs", minify: readable },
      },
    },
  },
  renderer: {
    root: "renderer",
    define: { "import.meta.env.VITE_VERSION": JSON.stringify(manifest.version) },
    plugins: [react(), listShippedPackages("renderer", import.meta.dirname)],
    worker: { format: "es", plugins: () => [listShippedPackages("worker", import.meta.dirname)] },
    build: {
      minify: true,
      // Inlined assets would need `data:` in the content policy.
      assetsInlineLimit: 0,
      rolldownOptions: {
        input: { index: "renderer/index.html", "customer-display": "renderer/customer-display.html" },
        output: { codeSplitting: { groups: [loadedFirst] }, chunkFileNames: byLanguage },
      },
    },
  },
});
