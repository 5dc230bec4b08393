/** How long who came in stays in. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { endSessions } from "../../../main/browser/run.ts";
import { openSessions, type Sessions } from "../../../main/browser/till-app.ts";
import { claimOrHandOver } from "../../../main/host/instance.ts";

const [minuteMs, hourMs] = [60_000, 60 * 60_000];
let nowMs = 0;
const start = (): Sessions => openSessions(() => nowMs);
const newSession = (sessions: Sessions): string => sessions.redeemEntry(sessions.issueEntry()) ?? "";

test("a session ends four days after its last use", () => {
  const sessions = start();
  const [used, unused] = [newSession(sessions), newSession(sessions)];
  nowMs += 95 * hourMs;
  expect(sessions.isOpen(used)).toBe(true);
  nowMs += hourMs;
  expect(sessions.isOpen(unused)).toBe(false);
  nowMs += 95 * hourMs;
  expect(sessions.isOpen(used)).toBe(false);
});

test("a session in use ends seven days after the page came in, to the millisecond", () => {
  const sessions = start();
  const session = newSession(sessions);
  for (let day = 1; day < 7; day += 1) {
    nowMs += 24 * hourMs;
    expect(sessions.isOpen(session), `day ${day}`).toBe(true);
  }
  nowMs += 24 * hourMs - 1;
  expect(sessions.isOpen(session)).toBe(true);
  nowMs += 1;
  expect(sessions.isOpen(session)).toBe(false);
});

test("sessions and their host's key end with the host: the next one knows neither", () => {
  const [before, after] = [start(), start()];
  const session = newSession(before);
  expect([before.isOpen(session), after.isOpen(session)]).toEqual([true, false]);
  expect(before.prove("x", "127.0.0.1:1")).not.toBe(after.prove("x", "127.0.0.1:1"));
});

test("a way to end them all: no session and no address that was given works any more, and a page still knows its host", () => {
  const sessions = start();
  const [session, entry, { hostKey }] = [newSession(sessions), sessions.issueEntry(), sessions];
  sessions.endAll();
  expect([sessions.isOpen(session), sessions.redeemEntry(entry)]).toEqual([false, null]);
  expect(sessions.isOpen(newSession(sessions))).toBe(true);
  expect(sessions.hostKey).toBe(hostKey);
});

test("a running host that does not answer is no ended session", async () => {
  const data = mkdtempSync(path.join(tmpdir(), "tillcash-session-"));
  const claim = await claimOrHandOver(data);
  if (claim.kind !== "claimed") throw new Error("taken");
  await expect(endSessions(data)).rejects.toThrow(/did not end its sessions/);
  claim.instance.release();
  await endSessions(data);
  rmSync(data, { recursive: true, force: true });
});

test("an address is good once, for fifteen minutes, and only when it was given here", () => {
  const sessions = start();
  const [first, second, third] = [sessions.issueEntry(), sessions.issueEntry(), sessions.issueEntry()];
  expect(sessions.redeemEntry(first)).not.toBeNull();
  expect(sessions.redeemEntry(first)).toBeNull();
  nowMs += 15 * minuteMs;
  expect(sessions.redeemEntry(second)).not.toBeNull();
  nowMs += 1;
  expect(sessions.redeemEntry(third)).toBeNull();
  expect(sessions.redeemEntry("made up")).toBeNull();
});

test("twenty addresses are good at a time; the next one ends the oldest, and no other", () => {
  const sessions = start();
  const entries = Array.from({ length: 21 }, () => sessions.issueEntry());
  expect(entries.map((entry) => sessions.redeemEntry(entry) !== null)).toEqual([
    false,
    ...Array.from({ length: 20 }, () => true),
  ]);
});

test.each(["", "forged", "x".repeat(43), "__proto__"])("the session %j opens nothing", (one) => {
  const sessions = start();
  const session = newSession(sessions);
  for (const forged of [one, session.slice(0, -1), `${session}x`, sessions.hostKey])
    expect(sessions.isOpen(forged)).toBe(false);
});
