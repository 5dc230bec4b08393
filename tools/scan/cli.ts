/** `npm run scan -- [--json] FILE…`: reads image files through the camera's pipeline, for QA and support. Exit code 1 when one had no code. */
import { parseArgs } from "node:util";
import { symbologies } from "../../preload/contract.ts";
import { readPicture } from "../../renderer/scan/decode/read-picture.ts";
import { idFault } from "../../renderer/scan/decode/rules.ts";
import { readImage } from "./image-file.ts";
import { nodeDecoders } from "./node-decoders.ts";

const usage = `usage: npm run scan -- [--json] FILE…
Reads PNG and JPEG files through the pipeline of the camera.
  --json   one JSON object a line: {"file","text","symbology","engine","ms"}`;

const { values, positionals } = parseArgs({
  options: { json: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
  allowPositionals: true,
});

if (values.help || positionals.length === 0) {
  console.log(usage);
  process.exit(values.help ? 0 : 2);
}

const decoders = await nodeDecoders();
const isId = ({ text }: { readonly text: string }): boolean => idFault(text, { foreignIds: null }) === null;

for (const file of positionals) {
  try {
    const { text, symbology, engine, ms } = await readPicture(readImage(file), decoders, symbologies, isId);
    const rounded = Math.round(ms * 10) / 10;
    if (text === null) process.exitCode = 1;
    if (values.json) console.log(JSON.stringify({ file, text, symbology, engine, ms: rounded }));
    else if (text === null) console.log(`${file}: no code found (${rounded} ms)`);
    else
      console.log(
        `${file}: ${text} (${symbology}, ${engine}, ${rounded} ms${isId({ text }) ? "" : ", not a withdrawal code"})`,
      );
  } catch (error) {
    process.exitCode = 1;
    const message = error instanceof Error ? error.message : String(error);
    if (values.json)
      console.log(JSON.stringify({ file, text: null, symbology: null, engine: null, ms: 0, error: message }));
    else console.error(`${file}: ${message}`);
  }
}
