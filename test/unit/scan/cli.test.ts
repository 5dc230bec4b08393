/** `npm run scan` as support runs it: on files, in a process of its own. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import jpeg from "jpeg-js";
import { PNG } from "pngjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Luma } from "../../../renderer/scan/decode/luma.ts";
import { frameOf } from "../../scan-frames/frame.ts";
import { emptyView, viewOf } from "../../scan-frames/view-of.ts";

const folder = mkdtempSync(path.join(tmpdir(), "tillcash-scan-"));
/** RGBA with three equal channels, as image files hold it. */
const toRgba = ({ data }: Luma): Buffer => Buffer.from([...data].flatMap((grey) => [grey, grey, grey, 255]));
const png = ({ data, width, height }: Luma): Buffer => {
  const picture = new PNG({ width, height });
  picture.data = toRgba({ data, width, height });
  return PNG.sync.write(picture);
};
const photo = (luma: Luma): Buffer => jpeg.encode({ ...luma, data: toRgba(luma) }, 85).data;
const file = (name: string): string => path.join(folder, name);
const size = { width: 640, height: 480 };
const bars = viewOf({ symbology: "code128", condition: "ordinary", severity: 0.3, ...size, seed: 31 });
const matrix = viewOf({ symbology: "datamatrix", condition: "ordinary", severity: 0, ...size, seed: 32 });

beforeAll(() => {
  writeFileSync(file("bars.png"), png(frameOf(bars)));
  writeFileSync(file("photo.jpg"), photo(frameOf(matrix)));
  writeFileSync(file("empty.png"), png(frameOf(emptyView(320, 240, 33))));
  writeFileSync(file("broken.png"), png(frameOf(bars)).subarray(0, 400));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = async (
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly lines: readonly string[]; readonly stderr: string }> => {
  const cli = path.resolve("tools/scan/cli.ts");
  const execute = promisify(execFile);
  const { stdout, stderr, code } = await execute(process.execPath, [cli, ...args]).then(
    (output) => ({ ...output, code: 0 }),
    (error: { stdout: string; stderr: string; code: number }) => error,
  );
  return { code, lines: stdout.trim().split("\n"), stderr };
};

describe("npm run scan", () => {
  it("prints one JSON object a file", async () => {
    const { code, lines } = await run("--json", file("bars.png"), file("photo.jpg"));
    const [first, second] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(first).toEqual({
      file: file("bars.png"),
      text: bars.text,
      symbology: "code128",
      engine: expect.stringMatching(/^zxing-(wasm|library)$/),
      doubtful: false,
      ms: expect.any(Number),
    });
    expect(second).toMatchObject({ text: matrix.text, symbology: "datamatrix" });
    expect(code).toBe(0);
  });

  it("says so where there is no code, or no picture, and reads on", async () => {
    const { code, lines } = await run(
      "--json",
      file("empty.png"),
      file("broken.png"),
      file("missing.png"),
      file("bars.png"),
    );
    const texts = lines.map((line) => (JSON.parse(line) as { text: string | null }).text);
    expect(texts).toEqual([null, null, null, bars.text]);
    expect(code).toBe(1);
  });

  it("reads a set in all directions, counts what is wrong, and names what it missed", async () => {
    const set = path.join(folder, "set");
    for (const name of ["code128", "qr"]) mkdirSync(path.join(set, name), { recursive: true });
    writeFileSync(path.join(set, "code128/right.png"), png(frameOf(bars)));
    writeFileSync(path.join(set, "code128/right.txt"), `${bars.text}\n`);
    writeFileSync(path.join(set, "qr/other.jpg"), photo(frameOf(matrix)));
    writeFileSync(path.join(set, "qr/other.txt"), "what is not in the picture");
    writeFileSync(path.join(set, "qr/without-text.png"), png(frameOf(bars)));
    const { code, lines } = await run("--set", set, "--turned", "--compare", "--misses");
    expect(code).toBe(0);
    expect(lines.filter((line) => line.includes("other.jpg, turned by"))).toHaveLength(4);
    expect(lines.find((line) => line.startsWith("| code128"))).toMatch(/^\| code128 \| 4 \| 1\.000 \| 0 \| 0 \|/);
    expect(lines.find((line) => line.startsWith("| qr"))).toMatch(/^\| qr \| 4 \| 0\.000 \| 4 \| 0 \|/);
    expect(lines.at(-1)).toMatch(/^\| \*\*all\*\* \| 8 \| 0\.500 \| 4 \|/);
  });

  it("explains itself when asked, and says what is missing without a file", async () => {
    const { code, lines } = await run("--help");
    expect(code).toBe(0);
    expect(lines[0]).toMatch(/^Usage: npm run scan/);
    const without = await run();
    expect(without.code).toBe(2);
    expect(without.stderr).toContain("Name a FILE, or --set DIR.");
  });
});
