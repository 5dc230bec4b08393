/** Reads a folder of pictures with their expected texts, by the still pipeline and, to compare, by zxing-wasm alone. */

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type Symbology, symbologies } from "../../preload/contract.ts";
import type { Luma } from "../../renderer/scan/decode/luma.ts";
import type { WasmReader } from "../../renderer/scan/decode/zxing-wasm.ts";
import { readImage, rotateQuarter } from "./image-file.ts";
import { readPicture, thoroughOptions } from "./read-picture.ts";

/** A picture of a set with its expected text. */
interface SetPicture {
  readonly file: string;
  readonly text: string;
  /** Name of the picture's folder: results are counted by folder. */
  readonly group: string;
}

const isPicture = /\.(png|jpe?g)$/i;
/** Without the leading group separator with which some decoders mark GS1 Code 128 (FNC1). */
const normalized = (text: string): string => (text.startsWith("\u001d") ? text.slice(1) : text).trim();

/** All pictures under `folder` with a text file of the same name beside them, by path. @throws when the folder cannot be read. */
export const picturesIn = (folder: string): readonly SetPicture[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => isPicture.test(name))
    .toSorted()
    .flatMap((name) => {
      const file = path.join(folder, name);
      const text = textBeside(file);
      return text === null ? [] : [{ file, text, group: path.basename(path.dirname(file)) }];
    });

const textBeside = (file: string): string | null => {
  try {
    return normalized(readFileSync(file.replace(isPicture, ".txt"), "utf8"));
  } catch {
    return null;
  }
};

/** Counts over some pictures; `ms` is processor time. */
export interface Tally {
  read: number;
  /** Wrong texts, without the doubtful ones. */
  wrong: number;
  doubtful: number;
  ms: number;
}

/** One line of the result: the pictures of one folder. */
export interface GroupResult {
  readonly group: string;
  pictures: number;
  readonly ours: Tally;
  /** zxing-wasm alone with its thorough settings; all zeros without `compare`. */
  readonly thorough: Tally;
}

const emptyTally = (): Tally => ({ read: 0, wrong: 0, doubtful: 0, ms: 0 });

/** Which pictures are read, and how. */
interface SetOptions {
  /** 1: as they are. 4: also rotated by 90°, 180° and 270°. */
  readonly turns: 1 | 4;
  readonly compare: boolean;
  /** Called for each picture that was not read, or read wrongly. */
  readonly onMiss: (picture: SetPicture, turn: number, text: string | null, doubtful: boolean) => void;
}

/** Processor time of this process in milliseconds, independent of other programs. */
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Reads all pictures with every symbology on. A file that cannot be decoded counts as not read. */
export const readSet = (
  pictures: readonly SetPicture[],
  wasm: WasmReader,
  options: SetOptions,
): readonly GroupResult[] => {
  const groups = new Map<string, GroupResult>();
  const wish = { wasm, symbologies, isRight: () => false };
  for (const picture of pictures) {
    const group = groups.get(picture.group) ?? {
      group: picture.group,
      pictures: 0,
      ours: emptyTally(),
      thorough: emptyTally(),
    };
    groups.set(picture.group, group);
    let luma: Luma | null = imageOrNull(picture.file);
    for (let turn = 0; turn < options.turns; turn += 1) {
      group.pictures += 1;
      if (!luma) continue;
      const startMs = cpuMs();
      const { text, doubtful } = readPicture(luma, wish);
      group.ours.ms += cpuMs() - startMs;
      const isRead = text !== null && normalized(text) === picture.text;
      if (isRead && !doubtful) group.ours.read += 1;
      else options.onMiss(picture, turn, text, doubtful);
      if (doubtful) group.ours.doubtful += 1;
      else if (text !== null && !isRead) group.ours.wrong += 1;
      if (options.compare) compare(luma, picture, wasm, symbologies, group.thorough);
      if (turn + 1 < options.turns) luma = rotateQuarter(luma);
    }
  }
  return [...groups.values()];
};

const compare = (
  luma: Luma,
  picture: SetPicture,
  wasm: WasmReader,
  wanted: readonly Symbology[],
  tally: Tally,
): void => {
  const startMs = cpuMs();
  const texts = wasm.read(luma, wanted, thoroughOptions).map(({ text }) => normalized(text));
  tally.ms += cpuMs() - startMs;
  if (texts.includes(picture.text)) tally.read += 1;
  else if (texts.length > 0) tally.wrong += 1;
};

const imageOrNull = (file: string): Luma | null => {
  try {
    return readImage(file);
  } catch {
    return null;
  }
};

const sum = (results: readonly GroupResult[], of: (result: GroupResult) => number): number =>
  results.reduce((total, result) => total + of(result), 0);

const total = (results: readonly GroupResult[], of: (result: GroupResult) => Tally): Tally => ({
  read: sum(results, (result) => of(result).read),
  wrong: sum(results, (result) => of(result).wrong),
  doubtful: sum(results, (result) => of(result).doubtful),
  ms: sum(results, (result) => of(result).ms),
});

const cells = ({ read, wrong, doubtful, ms }: Tally, pictures: number): readonly string[] => [
  (read / pictures).toFixed(3),
  String(wrong),
  String(doubtful),
  (ms / pictures).toFixed(1),
];

/** The results of a picture set as a Markdown table, with a total line; `ms` is processor time per picture. */
export const setTable = (results: readonly GroupResult[], isCompared: boolean): string => {
  const all: GroupResult = {
    group: "**all**",
    pictures: sum(results, ({ pictures }) => pictures),
    ours: total(results, ({ ours }) => ours),
    thorough: total(results, ({ thorough }) => thorough),
  };
  const head = ["folder", "pictures", "read", "wrong", "doubtful", "ms"];
  const other = ["zxing-wasm thorough: read", "wrong", "ms"];
  const rows = [...results, all].map(({ group, pictures, ours, thorough }) => {
    const [read = "", wrong = "", , ms = ""] = cells(thorough, pictures);
    return [group, String(pictures), ...cells(ours, pictures), ...(isCompared ? [read, wrong, ms] : [])];
  });
  const titles = isCompared ? [...head, ...other] : head;
  return [titles, titles.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
};
