/** How long who came in stays in. */
import { createHmac } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { endSessions, pageKeyFile } from "../../../main/browser/end-sessions.ts";
import { openSessions, type Sessions } from "../../../main/browser/session.ts";
import { claimOrHandOver } from "../../../main/host/instance.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "tillcash-session-"));
});
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

const minuteMs = 60_000;

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

test("only a session as it was given opens or is renewed", () => {
  const sessions = start();
  const session = newSession(sessions);
  const [id = "", until = "", signature = ""] = session.split(".");
  nowMs += 2 * hourMs;
  expect(sessions.renew(session)).not.toBeNull();
  const later = (Number.parseInt(until, 36) + hourMs).toString(36);
  const forged = [
    "",
    "forged",
    id,
    `${id}.${until}`,
    `${id}.${until}.`,
    `.${until}.${signature}`,
    `${id}..${signature}`,
    `${id}.${later}.${signature}`,
    `${session}.more`,
    session.slice(0, -1),
  ];
  for (const one of forged) expect([one, sessions.isOpen(one), sessions.renew(one)]).toEqual([one, false, null]);
});

test("a session is replaced from its first hour on, to the millisecond", () => {
  const sessions = start();
  const session = newSession(sessions);
  nowMs += hourMs - 1;
  expect(sessions.renew(session)).toBeNull();
  nowMs += 1;
  expect(sessions.renew(session)).not.toBeNull();
});

test.skipIf(process.platform === "win32")("the key is its owner's alone", () => {
  start("own.key");
  expect(statSync(path.join(folder, "own.key")).mode & 0o777).toBe(0o600);
});

test("a session of an earlier version, which does not say when the page came in, has ended", () => {
  writeFileSync(path.join(folder, "older.key"), Buffer.alloc(32, 7));
  const text = `${"a".repeat(22)}.${(nowMs + hourMs).toString(36)}`;
  const signature = createHmac("sha256", Buffer.alloc(32, 7)).update(text).digest("base64url");
  expect(start("older.key").isOpen(`${text}.${signature}`)).toBe(false);
});

test("a key that was cut short is made anew", () => {
  const file = path.join(folder, "cut.key");
  writeFileSync(file, Buffer.alloc(31));
  const sessions = start("cut.key");
  expect(readFileSync(file)).toHaveLength(32);
  expect(sessions.isOpen(newSession(sessions))).toBe(true);
});

test("all can be ended also when the key's file is gone", () => {
  const sessions = start("gone.key");
  const session = newSession(sessions);
  rmSync(path.join(folder, "gone.key"));
  sessions.endAll();
  expect(sessions.isOpen(session)).toBe(false);
});
