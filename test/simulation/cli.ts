/**
 * `npm run simulate -- --seed S --withdrawals N`: any number of stories, and the shortest one that breaks a promise;
 * `--minutes M` ends it earlier, `--defect "…"` plays with one deliberate defect. `--defects` hunts the deliberate defects, `--profile` shows where the time goes,
 * `--real --kills N` plays with real processes. With `--write` it does the first three, or the last, and keeps the result
 * in docs/simulation.md.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { type Campaign, runCampaign } from "./campaign.ts";
import { defects } from "./defects.ts";
import { documentOf, withRealRun } from "./document.ts";
import { type Catch, hunt } from "./hunt.ts";
import { defaultFaultRates, type FaultName } from "./plan.ts";
import { profiled, type Share } from "./profile.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    withdrawals: { type: "string", default: "5000" },
    minutes: { type: "string" },
    tills: { type: "string", default: "3" },
    /** Withdrawals in one story. */
    story: { type: "string", default: "500" },
    only: { type: "string" },
    without: { type: "string", default: "" },
    "steady-clocks": { type: "boolean", default: false },
    defects: { type: "boolean", default: false },
    defect: { type: "string" },
    profile: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    real: { type: "boolean", default: false },
    kills: { type: "string", default: "50" },
  },
});
const seed = Number(values.seed);
const withdrawals = Number(values.withdrawals);
const huntSeed = 1;
const defect = defects.find(({ name }) => name === values.defect) ?? null;
if (values.defect !== undefined && defect === null) throw new Error(`no such defect: ${values.defect}`);
const profiledWithdrawals = 5_000;
const document = path.join(import.meta.dirname, "../../docs/simulation.md");

const runSimulation = async (): Promise<Campaign> => {
  const switchedOff = values.without.split(",").filter((name): name is FaultName => name in defaultFaultRates);
  const off = Object.fromEntries(switchedOff.map((name) => [name, 0]));
  let tenth = 0;
  const campaign = await runCampaign({
    seed,
    withdrawals,
    ...(values.minutes ? { minutes: Number(values.minutes) } : {}),
    perStory: Math.min(Number(values.story), withdrawals),
    tills: Number(values.tills),
    faults: { ...defaultFaultRates, ...off },
    only: values.only?.split(",").map(Number) ?? null,
    withoutClockJumps: values["steady-clocks"],
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
  return campaign;
};

const huntDefects = async (): Promise<readonly Catch[]> => {
  const catches: Catch[] = [];
  for (const defect of defects) {
    const caught = await hunt(defect, huntSeed);
    catches.push(caught);
    console.log(
      caught.seeds === null
        ? `NOT CAUGHT in ${caught.withdrawals} withdrawals: ${defect.name}`
        : `${String(caught.seeds).padStart(3)} seeds, promise ${caught.promise}: ${defect.name} (${caught.saw})`,
    );
    if (caught.seeds === null) process.exitCode = 1;
  }
  return catches;
};

/** A run of its own: the profiler slows down what it looks at. */
const profile = async (): Promise<readonly Share[]> => {
  const options = { seed, withdrawals: profiledWithdrawals, perStory: 500, tills: Number(values.tills) };
  const shares = await profiled(() => runCampaign(options));
  for (const { part, share } of shares) console.log(`${(share * 100).toFixed(1).padStart(5)} %  ${part}`);
  return shares;
};

if (values.real) {
  const { playReal } = await import("./real/play.ts");
  const result = await playReal({ kills: Number(values.kills), seed, onKill: (text) => console.log(text) });
  console.log(result.summary);
  if (result.violations.length > 0) process.exitCode = 1;
  if (values.write) writeFileSync(document, withRealRun(readFileSync(document, "utf8"), result.summary));
} else {
  const campaign = values.defects || values.profile ? null : await runSimulation();
  const catches = values.defects || values.write ? await huntDefects() : [];
  const shares = values.profile || values.write ? await profile() : [];
  if (campaign !== null && values.write && process.exitCode !== 1) {
    writeFileSync(document, documentOf({ campaign, seed, catches, shares, before: readFileSync(document, "utf8") }));
    console.log(`written: ${document}`);
  }
}
