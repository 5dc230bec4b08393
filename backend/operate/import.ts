/** `merchants import` and `credentials import`: thousands of shops or terminals from a CSV file, all or none; repeating it is safe. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { type AuditEvent, appendAll } from "../access/audit.ts";
import { credentialByDevice } from "../access/credentials.ts";
import { addEnrolment, endEnrolment, openEnrolment } from "../access/one-time-codes.ts";
import { type Change, recordSettings } from "../access/setting-entries.ts";
import { pause } from "../background.ts";
import { csvLine, readCsv } from "../contract/csv.ts";
import { makeEnrolmentLink } from "../contract/enrolment-link.ts";
import { groupId, makeEnrolmentCode } from "../contract/ids.ts";
import { isServiceUrl } from "../contract/service-url.ts";
import { minuteMs, toTime } from "../contract/times.ts";
import { merchantById } from "../merchants/merchants.ts";
import { messageOf } from "../service-error.ts";
import { holdSetting, removeSetting, setSetting, settingByName } from "../store/settings.ts";
import type { Tx } from "../store/store.ts";
import { UsageError } from "./arguments.ts";
import { operatorName } from "./audited-store.ts";
import type { CommandContext, CommandOutput } from "./context.ts";
import { addShop, setShop } from "./merchants.ts";
import { type SheetLine, sheetHtml, sheetLanguages } from "./sheet.ts";
import { checked, codeLifetime, idSchema } from "./words.ts";

/** On SQLite the service's writes wait for each commit and run in the pauses: a confirm must stay below 250 ms. */
const [linesPerCommit, pauseMs] = [50, 25];
const wrongLinesShown = 20;

type Cells = Readonly<Record<string, string>>;
interface Line {
  /** Line number; the header is 1. */
  readonly number: number;
  readonly cells: Cells;
}

/** Reads a file's lines as objects; empty cells are left out. @param columns the first `keys` of them identify a line and are required. */
const readLines = (file: string | undefined, form: string, columns: readonly string[], keys: number) => {
  if (file === undefined) throw new UsageError(`the FILE is missing; name it as: ${form}`);
  const [header, ...rows] = readRows(file);
  const names = header.map((name) => name.trim().replaceAll("_", "-"));
  const unknown = names.filter((name, at) => !columns.includes(name) || names.indexOf(name) !== at);
  const missing = columns.slice(0, keys).filter((name) => !names.includes(name));
  if (unknown.length + missing.length > 0)
    throw new UsageError(
      `the first line of ${file} must name the columns ${columns.join(", ")}, each once; ${columns.slice(0, keys).join(" and ")} must be there`,
    );
  const seen = new Map<string, number>();
  return rows.flatMap((row, at): Line[] => {
    const number = at + 2;
    if (row.length === 1 && row[0] === "") return [];
    if (row.length !== names.length)
      throw new UsageError(`line ${number} has ${row.length} cells, not ${names.length}`);
    const cells = Object.fromEntries(names.map((name, n) => [name, row[n] ?? ""]).filter(([, cell]) => cell !== ""));
    const key = columns
      .slice(0, keys)
      .map((name) => cells[name])
      .join(" ");
    if (seen.has(key)) throw new UsageError(`line ${number} is for ${key}, as line ${seen.get(key)} is`);
    seen.set(key, number);
    return [{ number, cells }];
  });
};

const readRows = (file: string) => {
  try {
    return readCsv(new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file)));
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(`${file} is not UTF-8; save it as "CSV UTF-8"`);
    throw new UsageError(`${file} cannot be read: ${messageOf(error)}`);
  }
};

/** What was done with each line, by line number. */
type Done = ReadonlyMap<number, string>;
/** @param audited what it adds to these goes into the audit before the commands, at the end of the commit; so do `changed` settings. */
type Work = (tx: Tx, line: Line, audited: AuditEvent[], changed: Change[]) => Promise<string>;

/** Rolls a commit back after all of its lines were tried. */
class Undone extends Error {}
/** Some lines are wrong and nothing was written. */
class NothingWritten extends UsageError {}

/** Audit events by what a line has done; cells hold no secrets. */
const entries = {
  added: "merchants add",
  changed: "merchants set",
  "a code made": "enrolment made",
  "code ended": "enrolment ended",
};

/**
 * @param isTrial roll everything back. @param hold called first in each commit, which it may refuse.
 * @throws UsageError with the wrong lines; earlier commits stay.
 */
const eachLine = async (
  { store, keys, clock }: CommandContext,
  lines: readonly Line[],
  work: Work,
  isTrial: boolean,
  hold: (tx: Tx) => Promise<string | null> = async () => null,
): Promise<Done> => {
  const actor = operatorName();
  const done = new Map<number, string>();
  const wrong = new Map<number, string>();
  let written = 0;
  let refusal: string | null = null;
  for (let at = 0; at < lines.length; at += linesPerCommit) {
    if (at > 0) await pause(clock, pauseMs);
    const unit = async (tx: Tx) => {
      const [own, commands, changed]: [AuditEvent[], AuditEvent[], Change[]] = [[], [], []];
      refusal = await hold(tx);
      if (refusal !== null) throw new Undone();
      for (const line of lines.slice(at, at + linesPerCommit)) {
        try {
          const settings: Change[] = [];
          const what = await work(tx, line, own, settings);
          done.set(line.number, what);
          if (isTrial || !(what in entries)) continue;
          commands.push(entryOf(line, what, actor));
          changed.push(...settings);
        } catch (error) {
          if (!(error instanceof UsageError)) throw error;
          wrong.set(line.number, error.message);
        }
      }
      if (isTrial || wrong.size > 0) throw new Undone();
      await recordSettings(tx, keys, clock.now(), changed);
      await appendAll(tx, keys, clock.now(), [...own, ...commands]);
    };
    try {
      await store.write(unit);
      written += linesPerCommit;
    } catch (error) {
      if (!(error instanceof Undone)) throw error;
    }
    if (refusal !== null || (!isTrial && wrong.size > 0)) break;
  }
  if (wrong.size === 0 && refusal === null) return done;
  const shown = [...wrong].slice(0, wrongLinesShown).map(([number, message]) => `line ${number}: ${message}`);
  const more = wrong.size > shown.length ? [`and ${wrong.size - shown.length} more lines`] : [];
  const refused = (what: string) => [...(refusal === null ? [] : [refusal]), ...shown, ...more, what].join("\n");
  if (isTrial || written === 0) throw new NothingWritten(refused("nothing was written"));
  throw new UsageError(refused(`the ${written} lines before were written: mend these, and import the file again`));
};

const entryOf = ({ cells: { id, shop, terminal, ...more } }: Line, what: string, actor: string): AuditEvent => ({
  event: entries[what as keyof typeof entries],
  actor,
  address: null,
  object: id ?? `terminal ${shop}/${terminal}`,
  detail:
    Object.entries(more)
      .map(([name, value]) => `--${name} ${value}`)
      .join(" ") || null,
});

/** Line numbers as `2-7, 9`. */
const ranges = (numbers: readonly number[]): string => {
  const found: [from: number, to: number][] = [];
  for (const number of numbers) {
    const last = found.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else found.push([number, number]);
  }
  return found.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(", ");
};

const report = (done: Done, isDryRun: boolean): CommandOutput =>
  [...Map.groupBy(done, ([, what]) => what)].map(([what, lines]) => ({
    [isDryRun ? "would_be" : "done"]: what,
    count: lines.length,
    lines: ranges(lines.map(([number]) => number)),
  }));

const shopColumns = ["id", "name", "currency", "smallest", "largest", "step"];
const moreShopColumns = ["shop-day", "terminal-hour", "support-text", "support-phone", "opening", "time-zone"];

/** Adds a shop, or changes an existing one; a currency cannot change. */
const importShop = async (tx: Tx, now: number, cells: Cells, changed: Change[]): Promise<string> => {
  const { id = "", currency, ...wanted } = cells;
  const before = await tx.first(merchantById({ id }));
  const more = Object.fromEntries(Object.entries(cells).filter(([name]) => moreShopColumns.includes(name)));
  if (before === undefined) {
    await addShop(tx, now, cells, changed);
    if (Object.keys(more).length > 0) await setShop(tx, { id, ...more }, changed);
    return "added";
  }
  if (currency !== undefined && currency !== before.currency)
    throw new UsageError(`shop ${id} hands out ${before.currency}; no shop changes its currency`);
  await setShop(tx, { id, ...wanted }, changed);
  const after = await tx.first(merchantById({ id }));
  return JSON.stringify(after) === JSON.stringify(before) ? "as it was" : "changed";
};

/** `merchants import`: @throws UsageError with the lines that are wrong; then nothing was written. */
export const importMerchants = async (
  on: CommandContext,
  file: string | undefined,
  flags: Cells,
): Promise<CommandOutput> => {
  const lines = readLines(file, "merchants import FILE [--dry-run]", [...shopColumns, ...moreShopColumns], 1);
  const work: Work = (tx, { cells }, _, changed) => importShop(tx, on.clock.now(), cells, changed);
  const isDryRun = flags["dry-run"] === "1";
  const tried = await eachLine(on, lines, work, true);
  return report(isDryRun ? tried : await eachLine(on, lines, work, false), isDryRun);
};

const [runningSetting, runningAtSetting] = ["codes_import", "codes_import_at"];
/** An import that has written nothing for so long was killed. */
const runningMaxMs = 5 * minuteMs;

/** One import of codes at a time: of two at once each would hand out codes that the other one ends. */
const createTurn = ({ store, clock, random }: CommandContext) => {
  const value = Buffer.from(random.bytes(12)).toString("base64url");
  const noteTime = (tx: Tx) => tx.run(setSetting({ name: runningAtSetting, value: String(clock.now()) }));
  return {
    /** @throws UsageError while another one runs. */
    begin: () =>
      store.write(async (tx) => {
        const isRunning = (await tx.first(settingByName({ name: runningSetting }))) !== undefined;
        const at = Number((await tx.first(settingByName({ name: runningAtSetting })))?.value ?? 0);
        if (isRunning && Math.abs(clock.now() - at) < runningMaxMs)
          throw new UsageError(
            `another import of codes is running, which wrote last at ${toTime(at)}: wait until it has ended; if it was stopped, for five minutes from then`,
          );
        await tx.run(setSetting({ name: runningSetting, value }));
        await noteTime(tx);
        return null;
      }),
    /** @returns why this one may not go on: it stood still for so long that another one has begun. */
    async hold(tx: Tx): Promise<string | null> {
      if ((await tx.first(holdSetting({ name: runningSetting, value }))) === undefined)
        return "another import of codes has begun meanwhile";
      await noteTime(tx);
      return null;
    },
    end: () =>
      store.write(async (tx) => {
        if ((await tx.first(holdSetting({ name: runningSetting, value }))) !== undefined)
          await tx.first(removeSetting({ name: runningSetting }));
        return null;
      }),
  };
};

const codesForm =
  "credentials import FILE --out CODES|--sheet FILE.html [--language de] [--days 1] [--renew] [--revoke] [--dry-run]";
const codesSchema = z.object({
  days: codeLifetime,
  out: z.string().optional(),
  sheet: z.string().optional(),
  language: z.enum(sheetLanguages, `--language must be one of ${sheetLanguages.join(", ")}`).default(sheetLanguages[0]),
  renew: z.string().optional(),
  revoke: z.string().optional(),
  "dry-run": z.string().optional(),
});
const terminalSchema = z.object({ shop: idSchema("the shop"), terminal: idSchema("the terminal") });
const made = "a code made";

/**
 * `credentials import`: makes a one-time code for each terminal without key, revocation or open code, in the new
 * private files `--out` (CSV) and `--sheet` (to print). `--renew` also replaces open codes; `--revoke` ends them.
 * @throws UsageError with the wrong lines, without PUBLIC_URL, or where a file exists; nothing is written then.
 */
export const importTerminals = async (on: CommandContext, file: string | undefined, flags: Cells) => {
  const wanted = checked(codesSchema, flags, codesForm);
  const { out, sheet } = wanted;
  const [isDryRun, revokes] = [wanted["dry-run"] === "1", wanted.revoke === "1"];
  const lines = readLines(file, codesForm, ["shop", "terminal"], 2);
  if (!revokes && !isDryRun && (out ?? sheet) === undefined)
    throw new UsageError(`where do the codes go? name it as: ${codesForm}`);
  if (!revokes && !isServiceUrl(on.publicUrl))
    throw new UsageError("PUBLIC_URL must be the https address at which the terminal reaches the service");
  const now = on.clock.now();
  const expiresAt = now + wanted.days;
  const codes = new Map(lines.map(({ number }) => [number, makeEnrolmentCode(on.random.bytes(11))]));
  const names = new Map<number, string>();
  /** The code that waits for a line's terminal, as the trial found it. */
  const waiting = new Map<number, string | null>();
  const work: Work = async (tx, { number, cells }, audited) => {
    const { shop, terminal } = checked(terminalSchema, cells, "shop,terminal");
    const device = { merchant: shop, device: terminal };
    const till = { merchantId: shop, deviceId: terminal };
    if (revokes) {
      const ended = await endEnrolment(tx, till);
      if (ended !== null) audited.push(ended);
      return ended === null ? "no code" : "code ended";
    }
    const merchant = await tx.first(merchantById({ id: shop }));
    if (merchant === undefined) throw new UsageError(`there is no shop ${shop}; add it with: merchants import`);
    names.set(number, merchant.name);
    const known = await tx.first(credentialByDevice({ kind: "terminal", ownerId: shop, deviceId: terminal }));
    // A revoked terminal must be named to come back, not be part of a list.
    if (known !== undefined) return known.revoked_at === null ? "has a key" : "is revoked";
    const open = (await tx.first(openEnrolment({ ...device, now })))?.code_hash ?? null;
    const before = waiting.get(number);
    // What the file holds for it, or lacks, was chosen by the code that waited then.
    if (before !== undefined && open !== before)
      throw new UsageError(`somebody else has made or ended the code of ${shop} ${terminal} since this import began`);
    waiting.set(number, open);
    if (wanted.renew !== "1" && open !== null) return "has a code";
    audited.push(await addEnrolment(tx, on.keys, till, codes.get(number) ?? "", now, expiresAt));
    return made;
  };
  const codeLinesOf = (tried: Done) =>
    lines
      .filter(({ number }) => tried.get(number) === made)
      .map(({ number, cells: { shop = "", terminal = "" } }): SheetLine => {
        const code = codes.get(number) ?? "";
        const link = makeEnrolmentLink({ serviceUrl: on.publicUrl, code });
        return { shop, shopName: names.get(number) ?? shop, terminal, code: groupId(code).replaceAll(" ", "-"), link };
      });
  if (isDryRun) return report(await eachLine(on, lines, work, true), true);
  const turn = createTurn(on);
  await turn.begin();
  const files: string[] = [];
  try {
    const tried = await eachLine(on, lines, work, true);
    if (!revokes) {
      const codeLines = codeLinesOf(tried);
      const keep = (path: string | undefined, text: () => string) => {
        if (path === undefined) return;
        writeNew(path, text());
        files.push(path);
      };
      // Written before the codes are valid: an interruption leaves codes that do not work, but none gets lost.
      keep(out, () => codesCsv(codeLines, expiresAt));
      keep(sheet, () => sheetHtml(codeLines, { serviceUrl: on.publicUrl, expiresAt, language: wanted.language }));
    }
    return report(await eachLine(on, lines, work, false, turn.hold), false);
  } catch (error) {
    if (error instanceof NothingWritten || files.length < [out, sheet].filter((path) => path !== undefined).length)
      for (const path of files) rmSync(path);
    throw error;
  } finally {
    await turn.end();
  }
};

const codesCsv = (lines: readonly SheetLine[], expiresAt: number): string => {
  const until = toTime(expiresAt);
  const rows = lines.map(({ shop, shopName, terminal, code, link }) => [shop, shopName, terminal, code, until, link]);
  return [["shop", "store_name", "terminal", "code", "valid_until", "enrolment"], ...rows]
    .map((row) => csvLine(row))
    .join("");
};

/** @throws UsageError where the file exists. */
const writeNew = (path: string, text: string): void => {
  try {
    writeFileSync(path, text, { mode: 0o600, flag: "wx", flush: true });
  } catch (error) {
    throw new UsageError(`${path} cannot be written: ${messageOf(error)}`);
  }
};
