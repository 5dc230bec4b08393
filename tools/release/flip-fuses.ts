/** Sets Electron's fuses in the packed program before it is signed; electron-builder's own tool knows eight of the nine. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { FuseV1Options, FuseVersion, flipFuses } from "@electron/fuses";

/** The used part of what electron-builder passes to its `afterPack` hook. */
interface PackedProgram {
  readonly appOutDir: string;
  readonly electronPlatformName: string;
  readonly packager: {
    readonly executableName?: string;
    readonly appInfo: { readonly productFilename: string };
  };
}

const endings: Readonly<Record<string, string>> = { darwin: ".app", win32: ".exe" };

/** Path of the program that holds the fuses. @throws Error when it is missing. */
const programOf = ({ appOutDir, electronPlatformName, packager }: PackedProgram): string => {
  const ending = endings[electronPlatformName];
  const name = ending === undefined ? (packager.executableName ?? "") : `${packager.appInfo.productFilename}${ending}`;
  if (name === "" || !readdirSync(appOutDir).includes(name)) throw new Error(`there is no program in ${appOutDir}`);
  return path.join(appOutDir, name);
};

/**
 * electron-builder's `afterPack`.
 * @throws Error for a fuse of a newer Electron that is not set here, and for a program without fuses.
 */
export default async function flipAllFuses(packed: PackedProgram): Promise<void> {
  await flipFuses(programOf(packed), {
    version: FuseVersion.V1,
    strictlyRequireAllFuses: true,
    // The change broke the signature, and without a certificate nothing signs it after this.
    resetAdHocDarwinSignature: packed.electronPlatformName === "darwin",
    [FuseV1Options.RunAsNode]: false,
    [FuseV1Options.EnableCookieEncryption]: true,
    [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
    [FuseV1Options.EnableNodeCliInspectArguments]: false,
    [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: true,
    [FuseV1Options.OnlyLoadAppFromAsar]: true,
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
    [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
    // For the WebAssembly decoder: bounds checks by trap handlers.
    [FuseV1Options.WasmTrapHandlers]: true,
  });
}
