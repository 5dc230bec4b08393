/** What lies damaged or written by a later version in a till's folder, and must keep no till from its own journal for good. */
import { copyFileSync, renameSync } from "node:fs";
import { expect, test } from "vitest";
import { openJournalKeys } from "../../../main/host/secrets.ts";
import { openNodeDatabase } from "../../../main/terminal/journal/database.ts";
import { siblingPath } from "../../../main/terminal/journal/files.ts";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import { flipKeyStore } from "../hosts/flip-key-store.ts";
import { spoil } from "./journal-folder.ts";
import { ownFolder, setFormat } from "./journal-stage.ts";
import { createRig, handOver, idNumber, leadToPayable } from "./rig.ts";

const id = idNumber(1);
const here = ownFolder();

test("a large journal with an old damaged page and a checkpoint of a later version blocks no till for good", async () => {
  const { path } = here;
  const journal = openJournal(path, 0);
  const before = await createRig({ journal });
  journal.append(
    1,
    Array.from({ length: 200 }, (_, n) => JSON.stringify({ type: "act", act: `${n}.act`, about: null })),
  );
  await leadToPayable(before, id);
  // As a later version writes it before it is taken back.
  journal.append(2, [JSON.stringify({ type: "checkpoint", format: 9_999 })]);
  await before.terminal.close();
  spoil(path, "100.act", 33 * 1024 * 1024);
  const { clock, service } = before;
  for (const start of [100, 200, 300]) {
    const till = await createRig({ journal: openJournal(path, start), clock, service, idsFrom: start });
    await clock.advance(60_000);
    if (start === 300) expect(till.screen().kind).not.toBe("blocked");
    await till.terminal.close();
  }
});

test("another book's journal of a later version beside it, while keys are introduced", async () => {
  const { path } = here;
  const own = openJournal(path, 0);
  own.append(1, ['{"type":"installed","tag":"a"}']);
  own.close();
  const beside = openJournal(siblingPath(path, "other"), 0);
  beside.append(1, ['{"type":"installed","tag":"b"}']);
  beside.close();
  setFormat(siblingPath(path, "other"), 99);
  const keys = await openJournalKeys(here.folder, flipKeyStore);
  const journal = openJournal(path, 0, "write", openNodeDatabase, keys);
  expect(journal.others()).toEqual(["other"]);
  expect(journal.open()).toEqual({ kind: "open" });
  journal.close();
});

test.each([
  ["an earlier copy of the journal, as programs that synchronize folders leave it, tells of nothing", false, []],
  ["a copy that has gone on past the journal tells of what is open in it alone", true, ["in_other_journal"]],
])("%s", async (_, isPutBack, told) => {
  const { path } = here;
  const copy = siblingPath(path, "sync-conflict-20261129");
  const before = await createRig({ journal: openJournal(path, 0) });
  const { clock, service } = before;
  await before.terminal.close();
  copyFileSync(path, copy);
  const till = await createRig({ journal: openJournal(path, 1), clock, service, idsFrom: 100 });
  await leadToPayable(till, id);
  await till.terminal.close();
  if (isPutBack) {
    renameSync(path, `${path}.later`);
    renameSync(copy, path);
    renameSync(`${path}.later`, copy);
  } else {
    copyFileSync(path, copy);
    const next = await createRig({ journal: openJournal(path, 2), clock, service, idsFrom: 200 });
    await clock.advance(5_000);
    await handOver(next);
    await clock.advance(5_000);
    await next.terminal.close();
  }
  const last = await createRig({ journal: openJournal(path, 3), clock, service, idsFrom: 300 });
  const listed = (await last.terminal.dispatch({ type: "list_problems" })) as { data: { about: string }[] };
  expect(listed.data.map(({ about }) => about)).toEqual(told);
  await last.terminal.close();
});

test("what is open in another journal is told also where a later version has written its last checkpoint there", async () => {
  const { path } = here;
  const till = await createRig({ journal: openJournal(path, 0) });
  await leadToPayable(till, id);
  await till.terminal.close();
  const later = openJournal(path, 1);
  later.append(1, ['{"type":"checkpoint","format":9999}']);
  later.close();
  renameSync(path, siblingPath(path, "other"));
  const { clock, service } = till;
  const next = await createRig({ journal: openJournal(path, 2), clock, service, idsFrom: 100 });
  expect(await next.terminal.dispatch({ type: "list_problems" })).toMatchObject({
    data: expect.arrayContaining([expect.objectContaining({ about: "in_other_journal" })]),
  });
  await next.terminal.close();
});
