/** Settings and access key: one form for both hosts, the earlier ones read, a newer one untouched, one wrong setting alone. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type KeyStore, openCredentialFile, openJournalKeys } from "../../../main/host/secrets.ts";
import { openSettingsFile, scaSecondsMaxBefore, withinToday } from "../../../main/host/settings-file.ts";
import { settingBounds } from "../../../preload/choices.ts";
import { settingsSchema } from "../../../preload/contract.ts";

let folder = "";
let logged: string[] = [];
const log = (_: string, message: string, detail?: object) => logged.push(`${message} ${JSON.stringify(detail ?? {})}`);
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "stores-"));
  logged = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const put = (name: string, value: unknown): void =>
  writeFileSync(path.join(folder, name), typeof value === "string" ? value : JSON.stringify(value));
const get = (name: string): unknown => JSON.parse(readFileSync(path.join(folder, name), "utf8"));
const german = settingsSchema.parse({ language: "de", drawer: { kind: "none" } });

test("the default settings are such as a manager may save", () => {
  const defaults = settingsSchema.parse({});
  expect(settingsSchema.parse(defaults)).toEqual(defaults);
});

describe("the settings", () => {
  const open = () => openSettingsFile(folder, log);

  test.each([
    ["the browser host's earlier form", german],
    ["the desktop host's earlier form", { till: german, devices: [] }],
    ["today's form", { version: 2, till: german }],
  ])("%s is read", (_, document) => {
    put("settings.json", document);
    expect(open().load()).toEqual(german);
    expect(logged).toEqual([]);
  });

  test("an earlier form is kept beside the first that is written", () => {
    put("settings.json", german);
    open().save({ ...german, sound: false });
    expect(get("settings.json.format-1")).toEqual(german);
    expect(get("settings.json")).toMatchObject({ version: 2, till: { sound: false, language: "de" } });
    // Also behind a way back to the program that wrote it.
    put("settings.json", { ...german, language: "it" });
    open().save(german);
    expect(get("settings.json.format-1")).toEqual(german);
  });

  test("one wrong setting falls back alone, and the log names it", () => {
    put("settings.json", {
      version: 2,
      till: { ...german, scaTimeoutSeconds: 900, camera: { enabled: false, deviceId: 7 }, drawer: { kind: "robot" } },
    });
    expect(open().load()).toEqual({
      ...settingsSchema.parse({}),
      language: "de",
      camera: { enabled: false, deviceId: null },
    });
    expect(logged).toEqual([expect.stringContaining('["scaTimeoutSeconds","camera.deviceId","drawer"]')]);
    const settings = open();
    expect(settings.wrong()).toEqual(["scaTimeoutSeconds", "camera.deviceId", "drawer"]);
    settings.save(settings.load());
    expect(settings.wrong()).toEqual([]);
  });

  test("the longest time for the approval that can be set now is brought down too, once a later version allows less", () =>
    expect(settingBounds.scaTimeoutSeconds.max).toBeLessThanOrEqual(scaSecondsMaxBefore));

  test.each([
    [35, 29],
    [39, 29],
    [29, 29],
    [20, 20],
    // Never allowed, so that it is a fault and named as one.
    [40, 40],
  ])("a time for the approval of %i s, where 29 is the longest by now, is read as %i", (kept, read) => {
    expect(withinToday({ language: "de", scaTimeoutSeconds: kept }, 29)).toEqual({
      language: "de",
      scaTimeoutSeconds: read,
    });
  });

  test.each([3, 9])("a newer form is left as it is: %i", (version) => {
    put("settings.json", { version, till: { language: "tlh" } });
    const settings = open();
    expect(settings.load()).toEqual(settingsSchema.parse({}));
    expect(() => settings.save(german)).toThrow("newer");
    expect(() => settings.saveDevices([])).toThrow("newer");
    expect(get("settings.json")).toEqual({ version, till: { language: "tlh" } });
  });

  test("what the desktop host remembers survives a change in the browser host", () => {
    put("settings.json", { till: german, devices: [{ kind: "hid" }] });
    open().save({ ...german, language: "en" });
    expect(open().loadDevices()).toEqual([{ kind: "hid" }]);
    open().saveDevices([{ kind: "serial" }]);
    expect(open().load().language).toBe("en");
    expect(open().loadDevices()).toEqual([{ kind: "serial" }]);
  });

  test("a damaged file is put aside", () => {
    put("settings.json", "{ half");
    expect(open().load()).toEqual(settingsSchema.parse({}));
    expect(existsSync(path.join(folder, "settings.json.damaged"))).toBe(true);
  });
});

describe("the access key", () => {
  const key = { serviceUrl: "https://s.example", merchantId: "m", deviceId: "d", secret: "a-very-secret-word" };
  const flip = (bytes: Buffer): Buffer => Buffer.from(bytes.map((byte) => byte ^ 0xff));
  const store: KeyStore = {
    isAvailable: async () => true,
    encrypt: async (text) => flip(Buffer.from(text)),
    decrypt: async (bytes) => ({ text: flip(bytes).toString(), isOutdated: false }),
  };
  const desktop = () => openCredentialFile(folder, log, store);
  const browser = () => openCredentialFile(folder, log, null);
  const base64 = (bytes: Buffer): string => bytes.toString("base64");

  test.each([
    ["the browser host's earlier form", key],
    ["the desktop host's earlier form, plain", { encrypted: false, data: base64(Buffer.from(JSON.stringify(key))) }],
    ["the desktop host's earlier form", { encrypted: true, data: base64(flip(Buffer.from(JSON.stringify(key)))) }],
  ])("%s is read", async (_, document) => {
    put("credential.json", document);
    expect((await desktop()).load()).toEqual(key);
  });

  test("what either host writes, the desktop host reads; for this user alone", async () => {
    await (await browser()).save(key, () => true);
    expect(statSync(path.join(folder, "credential.json")).mode & 0o777).toBe(0o600);
    expect((await desktop()).load()).toEqual(key);
    await (await desktop()).save(key, () => true);
    expect(readFileSync(path.join(folder, "credential.json"), "utf8")).not.toContain("secret");
    expect((await desktop()).load()).toEqual(key);
  });

  test("the browser host leaves the desktop's key where it is, and keeps it when another is typed in", async () => {
    await (await desktop()).save(key, () => true);
    const before = get("credential.json");
    expect((await browser()).load()).toBeNull();
    expect(get("credential.json")).toEqual(before);
    expect(existsSync(path.join(folder, "credential.json.damaged"))).toBe(false);
    await (await browser()).save({ ...key, deviceId: "e" }, () => true);
    expect(get("credential.json.kept")).toEqual(before);
    expect((await desktop()).load()).toEqual({ ...key, deviceId: "e" });
  });

  test.each([3, 9])("a newer form is left as it is: %i", async (version) => {
    put("credential.json", { version, vault: "elsewhere" });
    expect((await browser()).load()).toBeNull();
    await expect((await browser()).save(key, () => true)).rejects.toThrow("newer");
    expect(get("credential.json")).toEqual({ version, vault: "elsewhere" });
  });

  test("a damaged one is kept beside the next, and an enrolment that may not replace it any more replaces nothing", async () => {
    put("credential.json", { half: true });
    const secrets = await browser();
    expect([secrets.load(), await secrets.save(key, () => false)]).toEqual([null, false]);
    expect(get("credential.json")).toEqual({ half: true });
    expect(await secrets.save(key, () => true)).toBe(true);
    expect([get("credential.json.kept"), secrets.load()]).toEqual([{ half: true }, key]);
  });

  test("one that this program may not read stops the start: an enrolment would end the key in it", async () => {
    mkdirSync(path.join(folder, "credential.json"));
    await expect(browser()).rejects.toThrow(/credential\.json\): let this program read it$/);
  });

  test("what stands in the way while the key store works is asked about after it", async () => {
    let isFree = true;
    const slow: KeyStore = {
      ...store,
      async encrypt(text) {
        isFree = false;
        return store.encrypt(text);
      },
    };
    const secrets = await openCredentialFile(folder, log, slow);
    expect(await secrets.save(key, () => isFree)).toBe(false);
    expect([secrets.load(), existsSync(path.join(folder, "credential.json"))]).toEqual([null, false]);
  });

  test("a journal's key that the key store calls outdated is encrypted anew, and stays the key", async () => {
    (await openJournalKeys(folder, store)).keep();
    const before = get("journal-key.json");
    const newer: KeyStore = {
      ...store,
      encrypt: async (text) => flip(Buffer.from(` ${text}`)),
      decrypt: async (bytes) => ({ text: flip(bytes).toString(), isOutdated: true }),
    };
    const keys = await openJournalKeys(folder, newer);
    keys.keep();
    expect(get("journal-key.json")).not.toEqual(before);
    expect((await openJournalKeys(folder, store)).current).toEqual(keys.current);
  });

  test("the newest of a journal's keys stays the newest when it is encrypted anew", async () => {
    const sealing = (mark: string, opens = mark): KeyStore => ({
      ...store,
      encrypt: async (text) => Buffer.from(mark + text),
      async decrypt(bytes) {
        const [by = "", ...text] = bytes.toString();
        if (!opens.includes(by)) throw new Error("not sealed here");
        return { text: text.join(""), isOutdated: opens !== mark };
      },
    });
    for (const mark of ["a", "b"]) (await openJournalKeys(folder, sealing(mark))).keep();
    const both = sealing("b", "ab");
    const keys = await openJournalKeys(folder, both);
    keys.keep();
    expect((await openJournalKeys(folder, both)).current).toEqual(keys.current);
    expect(keys.known.size).toBe(2);
  });

  test("a host that cannot open the other's journal key leaves it beside its own", async () => {
    const { current, keep } = await openJournalKeys(folder, store);
    keep();
    (await openJournalKeys(folder, null)).keep();
    expect((await openJournalKeys(folder, null)).known.get(current.id)).toBeNull();
    expect((await openJournalKeys(folder, store)).known.get(current.id)).toEqual(current.secret);
  });

  test.each<[string, (file: string) => void, RegExp]>([
    ["that is damaged is put back or moved away", (file) => writeFileSync(file, "{"), /from a copy, or move it away$/],
    ["that this program may not read stays where it is", (file) => mkdirSync(file), /let this program read it$/],
  ])("a file of the journal's keys %s", async (_, put, said) => {
    put(path.join(folder, "journal-key.json"));
    await expect(openJournalKeys(folder, store)).rejects.toThrow(said);
  });

  test("an upgrade of the journal that cannot be written down is not over", async () => {
    const keys = await openJournalKeys(folder, store);
    mkdirSync(path.join(folder, "journal-key.json.new"));
    expect(() => keys.upgraded()).toThrow("EISDIR");
    expect(keys.isUpgrading).toBe(true);
  });
});
