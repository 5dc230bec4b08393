import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { settingsSchema } from "../../../preload/contract.ts";
import { discrepancyText } from "../../../renderer/discrepancy/discrepancy-text.ts";
import { type Draft, fromDraft, toDraft } from "../../../renderer/manager/draft.ts";
import { faultsOf, withoutFaults } from "../../../renderer/manager/draft-faults.ts";

const defaults = settingsSchema.parse({});
const rich = settingsSchema.parse({
  language: "de",
  camera: { enabled: false, deviceId: "cam-2" },
  fixedLength: 20,
  foreignIds: { lengthMin: 12, lengthMax: 20, alphabet: "alphanumeric", check: "mod97" },
  keyboardScanner: { gapMs: 120, prefix: "]C1", layout: "de" },
  drawer: { kind: "network", host: "10.0.0.9", port: 9101, sensor: false },
});

describe("settings of the manager", () => {
  it.each([
    ["defaults", defaults],
    ["all set", rich],
  ])("come out of the form as they went in: %s", (_name, settings) => {
    const draft = toDraft(settings);
    expect([...faultsOf(draft)]).toEqual([]);
    expect(fromDraft(draft, settings)).toEqual(settings);
  });

  it.each<[Partial<Draft>, string[]]>([
    [{ scaTimeout: "9" }, ["scaTimeout"]],
    [{ scaTimeout: "40" }, ["scaTimeout"]],
    [{ scaTimeout: "3.5" }, ["scaTimeout"]],
    [{ scaTimeout: "" }, ["scaTimeout"]],
    [{ fixedLength: "3" }, ["fixedLength"]],
    [{ fixedLength: " " }, []],
    [{ drawerKind: "network", host: " " }, ["host"]],
    [{ drawerKind: "network", host: "printer", port: "70000" }, ["port"]],
    [{ drawerKind: "none", host: "", port: "x" }, []],
    [{ foreignOn: true, lengthMin: "20", lengthMax: "12" }, ["lengthMax"]],
    [{ foreignOn: false, lengthMin: "x" }, []],
  ])("finds the fault in %j", (part, faults) => {
    expect([...faultsOf({ ...toDraft(defaults), ...part })]).toEqual(faults);
  });

  it.each<Partial<Draft>>([
    { scaTimeout: "10" },
    { scaTimeout: "39", fixedLength: "64" },
    { drawerKind: "network", host: "printer", port: "9109" },
    { foreignOn: true, lengthMin: "4", lengthMax: "64", check: "none" },
  ])("without a fault %j is what the till accepts", (part) => {
    const draft = { ...toDraft(defaults), ...part };
    expect([...faultsOf(draft)]).toEqual([]);
    expect(settingsSchema.safeParse(fromDraft(draft, defaults)).success).toBe(true);
  });

  it.each<[Partial<Draft>, Partial<Draft>]>([
    [{ scaTimeout: "40", sound: false }, { sound: false }],
    [{ fixedLength: "2", language: "en" }, { language: "en" }],
    [{ host: " ", port: "80" }, {}],
    [{ lengthMin: "x", alphabet: "digits" }, {}],
    [{ port: "80" }, {}],
    [{ port: "9102" }, { port: "9102" }],
  ])("keeps of %j what is right", (part, kept) => {
    const before = toDraft(rich);
    expect(withoutFaults({ ...before, ...part }, before)).toEqual({ ...before, ...kept });
  });
});

it("puts the books' open points into words and hides none", () => {
  const t = ((key: string) => `<${key}>`) as unknown as Parameters<typeof discrepancyText>[1];
  expect(discrepancyText("link_refused, linked_by_another, brand_new", t)).toBe(
    "<discrepancies.link_refused>; <discrepancies.linked_by_another>; brand_new",
  );
});

const page = globSync("*.tsx", { cwd: path.resolve(import.meta.dirname, "../../../renderer/manager") })
  .map((file) => readFileSync(path.resolve(import.meta.dirname, "../../../renderer/manager", file), "utf8"))
  .join("\n");

it.each(Object.keys(toDraft(defaults)))("the manager's page has a field for %s", (name) =>
  expect(page).toMatch(new RegExp(`\\bdraft\\.${name}\\b|"${name}"|change\\(\\{ ${name}:`)),
);
