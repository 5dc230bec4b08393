/** Writes docs/simulation.md: how the simulation works, and what the runs that wrote it counted. */
import { availableParallelism, loadavg } from "node:os";
import { scaTimeoutSeconds } from "../../backend/contract/sca.ts";
import type { Campaign } from "./campaign.ts";
import { type Catch, huntStoryWithdrawals } from "./hunt.ts";
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
  bankSilentAfterBooking: "the bank has booked and says nothing",
  bankFails: "the bank answers 503",
  bankFailsInAYes: "the bank has done nothing, and says so in a field beside its yes",
  tillDiskFails: "the till's journal takes no entry",
  serviceDiskFails: "the service's database takes no commit",
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
  wrong_clock: "its clock is set wrong by up to a day",
};

const wrongTimeMeanings: Readonly<Record<WrongTimeKind, string>> = {
  set_ahead: "set ahead by a day, five days, three weeks or 500 days while it runs",
  set_back: "set back by a day, five days or three weeks while it runs",
  wrong_start: "a start with a dead battery (20 years or 40 days back) or in a wrong year (40 days or ten years ahead)",
  resumed: "a virtual machine that stood for one or four minutes, with its clock, and goes on from there",
};

const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

const counted = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");

/** What the last run of another kind said stands below these lines; each kind of run keeps the others' parts. */
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

/** The whole document as Markdown. */
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
}): string => `# The simulation

\`npm run simulate -- --seed S --withdrawals N\` plays tills, service, bank, customers and cashiers in one process and in
virtual time, and breaks what can break. The terminal is the real core (\`main/terminal\`) over its real journal, the service
the real app with its real verbs, outbox and SQLite store, both in memory. Everything else is drawn from the seed: the same
seed gives the same steps in the same order on any machine.

The currency of a story's shops is one with two minor digits (EUR), none (JPY) or three (KWD).

Time is a queue of steps. A step runs with all promises that follow from it before the next one begins; nobody sleeps. A till
or the service may die at every call of a port, at every timer and at every answer. Then nothing it had planned happens any
more, and it starts again from what it had synced: the journal, the database. Everything random is drawn from a stream that
belongs to one withdrawal or one machine, so that a story can be cut shorter without changing what is left of it.

A till writes a checkpoint after 150 entries of its journal here (5,000 in the product), so that it starts from them too.

## What is checked

After every step: commits, payments, screens that offer cash, cash that leaves a drawer, and journal lines are followed as they
happen. When the faults have stopped and everything has drained, the books are read again from the journals, the database,
the bank's ledger and the reconciliation report, and compared.

1. Cash is offered only for a withdrawal that the service has settled, and handed out at most once over all tills. Of two machines with
   one identity, none gives what the service has told it is given, nor money that waited without asking first; what both could give
   all the same is a line or a problem, and what both have reported as given is \`disputed\` in the report until an operator closes it.
2. The bank pays at most once, never after a close without cash, never on an approval after the ${scaTimeoutSeconds} s.
3. Every settled withdrawal ends \`linked\`, \`undelivered\` or in the report; nothing else stays open.
4. Journals, service and ledger add up to the cent, and every hold at the bank was paid or released by a status event. No confirm that a journal did not intend before; no till that believes
   otherwise than the service.
5. No till is held longer than its own SCA time-out plus 5 s (and a second more for each time its disk took no entry); in the end each
   writes and answers.
6. No report of one book ever reaches another: no confirm, link, reject or undelivered of one purpose, service or shop goes to
   another service, or under another shop's key.
7. Whatever is unresolved in a till's journal is counted in its header; so is a journal that was put back behind what the service
   knows of it, also where it has gone on past that before the service hears of it again.
8. The drawer's arithmetic: in every closed day float + in − out − hand-outs is what the report expects, to the cent, and a count
   differs from it by nothing but cash that is given and not yet in the journal, or the other way round. Tills of stories with an
   odd seed open, fill, count and close their drawers.
9. No version reads another's cash as unpaid: no till offers cash whose hand-out stands in its journal, whoever wrote it.
10. Whatever the clock said, the audit and the history prove themselves: \`audit verify\` finds them whole at the end of each story.
11. What people read of the past is so. Each till's history, its file, figures and *Books*, and the service's report as JSON and as CSV,
    are held against what the bank paid and what left each drawer: sums to the cent, every payment without cash and every cash
    without payment a line to look at, what agrees truly agreeing, and no line where both sides have the same.
12. Printers and drawers change no money. The real drivers run against a device that the world plays: at most one order to open reaches
    it for a press, a sound drawer that stands shut is never taken for open, what counts as not printed is not on paper, and no slip
    comes out twice without saying that it is a copy.
13. Where a bank says yes and no to the same order, and the service has heard both, the report has it as \`disputed\` until an
    operator who has asked the bank closes the line.
14. What a database of the service that was put back to a copy has forgotten costs nothing: no cash twice for one payment, no payment
    twice, nothing \`matched\` that is not, and nothing left open; once all has drained, each hand-out is \`matched\` again or a line of
    the shop's report, and each payment that it had heard of a line there or in the till's own list.
15. Authority never weakens with a loss. Whoever removes, damages or puts back a till's list of people, or edits its settings, is asked
    for as much as before, or for more: no counter without a sign-in, no manager's command without a manager, no PIN but the right
    one, no first PIN where there were people, no drawer opened again by nobody, no open drawer's cash declared as not handed out by
    one person's word; and what is paid can be handed out all the same. The guard stands before the tills of an installation's life.

Promises 1, 2 and 4 are also read from what people see, at the instant at which they see it: a screen that says denied, expired,
declined or failed while the service has it otherwise, or done or approved before it is so; a drawer that is told to open
when nobody has pressed for it; an order to pay without a running hold of its amount at the bank. With some of what is settled, a
terminal of the same name in another shop tries to link it: it must not succeed.

A broken promise prints the seed, the shortest story it could shrink to, and the command that plays that story again.

## What goes wrong

${table(
  ["fault", "rate", "times in this run", "what it is"],
  Object.entries(defaultFaultRates).map(([name, rate]) => [
    `\`${name}\``,
    rate,
    campaign.faults[name] ?? 0,
    meanings[name as FaultName],
  ]),
)}

Beside these, every till's quartz runs up to 50 ppm off, and in every fortieth withdrawal a till's clock and the service's clock
jump (by seconds, minutes or an hour). A quarter of the customers deny, ignore, approve around the deadline, give up, or need
no approval; one in twenty shows the barcode at a second till. Four in ten cashiers reject, press twice, press everything, walk
away, hand nothing out, serve the next customer first, or pull the plug while the customer approves. Some banks decline, and one in twenty
withdrawals meets a bank that says one thing to the first Settle order and another to its repeats, half of the times without an
answer to the first one. A third of the banks speak by the status code alone: what they say after a silence is not definite, and
an operator has to decide it.

## Operators in the middle of things

Somebody runs the service with the product's own commands, about every seven minutes of a story: limits of a user, a shop or a
terminal that are hit, other amounts, a shop that is disabled or not allowed to the bank any more, a user who is blocked or
erased, the bank's own access that is revoked and given again, its key rotated, its address moved; a few minutes later all is as
it was. Every three minutes an operator looks at what the reports need, asks the bank, and decides what has no answer, or closes
what is disputed; half of the disputes stay open.

## An installation's life

In every other story the tills live on real folders, with the host's own files of keys, and one thing after another happens to
each of them. The year ends early in each story, so that closed years are archived while it goes on.

${table(
  ["turn", "times in this run", "what it is"],
  turnKinds.map((kind) => [`\`${kind}\``, campaign.turns[kind] ?? 0, turnMeanings[kind]]),
)}

A manager looks after the tills: enrols them anew, decides what is open where it must be decided, and never knows more than the
people at the counter. What a manager leaves to the books, or what went with a folder that was put back, must stand in the
service's report.

## A service whose database is put back

In every third story the service's database is copied, and some minutes later the copy takes its place, whatever was asked for, paid,
handed out and linked since; the next start of the service ends what is open in it. Customers whose withdrawal is open again come
with their barcode to another till, and approve once more. Operators change again what they had changed since. No folder of a till is
put back in such a story: nobody would be left who knows. Clocks are right in it, but for their quartz.

## Several processes of the service

Half of the stories have two, three or four processes of the service on one database, behind a load balancer that sends each request
to any of them, now and then to one that is down. Each dies and starts by itself, or stands still while its calls to the bank are
answered. Leases, owners, the sweep, the queues and the following of the database's clock are the product's own, as on PostgreSQL: the
clock that is set wrong is the database server's then, and it jumps while they run. What they run on is SQLite in memory, with what
is asked of PostgreSQL's clock said in SQLite's words: a transaction is one step, so that PostgreSQL's locks, its isolation and its
notices are left out. The tests on a real server (\`test/service\`) are for those.

## A service that does not know what day it is

Beside the small jumps, the service's clock is wrong by days, weeks or years for some minutes, about every twelve minutes of a
story; then it is set right, half of the times with a new start, which is when its time runs back. Two of three banks compare
with their own clock: they refuse what is signed more than two hours off it, and end their holds by it. Purge and seals run as in
an installation, with an archive that ends after 2,000 days.

${table(
  ["how", "times in this run", "what it is"],
  wrongTimeKinds.map((kind) => [`\`${kind}\``, campaign.wrongTimes[kind] ?? 0, wrongTimeMeanings[kind]]),
)}

Within all of it the promises hold, and by virtual time, which no clock changes, no approval counts two minutes after its confirm.

## This run

${campaign.withdrawals} withdrawals in ${campaign.stories} stories and ${campaign.steps} steps, first seed ${seed}: every promise was kept.
They ended as ${counted(campaign.ends)}.

${Math.round(campaign.withdrawals / campaign.cpuSeconds)} withdrawals for each second of a processor: processor time of the whole process, with the compiler's and the
collector's threads, on a machine of ${availableParallelism()} cores with a load of ${(loadavg()[1] ?? 0).toFixed(1)}. The aim is 1,500; no single part of the
profile stands in its way, the product itself does with its HTTP calls, commits and reads.

${table(
  ["part", "share of the time"],
  shares.map(({ part, share }) => [part, `${(share * 100).toFixed(1)} %`]),
)}

(Samples of V8's profiler over a run of its own, each put down to the nearest code of ours; \`npm run simulate -- --profile\`.)

## Can the checker fail?

Each line is a change that a careless hand could make, put between the real programs and their ports by a test; the product
has no switch for it. Stories of ${huntStoryWithdrawals} withdrawals, seeds from 1 on, until a promise is reported broken.

${table(
  ["defect", "what it does", "seeds to catch", "promise", "first complaint"],
  catches.map(({ defect, seeds, promise, found }) => [
    defect.name,
    defect.text,
    seeds ?? "not caught",
    promise ?? "",
    found,
  ]),
)}

## Every single fault, and pairs of them

\`npm run simulate -- --systematic\` plays fifteen scripted courses of one withdrawal without any chance in them: linked, rejected,
timed out, denied, undelivered, unknown outcome, drawer unsure, two tills, and seven that meet a turn of an installation's life when
the cash is about to be given. Each point at which a fault could occur is numbered: at a step
(one message, one call of a port, one timer, one answer) each fault that can occur there. Each is played once, in each of its
ways: before or after the other side has done it, a drawer that has moved or not, 3, 15 or 90 s under way. The courses for
which a bank pays are played with two faults, too: whatever can occur behind the first one, in the run with the first one.
Those are too many, so that a sample is drawn (\`--pairs\` for each course) and the share is told. A violation names the command
that plays it again, \`--course NAME --inject N:W,N:W\`.

${sectionOf(before, systematicHead)}## Power that takes what was not synced

In memory a journal keeps whatever it took. \`test/simulation/journal-power.test.ts\` plays stories with one till whose SQLite does
its file calls through a disk that keeps only synced bytes; the power goes at any sync, also while the journal is opened, and
every other time some of the rest has arrived all the same. All promises hold. With \`synchronous=NORMAL\` in place of \`FULL\` the
fourth breaks: a cashier gave cash that the journal does not know of.

## With real processes

\`npm run simulate -- --real --kills 50\` plays with the built terminal under the browser host and the built service, each a
process of its own on its own disk, and ends one of them or both with SIGKILL, again and again, while a scripted cashier serves
one customer after another; on the way back from three of ten kills the till runs in training, on a journal that a newer
program had, or on one of an older program, and is killed there too. Between two kills there is time for a withdrawal or two. Most kills wait for a phase that was drawn
(what the till shows at that moment) and fall at once, some milliseconds or some hundred into it. The same five promises are
then read from the journal, the database and the bank's ledger. For the fifth, the till has its SCA time-out plus 5 s, and on
top of it the time for which a service that it was waiting for was away, as it was measured. While the kills go on a manager
reads the till's *Books* and the bank its report, again and again: nothing may be handed out in them that was not, and nothing matched
that was not both paid and given. At the end both are held against the ledger, the journal and the cash as in promise 11.

${sectionOf(before, realHead)}`;
