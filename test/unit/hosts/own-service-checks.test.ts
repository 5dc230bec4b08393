/** What a manager is told of the network settings before the service of this terminal gets them. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { networkFaults } from "../../../main/service/own/commands.ts";
import type { OwnNetwork, OwnServiceField } from "../../../preload/contract.ts";
import { namedCertificate, namedKey, privateKey } from "../../service/tls-files.ts";

const folder = mkdtempSync(path.join(tmpdir(), "tillcash-checks-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, text: string): string => {
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};

const [inItsYears, afterItsEnd] = [Date.UTC(2026, 11, 1), Date.UTC(2127, 0, 1)];
const right: OwnNetwork = {
  publicUrl: "https://till.example:8443",
  port: 8443,
  certFile: file("cert.pem", namedCertificate),
  keyFile: file("key.pem", namedKey),
};

test.each<[string, Partial<OwnNetwork>, number, readonly OwnServiceField[]]>([
  ["all of it in order", {}, inItsYears, []],
  ["a certificate that has expired", {}, afterItsEnd, ["certFile"]],
  ["another certificate's key", { keyFile: file("other.pem", privateKey) }, inItsYears, ["keyFile"]],
  ["a certificate for another name", { publicUrl: "https://other.example" }, inItsYears, ["certFile"]],
  ["a key in the certificate's place", { certFile: right.keyFile }, inItsYears, ["certFile"]],
  ["no file of a key", { keyFile: path.join(folder, "none.pem") }, inItsYears, ["keyFile"]],
  ["an address in the open", { publicUrl: "http://till.example" }, inItsYears, ["publicUrl"]],
  ["an address of this machine alone", { publicUrl: "https://localhost" }, inItsYears, ["publicUrl", "certFile"]],
])("%s", (_, part, nowMs, faults) => {
  expect(networkFaults({ ...right, ...part }, nowMs)).toEqual(faults);
});
