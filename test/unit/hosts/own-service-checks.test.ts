/** What a manager is told of the network settings before the service of this terminal gets them. */
import { X509Certificate } from "node:crypto";
import { mkdtempSync, promises, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { createOwnServiceWork, networkFaults } from "../../../main/service/own/commands.ts";
import type { OwnNetwork, OwnServiceField } from "../../../preload/contract.ts";
import { addressCertificate, namedCertificate, namedKey, privateKey } from "../../service/tls-files.ts";
import { program, serviceFolders } from "./own-service-program.ts";

const newFolder = serviceFolders();
const folder = mkdtempSync(path.join(tmpdir(), "tillcash-checks-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, text: string): string => {
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};

const [inItsYears, afterItsEnd] = [Date.UTC(2026, 11, 1), Date.UTC(2127, 0, 1)];
const lastMs = Date.parse(new X509Certificate(namedCertificate).validTo);
const right: OwnNetwork = {
  publicUrl: "https://till.example:8443",
  port: 8443,
  certFile: file("cert.pem", namedCertificate),
  keyFile: file("key.pem", namedKey),
};

const ofAddress = { publicUrl: "https://10.0.0.7:8443", certFile: file("address.pem", addressCertificate) };
const fromHere = {
  certFile: path.relative(process.cwd(), right.certFile),
  keyFile: path.relative(process.cwd(), right.keyFile),
};

test.each<[string, readonly OwnServiceField[], Partial<OwnNetwork>, number]>([
  ["all of it in order", [], {}, inItsYears],
  ["a certificate that has expired", ["certFile"], {}, afterItsEnd],
  ["a certificate in its last millisecond", [], {}, lastMs - 1],
  ["a certificate that ends now", ["certFile"], {}, lastMs],
  ["another certificate's key", ["keyFile"], { keyFile: file("other.pem", privateKey) }, inItsYears],
  ["a certificate for another name", ["certFile"], { publicUrl: "https://other.example" }, inItsYears],
  ["a certificate for a name, and an address of numbers", ["certFile"], { publicUrl: "https://10.0.0.7" }, inItsYears],
  ["a certificate for an address of numbers", [], ofAddress, inItsYears],
  [
    "a certificate for another address of numbers",
    ["certFile"],
    { ...ofAddress, publicUrl: "https://10.0.0.8" },
    inItsYears,
  ],
  ["a key in the certificate's place", ["certFile"], { certFile: right.keyFile }, inItsYears],
  ["no file of a key", ["keyFile"], { keyFile: path.join(folder, "none.pem") }, inItsYears],
  ["a folder in the key's place", ["keyFile"], { keyFile: folder }, inItsYears],
  ["files that are named from the folder of this start", ["certFile", "keyFile"], fromHere, inItsYears],
  ["an address in the open", ["publicUrl"], { publicUrl: "http://till.example" }, inItsYears],
  ["an address of this machine alone", ["publicUrl", "certFile"], { publicUrl: "https://localhost" }, inItsYears],
])("of %s these fields are refused: %j", async (_, faults, part, nowMs) => {
  expect(await networkFaults({ ...right, ...part }, nowMs)).toEqual(faults);
});

test("files on a disk that does not answer are refused, waited for once, and the terminal goes on meanwhile", async () => {
  const { service, setUp } = program(newFolder());
  onTestFinished(() => service.stop());
  expect(await setUp()).toEqual({ kind: "done" });
  const reading = vi.spyOn(promises, "readFile").mockImplementation(() => new Promise(() => {}));
  syncBuiltinESMExports();
  onTestFinished(() => {
    reading.mockRestore();
    syncBuiltinESMExports();
  });
  const work = createOwnServiceWork(service, 50);
  for (const _ of [1, 2])
    expect(await work.changeNetwork(right)).toEqual({ kind: "refused", fields: ["certFile", "keyFile"], output: null });
  // On a busy machine it is given up before the first of them is read.
  await expect.poll(() => reading.mock.calls).toHaveLength(1);
  expect(service.settings()?.network).toBeNull();
});
