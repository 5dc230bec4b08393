/** What ships: the packages that a build took in, with their licences, as `licences.txt` and `packages.json` beside the code. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** One package that is part of the program. */
export interface ShippedPackage {
  readonly name: string;
  readonly version: string;
  /** As its package.json has it: an SPDX expression. */
  readonly licence: string;
  /** The text of its licence; null where it brings none. */
  readonly text: string | null;
}

const modules = `${path.sep}node_modules${path.sep}`;

/** The folder of the package that a module belongs to; null for our own. */
export const packageFolderOf = (id: string): string | null => {
  const file = path.normalize(id.replace(/^\0+/, "").split("?")[0] ?? "");
  const at = file.lastIndexOf(modules);
  if (at < 0) return null;
  const [first = "", second = ""] = file.slice(at + modules.length).split(path.sep);
  const name = first.startsWith("@") ? path.join(first, second) : first;
  return file.slice(0, at + modules.length) + name;
};

/** @throws when it names no licence: what cannot be said is not shipped. */
export const readPackage = (folder: string): ShippedPackage => {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  if (typeof license !== "string") throw new Error(`${folder} names no licence`);
  const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)/i.test(each));
  return { name, version, licence: license, text: file ? readFileSync(path.join(folder, file), "utf8").trim() : null };
};

const byName = (one: ShippedPackage, other: ShippedPackage): number =>
  `${one.name}@${one.version}` < `${other.name}@${other.version}` ? -1 : 1;

/** All packages that the modules belong to, by name. */
export const packagesOf = (ids: Iterable<string>): readonly ShippedPackage[] => {
  const folders = new Set([...ids].map(packageFolderOf).filter((folder) => folder !== null));
  return [...folders]
    .filter((folder) => existsSync(path.join(folder, "package.json")))
    .map(readPackage)
    .sort(byName);
};

/** For a person: each package, its licence, its text. */
export const licencesText = (packages: readonly ShippedPackage[]): string =>
  packages
    .map(({ name, version, licence, text }) => `${name} ${version}\n${licence}\n\n${text ?? "(brings no text)"}\n`)
    .join(`\n${"-".repeat(80)}\n\n`);

interface Emitting {
  getModuleIds(): Iterable<string>;
  emitFile(file: { readonly type: "asset"; readonly fileName: string; readonly source: string }): unknown;
}

/** @param part names the files, since a worker is built beside the page that starts it. */
export const listShippedPackages = (part: string) => ({
  name: "list-shipped-packages",
  generateBundle(this: Emitting): void {
    const packages = packagesOf(this.getModuleIds());
    const named = packages.map(({ name, version, licence }) => ({ name, version, licence }));
    this.emitFile({ type: "asset", fileName: `licences-${part}.txt`, source: licencesText(packages) });
    this.emitFile({ type: "asset", fileName: `packages-${part}.json`, source: `${JSON.stringify(named, null, 1)}\n` });
  },
});
