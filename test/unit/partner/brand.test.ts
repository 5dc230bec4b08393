/** A bank's colour is always legible, and its logo holds nothing but a picture. */
import fc from "fast-check";
import { PNG } from "pngjs";
import { describe, expect, test } from "vitest";
import {
  brandColors,
  brandSheet,
  contrast,
  parseColor,
  textContrastMin,
} from "../../../backend/partner/brand/colors.ts";
import { checkLogo, logoBytesMax } from "../../../backend/partner/brand/logo.ts";

const anyColor = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, "0")}`);

describe("a colour", () => {
  test.each([
    ["#0a5bd3", "#0a5bd3"],
    ["#ABC", "#aabbcc"],
    [" #ffffff ", "#ffffff"],
    ["0a5bd3", null],
    ["#0a5b", null],
    ["red", null],
    ["#0a5bd3;}body{display:none", null],
  ])("%s is %s", (typed, color) => expect(parseColor(typed)).toBe(color));

  test("has the contrast that is published for known pairs", () => {
    expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 5);
    expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
    expect(contrast("#0b6b4f", "#ffffff")).toBeGreaterThan(textContrastMin);
  });

  test("is drawn so that all text in it and on it can be read, whatever it is", () => {
    fc.assert(
      fc.property(anyColor, (color) => {
        const { light, dark } = brandColors(color);
        for (const [drawn, grounds] of [
          [light, ["#eef2f1", "#ffffff"]],
          [dark, ["#0c1412", "#15201d"]],
        ] as const) {
          for (const ground of [...grounds, drawn.accentSoft]) {
            expect(contrast(drawn.accent, ground)).toBeGreaterThanOrEqual(textContrastMin);
            expect(contrast(drawn.accentStrong, ground)).toBeGreaterThanOrEqual(textContrastMin);
          }
          expect(contrast(drawn.onAccent, drawn.accent)).toBeGreaterThanOrEqual(textContrastMin);
          expect(contrast(drawn.onAccent, drawn.accentStrong)).toBeGreaterThanOrEqual(textContrastMin);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("that is legible is left as it is", () => expect(brandColors("#0b4fae").light.accent).toBe("#0b4fae"));
  test("becomes a sheet of four variables a scheme", () =>
    expect(brandSheet("#0b4fae").match(/--[\w-]+:#[\da-f]{6}/g)).toHaveLength(8));
});

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const svg = (inner: string, attributes = ""): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"${attributes}>${inner}</svg>`;
const written = (text: string): string => {
  const logo = checkLogo(bytes(text));
  if (!logo.ok) throw new Error(logo.problem);
  return new TextDecoder().decode(logo.bytes);
};

describe("an SVG", () => {
  test("of a drawing is written anew, without comments, editors' notes and what lies before it", () => {
    const drawn = `<?xml version="1.0" encoding="UTF-8"?>\n<!-- Generator: X -->\n${svg(
      `<g id="a" inkscape:label="Layer"><path d="M0 0L10 10z" fill="#0a5"/><title>Bank</title></g>`,
      ` xmlns:inkscape="http://www.inkscape.org/"`,
    )}`;
    expect(written(drawn)).toBe(
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><g id="a"><path d="M0 0L10 10z" fill="#0a5"/><title>Bank</title></g></svg>`,
    );
  });

  test("with a gradient of its own keeps it", () => {
    const drawn = svg(
      `<defs><linearGradient id="g"><stop offset="0" stop-color="#fff"/></linearGradient></defs><rect width="9" height="9" fill="url(#g)"/>`,
    );
    expect(written(drawn)).toBe(drawn);
  });

  test.each([
    ["a script", svg("<script>alert(1)</script>"), /<script>/],
    [
      "a script in another namespace",
      svg("<x:script xmlns:x='http://www.w3.org/1999/xhtml'>a</x:script>"),
      /x:script|cannot be read/,
    ],
    ["a handler", svg("<path d='M0 0' onload='alert(1)'/>"), /script in onload/],
    ["a handler on the root", svg("<path d='M0 0'/>", ` onload="alert(1)"`), /script in onload/],
    ["a handler in capitals", svg("<path d='M0 0' ONCLICK='a'/>"), /ONCLICK/],
    ["a page inside", svg("<foreignObject><body/></foreignObject>"), /foreignObject/],
    ["a picture from elsewhere", svg("<image href='https://evil.example/a.png'/>"), /<image>/],
    ["a reference to elsewhere", svg("<use href='https://evil.example/a.svg#x'/>"), /<use>/],
    ["a link", svg("<a href='javascript:alert(1)'><path d='M0 0'/></a>"), /<a>/],
    ["an old link", svg("<path xlink:href='javascript:alert(1)' d='M0 0'/>"), /xlink:href/],
    ["an animation of a link", svg("<animate attributeName='href' values='javascript:alert(1)'/>"), /<animate>/],
    ["a sheet", svg("<style>@import 'https://evil.example'</style>"), /<style>/],
    ["a style", svg("<path d='M0 0' style='fill:url(https://evil.example)'/>"), /style=/],
    ["paint from elsewhere", svg("<path d='M0 0' fill='url(https://evil.example/#x)'/>"), /something else in fill/],
    [
      "paint from elsewhere, with an escape",
      svg("<path d='M0 0' fill='ur\\6c(//evil.example)'/>"),
      /no drawing in fill/,
    ],
    ["an entity", `<!DOCTYPE svg [<!ENTITY a "b">]>${svg("<path d='M0 0'/>")}`, /neither|cannot be read/],
    ["an external entity", `<!DOCTYPE svg SYSTEM "file:///etc/passwd">${svg("")}`, /neither|cannot be read/],
    ["a stylesheet instruction", `<?xml-stylesheet href="https://evil.example"?>${svg("")}`, /neither|cannot be read/],
    ["character data", svg("<![CDATA[<script>alert(1)</script>]]>"), /cannot be read/],
    ["a reference to a character", svg("<path d='&#106;'/>"), /no drawing in d/],
    ["a page of HTML", "<html><body onload='alert(1)'></body></html>", /is no SVG/],
    ["text behind it", `${svg("<path d='M0 0'/>")}<script>alert(1)</script>`, /<script>|is no SVG/],
    ["two drawings", svg("") + svg(""), /is no SVG/],
    ["an end that was not begun", `${svg("<g></path>")}`, /was not begun/],
    ["no end", `<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/>`, /cut off/],
    ["a thousand levels", svg("<g>".repeat(1000) + "</g>".repeat(1000)), /nested too deep/],
    [
      "references that take a reader longer than the shop is open",
      svg(`<path d="${"url(#a)".repeat(99)}!"/>`),
      /no drawing/,
    ],
    [
      "a mask in a mask, which doubles with each level what a browser draws",
      svg("<mask id='a'><rect mask='url(#b)'/></mask>"),
      /mask= within <mask>/,
    ],
    ["a clip in a clip", svg("<clipPath id='a' clip-path='url(#b)'/>"), /clip-path= within <clipPath>/],
    ["a mask deep in a clip", svg("<clipPath><g><path d='M0 0' mask='url(#b)'/></g></clipPath>"), /within <clipPath>/],
    ["nothing", "", /cut off|neither/],
    ["words", "a logo", /is no SVG|neither/],
  ])("with %s is refused", (_, text, problem) => {
    const logo = checkLogo(bytes(text));
    expect(logo).toMatchObject({ ok: false, problem: expect.stringMatching(problem) });
  });

  test("never comes out with anything that could run or load, whatever goes in", () => {
    const parts = [
      "<svg>",
      "</svg>",
      "<script>",
      "<g ",
      "onload=",
      "'",
      '"',
      "href=",
      "javascript:",
      "url(",
      "<!--",
      "-->",
      "<path d='M0 0'/>",
      "<?xml ",
      "?>",
      ">",
      "/>",
      "&lt;",
      "]]>",
      "\u0000",
      " ",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 14 }), (chosen) => {
        const logo = checkLogo(bytes(svg(chosen.join(""))));
        if (!logo.ok) return;
        const text = new TextDecoder().decode(logo.bytes);
        const inTags = (text.match(/<[^>]*>/g) ?? []).join("");
        expect(inTags).not.toMatch(/script|onload|href|javascript:|<!|<\?/i);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("a PNG", () => {
  const png = (side = 32): Uint8Array => PNG.sync.write(new PNG({ width: side, height: side }));

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

  test.each([
    ["cut off", () => png().subarray(0, 60), /cut off/],
    ["with a page behind it", () => Buffer.concat([png(), Buffer.from("<script>")]), /behind it/],
    ["damaged", () => png().map((byte, index) => (index === 45 ? byte ^ 1 : byte)), /damaged/],
    ["too small", () => png(8), /8 × 8 px/],
    ["too large in sides", () => png(1025), /1025 × 1025 px/],
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
