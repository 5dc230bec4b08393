/** The linter keeps the house's import directions: each forbidden import is written into a copy of the tree, each cycle into a tree of its own, and must be flagged. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");
const biome = path.join(root, "node_modules/@biomejs/biome/bin/biome");

/** [file, its one line, what the linter says about it; null for what is allowed] */
const table: readonly (readonly [string, string, RegExp | null])[] = [
  ["backend/contract/a.ts", 'import { x } from "../ports.ts";', /imports nothing of ours/],
  ["backend/contract/a.ts", 'import fs from "node:fs";', /also runs in the browser/],
  ["backend/contract/a.ts", 'import { x } from "./ids.ts";', null],
  ["backend/store/a.ts", 'import { x } from "../../main/launch.ts";', /does not know the terminal/],
  ["backend/store/a.ts", 'import { x } from "../../preload/contract.ts";', /does not know the terminal/],
  ["backend/http/a.ts", 'import { x } from "../../renderer/main.tsx";', /does not know the terminal/],
  ["backend/http/a.ts", 'import { app } from "electron";', /runs on plain Node/],
  ["backend/http/a.ts", 'import { setTimeout } from "node:timers/promises";', /come in through a port/],
  ["backend/http/a.ts", 'import { x } from "../contract/pos.ts";', null],
  ["preload/contract.ts", 'import { x } from "../main/electron/window.ts";', /knows backend\/contract/],
  ["preload/contract.ts", 'import { x } from "../backend/store/store.ts";', /knows backend\/contract/],
  ["preload/contract.ts", 'import { x } from "../backend/contract/pos.ts";', null],
  ["preload/index.ts", 'import { x } from "../main/electron/window.ts";', /exposes the bridge/],
  ["preload/index.ts", 'import { settingsSchema } from "./contract.ts";', /import type/],
  ["preload/index.ts", 'import { commandSchema } from "./commands.ts";', /import type/],
  ["preload/enums.ts", 'import { x } from "../main/terminal/flow.ts";', /knows backend\/contract/],
  ["renderer/ui/a.ts", 'import type { Settings } from "../../preload/settings.ts";', null],
  ["renderer/ui/a.ts", 'import { settingsSchema } from "../../preload/settings.ts";', /import type/],
  ["renderer/manager/settings-form.tsx", 'import { settingsSchema } from "../../preload/settings.ts";', null],
  ["renderer/ui/a.ts", 'import { outcomes } from "../../preload/enums.ts";', null],
  ["preload/index.ts", 'import { contextBridge } from "electron";', null],
  ["main/terminal/a.ts", 'import { app } from "electron";', /runs on plain Node/],
  ["main/terminal/a.ts", 'import Store from "electron-store";', /runs on plain Node/],
  ["main/terminal/a.ts", 'import { x } from "../electron/window.ts";', /never imports a host file/],
  ["main/terminal/devices/a.ts", 'import { x } from "../../electron/ipc.ts";', /never imports a host file/],
  ["main/terminal/a.ts", 'import { x } from "../../renderer/main.tsx";', /does not know the screens/],
  ["main/terminal/a.ts", 'import { x } from "../../backend/store/store.ts";', /service's contract alone/],
  ["main/terminal/devices/a.ts", 'import { x } from "../ports.ts";', null],
  ["main/terminal/a.ts", 'import { x } from "../../backend/contract/ids.ts";', null],
  ["main/terminal/a.ts", 'import { x } from "../../preload/contract.ts";', null],
  ["main/electron/window.ts", 'import { x } from "../../backend/serve.ts";', /process of its own/],
  ["main/electron/window.ts", 'import { x } from "../../renderer/main.tsx";', /serves the built screens/],
  ["main/electron/window.ts", 'import { app } from "electron";', null],
  ["main/browser-host.ts", 'import { app } from "electron";', /runs on plain Node too/],
  ["main/host/a.ts", 'import { app } from "electron";', /runs on plain Node too/],
  ["main/open-terminal.ts", 'import { app } from "electron";', /runs on plain Node too/],
  ["main/launch.ts", 'import Store from "electron-store";', /runs on plain Node too/],
  ["main/launch.ts", 'import { x } from "../backend/serve.ts";', /process of its own/],
  ["renderer/ui/a.ts", 'import fs from "node:fs";', /sandboxed page/],
  ["renderer/ui/a.ts", 'import { ipcRenderer } from "electron";', /sandboxed page/],
  ["renderer/ui/a.ts", 'import { x } from "../../main/electron/window.ts";', /bridge alone/],
  ["renderer/ui/a.ts", 'import { x } from "../../preload/index.ts";', /bridge alone/],
  ["renderer/ui/a.ts", 'import { x } from "../../backend/store/store.ts";', /contract alone/],
  ["renderer/ui/a.ts", 'import { settingsSchema } from "../../preload/contract.ts";', /import type/],
  ["renderer/ui/a.ts", 'import * as pos from "../../backend/contract/pos.ts";', /import type/],
  ["renderer/ui/a.ts", 'import { parseId } from "../../backend/contract/ids.ts";', null],
  ["renderer/ui/a.ts", 'import type { Snapshot } from "../../preload/contract.ts";', null],
  ["backend/store/a.ts", 'export const x = (db: any) => db.selectFrom("users").selectAll();', /Name the columns/],
  [
    "backend/http/a.ts",
    'export const x = (db: any) => db.selectFrom("users").select("id");',
    /SQL of a table lives with/,
  ],
  [
    "backend/withdrawals/a.ts",
    'export const x = (db: any) => db.updateTable("users").set({ id: 1 });',
    /SQL of a table lives with/,
  ],
  ["backend/users/user-store.ts", 'export const x = (db: any) => db.deleteFrom("users");', null],
  ["backend/withdrawals/store.ts", 'export const x = (db: any) => db.insertInto("users").values({});', null],
  [
    "backend/store/a.ts",
    'export const x = (db: any) => db.selectFrom("users as u").selectAll("u");',
    /Name the columns/,
  ],
  [
    "backend/users/user-store.ts",
    'export const x = (db: any) => db.deleteFrom("users").returningAll();',
    /Name the columns/,
  ],
  ["renderer/ui/a.ts", 'import { colorSchemes } from "../../preload/choices.ts";', null],
  ["renderer/ui/a.ts", 'import { languages } from "../../preload/choices.ts";', null],
  ["backend/withdrawals/a.ts", "export const x = Date.now();", /through a port/],
  ["backend/withdrawals/a.ts", "export const x = new Date();", /through a port/],
  ["backend/withdrawals/a.ts", "export const x = Math.random();", /through a port/],
  ["backend/withdrawals/a.ts", "export const x = setTimeout(() => undefined, 1);", /through a port/],
  ["main/terminal/a.ts", "export const x = setInterval(() => undefined, 1);", /through a port/],
  ["main/terminal/a.ts", "export const x = globalThis.setTimeout(() => undefined, 1);", /through a port/],
  ["main/terminal/a.ts", "export const x = new Date(5);", null],
  ["backend/adapters.ts", "export const x = Date.now();", null],
  ["backend/sandbox/a.ts", "export const x = Date.now();", null],
  ["tools/a.ts", "for (const of of [1]) console.log(of);", /cannot read a loop/],
  ["tools/a.ts", "for (const [of] of [[1]]) console.log(of);", null],
];

interface Diagnostic {
  readonly category: string;
  readonly message: string;
  readonly location: { readonly path: string; readonly start: { readonly line: number } };
}

let tree: string;
let found: readonly Diagnostic[];
const lines = new Map<string, string[]>();
const places = table.map(([file, line]) => {
  const content = lines.get(file) ?? [];
  lines.set(file, content);
  return { file, line: content.push(line) };
});

beforeAll(() => {
  tree = mkdtempSync(path.join(tmpdir(), "tillcash-lint-"));
  // Version control is left out: the copy is no repository.
  const { vcs: _, ...config } = JSON.parse(readFileSync(path.join(root, "biome.json"), "utf8"));
  writeFileSync(path.join(tree, "biome.json"), JSON.stringify(config));
  cpSync(path.join(root, "tools/lint"), path.join(tree, "tools/lint"), { recursive: true });
  for (const [file, content] of lines) {
    mkdirSync(path.dirname(path.join(tree, file)), { recursive: true });
    writeFileSync(path.join(tree, file), `${content.join("\n")}\n`);
  }
  const linted = spawnSync(process.execPath, [biome, "lint", "--reporter=json", "--max-diagnostics=none", "."], {
    cwd: tree,
    encoding: "utf8",
  });
  found = JSON.parse(linted.stdout).diagnostics;
});

afterAll(() => rmSync(tree, { recursive: true, force: true }));

test.each(table.map((row, index) => ({ row, place: places[index] })))("$row.0 $row.1", ({ row, place }) => {
  const complaints = found
    .filter((one) => one.category.endsWith("noRestrictedImports") || one.category === "plugin")
    .filter((one) => one.location.path === place?.file && one.location.start.line === place.line)
    .map((one) => one.message);
  const [, , expected] = row;
  if (expected === null) expect(complaints).toEqual([]);
  else expect(complaints).toEqual([expect.stringMatching(expected)]);
});

describe("import cycles, exports without a doc comment, and long files", () => {
  /** Each file with its imports; what the linter says of the tree, or null. */
  const houses: readonly (readonly [string, Readonly<Record<string, string>>, RegExp | null])[] = [
    [
      "two files, by their types",
      {
        "backend/store/a.ts": 'import type { B } from "./b.ts";\nexport type A = B;',
        "backend/store/b.ts": 'import type { A } from "./a.ts";\nexport type B = A | null;',
      },
      /^Import cycle in backend\/store: a\.ts → b\.ts → a\.ts\n {2}backend\/store\/a\.ts imports backend\/store\/b\.ts\n/,
    ],
    [
      "two folders, though no two files, by their types",
      {
        "backend/access/a.ts": 'import type { B } from "../users/b.ts";\nexport type A = B;',
        "backend/users/b.ts": "export type B = 1;",
        "backend/users/c.ts": 'import { type D } from "../access/d.ts";\nexport type C = D;',
        "backend/access/d.ts": "export type D = 1;",
      },
      /^Import cycle in backend: access → users → access\n {2}backend\/access\/a\.ts imports backend\/users\/b\.ts\n {2}backend\/users\/c\.ts imports backend\/access\/d\.ts\n/,
    ],
    [
      "three folders, deep below, by export, dynamic import and type",
      {
        "main/a/deep/a.ts": 'export * from "../../b/b.ts";',
        "main/b/b.ts": 'export const load = () => import("../c/deep/c.ts");',
        "main/c/deep/c.ts": 'export type C = import("../../a/other.ts").A;',
        "main/a/other.ts": "export type A = 1;",
      },
      /^Import cycle in main: a → b → c → a\n/,
    ],
    [
      "a sub-folder and the file beside it that imports it",
      {
        "renderer/ui/ui.ts": 'import "./parts/part.ts";',
        "renderer/ui/parts/part.ts": 'import "../ui.ts";',
      },
      /^Import cycle in renderer\/ui: parts → ui\.ts → parts\n/,
    ],
    [
      "the host and the bridge",
      { "main/a.ts": 'import "../preload/b.ts";', "preload/b.ts": 'import "../main/c.ts";', "main/c.ts": "" },
      /^Import cycle in the root: main → preload → main\n/,
    ],
    [
      "a parent whose one file is imported by a sub-folder, and another imports it: a floor plan, and no cycle",
      {
        "backend/serve.ts": 'import "./http/app.ts";',
        "backend/http/app.ts": 'import "../context.ts";\nimport "../store/store.ts";\nimport "./operations/list.ts";',
        "backend/http/operations/list.ts": 'import "../../store/store.ts";\nimport "../route.ts";',
        "backend/http/route.ts": 'import "hono";\nimport "../../preload/contract.ts";\nimport "./route.ts";',
        "backend/store/store.ts": 'import "../context.ts";',
        "backend/context.ts": "",
      },
      null,
    ],
    [
      "no cycle, and an export that says nothing about itself",
      { "backend/store/a.ts": "/** Whether it is. */\nexport const a = true;\n\nexport const b = 1;" },
      /^backend\/store\/a\.ts:4 exports b without a doc comment\n/,
    ],
    [
      "no cycle, one file of 600 lines and one of a line more",
      { "renderer/a.ts": "//\n".repeat(600), "renderer/b.ts": "//\n".repeat(601) },
      /^renderer\/b\.ts has 601 lines, 600 at most/,
    ],
  ];

  /** A tree of its own for each: a cycle in one must not show in another. */
  const lint = (files: Readonly<Record<string, string>>) => {
    const house = mkdtempSync(path.join(tmpdir(), "tillcash-cycles-"));
    onTestFinished(() => rmSync(house, { recursive: true, force: true }));
    for (const [file, content] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(house, file)), { recursive: true });
      writeFileSync(path.join(house, file), `${content}\n`);
    }
    return spawnSync(process.execPath, [path.join(root, "tools/lint/cli.ts")], { cwd: house, encoding: "utf8" });
  };

  test.each(houses)("%s", (_, files, expected) => {
    const { status, stderr } = lint(files);
    expect(stderr).toMatch(expected ?? /^$/);
    expect(status).toBe(expected === null ? 0 : 1);
  });
});
