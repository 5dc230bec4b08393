/** What an effect needs beside its kind, where no type asks for it. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, expectTypeOf, test } from "vitest";
import type { Answer, Internal } from "../../../main/terminal/state/inputs.ts";

const effects = path.resolve(import.meta.dirname, "../../../main/terminal/effects");
const textOf = (file: string): string => readFileSync(path.join(effects, file), "utf8");
const kinds = [...textOf("work.ts").matchAll(/readonly kind: "(\w+)"/g)].map(([, kind]) => kind);

test("there are kinds of work", () => expect(kinds.length).toBeGreaterThan(5));
test.each(kinds)("%s becomes due somewhere", (kind) =>
  expect(textOf("due.ts") + textOf("due-withdrawal.ts")).toContain(`"${kind}"`),
);

/** The fields of an input that can hold a service's answer. */
type AnswerField<Input> = Input extends unknown
  ? { [Key in keyof Input]-?: Answer extends Input[Key] ? Key : never }[keyof Input]
  : never;

test("an answer of the service is always called `answer`: under another name `effect-loop.ts` would not mark it as an earlier key's", () =>
  expectTypeOf<AnswerField<Internal>>().toEqualTypeOf<"answer">());
