/** A bank's logo as an SVG holds nothing but a picture. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkLogo, logoBytesMax } from "../../../backend/partner/brand.ts";

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

  const levels = (count: number): string => svg("<g>".repeat(count - 1) + "</g>".repeat(count - 1));
  test.each<[string, string]>([
    [
      "a gradient of its own",
      svg(
        `<defs><linearGradient id="g"><stop offset="0" stop-color="#fff"/></linearGradient></defs><rect width="9" height="9" fill="url(#g)"/>`,
      ),
    ],
    ["a mask of its own, used outside of it", svg(`<mask id="m"><rect/></mask><rect mask="url(#m)"/>`)],
    ["fifty levels", levels(50)],
    ...[
      `<title>A</title><desc>B</desc><ellipse cx="1" cy="2" rx="3" ry="4" opacity="0.5" fill-opacity="50%"/>`,
      `<circle r="1"/><rect x="1" y="-2" width="9" height="9"/><line x1="1" y1="2" x2="3" y2="4"/><polyline points="1,2 3,4"/><polygon/>`,
      `<path fill-rule="evenodd" clip-rule="evenodd" clip-path="url(#c)" mask="url(#m)" transform="rotate(45)"/>`,
      `<g stroke="#000" stroke-width="2" stroke-linecap="round" stroke-linejoin="bevel" stroke-miterlimit="4"/>`,
      `<g stroke-dasharray="1 2" stroke-dashoffset="1" stroke-opacity="0.5" preserveAspectRatio="none"/>`,
      `<defs><clipPath id="c" clipPathUnits="userSpaceOnUse"/><mask maskUnits="a" maskContentUnits="b"/></defs>`,
      `<radialGradient fx="1" fy="2" gradientUnits="a" gradientTransform="scale(2)" spreadMethod="pad"/>`,
      `<linearGradient><stop offset="1" stop-color="red" stop-opacity="0.5"/></linearGradient>`,
    ].map((inner): [string, string] => [`what draws: ${inner}`, svg(inner)]),
  ])("with %s keeps it", (_, drawn) => expect(written(drawn)).toBe(drawn));

  test.each([
    ["a name with a comment in it", "<title>A<!-- b -->C</title>", "<title>AC</title>"],
    ["words elsewhere", "<g>lost</g>", "<g></g>"],
    ["an attribute that only sounds like a handler", `<g direction="ltr"/>`, "<g/>"],
    ["an attribute that only sounds like a reference", `<g hreflang="de"/>`, "<g/>"],
  ])("with %s keeps what it may", (_, inner, kept) => expect(written(svg(inner))).toBe(svg(kept)));

  test("is one by what it holds, with a line's end wherever a PNG would have one, and up to 64 KiB", () => {
    const drawn = svg("").replace("<svg ", "<svg \n");
    for (const file of [drawn, `\uFEFF${drawn}`]) expect(written(file)).toBe(svg(""));
    const full = svg("").padEnd(logoBytesMax, "\n");
    expect(checkLogo(bytes(full))).toMatchObject({ ok: true, type: "image/svg+xml" });
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
      "paint from a file beside it, in capitals",
      svg("<path d='M0 0' fill='URL(paint.svg)'/>"),
      /something else in fill/,
    ],
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
    ["a drawing in a drawing", svg("<svg/>"), /^holds <svg>, which a logo may not$/],
    ["an end that was not begun", `${svg("<g></path>")}`, /was not begun/],
    ["a broken tag", svg("<path d=x/>"), /^cannot be read at character 61$/],
    ["something broken behind it", `${svg("")}<!x>`, /^cannot be read at character 67$/],
    ["something broken before it", `<!x>${svg("")}`, /^is neither a PNG nor an SVG$/],
    ["no end", `<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/>`, /cut off/],
    ["fifty-one levels", levels(51), /nested too deep/],
    ["a thousand levels", levels(1_000), /nested too deep/],
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
    let taken = 0;
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 14 }), (chosen) => {
        const logo = checkLogo(bytes(svg(chosen.join(""))));
        if (!logo.ok) return;
        taken += 1;
        const text = new TextDecoder().decode(logo.bytes);
        const inTags = (text.match(/<[^>]*>/g) ?? []).join("");
        expect(inTags).not.toMatch(/script|onload|href|javascript:|<!|<\?/i);
      }),
      { numRuns: 2_000 },
    );
    expect(taken, "else nothing came out at all").toBeGreaterThan(20);
  });
});
