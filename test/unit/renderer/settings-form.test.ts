import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { settingsSchema } from "../../../preload/contract.ts";
import { discrepancyText } from "../../../renderer/history/words.ts";
import { changed, type Draft, faultsOf, fromDraft, toDraft } from "../../../renderer/manager/settings-form.tsx";

const defaults = settingsSchema.parse({});
const rich = settingsSchema.parse({
  language: "de",
  camera: { enabled: false, deviceId: "cam-2" },
  fixedLength: 20,
  foreignIds: { lengthMin: 12, lengthMax: 20, alphabet: "alphanumeric", check: "mod97" },
  keyboardScanner: { gapMs: 120, prefix: "]C1", layout: "de" },
  drawer: { kind: "network", host: "10.0.0.9", port: 9101, sensor: false },
});

/** A draft with some fields changed, by their paths. */
const typed = (draft: Draft, fields: Readonly<Record<string, unknown>>): Draft =>
  Object.entries(fields).reduce((next, [path, value]) => changed(next, path.split("."), value), draft);

describe("settings of the manager", () => {
  it.each([
    ["defaults", defaults],
    ["all set", rich],
  ])("come out of the form as they went in: %s", (_name, settings) => {
    const draft = toDraft(settings);
    expect([...faultsOf(draft)]).toEqual([]);
    expect(fromDraft(draft, settings)).toEqual(settings);
  });

  it.each<[Readonly<Record<string, unknown>>, string[]]>([
    [{ scaTimeoutSeconds: 9 }, ["scaTimeoutSeconds"]],
    [{ scaTimeoutSeconds: 40 }, ["scaTimeoutSeconds"]],
    [{ scaTimeoutSeconds: "3.5" }, ["scaTimeoutSeconds"]],
    [{ scaTimeoutSeconds: null }, ["scaTimeoutSeconds"]],
    [{ fixedLength: 3 }, ["fixedLength"]],
    [{ fixedLength: null }, []],
    [{ "drawer.kind": "network", "drawer.host": " " }, ["drawer.host"]],
    [{ "drawer.kind": "network", "drawer.host": "printer", "drawer.port": 70_000 }, ["drawer.port"]],
    [{ "drawer.kind": "none", "drawer.host": "", "drawer.port": "x" }, []],
    [{ "foreignIds.isOn": true, "foreignIds.lengthMin": 20, "foreignIds.lengthMax": 12 }, ["foreignIds.lengthMax"]],
    [{ "foreignIds.isOn": false, "foreignIds.lengthMin": "x" }, []],
  ])("finds the fault in %j", (fields, faults) => {
    expect([...faultsOf(typed(toDraft(defaults), fields))]).toEqual(faults);
  });

  it.each<Readonly<Record<string, unknown>>>([
    { scaTimeoutSeconds: 10 },
    { scaTimeoutSeconds: 39, fixedLength: 64 },
    { "drawer.kind": "network", "drawer.host": "printer", "drawer.port": 9109 },
    { "foreignIds.isOn": true, "foreignIds.lengthMin": 4, "foreignIds.lengthMax": 64, "foreignIds.check": "none" },
  ])("without a fault %j is what the till accepts", (fields) => {
    const draft = typed(toDraft(defaults), fields);
    expect([...faultsOf(draft)]).toEqual([]);
    const settings = fromDraft(draft, defaults);
    expect(settingsSchema.safeParse(settings).success).toBe(true);
    expect(toDraft(settings)).toEqual(draft);
  });

  it.each<[Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>]>([
    [{ scaTimeoutSeconds: 40, sound: false }, { sound: false }],
    [{ fixedLength: 2, language: "en" }, { language: "en" }],
    [{ "drawerMoney.differenceMinor": "x", "drawerMoney.enabled": true }, { "drawerMoney.enabled": true }],
    [{ "drawer.host": " ", "drawer.port": 80 }, {}],
    [{ "foreignIds.lengthMin": "x", "foreignIds.alphabet": "digits" }, {}],
    [{ "drawer.port": 80 }, {}],
    [{ "drawer.port": 9102 }, { "drawer.port": 9102 }],
  ])("keeps of %j what is right", (fields, kept) => {
    const before = toDraft(rich);
    expect(toDraft(fromDraft(typed(before, fields), rich))).toEqual(typed(before, kept));
  });

  it("leaves alone what it does not show", () => {
    const before = { ...rich, tourSeen: true };
    expect(fromDraft(toDraft(defaults), before)).toEqual({
      ...defaults,
      keyboardScanner: rich.keyboardScanner,
      tourSeen: true,
    });
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
  .join("\n")
  .replaceAll(/`\$\{device\}\.(\w+)`/g, (_, field) => `"drawer.${field}" "printer.${field}"`)
  .replaceAll(/`updates\.window\.\$\{end\}`/g, '"updates.window"');

const fieldsOf = (value: unknown, at = ""): readonly string[] =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.entries(value).flatMap(([name, inner]) => fieldsOf(inner, at === "" ? name : `${at}.${name}`))
    : [at];

it.each(fieldsOf(toDraft(defaults)).filter((field) => field !== "camera.deviceId"))(
  "the manager's page has a field for %s",
  (field) => expect(page).toContain(`"${field}"`),
);
