/** Compares a drawn paper with the picture that was looked at; `UPDATE_GOLDEN=1` takes the new one, for a person to look at again. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PNG } from "pngjs";

const folder = path.resolve(import.meta.dirname, "golden");

/** How many dots differ; a picture of another size differs in all. */
export const dotsOff = (
  name: string,
  picture: Buffer,
  text: string,
): { readonly dots: number; readonly text: string } => {
  const file = path.join(folder, `${name}.png`);
  const textFile = path.join(folder, `${name}.txt`);
  if (process.env.UPDATE_GOLDEN === "1") {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, picture);
    writeFileSync(textFile, text);
  }
  if (!existsSync(file)) throw new Error(`${file} is missing: look at it with UPDATE_GOLDEN=1`);
  const golden = PNG.sync.read(readFileSync(file));
  const now = PNG.sync.read(picture);
  const wanted = readFileSync(textFile, "utf8");
  if (golden.width !== now.width || golden.height !== now.height) return { dots: now.width * now.height, text: wanted };
  let dots = 0;
  for (let at = 0; at < now.data.length; at += 4) if (now.data[at] !== golden.data[at]) dots += 1;
  return { dots, text: wanted };
};
