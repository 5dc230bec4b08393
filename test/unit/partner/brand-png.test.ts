/** A bank's logo as a PNG holds nothing but a picture. */
import { PNG } from "pngjs";
import { describe, expect, test } from "vitest";
import { checkLogo, logoBytesMax } from "../../../backend/partner/brand.ts";

describe("a PNG", () => {
  const png = (side = 32): Uint8Array => PNG.sync.write(new PNG({ width: side, height: side }));
  /** Of these parts, each with its length and its checksum: nothing is drawn. */
  const pngOf = (...parts: readonly (readonly [name: string, data: Uint8Array])[]): Uint8Array =>
    Buffer.concat([
      png().subarray(0, 8),
      ...parts.map(([name, data]) => {
        const part = Buffer.concat([Buffer.alloc(4), Buffer.from(name), data, Buffer.alloc(4)]);
        part.writeUInt32BE(data.length);
        part.writeUInt32BE(crc(part.subarray(4, -4)), part.length - 4);
        return part;
      }),
    ]);
  const header = (width: number, height: number, length = 13) => {
    const data = Buffer.alloc(length);
    data.writeUInt32BE(width);
    data.writeUInt32BE(height, 4);
    return ["IHDR", data] as const;
  };
  const picture = ["IDAT", Buffer.alloc(1)] as const;
  const end = ["IEND", Buffer.alloc(0)] as const;
  const sized = (width: number, height: number) => pngOf(header(width, height), picture, end);

  test.each([16, 1_024])("of %i px a side is one", (side) =>
    expect(checkLogo(sized(side, side))).toMatchObject({ ok: true, type: "image/png" }),
  );

  test("comes out as the same picture, without what is told about it", () => {
    const file = png();
    const text = Buffer.from("....tEXtComment\0<script>");
    text.writeUInt32BE(text.length - 8);
    const note = Buffer.concat([text, Buffer.alloc(4)]);
    note.writeUInt32BE(crc(text.subarray(4)), text.length);
    const withNote = Buffer.concat([file.subarray(0, 33), note, file.subarray(33)]);
    const logo = checkLogo(withNote);
    expect(logo).toMatchObject({ ok: true, type: "image/png" });
    if (logo.ok) expect(Buffer.from(logo.bytes).equals(Buffer.from(file))).toBe(true);
  });

  test("of a palette keeps its colours, and which of them are transparent", () => {
    const drawn = pngOf(header(32, 32), ["PLTE", Buffer.alloc(3)], ["tRNS", Buffer.alloc(1)], picture, end);
    expect(checkLogo(drawn)).toEqual({ ok: true, type: "image/png", bytes: Uint8Array.from(drawn) });
  });

  test.each([
    ["cut off", () => png().subarray(0, 60), /cut off/],
    ["with a page behind it", () => Buffer.concat([png(), Buffer.from("<script>")]), /behind it/],
    ["damaged", () => png().map((byte, index) => (index === 45 ? byte ^ 1 : byte)), /damaged/],
    ["too small", () => png(8), /8 × 8 px/],
    ["too large in sides", () => sized(1_025, 1_025), /1025 × 1025 px/],
    ["too narrow", () => sized(15, 32), /15 × 32 px/],
    ["too high", () => sized(32, 1_025), /32 × 1025 px/],
    ["cut off before a part's last byte", () => pngOf(header(32, 32), picture).subarray(0, -1), /cut off/],
    ["cut off within a part's length", () => png().subarray(0, 10), /cut off/],
    ["without its header", () => pngOf(picture, end), /without its header/],
    ["with its header behind something", () => pngOf(["gAMA", Buffer.alloc(13)], header(32, 32), end), /its header/],
    ["with a header of another length", () => pngOf(header(32, 32, 14), picture, end), /without its header/],
    ["without a picture", () => pngOf(header(32, 32), end), /without a picture/],
    ["too large in bytes", () => new Uint8Array(logoBytesMax + 1), /larger than 64 KiB/],
    ["a JPEG", () => Uint8Array.from([0xff, 0xd8, 0xff, 0xe0]), /neither a PNG nor an SVG/],
  ])("%s is refused", (_, file, problem) =>
    expect(checkLogo(file())).toMatchObject({ ok: false, problem: expect.stringMatching(problem) }),
  );
});

/** PNG's checksum, bit by bit. */
function crc(data: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of data) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  }
  return (value ^ 0xffffffff) >>> 0;
}
