/** Writes into docs/simulation.md what runs have counted: its tables and the sections of its last runs. The words around them are written by hand. */
import { availableParallelism, loadavg } from "node:os";
import type { Campaign } from "./campaign.ts";
import type { Catch } from "./hunt.ts";
import { defaultFaultRates, type FaultName } from "./plan.ts";
import type { Share } from "./profile.ts";
import { type TurnKind, turnKinds } from "./turns.ts";
import { type WrongTimeKind, wrongTimeKinds } from "./wrong-times.ts";

const meanings: Readonly<Record<FaultName, string>> = {
  requestLost: "a request that never arrives",
  answerLost: "done, but the answer never comes",
  duplicated: "a request that arrives twice, each copy in its own time",
  delayed: "0.5 s to 90 s under way: past every time-out, and behind later ones",
  reset: "the connection breaks, before or after it was done",
  garbled: "an answer that cannot be read",
  badGateway: "a 502 in HTML, before or after it was done",
  answerStale: "a proxy gives a till the answer that it had before to the same call, and asks nobody",
  answerSwapped: "a till gets the answer to an earlier call, about another withdrawal",
  bankSilentAfterBooking: "the bank has booked and says nothing",
  bankFails: "the bank answers 503",
  bankFailsInAYes: "the bank has done nothing, and says so in a field beside its yes",
  tillDiskFails: "the till's journal takes no entry",
  serviceDiskFails: "the service's database takes no commit; one time in four, nor any other for up to two minutes",
  serviceStatementFails: "a statement of it fails, and half of the times the transaction is rolled back by that",
  serviceCommitUnclear: "the database that processes share has committed, and the connection breaks before it says so",
  drawerFails: "an order to open: the drawer stays shut, moves and its printer says nothing more, or moves twice",
  printerFails:
    "for seconds or minutes: no paper, cover open, gone, mute, nonsense or late answers, a job breaks off, the sensor is stuck, the drawer stands open",
  tillDies: "the till dies at a call of a port, a timer or an answer",
  serviceDies: "the service dies there",
};

const turnMeanings: Readonly<Record<TurnKind, string>> = {
  training:
    "the till starts in training, where people practise at a service with shops and terminals of the same names, and comes back",
  key_lost: "its access key is gone; a manager enrols it anew",
  key_revoked: "the service takes its key back while it works",
  new_device: "it is enrolled as another device of the shop, with withdrawals open",
  other_shop: "it is enrolled for another shop for a while",
  older_program: "the program before runs on its folder: from the beginning on, or refused by a newer journal",
  newer_program: "a newer program runs, the one before is put back and refuses its journal, the newer one returns",
  careless_program: "a newer program writes hand-outs that today's does not know, and does not say so in the format",
  restored:
    "the folder is put back from a copy some minutes old, whatever happened since; half of the times the journal goes on, unheard, past what the service was told",
  disk_full: "the disk takes nothing for minutes or hours",
  disk_fills:
    "its disk has a size: journal, history, archive and copies fill it up, or others take the last of it while an archive is written; room is given back, if nothing of an archive is left lying there",
  suspended: "the machine sleeps for minutes or days",
  other_host: "the other host runs on the same folder: it cannot read the key that this one has sealed",
  people_lost:
    "its list of people is removed, damaged or put back to the first one, and while it is so somebody presses what they may not: until the operator's code more is asked, and paid cash leaves all the same",
  settings_lost:
    "its file of settings is edited to ask for less, or removed, and the till starts again: no sign-in, no manager, no word that the cash was handed over",
  journal_key_lost: "the keys of its journal are removed with their file",
  second_machine:
    "its folder is copied to a second machine, mostly in the middle of a withdrawal, and both run to the end: at once, or the first one after a while; some without the service, some just as both offer the cash",
  offline: "its cable is out for minutes or days, and people work on",
  settings_changed:
    "a manager changes, at any moment of a withdrawal, when the drawer opens, whether there is one, and whether the cashier says that the cash was handed over; later as it was",
  wrong_clock: "its clock is set wrong by up to a day",
};

const wrongTimeMeanings: Readonly<Record<WrongTimeKind, string>> = {
  set_ahead: "set ahead by a day, five days, three weeks or 500 days while it runs",
  set_back: "set back by a day, five days or three weeks while it runs",
  wrong_start: "a start with a dead battery (20 years or 40 days back) or in a wrong year (40 days or ten years ahead)",
  paused: "a process that stands still for minutes while the clocks go on, and then answers all that has waited",
  resumed: "a virtual machine that stood for one or four minutes, with its clock, and goes on from there",
};

const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

const counted = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");

/** In place of the table that begins with the same head. */
const withTable = (
  document: string,
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string => {
  const [first = ""] = table(head, []).split("\n");
  const start = document.indexOf(`${first}\n`);
  if (start < 0) throw new Error(`docs/simulation.md has no table ${first}`);
  return document.slice(0, start) + table(head, rows) + document.slice(document.indexOf("\n\n", start));
};

/** What the last run of each kind said stands below these lines. */
const runHead = "## This run\n";
const realHead = "### The last run with real processes\n";
const systematicHead = "### The last systematic run\n";

/** With its heading, up to the next one. */
const sectionOf = (document: string, head: string): string => {
  const start = document.indexOf(head);
  if (start < 0) return "";
  const end = document.indexOf("\n#", start + head.length);
  return end < 0 ? document.slice(start) : document.slice(start, end + 1);
};

const withSection = (document: string, head: string, text: string): string => {
  const before = sectionOf(document, head);
  if (before === "") return `${document.trimEnd()}\n\n${head}\n${text}\n`;
  return document.replace(before, () => `${head}\n${text}\n${document.endsWith(before) ? "" : "\n"}`);
};

/** The document with the result of another run with real processes. */
export const withRealRun = (document: string, summary: string): string =>
  withSection(document, realHead, `\`\`\`text\n${summary}\n\`\`\``);

/** The document with the table of another systematic run. */
export const withSystematicRun = (document: string, table: string): string =>
  withSection(document, systematicHead, table);

/** The document with the results of a run, a hunt and a profile. */
export const documentOf = ({
  campaign,
  seed,
  catches,
  shares,
  before,
}: {
  readonly campaign: Campaign;
  readonly seed: number;
  readonly catches: readonly Catch[];
  readonly shares: readonly Share[];
  /** The document as it is. */
  readonly before: string;
}): string => {
  const times = "times in this run";
  const what = "what it is";
  const faults = Object.entries(defaultFaultRates).map(([name, rate]) => [
    `\`${name}\``,
    rate,
    campaign.faults[name] ?? 0,
    meanings[name as FaultName],
  ]);
  const turns = turnKinds.map((kind) => [`\`${kind}\``, campaign.turns[kind] ?? 0, turnMeanings[kind]]);
  const wrongTimes = wrongTimeKinds.map((kind) => [
    `\`${kind}\``,
    campaign.wrongTimes[kind] ?? 0,
    wrongTimeMeanings[kind],
  ]);
  const caught = catches.map(({ defect, seeds, promise, found }) => [
    defect.name,
    defect.text,
    seeds ?? "not caught",
    promise ?? "",
    found,
  ]);
  let document = withTable(before, ["fault", "rate", times, what], faults);
  document = withTable(document, ["turn", times, what], turns);
  document = withTable(document, ["how", times, what], wrongTimes);
  document = withTable(document, ["defect", "what it does", "seeds to catch", "promise", "first complaint"], caught);
  return withSection(
    document,
    runHead,
    `${campaign.withdrawals} withdrawals in ${campaign.stories} stories and ${campaign.steps} steps, first seed ${seed}: every promise was kept.
They ended as ${counted(campaign.ends)}.

${Math.round(campaign.withdrawals / campaign.cpuSeconds)} withdrawals for each second of a processor: processor time of the whole process, with the compiler's and the
collector's threads, on a machine of ${availableParallelism()} cores with a load of ${(loadavg()[1] ?? 0).toFixed(1)}. The aim is 1,500; no single part of the
profile stands in its way, the product itself does with its HTTP calls, commits and reads.

${table(
  ["part", "share of the time"],
  shares.map(({ part, share }) => [part, `${(share * 100).toFixed(1)} %`]),
)}

(Samples of V8's profiler over a run of its own, each put down to the nearest code of ours; \`npm run simulate -- --profile\`.)`,
  );
};
