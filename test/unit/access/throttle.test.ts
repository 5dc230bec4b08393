/** Who has to wait before the next guess, by what failed before. */
import { beforeEach, expect, test } from "vitest";
import { type Attempt, createThrottle } from "../../../backend/access/rate-limits.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";

const [freePerCredential, freePerAddress, forgetMs] = [5, 30, 15 * 60_000];
const till: Attempt = { credential: "terminal\nshop\ntill", address: "10.0.0.1" };
const elsewhere: Attempt = { ...till, address: "10.0.0.2" };
const other: Attempt = { credential: "terminal\nshop\nother", address: "10.0.0.1" };
const code: Attempt = { credential: "enrolment", address: "10.0.0.1", apart: true };

let clock: VirtualClock;
let throttle: ReturnType<typeof createThrottle>;
beforeEach(() => {
  clock = new VirtualClock();
  throttle = createThrottle(clock);
});
const fail = (attempt: Attempt, times: number): void => {
  for (let n = 0; n < times; n += 1) throttle.failed(attempt);
};

test("a pause begins with the fifth failure of a credential, from wherever, and ends in time", () => {
  fail(till, freePerCredential - 1);
  expect(throttle.waitSeconds(till)).toBe(0);
  fail(elsewhere, 1);
  expect([throttle.waitSeconds(till), throttle.waitSeconds(elsewhere), throttle.waitSeconds(other)]).toEqual([1, 1, 0]);
  clock.jump(999);
  expect(throttle.waitSeconds(till)).toBe(1);
  clock.jump(1);
  expect(throttle.waitSeconds(till)).toBe(0);
});

test("the pauses double up to a minute", () => {
  const pauses = Array.from({ length: 13 }, () => {
    fail(till, 1);
    return throttle.waitSeconds(till);
  });
  expect(pauses).toEqual([0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
});

test("an attempt is counted before its secret is looked at, and not while it has to wait", () => {
  for (let n = 0; n < freePerCredential; n += 1) expect(throttle.reserve(till)).toBe(0);
  expect([throttle.reserve(till), throttle.reserve(till)]).toEqual([1, 1]);
  clock.jump(1_000);
  expect(throttle.reserve(till)).toBe(0);
  expect(throttle.waitSeconds(till)).toBe(2);
});

test("an attempt whose secret was never looked at is taken back, and with it the pause that it began", () => {
  fail(till, freePerCredential - 1);
  throttle.reserve(till);
  throttle.released(till);
  expect(throttle.waitSeconds(till)).toBe(0);
  fail(till, 1);
  expect(throttle.waitSeconds(till)).toBe(1);
});

test("taking back the only one leaves nothing, and taking back none is nothing", () => {
  throttle.released(till);
  fail(till, 2);
  for (let n = 0; n < 3; n += 1) throttle.released(till);
  fail(till, freePerCredential - 1);
  expect(throttle.waitSeconds(till)).toBe(0);
  fail(till, 1);
  expect(throttle.waitSeconds(till)).toBe(1);
});

test("failures are forgotten when nothing has failed for a quarter of an hour, and not before", () => {
  fail(till, freePerCredential - 1);
  clock.jump(forgetMs - 1);
  fail(till, 1);
  expect(throttle.waitSeconds(till)).toBe(1);
  clock.jump(forgetMs);
  fail(till, 1);
  expect(throttle.waitSeconds(till)).toBe(0);
});

test("a success forgets what the credential has failed, and of its address one failure alone", () => {
  fail(till, freePerCredential - 1);
  throttle.succeeded(till);
  fail(elsewhere, freePerCredential - 1);
  expect(throttle.waitSeconds(elsewhere)).toBe(0);
  for (let device = 0; device < freePerAddress - freePerCredential + 1; device += 1)
    throttle.failed({ ...other, credential: `terminal\nshop\n${device}` });
  expect(throttle.waitSeconds(other)).toBe(0);
  throttle.failed(other);
  expect(throttle.waitSeconds(other)).toBe(1);
});

test("where a credential has signed in before, it is counted apart from strangers and from its address", () => {
  throttle.succeeded(till);
  fail(elsewhere, freePerCredential);
  fail(other, freePerAddress);
  expect(throttle.waitSeconds(till)).toBe(0);
  fail(till, freePerCredential);
  expect(throttle.waitSeconds(till)).toBe(1);
  throttle.succeeded(other);
  expect(throttle.waitSeconds(other)).toBe(0);
  throttle.succeeded(till);
  expect(throttle.waitSeconds(till)).toBe(0);
});

test("codes are counted by address alone, apart from sign-in, and stop no sign-in", () => {
  fail(code, freePerCredential - 1);
  expect(throttle.waitSeconds(code)).toBe(0);
  fail(code, 1);
  expect([throttle.waitSeconds(code), throttle.waitSeconds({ ...code, address: "10.0.0.2" })]).toEqual([1, 0]);
  expect([throttle.waitSeconds(till), throttle.waitSeconds({ ...code, credential: "manager reset" })]).toEqual([0, 0]);
  // As many as an address may fail, each of another kind.
  for (let n = 0; n < freePerAddress; n += 1) fail({ ...code, credential: `code ${n}`, address: "10.0.0.3" }, 1);
  expect(throttle.waitSeconds({ ...till, address: "10.0.0.3" })).toBe(0);
});

test("was paused: from the failure that began a pause until it is forgotten", () => {
  expect(throttle.wasPaused(till)).toBe(false);
  fail(till, freePerCredential - 1);
  expect(throttle.wasPaused(till)).toBe(false);
  fail(till, 1);
  expect([throttle.wasPaused(till), throttle.wasPaused(other)]).toEqual([true, false]);
  clock.jump(forgetMs - 1);
  expect(throttle.wasPaused(till)).toBe(true);
  clock.jump(1);
  expect(throttle.wasPaused(till)).toBe(false);
});

test("a pause counted before the clock went back does not last until the clock is there again", () => {
  fail(till, freePerCredential);
  expect(throttle.waitSeconds(till)).toBe(1);
  clock.jump(-600_000);
  expect(throttle.waitSeconds(till)).toBe(0);
});

test("whoever names thousands of others, from one address, ends nobody's pause", () => {
  fail(till, freePerCredential);
  for (let n = 0; n < 9_998; n += 1) throttle.failed({ ...other, credential: `terminal\nshop\n${n}` });
  expect(throttle.waitSeconds(elsewhere)).toBe(1);
});

test("of more failures than that the oldest are forgotten: nobody fills the memory", () => {
  fail(till, freePerCredential);
  for (let n = 0; n < 9_999; n += 1) throttle.failed({ ...other, credential: `terminal\nshop\n${n}` });
  expect(throttle.waitSeconds(elsewhere)).toBe(0);
});
