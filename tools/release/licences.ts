/** Lists the packages that a build bundles, with their licences: beside the code of each part, and in one list for *About*. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** One package that is part of the program. */
interface ShippedPackage {
  readonly name: string;
  readonly version: string;
  /** SPDX expression of its package.json. */
  readonly licence: string;
  /** Text of its licence file; null where it has none. */
  readonly text: string | null;
}

const modules = `${path.sep}node_modules${path.sep}`;

/** The package folder of a module id; null for our own modules. */
export const packageFolderOf = (id: string): string | null => {
  const file = path.normalize(id.replace(/^\0+/, "").split("?")[0] ?? "");
  const at = file.lastIndexOf(modules);
  if (at < 0) return null;
  const [first = "", second = ""] = file.slice(at + modules.length).split(path.sep);
  const name = first.startsWith("@") ? path.join(first, second) : first;
  return file.slice(0, at + modules.length) + name;
};

/** Reads a package's licence. @throws Error when it names none: such a package is not shipped. */
const readPackage = (folder: string): ShippedPackage => {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  if (typeof license !== "string") throw new Error(`${folder} names no licence`);
  const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)/i.test(each));
  return { name, version, licence: license, text: file ? readFileSync(path.join(folder, file), "utf8").trim() : null };
};

const idOf = ({ name, version }: ShippedPackage): string => `${name}@${version}`;
const byName = (one: ShippedPackage, other: ShippedPackage): number => (idOf(one) < idOf(other) ? -1 : 1);

/** All packages that the modules belong to, sorted by name. */
export const packagesOf = (ids: Iterable<string>): readonly ShippedPackage[] => {
  const folders = new Set([...ids].map(packageFolderOf).filter((folder) => folder !== null));
  return [...folders]
    .filter((folder) => existsSync(path.join(folder, "package.json")))
    .map(readPackage)
    .sort(byName);
};

/** A text file with each package, its licence and the licence's text. */
export const licencesText = (packages: readonly ShippedPackage[]): string =>
  packages
    .map(({ name, version, licence, text }) => `${name} ${version}\n${licence}\n\n${text ?? "(brings no text)"}\n`)
    .join(`\n${"-".repeat(80)}\n\n`);

interface Emitting {
  getModuleIds(): Iterable<string>;
  emitFile(file: { readonly type: "asset"; readonly fileName: string; readonly source: string }): unknown;
}

/** Packages of the parts built so far; one run of the build makes all parts, the screens last. */
const shipped = new Map<string, ShippedPackage>();

/** The list for *About*: this program, Electron, then all bundled packages, each once. */
export const shippedLicences = (packages: Iterable<ShippedPackage>, root: string): readonly ShippedPackage[] => [
  ...[root, path.join(root, "node_modules", "electron")].map(readPackage),
  ...[...new Map([...packages].map((one) => [idOf(one), one])).values()].sort(byName),
];

/** A Vite plugin that emits the lists. @param part names the files; `renderer`, built last, also emits the list for *About*. */
export const listShippedPackages = (part: "main" | "preload" | "renderer" | "worker" | "office", root: string) => ({
  name: "list-shipped-packages",
  generateBundle(this: Emitting): void {
    const packages = packagesOf(this.getModuleIds());
    const emit = (fileName: string, source: string): void => void this.emitFile({ type: "asset", fileName, source });
    const named = packages.map(({ name, version, licence }) => ({ name, version, licence }));
    emit(`licences-${part}.txt`, licencesText(packages));
    emit(`packages-${part}.json`, `${JSON.stringify(named, null, 1)}\n`);
    for (const one of packages) shipped.set(idOf(one), one);
    if (part === "renderer") emit("licences.json", JSON.stringify(shippedLicences(shipped.values(), root)));
  },
});
