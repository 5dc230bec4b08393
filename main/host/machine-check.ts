/** Looks at what this machine gives the program; each host adds what it alone can look at. */
import manifest from "../../package.json" with { type: "json" };
import type { CheckLine } from "../../preload/contract.ts";
import { freeBytes } from "../terminal/journal/files.ts";

/** What came of one look. */
export type CheckAnswer = Omit<CheckLine, "name">;
/** Looks by what they look at, in their order. */
type Looks = Readonly<Record<string, () => CheckAnswer | Promise<CheckAnswer>>>;

/** It is there and works. */
export const yes = (says: string): CheckAnswer => ({ is: "yes", says });
/** It is missing, or does not work. */
export const no = (says: string): CheckAnswer => ({ is: "no", says });
/** It is not here, or cannot be told from here. */
export const unknown = (says: string): CheckAnswer => ({ is: "unknown", says });

/** @param data the data folder. */
export const hostLooks = (data: string) => {
  const { electron, chrome, node } = process.versions;
  const engine = electron === undefined ? "" : `Electron ${electron}, Chromium ${chrome ?? "?"}, `;
  return {
    program: () => yes(`Tillcash ${manifest.version}, ${process.platform} ${process.arch}`),
    runtime: () => yes(`${engine}Node ${node}`),
    "data folder": () => yes(`${data}, ${Math.round(freeBytes(data) / 1_000_000)} MB free`),
  } satisfies Looks;
};

/** Never rejects: what fails to be looked at is a no. */
export const checkMachine = (looks: Looks): Promise<readonly CheckLine[]> =>
  Promise.all(
    Object.entries(looks).map(async ([name, look]): Promise<CheckLine> => {
      try {
        return { name, ...(await look()) };
      } catch (error) {
        return { name, ...no(error instanceof Error ? error.message : String(error)) };
      }
    }),
  );
