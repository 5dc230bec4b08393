/** How long who came in stays in. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { endSessions, pageKeyFile } from "../../../main/browser/end-sessions.ts";
import { openSessions, type Sessions } from "../../../main/browser/session.ts";
import { claimOrHandOver } from "../../../main/host/instance.ts";

const folder = mkdtempSync(path.join(tmpdir(), "tillcash-session-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hourMs = 60 * 60_000;
let nowMs = Date.UTC(2026, 0, 1);
const start = (name = "page.key"): Sessions =>
  openSessions(path.join(folder, name), { monotonicMs: () => nowMs, wallMs: () => nowMs });
const newSession = (sessions: Sessions): string => sessions.redeemEntry(sessions.issueEntry()) ?? "";

test("a session ends four days after its last use, also over a restart of the host", () => {
  const session = newSession(start());
  nowMs += 95 * hourMs;
  expect(start().isOpen(session)).toBe(true);
  nowMs += 2 * hourMs;
  expect(start().isOpen(session)).toBe(false);
});

test("a session in use is replaced once an hour, and ends seven days after the page came in", () => {
  const sessions = start();
  let session = newSession(sessions);
  expect(sessions.renew(session)).toBeNull();
  for (let day = 1; day < 7; day += 1) {
    nowMs += 24 * hourMs;
    expect(sessions.isOpen(session)).toBe(true);
    const renewed = sessions.renew(session);
    // From the third day on it is good until the end, and there is no longer one.
    expect(renewed === null, `day ${day}`).toBe(day > 3);
    session = renewed ?? session;
    expect(sessions.renew(session)).toBeNull();
  }
  nowMs += 24 * hourMs - 1;
  expect(sessions.isOpen(session)).toBe(true);
  nowMs += 1;
  expect(sessions.isOpen(session)).toBe(false);
});

test("a way to end them all: no session and no address that was given works any more", () => {
  const sessions = start();
  const [session, entry] = [newSession(sessions), sessions.issueEntry()];
  sessions.endAll();
  expect([sessions.isOpen(session), sessions.redeemEntry(entry)]).toEqual([false, null]);
  expect(start().isOpen(session)).toBe(false);
  expect(sessions.isOpen(newSession(sessions))).toBe(true);
});

test("a running host that does not answer is no ended session: its key is in its memory", async () => {
  const data = path.join(folder, "held");
  mkdirSync(data);
  start("held/page.key");
  const claim = await claimOrHandOver(data);
  if (claim.kind !== "claimed") throw new Error("taken");
  await expect(endSessions(data)).rejects.toThrow(/did not end its sessions/);
  expect(existsSync(pageKeyFile(data))).toBe(true);
  claim.instance.release();
  await endSessions(data);
  expect(existsSync(pageKeyFile(data))).toBe(false);
});

test("nobody can move its end, nor use one of another till", () => {
  const sessions = start();
  const [id, until, signature] = newSession(sessions).split(".");
  expect(sessions.isOpen(`${id}.${until}.${signature}`)).toBe(true);
  expect(sessions.isOpen(`${id}.zzzzzzzzz.${signature}`)).toBe(false);
  expect(sessions.isOpen(`${id}.${signature}`)).toBe(false);
  expect(start("other.key").isOpen(`${id}.${until}.${signature}`)).toBe(false);
});

test("an entry lasts 15 minutes", () => {
  const sessions = start();
  const token = sessions.issueEntry();
  nowMs += 15 * 60_000 + 1;
  expect(sessions.redeemEntry(token)).toBeNull();
});
