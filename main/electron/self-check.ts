/** What this machine gives the installed program: `tillcash --check`, and a part of the report for support. */
import { accessSync, constants, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { app, screen, systemPreferences } from "electron";
import manifest from "../../package.json" with { type: "json" };
import { freeBytes } from "../terminal/journal/disk-room.ts";
import { releaseFeed } from "../updates/feed.ts";
import { isOnWayland } from "./command-line.ts";
import { fuseFile, readFuses, wantedFuses } from "./fuses.ts";
import { noKeyStoreText, openKeyStore } from "./key-store.ts";

/** One thing that was looked at. `unknown`: it is not here, or cannot be told from here; no reason to fail. */
export interface CheckLine {
  readonly name: string;
  readonly is: "yes" | "no" | "unknown";
  readonly says: string;
}
type Answer = Omit<CheckLine, "name">;

const yes = (says: string): Answer => ({ is: "yes", says });
const no = (says: string): Answer => ({ is: "no", says });
const unknown = (says: string): Answer => ({ is: "unknown", says });

const fuses = (): Answer => {
  if (!app.isPackaged) return unknown("not an installed program");
  const found = readFuses(fuseFile(process.execPath, process.platform));
  const wrong = Object.entries(found).filter(([name, isOn]) => isOn !== wantedFuses[name as keyof typeof found]);
  return wrong.length === 0 ? yes("all as packed") : no(`set otherwise: ${wrong.map(([name]) => name).join(", ")}`);
};

/** Linux' devices of a kind, and whether this user may open them. */
const devices = (pattern: RegExp, none: string): Answer => {
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

const camera = (): Answer => {
  if (process.platform === "linux") return devices(/^video\d/, "no camera is connected");
  const status = systemPreferences.getMediaAccessStatus("camera");
  return status === "denied" || status === "restricted"
    ? no(`the system says ${status}`)
    : yes(`the system says ${status}`);
};

const usb = (): Answer =>
  process.platform === "linux"
    ? devices(/^(?:hidraw|ttyACM|ttyUSB)\d/, "no scanner or printer is connected")
    : unknown("asked when a device is chosen");

const displays = (): Answer => {
  const found = screen.getAllDisplays().map(({ label, bounds }) => `${label || "?"} ${bounds.width}×${bounds.height}`);
  const said = `${found.join(", ")}${isOnWayland({ ...process, commandLine: app.commandLine }) ? "; Wayland: windows cannot be placed" : ""}`;
  return found.length === 0 ? no("no display") : yes(said);
};

const keyStore = async (): Promise<Answer> =>
  (await openKeyStore().isAvailable()) ? yes("seals and opens") : no(noKeyStoreText);

/** Never rejects: what fails to be looked at is a no. To be used once Electron is ready. @param data the data folder. */
export const selfCheck = (data: string): Promise<readonly CheckLine[]> => {
  const { electron, chrome, node } = process.versions;
  const looks: Readonly<Record<string, () => Answer | Promise<Answer>>> = {
    program: () => yes(`Tillcash ${manifest.version}, ${process.platform} ${process.arch}`),
    runtime: () => yes(`Electron ${electron ?? "?"}, Chromium ${chrome ?? "?"}, Node ${node}`),
    fuses,
    sandbox: () => (process.argv.includes("--no-sandbox") ? no("switched off") : yes("on")),
    "key store": keyStore,
    camera,
    "USB devices": usb,
    displays,
    "data folder": () => yes(`${data}, ${Math.round(freeBytes(data) / 1_000_000)} MB free`),
    "update feed": () => {
      const feed = releaseFeed();
      return feed === null ? unknown("this build takes no updates") : yes(feed.url);
    },
  };
  return Promise.all(
    Object.entries(looks).map(async ([name, look]): Promise<CheckLine> => {
      try {
        return { name, ...(await look()) };
      } catch (error) {
        return { name, ...no(error instanceof Error ? error.message : String(error)) };
      }
    }),
  );
};

/**
 * `tillcash --check`: prints the lines and leaves them in `check.txt` of the data folder, since Windows shows no program's
 * output. @returns the exit code: 1 where something is a no.
 */
export const runSelfCheck = async (data: string): Promise<number> => {
  const lines = await selfCheck(data);
  const text = lines.map(({ name, is, says }) => `${is.padEnd(8)}${name}: ${says}\n`).join("");
  console.log(text.trimEnd());
  writeFileSync(path.join(data, "check.txt"), text, { mode: 0o600 });
  return lines.some(({ is }) => is === "no") ? 1 : 0;
};
