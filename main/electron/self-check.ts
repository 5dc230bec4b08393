/** Checks this machine for the installed program: `tillcash --check`, and part of the support report. */
import { accessSync, constants, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { app, screen, systemPreferences } from "electron";
import { type CheckLine, checkText } from "../../preload/contract.ts";
import { type CheckAnswer, checkMachine, hostLooks, no, unknown, yes } from "../host/support-report.ts";
import { releaseFeed } from "../updates/feed.ts";
import { isOnWayland } from "./desktop-flags.ts";
import { fuseFile, readFuses, wantedFuses } from "./fuses.ts";
import { noKeyStoreText, openKeyStore } from "./key-store.ts";

const fuses = (): CheckAnswer => {
  if (!app.isPackaged) return unknown("not an installed program");
  const found = readFuses(fuseFile(process.execPath, process.platform));
  const wrong = Object.entries(found).filter(([name, isOn]) => isOn !== wantedFuses[name as keyof typeof found]);
  return wrong.length === 0 ? yes("all as packed") : no(`set otherwise: ${wrong.map(([name]) => name).join(", ")}`);
};

/** Linux device files of a kind, and whether this user may open them. */
const devices = (pattern: RegExp, none: string): CheckAnswer => {
  const found = readdirSync("/dev").filter((name) => pattern.test(name));
  const closed = found.filter((name) => {
    try {
      accessSync(path.join("/dev", name), constants.R_OK | constants.W_OK);
      return false;
    } catch {
      return true;
    }
  });
  if (found.length === 0) return unknown(none);
  return closed.length < found.length ? yes(`${found.join(", ")}`) : no(`this user may not open ${closed.join(", ")}`);
};

const camera = (): CheckAnswer => {
  if (process.platform === "linux") return devices(/^video\d/, "no camera is connected");
  const status = systemPreferences.getMediaAccessStatus("camera");
  return status === "denied" || status === "restricted"
    ? no(`the system says ${status}`)
    : yes(`the system says ${status}`);
};

const usb = (): CheckAnswer =>
  process.platform === "linux"
    ? devices(/^(?:hidraw|ttyACM|ttyUSB)\d/, "no scanner or printer is connected")
    : unknown("asked when a device is chosen");

const displays = (): CheckAnswer => {
  const found = screen.getAllDisplays().map(({ label, bounds }) => `${label || "?"} ${bounds.width}×${bounds.height}`);
  const said = `${found.join(", ")}${isOnWayland({ ...process, commandLine: app.commandLine }) ? "; Wayland: windows cannot be placed" : ""}`;
  return found.length === 0 ? no("no display") : yes(said);
};

const keyStore = async (): Promise<CheckAnswer> =>
  (await openKeyStore().isAvailable()) ? yes("seals and opens") : no(noKeyStoreText);

/** Runs all checks, once Electron is ready. @param data the data folder. @param refusal why this program has no sandbox. */
export const selfCheck = (data: string, refusal: string | null = null): Promise<readonly CheckLine[]> =>
  checkMachine({
    ...hostLooks(data),
    fuses,
    sandbox: () => (refusal === null ? yes("on") : no(refusal)),
    "key store": keyStore,
    camera,
    "USB devices": usb,
    displays,
    "update feed": () => {
      const feed = releaseFeed();
      return feed === null ? unknown("this build takes no updates") : yes(feed.url);
    },
  });

/** `tillcash --check`: printed, and saved to `check.txt`, as Windows shows no output. @returns the exit code. */
export const runSelfCheck = async (data: string, refusal: string | null): Promise<number> => {
  const lines = await selfCheck(data, refusal);
  const text = checkText(lines);
  console.log(text.trimEnd());
  writeFileSync(path.join(data, "check.txt"), text, { mode: 0o600 });
  return lines.some(({ is }) => is === "no") ? 1 : 0;
};
