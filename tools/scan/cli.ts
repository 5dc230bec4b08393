/**
 * `npm run scan -- [--json] FILE…`: reads image files, for QA and support; exit code 1 if one has no code, or a doubtful one.
 * `npm run scan -- --set DIR`: reads a folder of pictures with their texts beside them, and prints how many were read.
 */
import { idFault } from "../../renderer/scan/scan.ts";
import { readFlags, refuse } from "../command-line.ts";
import { readImage } from "./image-file.ts";
import { nodeWasm } from "./node-wasm.ts";

const usage = `Usage: npm run scan -- [--json] FILE…
       npm run scan -- --set DIR [--turned] [--compare] [--misses]
Reads PNG and JPEG files with everything that the decoder can do.
  --json      one JSON object a line: {"file","text","symbology","engine","doubtful","ms"};
              "doubtful" is true where one way of reading alone gives the text of bars
  --set DIR   a folder of pictures, each with its text in a .txt of the same name: prints, for each
              folder in it, the share that is read, wrong and doubtful texts and processor time
  --turned    each picture turned by 90°, 180° and 270° as well
  --compare   beside zxing-wasm alone with its thorough settings
  --misses    names the pictures that were not read`;

const { values, positionals } = readFlags(
  usage,
  {
    json: { type: "boolean", default: false },
    set: { type: "string" },
    turned: { type: "boolean", default: false },
    compare: { type: "boolean", default: false },
    misses: { type: "boolean", default: false },
  },
  true,
);
if (positionals.length === 0 && values.set === undefined) refuse("Name a FILE, or --set DIR.");

// Flags are refused without the decoders.
const { symbologies } = await import("../../preload/contract.ts");
const { picturesIn, readSet, setTable } = await import("./picture-set.ts");
const { readPicture } = await import("./read-picture.ts");
const wasm = await nodeWasm();
const isId = ({ text }: { readonly text: string }): boolean => idFault(text, { foreignIds: null }) === null;

const scanFile = (file: string): void => {
  try {
    const read = readPicture(readImage(file), { wasm, symbologies, isRight: isId });
    const { text, symbology, engine, doubtful } = read;
    const ms = Math.round(read.ms * 10) / 10;
    if (text === null || doubtful) process.exitCode = 1;
    if (values.json) console.log(JSON.stringify({ file, text, symbology, engine, doubtful, ms }));
    else if (text === null) console.log(`${file}: no code found (${ms} ms)`);
    else {
      const remark = doubtful ? ", doubtful: read in one way alone" : isId({ text }) ? "" : ", not a withdrawal code";
      console.log(`${file}: ${text} (${symbology}, ${engine}, ${ms} ms${remark})`);
    }
  } catch (error) {
    process.exitCode = 1;
    const message = error instanceof Error ? error.message : String(error);
    const nothing = { file, text: null, symbology: null, engine: null, doubtful: false, ms: 0, error: message };
    if (values.json) console.log(JSON.stringify(nothing));
    else console.error(`${file}: ${message}`);
  }
};

const scanSet = (folder: string): void => {
  const pictures = picturesIn(folder);
  if (pictures.length === 0) {
    console.error(`${folder}: no pictures with texts beside them`);
    process.exit(2);
  }
  const results = readSet(pictures, wasm, {
    turns: values.turned ? 4 : 1,
    compare: values.compare,
    onMiss: ({ file, text: wanted }, turn, text, doubtful) => {
      if (!values.misses) return;
      const result = text === null ? "nothing" : `${JSON.stringify(text)}${doubtful ? " (doubtful)" : ""}`;
      console.log(`${file}, turned by ${turn * 90}°: read ${result} instead of ${JSON.stringify(wanted)}`);
    },
  });
  console.log(setTable(results, values.compare));
};

if (values.set !== undefined) scanSet(values.set);
else for (const file of positionals) scanFile(file);
