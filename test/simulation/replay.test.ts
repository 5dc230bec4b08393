/** A failure on the command line: it tells its seed, a short story, and a command which, typed as it stands, shows the same again. */
import { exec } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { defaultFaultRates } from "./plan.ts";

const root = path.join(import.meta.dirname, "../..");

/** Both streams of a command that a person types into a shell. */
const type = (command: string): Promise<{ readonly text: string; readonly exitCode: number }> =>
  new Promise((resolve) => {
    const child = exec(command, { cwd: root }, (_, out, errors) =>
      resolve({ text: `${errors}\n${out}`, exitCode: child.exitCode ?? -1 }),
    );
  });

const complaintsIn = (text: string): readonly string[] => text.match(/^promise \d: .*$/gm) ?? [];
const headIn = (text: string): string => /^seed \d+: (promise \d is broken)/m.exec(text)?.[1] ?? "";
const commandIn = (text: string): string => /^npm run -s simulate .*$/m.exec(text)?.[0] ?? "";
const storyIn = (text: string): readonly string[] => text.match(/^ +[\d.]+ s {2}.*$/gm) ?? [];

const defect = "double delivery without dedupe";
/** Each fault that is left is tried out again and again while the story gets shorter: two show as well how. */
const without = Object.keys(defaultFaultRates).filter((name) => name !== "requestLost" && name !== "answerLost");

test("the printed command, typed as it stands, shows the same complaint", async () => {
  const flags = `--seed 11 --withdrawals 4 --story 4 --without ${without.join()}`;
  const first = await type(`npm run -s simulate -- ${flags} --defect "${defect}"`);
  expect(first.exitCode).toBe(1);
  const command = commandIn(first.text);
  expect(command.match(/--only ([\d,]+)/)?.[1]?.split(",").length).toBeLessThan(4);
  expect(command.match(/--without ([\w,]+)/)?.[1]?.split(",").length).toBeGreaterThan(without.length);

  const again = await type(command);
  expect(again.exitCode).toBe(1);
  expect(headIn(again.text)).toBe(headIn(first.text));
  expect(complaintsIn(first.text).length).toBeGreaterThan(0);
  expect(complaintsIn(again.text)).toEqual(complaintsIn(first.text));
  expect(storyIn(first.text).length).toBeGreaterThan(0);
  expect(storyIn(again.text)).toEqual(storyIn(first.text));
});
