/** Uses the desktop host's secrets and its question at closing on the stand-in; prints what happened as JSON (see secrets.test.ts). */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openKeyStore } from "../../../main/electron/key-store.ts";
import { createCloseConfirmation } from "../../../main/electron/window.ts";
import { openCredentialFile, openJournalKeys } from "../../../main/host/secrets.ts";
import { type Bridge, type Snapshot, settingsSchema } from "../../../preload/contract.ts";
import { answers, app, BrowserWindow, calls, conditions } from "./fake-electron.ts";

const folder = process.argv[2] ?? "";
const credential = { serviceUrl: "https://s.example", merchantId: "m", deviceId: "d", secret: "a-very-secret-word" };
const logged: string[] = [];
const open = (platform: NodeJS.Platform = "linux") =>
  openCredentialFile(folder, (level, message) => logged.push(`${level}: ${message}`), openKeyStore(platform));
const file = path.join(folder, "credential.json");
const kept = () => readFileSync(file, "utf8") + Buffer.from(JSON.parse(readFileSync(file, "utf8")).data, "base64");
const readState = async () => ({
  loaded: (await open()).load(),
  isPlain: kept().includes(credential.secret),
  mode: statSync(file).mode & 0o777,
});
const always = () => true;

const sealedWith = () => Buffer.from(JSON.parse(readFileSync(file, "utf8")).data, "base64").toString("latin1", 0, 3);
app.evaluated();
const before = (await open()).load();
const secrets = await open();
const refusedMeanwhile = { saved: await secrets.save(credential, () => false), isKept: existsSync(file) };
await secrets.save(credential, always);
(await openJournalKeys(folder, openKeyStore("linux"))).keep();
const encrypted = await readState();
conditions.keyStore = "basic";
const basicText = {
  available: await openKeyStore("linux").isAvailable(),
  onWindows: await openKeyStore("win32").isAvailable(),
  saved: await (await open()).save(credential, always).catch((error: Error) => error.message),
};
conditions.keyStore = "missing";
const noStore = await (await open()).save(credential, always).catch((error: Error) => error.message);
conditions.keyStore = "locked";
const locked = await open().catch((error: Error) => error.name);
const lockedKeys = await openJournalKeys(folder, openKeyStore("linux")).catch((error: Error) => error.name);
const lockedFile = kept();
conditions.keyStore = "working";
const unlocked = { loaded: (await open()).load(), isUntouched: kept() === lockedFile };
conditions.isKeyLost = true;
const lost = (await open()).load();
conditions.isKeyLost = false;
// As an earlier version sealed it where there was no keyring: `v10`.
const published = Buffer.concat([
  Buffer.from("v10"),
  Buffer.from(JSON.stringify(credential)).map((byte) => byte ^ 0xff),
]);
writeFileSync(file, JSON.stringify({ version: 2, kind: "encrypted", data: published.toString("base64") }));
const fromPublished = { loaded: (await open()).load(), prefix: sealedWith() };
writeFileSync(
  file,
  JSON.stringify({ encrypted: false, data: Buffer.from(JSON.stringify(credential)).toString("base64") }),
);
const fromPlain = await readState();
conditions.isKeyRenewed = true;
const bytes = statSync(file).ino;
const renewed = { ...(await readState()), isWritten: statSync(file).ino !== bytes };
conditions.isKeyRenewed = false;
writeFileSync(file, "{ half");
const damaged = (await open()).load();

/** A core with so many withdrawals that are not over, none of them with a message that waits. */
const withUnfinished = (unfinished: number): Bridge => ({
  dispatch: async () => ({ ok: true }),
  subscribe(listener) {
    const header = { pendingReports: null, unfinished };
    listener({ header, settings: settingsSchema.parse({ language: "de" }) } as Snapshot);
    return () => undefined;
  },
});
const window = new BrowserWindow({ webPreferences: { preload: "" } }) as never;
const none = createCloseConfirmation(withUnfinished(0), window);
const two = createCloseConfirmation(withUnfinished(2), window);
const closing = { none: none.isAnswered(), two: two.isAnswered() };
answers.push(0);
const stayed = { answer: await two.confirmClose(), isAnswered: two.isAnswered() };
answers.push(1);
const [first, again] = await Promise.all([two.confirmClose(), two.confirmClose()]);
const left = { first, again, isAnswered: two.isAnswered(), asked: calls.filter((call) => call.startsWith("asked: ")) };

console.log(
  JSON.stringify({
    before,
    refusedMeanwhile,
    encrypted,
    basicText,
    noStore,
    locked: [locked, lockedKeys],
    unlocked,
    lost,
    fromPublished,
    fromPlain,
    renewed,
    damaged,
    logged,
    closing,
    stayed,
    left,
  }),
);
