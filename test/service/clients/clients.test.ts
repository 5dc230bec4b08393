/**
 * The clients that banks' generators make of /openapi.json type-check, and play the whole interface against the service: both
 * sides of a withdrawal, its other ends, a refusal, the report, a check-in and a user.
 */
import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isTransactionId } from "../../../backend/contract/ids.ts";
import { createHttpStage, type HttpStage } from "../http-stage.ts";
import type { Played } from "./played.ts";

const here = import.meta.dirname;
const folder = join(here, "generated");
/** What it prints, and its exit code: a compiler's findings are on its standard output. */
const run = (...args: string[]): Promise<readonly [number, string]> =>
  promisify(execFile)(process.execPath, args, { cwd: here }).then(
    () => [0, ""],
    ({ code, stdout, stderr }) => [code, stdout + stderr],
  );

let stage: HttpStage;
beforeAll(async () => {
  stage = await createHttpStage("sqlite");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const document = join(folder, "openapi.json");
  writeFileSync(document, (await stage.call("GET", "/openapi.json")).text);
  expect(await run("generate.ts", document, folder)).toEqual([0, ""]);
});
afterAll(() => stage.dispose());

test("all that was generated and all that uses it has the right types", async () => {
  expect(await run("../../../node_modules/typescript/bin/tsc", "-p", ".")).toEqual([0, ""]);
});

test.each(["openapi-fetch", "hey-api", "orval"])("the client of %s plays the whole flow", async (name) => {
  const { play }: { play(baseUrl: string): Promise<Played> } = await import(`./play-${name}.ts`);
  const played = await play(stage.baseUrl());
  expect(isTransactionId(played.id)).toBe(true);
  expect(played).toEqual({
    id: played.id,
    repeatedId: played.id,
    stores: expect.arrayContaining(["demo-shop"]),
    statuses: ["ready", "awaiting_sca", "settling", "settled", "linked"],
    history: ["requested", "ready", "awaiting_sca", "settling", "settled", "linked"],
    finding: "matched",
    csvHeader: expect.stringMatching(/^transaction_id,/),
    refusal: { code: "amount_out_of_range", largest: "500.00" },
    undelivered: "undelivered",
    rejected: "rejected",
    canceled: "canceled",
    destination: expect.stringContaining(`${stage.baseUrl()}/websdk/`),
    user: `user-of-${name}`,
  });
});
