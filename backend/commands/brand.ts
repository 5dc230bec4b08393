/** `partners set --name --logo --color`: how a bank looks on the customer's pages. */
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import {
  brandColors,
  brandOf,
  checkLogo,
  type LogoType,
  logoBytesMax,
  parseColor,
  replaceBrand,
} from "../partner/brand.ts";
import { one, run, type UnitOfWork } from "../store/store.ts";
import { UsageError } from "./arguments.ts";

/** What is to change; null takes it away, undefined leaves it. */
export interface BrandChanges {
  readonly name?: string | null | undefined;
  readonly color?: string | null | undefined;
  readonly logo?: { readonly type: LogoType; readonly base64: string } | null | undefined;
}

/** @param file as typed, `none` as null. @throws UsageError with what is wrong with the file. */
const readLogo = (file: string | null): NonNullable<BrandChanges["logo"]> | null => {
  if (file === null) return null;
  const fail = (why: string) => new UsageError(`--logo ${file} ${why}`, ["logo"]);
  let bytes: Uint8Array;
  try {
    const found = statSync(file);
    if (!found.isFile() || found.size > logoBytesMax)
      throw fail(`must be a file of at most ${logoBytesMax / 1024} KiB`);
    bytes = readFileSync(file);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw fail("cannot be read");
  }
  const logo = checkLogo(bytes);
  if (!logo.ok) throw fail(logo.problem);
  return { type: logo.type, base64: Buffer.from(logo.bytes).toString("base64") };
};

const colorOf = (text: string | null): string | null => {
  if (text === null) return null;
  const color = parseColor(text);
  if (color === null) throw new UsageError(`--color must be written as #0a5bd3, not "${text}"`, ["color"]);
  return color;
};

/** @throws UsageError for a colour or a logo that cannot be used. */
export const brandChanges = (flags: {
  readonly name?: string | null | undefined;
  readonly color?: string | null | undefined;
  readonly logo?: string | null | undefined;
}): BrandChanges => ({
  name: flags.name,
  color: flags.color === undefined ? undefined : colorOf(flags.color),
  logo: flags.logo === undefined ? undefined : readLogo(flags.logo),
});

/** Whether anything is to change. */
export const changesBrand = ({ name, color, logo }: BrandChanges): boolean =>
  name !== undefined || color !== undefined || logo !== undefined;

/** Part of the commit that changes the partner. */
export function* writeBrand(partner: string, changes: BrandChanges, now: number): UnitOfWork<void> {
  const before = yield* one(brandOf({ partner }));
  const { name = before?.name ?? null, color = before?.color ?? null } = changes;
  const logo = changes.logo === undefined ? (before?.logo ?? null) : (changes.logo?.base64 ?? null);
  const type = changes.logo === undefined ? (before?.logo_type ?? null) : (changes.logo?.type ?? null);
  const digest = createHash("sha256")
    .update(JSON.stringify([partner, name, color, logo, type]))
    .digest("base64url");
  yield* run(replaceBrand({ partner_id: partner, name, color, logo, logo_type: type, digest, changed_at: now }));
}

/** A brand as the operator's command prints it, with the colours as drawn. */
export function* showBrand(partner: string): UnitOfWork<Readonly<Record<string, string | null>>> {
  const brand = yield* one(brandOf({ partner }));
  const color = brand?.color ?? null;
  const drawn = color === null ? null : brandColors(color);
  return {
    name: brand?.name ?? null,
    color: drawn && `${color} (drawn ${drawn.light.accent} on light, ${drawn.dark.accent} on dark)`,
    logo: brand?.logo_type ?? null,
  };
}
