/** Compares each package's integrity in the lockfile with the registry's, and checks that this Electron is still supported. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import pLimit from "p-limit";
import { readFlags, refuse } from "../command-line.ts";

const root = path.resolve(import.meta.dirname, "../..");
const concurrency = 4;
const timeoutMs = 15_000;

/** One package of the lockfile. */
interface LockedPackage {
  readonly name: string;
  readonly version: string;
  readonly integrity: string | null;
}

type LockEntries = Readonly<Record<string, { version?: string; integrity?: string; link?: boolean; name?: string }>>;

/** The packages that come from a registry, each once. */
export const lockedPackages = (entries: LockEntries): readonly LockedPackage[] => {
  const found = new Map<string, LockedPackage>();
  for (const [at, { version, integrity, link, name }] of Object.entries(entries)) {
    if (!at.includes("node_modules/") || link === true || version === undefined) continue;
    const named = name ?? at.slice(at.lastIndexOf("node_modules/") + "node_modules/".length);
    found.set(`${named}@${version}`, { name: named, version, integrity: integrity ?? null });
  }
  return [...found.values()];
};

/** `unreachable`: nothing could be compared. `faults`: a sentence for each package that differs. */
type LockfileComparison =
  | { readonly kind: "compared"; readonly packages: number; readonly faults: readonly string[] }
  | { readonly kind: "unreachable"; readonly why: string };

const compare = async (registry: string, { name, version, integrity }: LockedPackage): Promise<string | null> => {
  if (integrity === null) return `${name}@${version} has no integrity in the lockfile`;
  if (!integrity.startsWith("sha512-")) return `${name}@${version} is locked by a weak hash`;
  const answer = await fetch(new URL(`${name.replace("/", "%2f")}/${version}`, registry), {
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (answer.status === 404) return `${name}@${version} is not in the registry`;
  if (!answer.ok) throw new Error(`the registry answers ${answer.status}`);
  const { dist } = (await answer.json()) as { dist?: { integrity?: string } };
  return dist?.integrity === integrity ? null : `${name}@${version} is another archive in the registry`;
};

/** Electron supports its newest three majors; an older one gets no security fixes. */
const supportedMajors = 3;

const checkSupport = async (registry: string, { name, version }: LockedPackage): Promise<string | null> => {
  if (name !== "electron") return null;
  const answer = await fetch(new URL("electron/latest", registry), { signal: AbortSignal.timeout(timeoutMs) });
  if (!answer.ok) throw new Error(`the registry answers ${answer.status}`);
  const { version: newest = "" } = (await answer.json()) as { version?: string };
  const isSupported = Number.parseInt(newest, 10) - Number.parseInt(version, 10) < supportedMajors;
  return isSupported ? null : `electron@${version} is no longer supported: ${newest} is the newest`;
};

/** Requests each package from the registry, four at a time. Never rejects. @param registry ends in a slash. */
export const checkLockfile = async (
  packages: readonly LockedPackage[],
  registry: string,
): Promise<LockfileComparison> => {
  const limit = pLimit(concurrency);
  try {
    const checks = packages.flatMap((one) => [() => compare(registry, one), () => checkSupport(registry, one)]);
    const faults = await Promise.all(checks.map((check) => limit(check)));
    return { kind: "compared", packages: packages.length, faults: faults.filter((fault) => fault !== null) };
  } catch (error) {
    limit.clearQueue();
    return { kind: "unreachable", why: error instanceof Error ? error.message : String(error) };
  }
};

const usage = `Usage: npm run check:lockfile [-- NAME …]

Compares the lockfile's integrity with what the registry says of each package. Ends with 1 where one differs, or where
this Electron is no longer supported, and with 0 and the reason where the registry cannot be reached.

  NAME     these packages alone
  --help   this text`;

if (import.meta.main) {
  const wanted = new Set(readFlags(usage, {}, true).positionals);
  const { packages } = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8"));
  const all = lockedPackages(packages).filter(({ name }) => wanted.size === 0 || wanted.has(name));
  for (const name of wanted)
    if (!all.some((one) => one.name === name)) refuse(`The lockfile holds no package "${name}".`);
  const registry = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  const result = await checkLockfile(all, registry.endsWith("/") ? registry : `${registry}/`);
  if (result.kind === "unreachable") console.log(`Skipped: the registry cannot be reached (${result.why}).`);
  else {
    for (const fault of result.faults) console.error(fault);
    console.log(`${result.packages} packages compared with the registry, ${result.faults.length} differ.`);
    process.exitCode = result.faults.length === 0 ? 0 : 1;
  }
}
