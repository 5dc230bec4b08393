/** No call is left out: each operation of a resource's file is among those that are routed and documented. */
import { globSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import type { Operation } from "../../backend/http/operation.ts";
import { operations } from "../../backend/http/operations/index.ts";

const folder = path.resolve(import.meta.dirname, "../../backend/http/operations");
const resources = globSync("*.ts", { cwd: folder }).filter((file) => file !== "index.ts");

test("there are resources", () => expect(resources.length).toBeGreaterThan(5));
test.each(resources)("%s", async (file) => {
  const made = Object.entries((await import(pathToFileURL(path.join(folder, file)).href)) as Record<string, unknown>)
    .filter(([name]) => name.endsWith("Operations"))
    // Those about the document itself are given all operations.
    .flatMap(([, some]) => (typeof some === "function" ? some(() => operations) : some) as readonly Operation[]);
  expect(made.length).toBeGreaterThan(0);
  expect(operations.map(({ id }) => id)).toEqual(expect.arrayContaining(made.map(({ id }) => id)));
});
