/** The desktop host's credential file and its question at closing, on plain Node with the `electron` module replaced. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const folder = mkdtempSync(path.join(tmpdir(), "tillcash-secrets-"));
let seen: Record<string, unknown>;

beforeAll(async () => {
  const here = import.meta.dirname;
  const args = ["--import", path.join(here, "stage.ts"), path.join(here, "secrets-play.ts"), folder];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  seen = JSON.parse(stdout);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const credential = { serviceUrl: "https://s.example", merchantId: "m", deviceId: "d", secret: "a-very-secret-word" };

test("there is none on a new till", () => expect(seen.before).toBeNull());

test("it is kept encrypted, for this user alone", () => {
  expect(seen.encrypted).toEqual({ loaded: credential, isPlain: false, mode: 0o600 });
});

test("an enrolment that must not replace it any more replaces nothing", () =>
  expect(seen.refusedMeanwhile).toEqual({ saved: false, isKept: false }));

test("Linux's store that only pretends to encrypt counts as none, and nothing is kept in the open", () => {
  expect(seen.basicText).toEqual({ available: false, onWindows: true, saved: "this machine has no key store" });
  expect(seen.noStore).toBe("this machine has no key store");
});

test("a locked store is asked again and takes nothing: neither the access key nor the journal's", () => {
  expect(seen.locked).toEqual(["KeyStoreUnusable", "KeyStoreUnusable"]);
  expect(seen.unlocked).toEqual({ loaded: credential, isUntouched: true });
});

test("only what the store itself cannot open any more is lost", () => expect(seen.lost).toBeNull());

test("what an earlier version sealed with a published key is read, and sealed anew under the keyring's", () =>
  expect(seen.fromPublished).toEqual({ loaded: credential, prefix: "v11" }));

test("one that an earlier version kept in the open is encrypted at the next start, and again when the store renews its key", () => {
  expect(seen.fromPlain).toEqual({ loaded: credential, isPlain: false, mode: 0o600 });
  expect(seen.renewed).toEqual({ loaded: credential, isPlain: false, mode: 0o600, isWritten: true });
});

test("a damaged one means enrolling again, not a till that does not start", () => {
  expect(seen.damaged).toBeNull();
  expect(seen.logged).toContainEqual(expect.stringMatching(/^error: the credential cannot be read/));
  expect(JSON.stringify(seen.logged)).not.toContain(credential.secret);
});

test("a till with nothing open closes without a question", () => {
  expect(seen.closing).toEqual({ none: true, two: false });
});

test("open withdrawals are asked about once, and staying means staying", () => {
  expect(seen.stayed).toEqual({ answer: false, isAnswered: false });
  expect(seen.left).toMatchObject({ first: true, again: true, isAnswered: true });
  expect((seen.left as { asked: string[] }).asked).toEqual(
    Array(2).fill("asked: 2 Auszahlungen sind noch nicht abgeschlossen."),
  );
});
