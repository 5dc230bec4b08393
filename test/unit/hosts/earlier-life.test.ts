/** What of a terminal's files says that it had a life before: more than a first start leaves behind. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { hasEarlierLife } from "../../../main/host/data-folder.ts";
import { openJournalKeys } from "../../../main/host/secrets.ts";
import { openSettingsFile } from "../../../main/host/settings-file.ts";
import { createNodePorts } from "../../../main/terminal/node-ports.ts";
import { createTerminal } from "../../../main/terminal/terminal.ts";
import { counterActor } from "../../../main/terminal/withdrawal/inputs.ts";

const folder = (): string => mkdtempSync(path.join(tmpdir(), "earlier-"));

/** A start of a terminal that was never enrolled. @param acts whether somebody does something that is written down. */
const start = async (files: string, acts: boolean): Promise<void> => {
  const ports = createNodePorts({
    journalPath: path.join(files, "journal.db"),
    journalKeys: await openJournalKeys(files, null),
    secrets: { load: () => null, save: async () => true },
    settings: openSettingsFile(files, () => {}),
    shop: { load: () => null, save: () => {} },
    training: false,
    hasEarlierLife: hasEarlierLife(files),
    log: () => {},
  });
  const terminal = await createTerminal(ports);
  terminal.start();
  if (acts) terminal.record("manager_pin_set", "M1", counterActor);
  await terminal.close();
};

test("a first start and settings that another purpose's terminal put there leave nothing that counts", async () => {
  const files = folder();
  openSettingsFile(files, () => {}).save(openSettingsFile(files, () => {}).load());
  await start(files, false);
  expect(readdirSync(files)).toContain("journal-key.json");
  expect(hasEarlierLife(files)).toBe(false);
});

test.each<[string, (files: string) => void]>([
  ["deleted", (files) => rmSync(path.join(files, "journal.db"))],
  ["emptied", (files) => writeFileSync(path.join(files, "journal.db"), "")],
])("after an entry a journal that was %s shows", async (_, spoil) => {
  const files = folder();
  await start(files, true);
  spoil(files);
  for (const beside of ["journal.db-wal", "journal.db-shm"]) rmSync(path.join(files, beside), { force: true });
  expect(hasEarlierLife(files)).toBe(true);
});

test("a journal that was deleted before it had an entry shows as well", async () => {
  const files = folder();
  await start(files, false);
  rmSync(path.join(files, "journal.db"));
  expect(hasEarlierLife(files)).toBe(true);
});

test.each([
  "credential.json",
  "credential.json.kept",
  "people.json",
  "journal-key.json",
  "journal.db.history",
  "archive",
  "journal.shop.db",
  "journal.db.damaged-1",
])("%s alone is enough", (name) => {
  const files = folder();
  if (name === "archive") mkdirSync(path.join(files, name));
  else writeFileSync(path.join(files, name), "{}");
  expect(hasEarlierLife(files)).toBe(true);
});
