/** Only the field `answer` is marked as an earlier key's (`effect-loop.ts`): no input may carry a service's answer under another name. */
import { expectTypeOf, test } from "vitest";
import type { Answer, Internal } from "../../../main/terminal/state/inputs.ts";

/** The fields of an input that can hold a service's answer. */
type AnswerField<Input> = Input extends unknown
  ? { [Key in keyof Input]-?: Answer extends Input[Key] ? Key : never }[keyof Input]
  : never;

test("an answer of the service is always called `answer`", () =>
  expectTypeOf<AnswerField<Internal>>().toEqualTypeOf<"answer">());
