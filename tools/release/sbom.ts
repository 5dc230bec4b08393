/** Writes a CycloneDX bill of materials: the packages that the build bundles, and Electron. */
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readFlags, refuse } from "../command-line.ts";
import { bomFile } from "./installers.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** One line of `packages-PART.json`. */
interface Named {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
}

/** Versions and integrity hashes of a lockfile, by path. */
export type Locked = Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>>;

const hashOf = (integrity: string | undefined): { alg: string; content: string }[] => {
  const [, base64] = /^sha512-(\S+)$/.exec(integrity ?? "") ?? [];
  return base64 === undefined ? [] : [{ alg: "SHA-512", content: Buffer.from(base64, "base64").toString("hex") }];
};

const integrityOf = (locked: Locked, { name, version }: Named): string | undefined =>
  Object.entries(locked).find(([at, one]) => at.endsWith(`node_modules/${name}`) && one.version === version)?.[1]
    .integrity;

const isExpression = (licence: string): boolean => / (AND|OR|WITH) /.test(licence);

const component = (locked: Locked, one: Named) => ({
  type: "library",
  "bom-ref": `pkg:npm/${one.name.replace("@", "%40")}@${one.version}`,
  name: one.name,
  version: one.version,
  purl: `pkg:npm/${one.name.replace("@", "%40")}@${one.version}`,
  licenses: [isExpression(one.licence) ? { expression: one.licence } : { license: { id: one.licence } }],
  hashes: hashOf(integrityOf(locked, one)),
});

/** The document, in CycloneDX 1.6. @param at ISO 8601. */
export const billOfMaterials = (product: Named, shipped: readonly Named[], locked: Locked, at: string) => {
  const unique = new Map(shipped.map((one) => [`${one.name}@${one.version}`, one]));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      timestamp: at,
      component: { type: "application", "bom-ref": product.name, name: product.name, version: product.version },
    },
    components: [...unique.values()].map((one) => component(locked, one)),
  };
};

const readJson = (file: string) => JSON.parse(readFileSync(path.join(root, file), "utf8"));

const usage = `Usage: npm run sbom [-- FILE]

Writes what ships with the programs as a CycloneDX bill of materials.

  FILE     where it goes (default: dist/${bomFile})
  --help   this text`;

if (import.meta.main) {
  const [wanted] = readFlags(usage, {}, true).positionals;
  const file = path.resolve(wanted ?? path.join(root, "dist", bomFile));
  const lists = globSync("out/*/packages-*.json", { cwd: root });
  if (lists.length === 0) refuse('out/ holds no list of packages: run "npm run build" first.');
  const electron = readJson("node_modules/electron/package.json");
  const shipped: Named[] = [
    ...lists.flatMap((list) => readJson(list) as Named[]),
    { name: "electron", version: electron.version, licence: electron.license },
  ];
  const { name, version, license } = readJson("package.json");
  const bill = billOfMaterials(
    { name, version, licence: license },
    shipped,
    readJson("package-lock.json").packages,
    new Date().toISOString(),
  );
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`);
  console.log(`${bill.components.length} components in ${path.relative(process.cwd(), file)}`);
}
