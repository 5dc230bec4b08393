/** The set-up of a service of one's own, cut off at every step: sent again it comes to its end, and nobody is trusted by halves. */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { bankSecret } from "../../service/bank-server.ts";
import { bank, form, program, quietPort, rows, serviceFolders, shop, trusts, wanted } from "./own-service-program.ts";

const newFolder = serviceFolders();

const whole = await (async () => {
  const folder = newFolder();
  const run = program(folder);
  const answer = await run.setUp();
  const steps = run.steps();
  const seen = await trusts(folder, run.service);
  await run.service.stop();
  return { answer, seen, steps };
})();

test("in one go it trusts this bank at this shop, and nobody else", () => {
  expect(whole.answer).toEqual({ kind: "done" });
  expect(whole.seen).toEqual(wanted);
  expect(whole.steps, "what can be cut off").toBeGreaterThan(10);
});

test.each(Array.from({ length: whole.steps }, (_, step) => step))(
  "cut off at step %i and sent again, it comes to its end with one enrolment, and trusts nobody else",
  async (step) => {
    const folder = newFolder();
    const first = program(folder, step);
    expect(await first.setUp()).not.toEqual({ kind: "done" });
    await first.service.stop();
    const second = program(folder);
    // Nothing of it runs by itself until the set-up has come to its end.
    const isThere = second.service.settings()?.shop === "corner-shop";
    expect(second.service.status() !== null).toBe(isThere);
    // A terminal that was enrolled at it finds it running.
    if (first.codes.length > 0) expect(isThere).toBe(true);
    expect(await second.setUp()).toEqual({ kind: "done" });
    expect(await trusts(folder, second.service)).toEqual(wanted);
    expect(second.codes).toHaveLength(1);
    await second.service.stop();
  },
);

test("a bank and a shop that were mistyped at first are trusted no more", async () => {
  const folder = newFolder();
  for (let step = 0; step < whole.steps; step += 3) {
    const typo = program(folder, step);
    await typo.setUp({
      ...form,
      shop: { ...shop, id: "crner-shop" },
      bank: { ...bank, id: "my-bnak", key: bankSecret },
    });
    await typo.service.stop();
    if (typo.service.settings()?.shop != null) break;
  }
  const right = program(folder);
  expect(await right.setUp()).toEqual({ kind: "done" });
  const seen = await trusts(folder, right.service);
  await right.service.stop();
  expect(seen.shops.filter(([, shops]) => shops !== null)).toEqual(wanted.shops);
  expect(seen.inUse).toEqual(wanted.inUse);
  expect(existsSync(path.join(folder, "for-the-bank.txt"))).toBe(true);
});

test.each([
  ["file of settings is lost goes on with the access that it has", "service.json", true],
  ["database is lost is given access anew", "service.db", false],
])("the bank of a service whose %s, once that is set up again", async (_, lost, isKept) => {
  const folder = newFolder();
  const told = () => readFileSync(path.join(folder, "for-the-bank.txt"), "utf8");
  const first = program(folder);
  expect(await first.setUp()).toEqual({ kind: "done" });
  await first.service.stop();
  const before = told();
  for (const file of readdirSync(folder)) if (file.startsWith(lost)) rmSync(path.join(folder, file));
  const again = program(folder);
  expect(await again.setUp(form, undefined, { port: quietPort, isKept: true })).toEqual({ kind: "done" });
  expect(await trusts(folder, again.service)).toEqual(wanted);
  expect(told() === before).toBe(isKept);
  await again.service.stop();
});

test("a first press that is refused, after the file of settings was lost, takes no access and no events from the bank either", async () => {
  const folder = newFolder();
  const told = () => readFileSync(path.join(folder, "for-the-bank.txt"), "utf8");
  const first = program(folder);
  const events = "https://bank.example/events";
  expect(await first.setUp({ ...form, bank: { ...form.bank, eventsUrl: events } })).toEqual({ kind: "done" });
  await first.service.stop();
  const before = told();
  rmSync(path.join(folder, "service.json"));
  const again = program(folder);
  const mistyped = { ...form, shop: { ...shop, currency: "CHF" } };
  const back = { port: quietPort, isKept: false };
  expect(await again.setUp(mistyped, undefined, back)).toMatchObject({ kind: "refused", fields: ["currency"] });
  expect(await again.setUp(form, undefined, back)).toEqual({ kind: "done" });
  expect(told()).toBe(before);
  expect(await trusts(folder, again.service)).toEqual(wanted);
  expect(await rows(again.service, "partners", "list")).toMatchObject([{ events_url: events }]);
  // From here on an empty field is what the manager means.
  expect(await again.setUp(form, undefined, back)).toEqual({ kind: "done" });
  expect(await rows(again.service, "partners", "list")).toMatchObject([{ events_url: null }]);
  await again.service.stop();
});
