/** Bad barcodes, double scans, scans at the wrong moment: a clear word, and no second request for the same thing. */
import { describe, expect, test } from "vitest";
import { foreignIdFault } from "../../../backend/contract/foreign-ids.ts";
import { createRig, handOver, idNumber, leadToPayable } from "./rig.ts";

const id = idNumber(1);
const other = idNumber(2);
const lookUps = (till: Awaited<ReturnType<typeof createRig>>) => till.service.calls("GET /transaction").length;
const wrongCheck = `${id.slice(0, 15)}${id.endsWith("A") ? "B" : "A"}`;
const swapped = idNumber(33).replace(/(.)(.)$/, "$2$1");

test("the review shows the shop's name where the service says it, else its id", async () => {
  const till = await createRig();
  till.service.order({ transaction_id: idNumber(1), store_name: "Corner Shop" });
  till.service.order({ transaction_id: idNumber(2) });
  for (const [number, shop] of [
    [1, "Corner Shop"],
    [2, "demo-shop"],
  ] as const) {
    await till.scan(idNumber(number));
    expect(till.screen()).toMatchObject({ kind: "review", shop });
    await till.send({ type: "reject" });
    await till.send({ type: "dismiss" });
    await till.clock.advance(5_000);
  }
});

describe("garbage never reaches the network", () => {
  test.each([
    ["empty", ""],
    ["cut off", id.slice(0, 12)],
    ["too long", `${id}0`],
    ["a wrong check character", wrongCheck],
    ["swapped neighbours", swapped],
    ["an EAN", "4006381333931"],
    ["a web address", "https://example.com/pay?id=1"],
    ["SQL", "'; DROP TABLE transactions; --"],
    ["4,096 characters", "9".repeat(4_096)],
    ["control characters alone", "\u0000\u0007\u001b\r\n"],
    ["full-width digits", "０".repeat(16)],
    ["a lone surrogate", "\ud800".repeat(16)],
    ["a path", "../../transaction?id=1"],
  ])("%s", async (_, text) => {
    const till = await createRig();
    expect(await till.scan(text)).toEqual({ ok: false, code: "not_an_id" });
    expect(till.snapshot().toast).toMatchObject({ id: 1, code: "not_an_id" });
    expect(till.screen().kind).toBe("ready");
    expect(lookUps(till)).toBe(0);
  });
});

describe("what people and scanners add is taken away", () => {
  test.each([
    ["typed in groups", id.replace(/(.{4})(?=.)/g, "$1 "), "typed"],
    ["typed in lower case with hyphens", id.replace(/(.{4})(?=.)/g, "$1-").toLowerCase(), "typed"],
    ["typed with O for 0 and l for 1", id.replaceAll("0", "o").replaceAll("1", "l"), "typed"],
    ["pasted with control characters", `\u0002\u200b${id}\r\n\u0000`, "pasted"],
    ["scanned with a newline", `${id}\r\n`, "keyboard"],
    ["scanned with surrounding blanks", `  ${id}\t`, "serial"],
  ] as const)("%s", async (_, text, source) => {
    const till = await createRig();
    till.service.order({ transaction_id: id });
    expect(await till.scan(text, source)).toEqual({ ok: true });
    expect(till.screen()).toMatchObject({ kind: "review", transactionId: id });
  });

  test("a scanner's O is no 0: only a person mistypes", async () => {
    const till = await createRig();
    expect(await till.scan(id.replace("0", "O"), "camera")).toEqual({ ok: false, code: "not_an_id" });
  });
});

describe("scans at the wrong moment", () => {
  test("the same barcode seen thirty times a second is looked up once", async () => {
    const till = await createRig();
    till.service.order({ transaction_id: id });
    const first = till.terminal.dispatch({ type: "scan", text: id, source: "camera" });
    const second = till.terminal.dispatch({ type: "scan", text: id, source: "camera" });
    expect([await first, await second]).toEqual([{ ok: true }, { ok: false, code: "duplicate_scan" }]);
    for (let frame = 0; frame < 300; frame++) {
      await till.scan(id);
      await till.clock.advance(33);
    }
    expect(lookUps(till)).toBe(1);
    expect(till.screen().kind).toBe("review");
    expect(till.snapshot().toast).toBeNull();
  });

  test("another barcode during a look-up is refused", async () => {
    const till = await createRig();
    till.service.fault = ({ path }) => (path.startsWith("/transaction?") ? "hang" : null);
    await till.scan(id);
    expect(await till.scan(other)).toEqual({ ok: false, code: "busy" });
    expect(till.snapshot().toast?.code).toBe("busy_lookup");
    expect(lookUps(till)).toBe(1);
  });

  test("during a review and while money moves it is refused with a word", async () => {
    const till = await createRig();
    const order = till.service.order({ transaction_id: id });
    await till.scan(id);
    expect(await till.scan(other)).toEqual({ ok: false, code: "busy" });
    expect(till.snapshot().toast).toEqual({ id: 1, code: "busy_review" });
    await till.send({ type: "confirm" });
    for (const status of ["awaiting_sca", "settling", "settled"]) {
      order.status = status;
      await till.clock.advance(1_500);
      expect(await till.scan(other)).toEqual({ ok: false, code: "busy" });
      expect(till.snapshot().toast?.code).toBe("busy_money");
    }
    expect(till.screen().kind).toBe("payable");
    expect(till.service.calls(`GET /transaction?id=${other}`)).toEqual([]);
  });

  test("a finished order held before the camera does not flicker; ready again, it may be looked at again", async () => {
    const till = await createRig();
    till.service.order({ transaction_id: id, status: "linked" });
    await till.scan(id);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "already_used" });
    for (let frame = 0; frame < 200; frame++) {
      await till.clock.advance(33);
      await till.scan(id);
    }
    expect(lookUps(till)).toBe(1);
    await till.send({ type: "dismiss" });
    await till.scan(id);
    expect(lookUps(till)).toBe(2);
  });

  test("the next customer's barcode leaves the done screen at once", async () => {
    const till = await createRig();
    const order = till.service.order({ transaction_id: id });
    till.service.order({ transaction_id: other });
    await till.scan(id);
    await till.send({ type: "confirm" });
    order.status = "settled";
    await till.clock.advance(1_500);
    await handOver(till);
    expect(till.screen().kind).toBe("done");
    expect(await till.scan(other)).toEqual({ ok: true });
    expect(till.screen()).toMatchObject({ kind: "review", transactionId: other });
  });

  test("an order that was paid here is never offered again, whatever the service says", async () => {
    const till = await createRig();
    const order = await leadToPayable(till, id);
    await handOver(till);
    await till.clock.advance(5_000);
    Object.assign(order, { status: "ready", transaction_id_partner: null });
    await till.scan(id);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "already_used" });
  });
});

describe("ids of a foreign network", () => {
  const pattern = { lengthMin: 4, lengthMax: 34, alphabet: "alphanumeric", check: "none" } as const;
  test.each([
    ["too short", "123"],
    ["too long", "1".repeat(35)],
    ["other characters", "12-34"],
  ])("%s is none", (_, text) => {
    expect(foreignIdFault(text, pattern)).not.toBeNull();
  });

  test("are looked up as they are", async () => {
    const till = await createRig({
      settings: { foreignIds: { lengthMin: 13, lengthMax: 13, alphabet: "digits", check: "mod10_gs1" } },
    });
    till.service.order({ transaction_id: "4006381333931" });
    expect(await till.scan("4006381333932")).toEqual({ ok: false, code: "not_an_id" });
    expect(await till.scan("4006381333931")).toEqual({ ok: true });
    expect(till.screen().kind).toBe("review");
  });
});
