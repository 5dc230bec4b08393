/** Checks of local files and folders, made by the host before the service gets the settings. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmdirSync } from "node:fs";
import { isIP } from "node:net";
import path from "node:path";
import { isLoopbackHost } from "../../../backend/contract/service-url.ts";
import type { OwnNetwork, OwnServiceField } from "../../../preload/contract.ts";

/** Whether backups can be written there; creates the folder when it is missing. */
export const isUsableFolder = (folder: string): boolean => {
  if (!path.isAbsolute(folder)) return false;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // A name that nobody can guess: in a folder of several users it could be their link to another file.
    rmdirSync(mkdtempSync(path.join(folder, ".tillcash-")));
    return true;
  } catch {
    return false;
  }
};

const readPem = <T>(file: string, read: (pem: Buffer) => T): T | null => {
  try {
    return read(readFileSync(file));
  } catch {
    return null;
  }
};

const namesHost = (certificate: X509Certificate, hostname: string): boolean =>
  (isIP(hostname) === 0 ? certificate.checkHost(hostname) : certificate.checkIP(hostname)) !== undefined;

/** Wrong fields of the network settings: the service is reached by https alone, with a valid certificate for its host name. */
export const networkFaults = (network: OwnNetwork, nowMs: number): readonly OwnServiceField[] => {
  const faults = new Set<OwnServiceField>();
  const url = URL.parse(network.publicUrl);
  if (url === null || url.protocol !== "https:" || isLoopbackHost(url.hostname)) faults.add("publicUrl");
  const certificate = readPem(network.certFile, (pem) => new X509Certificate(pem));
  const key = readPem(network.keyFile, (pem) => createPrivateKey(pem));
  if (certificate === null || Date.parse(certificate.validTo) <= nowMs) faults.add("certFile");
  else if (url !== null && !namesHost(certificate, url.hostname)) faults.add("certFile");
  if (key === null || (certificate !== null && !certificate.checkPrivateKey(key))) faults.add("keyFile");
  return [...faults];
};
