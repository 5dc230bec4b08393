/** Signing of installers: an existing certificate must be used; without one the installers are marked as unsigned. */
import type { Platform } from "./installers.ts";

/** What to do with an unsigned package, for the person who installs it. */
const unsignedTexts = {
  darwin:
    "These programs for macOS are not signed by a known developer and not notarized. macOS refuses to open them until a " +
    "person allows each under System Settings, Privacy & Security. They are for trying out, not for a shop.\n",
  win32:
    "These programs for Windows are not signed by a known publisher. Windows warns before it starts them. They are for " +
    "trying out, not for a shop.\n",
} as const;

/** Entitlements for an ad hoc signature: those of a signed program, and loading the program's own frameworks. */
export const unsignedEntitlements = "resources/entitlements.mac.unsigned.plist";

const notarization = ["APPLE_API_KEY", "APPLE_API_KEY_ID", "APPLE_API_ISSUER"] as const;
/** The variables that name certificates and keys (electron-builder's own names); in the workflow secrets of the same name. */
export const certificateNames = [
  "CSC_LINK",
  "CSC_KEY_PASSWORD",
  "WIN_CSC_LINK",
  "WIN_CSC_KEY_PASSWORD",
  ...notarization,
] as const;

/** How one platform's installers are signed; `flags` are electron-builder's. Linux signs no package: the feed's signature covers them. */
export type Signing =
  | { readonly kind: "signed" | "none"; readonly flags: readonly string[] }
  | { readonly kind: "unsigned"; readonly flags: readonly string[]; readonly note: string };

/** @throws Error for a certificate without what notarization needs. An empty variable counts as missing. */
export const signingOf = (platform: Platform, env: Readonly<Record<string, string | undefined>>): Signing => {
  if (platform === "linux") return { kind: "none", flags: [] };
  if (platform === "win32")
    return env.WIN_CSC_LINK
      ? { kind: "signed", flags: ["-c.forceCodeSigning=true"] }
      : { kind: "unsigned", flags: [], note: unsignedTexts.win32 };
  // Ad hoc (`-`): an arm64 Mac does not start programs without a signature.
  if (!env.CSC_LINK)
    return {
      kind: "unsigned",
      flags: [
        "-c.mac.identity=-",
        "-c.mac.notarize=false",
        `-c.mac.entitlements=${unsignedEntitlements}`,
        `-c.mac.entitlementsInherit=${unsignedEntitlements}`,
      ],
      note: unsignedTexts.darwin,
    };
  const missing = notarization.filter((name) => !env[name]);
  if (missing.length > 0) throw new Error(`CSC_LINK is set, and notarization needs ${missing.join(", ")} too.`);
  return { kind: "signed", flags: ["-c.forceCodeSigning=true", "-c.mac.notarize=true"] };
};
