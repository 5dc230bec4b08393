/** The way between training and real money: when it is refused, and what the other side is given on the way. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { purposeFolder } from "../../../main/host/data-folder.ts";
import { openSettingsFile } from "../../../main/host/settings-file.ts";
import { startOrUndo, withPurposeSwitch } from "../../../main/open-terminal.ts";
import { type Actor, counterActor } from "../../../main/terminal/withdrawal/inputs.ts";
import {
  type Reply,
  type Settings,
  type Snapshot,
  settingsSchema,
  type TerminalCommand,
} from "../../../preload/contract.ts";

let data: string;
beforeEach(() => {
  data = mkdtempSync(path.join(tmpdir(), "tillcash-purpose-"));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const quiet = () => undefined;
const settingsOf = (training: boolean) => openSettingsFile(purposeFolder(data, training), quiet);
const ours = settingsSchema.parse({ language: "de", colorScheme: "dark" });

interface How {
  readonly from: boolean;
  readonly unfinished?: number;
  readonly practice?: true;
  readonly mayGoLive?: boolean;
}

/** A terminal, and to where the program began to go from it. */
const open = ({ from, unfinished = 0, mayGoLive }: How) => {
  const begun: boolean[] = [];
  const inner = {
    dispatch: async (_command: TerminalCommand, _actor: Actor): Promise<Reply> => ({ ok: false, code: "invalid" }),
    snapshot: () => ({ header: { unfinished }, settings: ours }) as Snapshot,
  };
  const restart = (next: boolean): void => void begun.push(next);
  const host = { data, training: from, log: quiet, restart, ...(mayGoLive !== undefined && { mayGoLive }) };
  const { dispatch } = withPurposeSwitch(inner, host);
  return { ask: (command: TerminalCommand) => dispatch(command, counterActor), begun };
};

/** Asks a terminal for the way. @returns its reply, and to where it began. */
const switchTo = async (training: boolean, how: How) => {
  const { ask, begun } = open(how);
  return [await ask({ type: "switch_purpose", training, ...(how.practice && { practice: how.practice }) }), begun];
};
const [live, training] = [false, true];

test.each([
  ["training while money is open", training, { from: live, unfinished: 1 }, { ok: false, code: "busy" }, []],
  ["training", training, { from: live }, { ok: true }, [training]],
  ["real money, whatever is open of none", live, { from: training, unfinished: 1 }, { ok: true }, [live]],
  [
    "real money in a browser that may not",
    live,
    { from: training, mayGoLive: false },
    { ok: false, code: "not_in_browser" },
    [],
  ],
  ["real money in one that may", live, { from: training, mayGoLive: true }, { ok: true }, [live]],
  ["where it is already", live, { from: live, unfinished: 1 }, { ok: true }, []],
] as const)("to %s", async (_, to, how, reply, begun) => {
  expect(await switchTo(to, how)).toEqual([reply, begun]);
});

test.each([
  ["real money, where nothing is open, ends once and begins nothing more", live, { ok: false, code: "busy" }, 1],
  [
    "training, where a window asks about what is open, may stay, and goes on",
    training,
    { ok: false, code: "invalid" },
    2,
  ],
] as const)("a program that leaves %s", async (_, from, answer, times) => {
  const { ask, begun } = open({ from });
  const way = { type: "switch_purpose", training: !from } as const;
  const confirm = { type: "confirm", step: "1" } as const;
  expect(await ask(confirm)).toEqual({ ok: false, code: "invalid" });
  expect([await ask(way), await ask(way), await ask(confirm)]).toEqual([{ ok: true }, { ok: true }, answer]);
  expect(begun).toEqual(Array(times).fill(!from));
});

describe("the other side", () => {
  const kept = (of: boolean): Pick<Settings, "language" | "colorScheme" | "setUp"> => {
    const { language, colorScheme, setUp } = settingsOf(of).load();
    return { language, colorScheme, setUp };
  };

  test("speaks the same language at first, and its own from then on", async () => {
    await switchTo(training, { from: live });
    expect(kept(training)).toEqual({ language: "de", colorScheme: "dark", setUp: "done" });
    settingsOf(training).save(settingsSchema.parse({ language: "fr" }));
    await switchTo(training, { from: live });
    expect(kept(training)).toEqual({ language: "fr", colorScheme: "auto", setUp: "done" });
  });

  test("is the practice of a set-up where that asks for it, until training is entered otherwise", async () => {
    await switchTo(training, { from: live, practice: true });
    expect(kept(training).setUp).toBe("practice");
    await switchTo(training, { from: live });
    expect(kept(training).setUp).toBe("done");
  });

  test("goes on with its set-up where it was, and behind the practice where that was next", async () => {
    for (const [before, after] of [
      ["devices", "devices"],
      ["practice", "done"],
    ] as const) {
      settingsOf(live).save(settingsSchema.parse({ setUp: before }));
      await switchTo(live, { from: training });
      expect(kept(live).setUp).toBe(after);
    }
  });
});

test("what a start has opened is closed when it fails: the last first, each though another cannot be, with the start's own error", async () => {
  const closed: string[] = [];
  const start = startOrUndo(async (onFailure) => {
    onFailure(() => closed.push("service"));
    onFailure(() => Promise.reject(new Error("no journal")));
    onFailure(() => closed.push("terminal"));
    throw new Error("no page");
  });
  await expect(start).rejects.toThrow("no page");
  expect(closed).toEqual(["terminal", "service"]);
  const going = startOrUndo(async (onFailure) => {
    onFailure(() => closed.push("page"));
    return "page";
  });
  expect([await going, closed.length]).toEqual(["page", 2]);
});
