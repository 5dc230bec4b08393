/** What ships: the packages that a build took in, with their licences, beside the code of each part; and all of it in one list for *About*. */
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

const idOf = ({ name, version }: ShippedPackage): string => `${name}@${version}`;
const byName = (one: ShippedPackage, other: ShippedPackage): number => (idOf(one) < idOf(other) ? -1 : 1);

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

/** All that the parts built so far took in; one run of the build makes all parts, the screens last. */
const taken = new Map<string, ShippedPackage>();

/** For *About*: this program first, then Electron that it runs on, then all that the parts took in, each once. */
export const shippedLicences = (packages: Iterable<ShippedPackage>, root: string): readonly ShippedPackage[] => [
  ...[root, path.join(root, "node_modules", "electron")].map(readPackage),
  ...[...new Map([...packages].map((one) => [idOf(one), one])).values()].sort(byName),
];

/** @param part names the files, since a worker is built beside the page that starts it; `renderer` brings the list for *About*. */
export const listShippedPackages = (part: "main" | "preload" | "renderer" | "worker", root: string) => ({
  name: "list-shipped-packages",
  generateBundle(this: Emitting): void {
    const packages = packagesOf(this.getModuleIds());
    const emit = (fileName: string, source: string): void => void this.emitFile({ type: "asset", fileName, source });
    const named = packages.map(({ name, version, licence }) => ({ name, version, licence }));
    emit(`licences-${part}.txt`, licencesText(packages));
    emit(`packages-${part}.json`, `${JSON.stringify(named, null, 1)}\n`);
    for (const one of packages) taken.set(idOf(one), one);
    if (part === "renderer") emit("licences.json", JSON.stringify(shippedLicences(taken.values(), root)));
  },
});
