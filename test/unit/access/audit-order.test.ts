/** Entries of the audit that are found without reading all of it. */
import { expect, test } from "vitest";
import { auditEntry, firstAudit, holdAuditHead, newestAudit } from "../../../backend/access/audit.ts";
import { accessStage } from "./stage.ts";

const stage = accessStage();
const event = (name: string, object: string) => ({ event: name, actor: "a", address: null, object, detail: null });

test("one by its number, the first and the newest of an event, and the head's number", async () => {
  await stage.store.write(async (tx) => {
    for (const [name, object] of [
      ["other", "0"],
      ["sealed", "1"],
      ["sealed", "2"],
      ["sealed", "3"],
      ["other", "4"],
    ] as const)
      await stage.access.audit.append(tx, event(name, object));
  });
  const read = (query: ReturnType<typeof auditEntry>) => stage.store.read((tx) => tx.first(query));
  expect(await read(auditEntry({ seq: 3 }))).toMatchObject({ seq: 3, object: "2" });
  expect(await read(firstAudit({ event: "sealed" }))).toMatchObject({ object: "1" });
  expect(await read(newestAudit({ event: "sealed" }))).toMatchObject({ object: "3" });
  expect(await read(newestAudit({ event: "never" }))).toBeUndefined();
  expect(await stage.store.read((tx) => tx.first(holdAuditHead({})))).toMatchObject({ seq: 5 });
});

test("on PostgreSQL the head is held, as others write meanwhile; SQLite has one writer", () => {
  expect(holdAuditHead({}).sql("postgres").text).toMatch(/ for update$/);
  expect(holdAuditHead({}).sql("sqlite").text).not.toContain("for update");
});
