/** Where the files of one purpose lie: training never shares a journal, settings or a database with real money. */
import { mkdirSync } from "node:fs";
import path from "node:path";

/** @param data the terminal's data folder; training has a folder of its own in it, made when it is missing. */
export const purposeFolder = (data: string, training: boolean): string => {
  const folder = training ? path.join(data, "training") : data;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
};
