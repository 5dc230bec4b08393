/** `npm run simulate`: its flags, and what they start. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readFlags, refuse, wholeNumber } from "../../tools/command-line.ts";
import { type Campaign, runCampaign } from "./campaign.ts";
import { defects } from "./defects/defects.ts";
import { documentOf, withRealRun, withSystematicRun } from "./document.ts";
import { type Catch, hunt } from "./hunt.ts";
import { defaultFaultRates, type FaultName } from "./plan.ts";
import { profiled, type Share } from "./profile.ts";
import { runOne, runSystematic } from "./systematic/command.ts";

const indented = (name: string): string => `  ${name}`;
const usage = `Usage: npm run simulate -- [options]

Tills, service, bank and customers in virtual time, with everything failing that can; the rule is checked after every
step. A failure ends with exit code 1, its seed, the shortest story that shows it and the command to play it again.

  --seed NUMBER          which stories (default: a fresh one, told at the end)
  --withdrawals NUMBER   how many withdrawals in all (default: 5000)
  --minutes NUMBER       ends earlier, after so many minutes
  --tills NUMBER         tills of the shop (default: 3)
  --story NUMBER         withdrawals in one story (default: 500)
  --only N,N,…           these withdrawals of the story alone, as a failure names them
  --without NAME,NAME…   leaves these faults out
  --steady-clocks        no clock jumps
  --right-time           the service's clock is never wrong by days
  --no-acts              operators change nothing
  --no-put-back          the service's database is never put back to a copy
  --no-fleet             one process of the service in every story
  --no-turns             no turns of an installation's life
  --defect NAME          plays with one deliberate defect
  --defects              hunts every deliberate defect
  --profile              shows where the time goes
  --systematic           every scripted course with each single fault at each step, then pairs of faults
  --pairs NUMBER         most pairs for each course that pays out (with --systematic; default: 400)
  --course NAME          plays one scripted course and tells its story
  --inject N:W,…        with these faults, as a violation names them (with --course; default: none)
  --real                 plays with the built programs as processes, killed while they work
  --kills NUMBER         how many kills (with --real; default: 50)
  --write                a run, the hunt and the profile, the systematic or the real run, kept in docs/simulation.md
  --help                 this text

Faults
${Object.keys(defaultFaultRates).map(indented).join("\n")}

Deliberate defects
${defects.map(({ name }) => indented(name)).join("\n")}`;

const { values } = readFlags(usage, {
  seed: { type: "string", default: String(Date.now() % 1_000_000) },
  withdrawals: { type: "string", default: "5000" },
  minutes: { type: "string" },
  tills: { type: "string", default: "3" },
  story: { type: "string", default: "500" },
  only: { type: "string" },
  without: { type: "string", default: "" },
  "steady-clocks": { type: "boolean", default: false },
  "right-time": { type: "boolean", default: false },
  "no-acts": { type: "boolean", default: false },
  "no-put-back": { type: "boolean", default: false },
  "no-fleet": { type: "boolean", default: false },
  "no-turns": { type: "boolean", default: false },
  defects: { type: "boolean", default: false },
  defect: { type: "string" },
  profile: { type: "boolean", default: false },
  write: { type: "boolean", default: false },
  systematic: { type: "boolean", default: false },
  pairs: { type: "string", default: "400" },
  course: { type: "string" },
  inject: { type: "string", default: "none" },
  real: { type: "boolean", default: false },
  kills: { type: "string", default: "50" },
});
const seed = wholeNumber("--seed", values.seed, 0);
const withdrawals = wholeNumber("--withdrawals", values.withdrawals);
const tills = wholeNumber("--tills", values.tills);
const perStory = Math.min(wholeNumber("--story", values.story), withdrawals);
const kills = wholeNumber("--kills", values.kills, 0);
const minutes = values.minutes === undefined ? {} : { minutes: wholeNumber("--minutes", values.minutes) };
const only = values.only?.split(",").map((text) => wholeNumber("--only", text, 0)) ?? null;
const isFault = (name: string): name is FaultName => name in defaultFaultRates;
const without = values.without.split(",").filter((name) => name !== "");
for (const name of without) if (!isFault(name)) refuse(`There is no fault "${name}".`);
const defect = defects.find(({ name }) => name === values.defect) ?? null;
if (values.defect !== undefined && defect === null) refuse(`There is no defect "${values.defect}".`);
const profiledWithdrawals = 5_000;
const document = path.join(import.meta.dirname, "../../docs/simulation.md");

const runSimulation = async (): Promise<Campaign> => {
  const off = Object.fromEntries(without.map((name) => [name, 0]));
  let tenth = 0;
  const campaign = await runCampaign({
    seed,
    withdrawals,
    ...minutes,
    perStory,
    tills,
    faults: { ...defaultFaultRates, ...off },
    only,
    withoutClockJumps: values["steady-clocks"],
    withoutWrongTimes: values["right-time"],
    withoutPutBack: values["no-put-back"],
    withoutFleet: values["no-fleet"],
    withoutActs: values["no-acts"],
    withoutTurns: values["no-turns"],
    defect,
    onProgress: (done) => {
      const reached = Math.floor((done * 10) / withdrawals);
      if (reached > tenth && withdrawals >= 20_000) console.error(`${done} withdrawals`);
      tenth = reached;
    },
  });
  if (campaign.failure !== null) {
    console.error(campaign.failure);
    process.exitCode = 1;
  }
  const rate = (campaign.withdrawals / campaign.cpuSeconds).toFixed(0);
  console.log(`${campaign.withdrawals} withdrawals, ${campaign.steps} steps, seed ${seed}`);
  console.log(`${rate} withdrawals for each second of a processor`);
  console.log("ends  ", campaign.ends);
  console.log("faults", campaign.faults);
  console.log("turns ", campaign.turns);
  console.log("acts  ", campaign.acts);
  console.log("times ", campaign.wrongTimes);
  return campaign;
};

const huntDefects = async (): Promise<readonly Catch[]> => {
  const catches: Catch[] = [];
  for (const defect of defects) {
    const caught = await hunt(defect);
    catches.push(caught);
    console.log(
      caught.seeds === null
        ? `NOT CAUGHT: ${defect.name}`
        : `${String(caught.seeds).padStart(3)} seeds, promise ${caught.promise}: ${defect.name} (${caught.found})`,
    );
    if (caught.seeds === null) process.exitCode = 1;
  }
  return catches;
};

/** A run of its own: the profiler slows down what it looks at. */
const profile = async (): Promise<readonly Share[]> => {
  const options = { seed, withdrawals: profiledWithdrawals, perStory: 500, tills };
  const shares = await profiled(() => runCampaign(options));
  for (const { part, share } of shares) console.log(`${(share * 100).toFixed(1).padStart(5)} %  ${part}`);
  return shares;
};

if (values.real) {
  const { playReal } = await import("./real/play.ts");
  const result = await playReal({ kills, seed, onKill: (text) => console.log(text) });
  console.log(result.summary);
  if (result.violations.length > 0) process.exitCode = 1;
  if (values.write) writeFileSync(document, withRealRun(readFileSync(document, "utf8"), result.summary));
} else if (values.course !== undefined) {
  if (!(await runOne(values.course, values.inject))) process.exitCode = 1;
} else if (values.systematic) {
  const pairs = wholeNumber("--pairs", values.pairs, 0);
  const { summary, kept } = await runSystematic({ seed, pairs, minutes: minutes.minutes ?? null });
  console.log(summary);
  if (!kept) process.exitCode = 1;
  else if (values.write) writeFileSync(document, withSystematicRun(readFileSync(document, "utf8"), summary));
} else {
  const campaign = values.defects || values.profile ? null : await runSimulation();
  const catches = values.defects || values.write ? await huntDefects() : [];
  const shares = values.profile || values.write ? await profile() : [];
  if (campaign !== null && values.write && process.exitCode !== 1) {
    writeFileSync(document, documentOf({ campaign, seed, catches, shares, before: readFileSync(document, "utf8") }));
    console.log(`written: ${document}`);
  }
}
