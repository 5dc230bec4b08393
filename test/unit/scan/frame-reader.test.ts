/** The pipeline's judgement over several frames, with decoders that say what the test wants. */
import { describe, expect, it } from "vitest";
import type { Symbology } from "../../../preload/contract.ts";
import { type Decoder, FrameReader, framesRemembered, type Read } from "../../../renderer/scan/decode/frame-reader.ts";
import type { Luma } from "../../../renderer/scan/decode/luma.ts";
import { seededId } from "../../scan-frames/symbol.ts";

const frame: Luma = { data: new Uint8ClampedArray(4), width: 2, height: 2 };
const rules = { symbologies: ["code128", "qr"] as const, fixedLength: null, foreignIds: null };
const [first, second] = [seededId(1), seededId(2)];

type Seen = readonly [Symbology, string];

/** A decoder that reads, frame by frame, what it is given. */
const scripted = (frames: readonly (readonly Seen[])[]): Decoder & { calls: number } => ({
  calls: 0,
  decode(): readonly Read[] {
    const seen = frames[this.calls] ?? [];
    this.calls += 1;
    return seen.map(([symbology, text]) => ({ symbology, text, engine: "zxing-library", outline: [] }));
  },
});

const kinds = async (...decoders: readonly (readonly (readonly Seen[])[])[]): Promise<readonly string[]> => {
  const reader = new FrameReader(decoders.map(scripted), { ...rules, symbologies: [...rules.symbologies] });
  const outcomes: string[] = [];
  for (let at = 0; at < Math.max(...decoders.map(({ length }) => length)); at += 1) {
    outcomes.push((await reader.read(frame)).kind);
  }
  return outcomes;
};

const bars = (text: string): readonly Seen[] => [["code128", text]];
const matrix = (text: string): readonly Seen[] => [["qr", text]];
const gap = (frames: number): readonly (readonly Seen[])[] => Array<readonly Seen[]>(frames).fill([]);

describe("frames one after the other", () => {
  const table: readonly (readonly [string, readonly (readonly Seen[])[], readonly string[]])[] = [
    ["bars need two equal reads", [bars(first), bars(first)], ["once_more", "accepted"]],
    ["a matrix needs one", [matrix(first)], ["accepted"]],
    [
      "two different texts do not agree",
      [bars(first), bars(second), bars(second)],
      ["once_more", "once_more", "accepted"],
    ],
    [
      "empty frames between do no harm",
      [bars(first), [], [], bars(first)],
      ["once_more", "nothing", "nothing", "accepted"],
    ],
    [
      "a read is forgotten",
      [bars(first), ...gap(framesRemembered), bars(first)],
      ["once_more", ...Array(framesRemembered).fill("nothing"), "once_more"],
    ],
    [
      "a read is remembered for as long as that",
      [bars(first), ...gap(framesRemembered - 1), bars(first)],
      ["once_more", ...Array(framesRemembered - 1).fill("nothing"), "accepted"],
    ],
    [
      "another one is forgotten by itself",
      [bars(first), ...gap(30), bars(second), ...gap(20), bars(second)],
      ["once_more", ...Array(30).fill("nothing"), "once_more", ...Array(20).fill("nothing"), "accepted"],
    ],
    ["bars beside an advertisement come first", [[...matrix("https://example.com"), ...bars(first)]], ["once_more"]],
    ["and so they do before it", [[...bars(first), ...matrix("https://example.com")]], ["once_more"]],
    ["the same read twice in one frame is one read", [[...bars(first), ...bars(first)]], ["once_more"]],
    ["bars and matrix are counted apart", [[["code128", first]], [["qr", first]]], ["once_more", "accepted"]],
    [
      "a cut-off text never counts, however often",
      [bars(first.slice(3)), bars(first.slice(3)), bars(first.slice(3))],
      ["nothing", "foreign", "foreign"],
    ],
    ["an advertisement is told from a code", [matrix("https://example.com")], ["foreign"]],
    [
      "the code beside the advertisement is found",
      [
        [
          ["qr", "https://example.com"],
          ["qr", first],
        ],
      ],
      ["accepted"],
    ],
    [
      "bars and a matrix of one page, in one frame: the matrix counts at once",
      [
        [
          ["code128", first],
          ["qr", first],
        ],
      ],
      ["accepted"],
    ],
    ["a symbology that is off is no code at all", [[["ean13", "4006381333931"]]], ["nothing"]],
    ["nor is a matrix of one that is off", [[["aztec", first]]], ["nothing"]],
  ];
  it.each(table)("%s", async (_name, frames, expected) => {
    expect(await kinds(frames)).toEqual(expected);
  });

  it.each<[Symbology, Symbology, string]>([
    ["code128", "ean13", "once_more"],
    ["code128", "itf", "once_more"],
    ["code39", "code39", "accepted"],
    ["ean13", "ean13", "accepted"],
    ["itf", "itf", "accepted"],
  ])("a linear code read as %s and then as %s is %s", async (one, other, expected) => {
    const decoder = scripted([[[one, first]], [[other, first]]]);
    const symbologies: Symbology[] = ["code128", "ean13", "itf", "code39"];
    const reader = new FrameReader([decoder], { symbologies, fixedLength: first.length, foreignIds: null });
    expect((await reader.read(frame)).kind).toBe("once_more");
    expect((await reader.read(frame)).kind).toBe(expected);
  });

  it("asks no second decoder for bars that the first has to see once more", async () => {
    const [wasm, library] = [scripted([bars(first)]), scripted([bars(second)])];
    const reader = new FrameReader([wasm, library], { ...rules, symbologies: ["code128"] });
    expect(await reader.read(frame)).toMatchObject({ kind: "once_more", read: { text: first } });
    expect(library.calls).toBe(0);
  });

  it("asks the second decoder only when the first has nothing that counts", async () => {
    const [wasm, library] = [
      scripted([matrix(first), matrix("foreign"), []]),
      scripted([matrix(second), matrix(second)]),
    ];
    const reader = new FrameReader([wasm, library], { ...rules, symbologies: ["qr"] });
    const texts: (string | null)[] = [];
    for (let at = 0; at < 3; at += 1) {
      const outcome = await reader.read(frame);
      texts.push(outcome.kind === "accepted" ? outcome.read.text : null);
    }
    expect(texts).toEqual([first, second, second]);
    expect(library.calls).toBe(2);
  });

  it("lets the decoders forget earlier frames when a text is accepted", async () => {
    let forgotten = 0;
    const forget = (): void => {
      forgotten += 1;
    };
    const decoder = { ...scripted([bars(first), [], bars(first)]), forget };
    const usual = { ...rules, symbologies: ["code128"] as Symbology[] };
    const reader = new FrameReader([decoder], usual);
    const after: number[] = [];
    for (let at = 0; at < 3; at += 1) {
      await reader.read(frame);
      after.push(forgotten);
    }
    expect(after).toEqual([0, 0, 1]);
  });

  it("asks no decoder when nothing is on", async () => {
    const decoder = scripted([matrix(first)]);
    const reader = new FrameReader([decoder], { ...rules, symbologies: [] });
    expect((await reader.read(frame)).kind).toBe("nothing");
    expect(decoder.calls).toBe(0);
  });
});
