/** A terminal and a service in a company's network: an authority of its own, and a proxy that is the only way out. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import tls, { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../backend/adapters.ts";
import { parseConfig } from "../../../backend/config.ts";
import { createHttpTransport } from "../../../backend/partner/send.ts";
import { joinNetwork } from "../../../main/host/join-network.ts";
import { ownEnvironment } from "../../../main/service/own/process.ts";
import { createClock } from "../../../main/terminal/adapters.ts";
import { createKyTransport } from "../../../main/terminal/service/transport.ts";
import { trustMachine } from "../../../outbound/authorities.ts";
import { fetchThrough, proxyFrom } from "../../../outbound/proxy.ts";
import { certificate, companyAuthority, insideCertificate } from "../../service/tls-files.ts";
import { type CompanyNetwork, openCompanyNetwork } from "./company-network.ts";

let folder: string;
let authorityFile: string;
const usual = getCACertificates("default");
let network: CompanyNetwork;
let undo = (): void => undefined;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "tillcash-outbound-"));
  authorityFile = path.join(folder, "company.pem");
  writeFileSync(authorityFile, `A company's authority\n${companyAuthority}`);
  network = await openCompanyNetwork();
});
afterEach(() => {
  undo();
  undo = () => undefined;
  setDefaultCACertificates(usual);
  network.answerWith(200);
});
afterAll(async () => {
  await network.close();
  rmSync(folder, { recursive: true, force: true });
});

const asTerminal = (baseUrl = network.address) =>
  createKyTransport(createClock()).send({
    method: "POST",
    path: "/transaction/confirm",
    body: { transaction_id: "x" },
    timeoutMs: 60_000,
    baseUrl,
    token: "secret",
  });
const asService = async (proxy = proxyFrom({ HTTPS_PROXY: network.proxy })) => {
  const transport = createHttpTransport(systemClock, proxy);
  try {
    return await transport.post({ url: `${network.address}/orders`, headers: {}, body: "{}", timeoutMs: 60_000 });
  } catch (error) {
    return String(error);
  } finally {
    transport.close();
  }
};
/** Without line breaks, which each list has its own of. */
const plain = (pem: string): string => pem.replace(/\s/g, "");
const trusted = (): ReadonlySet<string> => new Set(getCACertificates("default").map(plain));
const count = () => ({ asked: network.asked.length, reached: network.reached.length });

describe("a terminal", () => {
  test("reaches its service through the proxy, each request once, believing the company's authority", async () => {
    const before = count();
    undo = fetchThrough(proxyFrom({ https_proxy: network.proxy }));
    expect(await asTerminal()).toMatchObject({ kind: "silence", because: "certificate" });
    expect(trustMachine({ NODE_EXTRA_CA_CERTS: authorityFile })).toEqual([]);
    expect(await asTerminal()).toMatchObject({ kind: "answer", status: 200, body: { status: "ok" } });
    expect(network.asked.slice(before.asked)).toEqual(Array(2).fill("CONNECT inside.example:443"));
    expect(network.reached.slice(before.reached)).toEqual(["POST /transaction/confirm"]);
  });

  test.each([403, 407, 502])("a proxy that answers %i is named as what is in the way", async (status) => {
    const before = count();
    undo = fetchThrough(proxyFrom({ HTTPS_PROXY: network.proxy }));
    network.answerWith(status);
    expect(await asTerminal()).toEqual({ kind: "silence", why: "reset", because: "proxy" });
    expect(count().reached).toBe(before.reached);
  });

  test("never asks a service of its own machine through it", async () => {
    const before = count();
    undo = fetchThrough(proxyFrom({ HTTPS_PROXY: network.proxy }));
    for (const host of ["127.0.0.1", "localhost", "[::1]"])
      expect(await asTerminal(`https://${host}:64321`)).toMatchObject({ kind: "silence" });
    expect(count()).toEqual(before);
  });

  test("goes on without what cannot be used, and says what it was", () => {
    const said: string[] = [];
    const env = { HTTPS_PROXY: "proxy.example:8080", NODE_EXTRA_CA_CERTS: path.join(folder, "missing.pem") };
    expect(joinNetwork(env, (_level, message, detail) => void said.push(`${message} ${JSON.stringify(detail)}`))).toBe(
      null,
    );
    expect(said).toEqual([
      expect.stringMatching(/^authorities .*missing\.pem cannot be read/),
      "HTTPS_PROXY must be http://HOST:PORT or https://HOST:PORT {}",
    ]);
  });
});

describe("a service", () => {
  test("believes what this system believes", () => {
    const own = tls.getCACertificates;
    tls.getCACertificates = (kind) => (kind === "system" ? [companyAuthority] : own(kind));
    undo = () => {
      tls.getCACertificates = own;
      syncBuiltinESMExports();
    };
    syncBuiltinESMExports();
    expect(trustMachine({})).toEqual([]);
    expect(trusted()).toContain(plain(companyAuthority));
  });

  test("reaches its bank through the proxy, believing the company's authority", async () => {
    const before = count();
    expect(await asService()).toBe("Error: UNABLE_TO_VERIFY_LEAF_SIGNATURE");
    trustMachine({ NODE_EXTRA_CA_CERTS: authorityFile });
    expect(await asService()).toMatchObject({ status: 200 });
    expect(network.reached.slice(before.reached)).toEqual(["POST /orders"]);
    network.answerWith(407);
    expect(await asService()).toBe("Error: ERR_PROXY_TUNNEL");
  });

  test.each([
    [{ HTTPS_PROXY: "http://proxy:8080", NO_PROXY: "bank.example" }, "http://proxy:8080", "bank.example"],
    [{ https_proxy: "http://small:1", HTTPS_PROXY: "http://large:1" }, "http://small:1", "[::1]"],
    [
      { https_proxy: "http://small:1", no_proxy: "small.example", NO_PROXY: "large" },
      "http://small:1",
      "small.example",
    ],
  ])("takes it from its settings: %j", (settings, address, last) => {
    const parsed = parseConfig(settings);
    const proxy = parsed.ok ? parsed.config.proxy : null;
    expect(proxy?.https_proxy).toBe(address);
    expect(proxy?.no_proxy.split(",").at(-1)).toBe(last);
  });

  test("refuses a proxy that is no address", () => {
    expect(parseConfig({ HTTPS_PROXY: "socks://proxy:1080" })).toEqual({
      ok: false,
      problems: ["HTTPS_PROXY must be http://HOST:PORT or https://HOST:PORT"],
    });
  });

  test("of a terminal's own gets proxy and authority of the machine with it", () => {
    const env = { https_proxy: network.proxy, no_proxy: "b", NODE_EXTRA_CA_CERTS: authorityFile, SANDBOX: "1" };
    const settings = {
      version: 1,
      port: 1,
      backupFolder: "b",
      network: null,
      shop: "s",
      bank: "b",
      isBankTold: true,
      attempts: [] as { shop: string; bank: string }[],
    } as const;
    const { SANDBOX: _, ...kept } = env;
    const own = ownEnvironment(folder, settings, env);
    expect(own).toMatchObject(kept);
    expect(own).not.toHaveProperty("SANDBOX");
  });
});

describe("authorities", () => {
  test("all that Node knows still count, and none counts twice", () => {
    trustMachine({ NODE_EXTRA_CA_CERTS: authorityFile });
    const now = trusted();
    expect(usual.filter((one) => !now.has(plain(one)))).toEqual([]);
    expect(now.has(plain(companyAuthority))).toBe(true);
    expect(now.size).toBe(getCACertificates("default").length);
  });

  test.each([
    ["no certificate", "nothing"],
    ["a server's certificate, which is no authority's", insideCertificate],
    ["one of them damaged", companyAuthority + certificate.replace("MIIB", "AAAA")],
  ])("a file with %s is refused whole, and changes nothing", (_what, text) => {
    const file = path.join(folder, "wrong.pem");
    writeFileSync(file, text);
    expect(trustMachine({ NODE_EXTRA_CA_CERTS: file })).toEqual([expect.stringContaining("something else than")]);
    expect(trusted().has(plain(companyAuthority))).toBe(false);
  });
});

const own = "localhost,127.0.0.1,::1,[::1]";
test.each([
  [{ HTTPS_PROXY: "http://p:1" }, "http://p:1", own],
  [{ HTTPS_PROXY: "http://p:1", NO_PROXY: "a.example" }, "http://p:1", `${own},a.example`],
  [{ HTTPS_PROXY: "http://p:1", https_proxy: "http://q:2", NO_PROXY: "a", no_proxy: "b" }, "http://q:2", `${own},b`],
])("%j is the proxy, and never the way to this machine", (env, https_proxy, no_proxy) => {
  expect(proxyFrom(env)).toEqual({ https_proxy, no_proxy });
});
