/** The lock of a service on its database: what holds it is said, and nothing else is taken for another service. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lockForService } from "../../../backend/store/service-lock.ts";

let folder = "";
let database = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "service-lock-"));
  database = path.join(folder, "service.db");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("it is held with nothing written, so that a full disk does not look like another service", () => {
  const { release } = lockForService(database);
  expect(readdirSync(folder)).toEqual(["service.db-lock"]);
  expect(() => lockForService(database)).toThrow(
    expect.objectContaining({ why: "database_in_use", message: expect.stringContaining("another service is running") }),
  );
  release();
  lockForService(database).release();
});

test("what cannot be locked for another reason says so", () => {
  writeFileSync(`${database}-lock`, "x".repeat(1_000));
  expect(() => lockForService(database)).toThrow(
    expect.objectContaining({
      why: "other",
      message: expect.stringMatching(/-lock cannot be locked: .*not a database/),
      cause: expect.objectContaining({ code: "ERR_SQLITE_ERROR" }),
    }),
  );
});

test("where no lock can be made, that is said of the database", () => {
  writeFileSync(path.join(folder, "below"), "a file");
  const within = path.join(folder, "below", "service.db");
  expect(() => lockForService(within)).toThrow(
    expect.objectContaining({
      name: "StoreRefused",
      message: expect.stringContaining(`the database ${within} cannot be made: `),
      cause: expect.objectContaining({ syscall: "mkdir" }),
    }),
  );
});
