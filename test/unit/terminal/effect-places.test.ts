/** What an effect needs beside its kind, where no type asks for it. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, expectTypeOf, test } from "vitest";
import type { Answer } from "../../../main/terminal/service/answer.ts";
import type { EffectResult } from "../../../main/terminal/withdrawal/inputs.ts";

const due = readFileSync(path.resolve(import.meta.dirname, "../../../main/terminal/withdrawal/effects-due.ts"), "utf8");
const afterTypes = due.indexOf("export interface Effect");
const [declared, derived] = [due.slice(0, afterTypes), due.slice(afterTypes)];
const work = declared.slice(declared.indexOf("export type Work"));
const kinds = [...work.matchAll(/^ {4}(\w+): /gm)].map(([, kind]) => kind);

test("there are kinds of work", () => expect(kinds.length).toBeGreaterThan(5));
test.each(kinds)("%s becomes due somewhere", (kind) => expect(derived).toContain(`"${kind}"`));

/** The fields of an input that can hold a service's answer. */
type AnswerField<Input> = Input extends unknown
  ? { [Key in keyof Input]-?: Answer extends Input[Key] ? Key : never }[keyof Input]
  : never;

test("an answer of the service is always called `answer`: under another name `effect-loop.ts` would not mark it as an earlier key's", () =>
  expectTypeOf<AnswerField<EffectResult>>().toEqualTypeOf<"answer">());
