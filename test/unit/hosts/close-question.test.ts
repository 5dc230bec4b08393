/** Leaving the till: it asks for as long as anything here may hold money. */
import type { BrowserWindow } from "electron";
import { beforeEach, expect, test, vi } from "vitest";
import { mayClose } from "../../../main/close-question.ts";
import type { Bridge, Snapshot } from "../../../preload/contract.ts";
import { calmHeader, screenOf } from "../../e2e/gallery/snapshots.ts";

const asked = vi.hoisted(() => ({ messages: [] as string[], answer: 0 }));
vi.mock("electron", () => ({
  dialog: {
    async showMessageBox(_window: object, { message }: { message: string }) {
      asked.messages.push(message);
      return { response: asked.answer };
    },
  },
}));
beforeEach(() => {
  asked.messages = [];
});

const bridgeOf = (snapshot: Snapshot): Bridge => ({
  dispatch: async () => ({ ok: true }),
  subscribe: (listener) => {
    listener(snapshot);
    return () => undefined;
  },
});
const questionOf = (unfinished: number) =>
  mayClose(bridgeOf({ ...screenOf("ready"), header: { ...calmHeader, unfinished } }), {} as BrowserWindow);

test("a till with nothing open is left without a word", () => {
  expect(questionOf(0).isAnswered()).toBe(true);
});

test.each([
  ["stays", 0, false],
  ["is closed", 1, true],
] as const)("a till with something open asks, and %s", async (_, answer, closes) => {
  asked.answer = answer;
  const question = questionOf(2);
  expect(question.isAnswered()).toBe(false);
  expect(await question.ask()).toBe(closes);
  expect(question.isAnswered()).toBe(closes);
  expect(asked.messages).toEqual(["2 withdrawals are not finished yet."]);
});
