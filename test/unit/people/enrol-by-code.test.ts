/** Enrolment by the operator's one-time code: the host makes the key of it, and the page never sees that. */
import { expect, test } from "vitest";
import type { ServiceAnswer } from "../../../main/terminal/ports.ts";
import { answer, type Counter, managerPin, openCounter } from "./stage.ts";

const key = { merchant_id: "demo-shop", store_name: "Demo", device_id: "till-1", password: "till-secret" };

const enrol = async (toCode: ServiceAnswer): Promise<{ counter: Counter; reply: unknown }> => {
  const counter = await openCounter({ credential: null });
  await counter.press({ type: "set_manager_pin", name: "Ida", pin: managerPin });
  counter.till.service.fault = ({ path }) => (path === "/ext/v1/enrolments" ? toCode : null);
  const command = { type: "enroll_by_code", serviceUrl: "https://service", code: "7F3K-9Q2M-4XTZ" };
  return { counter, reply: await counter.press(command) };
};

test("keeps the key in the host, signs in with it, and shows it nowhere", async () => {
  const { counter, reply } = await enrol(answer(201, key));
  expect(reply).toEqual({ ok: true });
  expect(counter.till.secrets.credential).toMatchObject({ serviceUrl: "https://service", secret: "till-secret" });
  expect(counter.till.screen().kind).toBe("ready");
  expect(JSON.stringify([reply, counter.till.snapshots])).not.toContain("till-secret");
  expect(JSON.stringify([...counter.till.journal.read().entries])).not.toContain("till-secret");
});

test.each<[string, ServiceAnswer, string]>([
  ["a code that is unknown, used or too old", answer(404, { code: "not_found" }), "denied"],
  ["nobody there", { kind: "silence", why: "refused" }, "unreachable"],
])("%s changes nothing", async (_, toCode, code) => {
  const { counter, reply } = await enrol(toCode);
  expect(reply).toEqual({ ok: false, code });
  expect(counter.till.secrets.credential).toBeNull();
});

test("a code that was spent when the sign-in found nobody works for the next try, and for that alone", async () => {
  const counter = await openCounter({ credential: null });
  await counter.press({ type: "set_manager_pin", name: "Ida", pin: managerPin });
  const { service } = counter.till;
  const isAway = new Set(["/oauth2/authorize"]);
  service.fault = ({ path }) => {
    if (path === "/ext/v1/enrolments") return answer(201, key);
    return isAway.has(path) ? { kind: "silence", why: "refused" } : null;
  };
  const press = () => counter.press({ type: "enroll_by_code", serviceUrl: "https://service", code: "7F3K-9Q2M-4XTZ" });
  expect(await press()).toEqual({ ok: false, code: "unreachable" });
  // Another code is another credential's.
  const other = { type: "enroll_by_code", serviceUrl: "https://service", code: "7F3K-9Q2M-4XTY" };
  expect(await counter.press(other)).toEqual({ ok: false, code: "unreachable" });
  const there = { type: "enroll_by_code", serviceUrl: "https://other", code: "7F3K-9Q2M-4XTY" };
  expect(await counter.press(there)).toEqual({ ok: false, code: "unreachable" });
  expect(service.calls("enrolments")).toHaveLength(3);
  expect(await press()).toEqual({ ok: false, code: "unreachable" });
  isAway.clear();
  expect(await press()).toEqual({ ok: true });
  expect(service.calls("enrolments")).toHaveLength(4);
  await press();
  expect(service.calls("enrolments")).toHaveLength(5);
});
