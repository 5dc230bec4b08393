/** Where the processor's time goes while something runs: samples of V8's profiler, each put down to the part whose code asked for it. */
import { type Profiler, Session } from "node:inspector/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";

/** A part of the program and its share of the time. */
export interface Share {
  readonly part: string;
  /** Of all samples in which something ran; between 0 and 1. */
  readonly share: number;
}

const sampleEveryMicroseconds = 500;
const root = pathToFileURL(path.join(import.meta.dirname, "../..")).href;

/** The first that fits a frame names its part; a frame that none fits (Node, Kysely) counts for its caller. */
const parts: readonly (readonly [RegExp, string])[] = [
  [/^\(garbage collector\)$/, "the collector"],
  [/^node_modules\/zod\//, "zod"],
  [/^backend\/store\//, "the service's store with SQLite"],
  [/^(backend\/http|node_modules\/hono)\//, "the service's HTTP app"],
  [/^backend\//, "the service's verbs, outbox and access"],
  [/^main\/terminal\/journal\//, "the journal with SQLite and its chain"],
  [/^main\/terminal\//, "the terminal"],
  [/^test\/simulation\/(watch|occupancy|invariants|read-\w+)\.ts$/, "the checker"],
  [/^test\/simulation\/(cashier|customer|bank)\.ts$/, "people and their bank"],
  [/^test\/simulation\//, "virtual time, network and machines"],
];
const elsewhere = "loading, compiling and the rest";

const partOf = ({ functionName, url }: Profiler.ProfileNode["callFrame"]): string | null => {
  const name = url.startsWith(root) ? url.slice(root.length + 1) : url === "" ? functionName : url;
  return parts.find(([fits]) => fits.test(name))?.[1] ?? null;
};

const sharesOf = (profile: Profiler.Profile): readonly Share[] => {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const owners = new Map<number, string | null>();
  const own = (id: number, caller: string): void => {
    const node = nodes.get(id);
    if (!node) return;
    const owner = node.callFrame.functionName === "(idle)" ? null : (partOf(node.callFrame) ?? caller);
    owners.set(id, owner);
    for (const child of node.children ?? []) own(child, owner ?? caller);
  };
  own(profile.nodes[0]?.id ?? 0, elsewhere);

  const spent = new Map<string, number>();
  let total = 0;
  for (const [index, id] of (profile.samples ?? []).entries()) {
    const owner = owners.get(id) ?? null;
    if (owner === null) continue;
    const micros = profile.timeDeltas?.[index] ?? 0;
    spent.set(owner, (spent.get(owner) ?? 0) + micros);
    total += micros;
  }
  return [...spent].map(([part, micros]) => ({ part, share: micros / total })).sort((a, b) => b.share - a.share);
};

/** Runs something with the profiler on, the largest part first. */
export const profiled = async (run: () => Promise<unknown>): Promise<readonly Share[]> => {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", { interval: sampleEveryMicroseconds });
    await session.post("Profiler.start");
    await run();
    return sharesOf((await session.post("Profiler.stop")).profile);
  } finally {
    session.disconnect();
  }
};
