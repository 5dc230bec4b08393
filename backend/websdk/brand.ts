/** A bank's brand on its customers' pages: name, style sheet and logo. */
import type { Service } from "../context.ts";
import { brandByDigest, brandSheet, brandTheme } from "../partner/brand.ts";
import type { BrandTheme } from "./pages/document.ts";

/** Where a bank's files are, below the pages' path. */
export const brandPath = "/websdk-assets/brand";

type Stored = Pick<Service, "store">;

/** A bank's theme with the name that the operator gave it; null where no name was set. */
export interface BankTheme extends BrandTheme {
  readonly name: string | null;
}

/** The theme of a bank's pages; null where none was set. */
export const findTheme = async ({ store }: Stored, partner: string): Promise<BankTheme | null> => {
  const brand = await store.read((tx) => tx.first(brandTheme({ partner })));
  if (brand === undefined) return null;
  return {
    name: brand.name,
    style: brand.color === null ? null : `${brandPath}/${brand.digest}.css`,
    logo: brand.logo_type === null ? null : `${brandPath}/${brand.digest}`,
  };
};

/** A file of a bank's brand: named by a digest of its content, so that it may be cached for ever. */
export interface BrandFile {
  readonly type: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
}

/** @param name `DIGEST.css` or `DIGEST`; null for what is not there. */
export const findBrandFile = async ({ store }: Stored, name: string): Promise<BrandFile | null> => {
  const [, digest = "", isSheet] = /^([\w-]{43})(\.css)?$/.exec(name) ?? [];
  const brand = digest === "" ? undefined : await store.read((tx) => tx.first(brandByDigest({ digest })));
  if (brand === undefined) return null;
  if (isSheet) return brand.color === null ? null : { type: "text/css; charset=utf-8", body: brandSheet(brand.color) };
  if (brand.logo === null || brand.logo_type === null) return null;
  return { type: brand.logo_type, body: Uint8Array.from(Buffer.from(brand.logo, "base64")) };
};

/** Opened by itself a logo may do nothing at all. */
export const brandFileHeaders = {
  "Cache-Control": "public, max-age=31536000, immutable",
  "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
} as const;
