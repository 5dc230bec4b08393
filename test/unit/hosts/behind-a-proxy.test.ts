/** The built programs in a company's network: the way out is its proxy, and its authority is in NODE_EXTRA_CA_CERTS. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBridge } from "../../e2e/stage/bridge-client.ts";
import { startChild } from "../../e2e/stage/child.ts";
import { startTillHost } from "../../e2e/stage/programs.ts";
import { ensureBuilt } from "../../runner/built.ts";
import { root } from "../../runner/run-program.ts";
import { companyAuthority } from "../../service/tls-files.ts";
import { type CompanyNetwork, openCompanyNetwork } from "../outbound/company-network.ts";

const work = mkdtempSync(path.join(tmpdir(), "tillcash-proxy-"));
const authority = path.join(work, "company.pem");
let network: CompanyNetwork;
const env = () => ({ HTTPS_PROXY: network.proxy, NO_PROXY: "", NODE_EXTRA_CA_CERTS: authority });

beforeAll(async () => {
  await ensureBuilt();
  writeFileSync(authority, companyAuthority);
  network = await openCompanyNetwork();
});
afterAll(async () => {
  await network?.close();
  rmSync(work, { recursive: true, force: true });
});

test("the terminal asks the service through it", async () => {
  const program = await startTillHost({ data: path.join(work, "till"), live: true, env: env() });
  const till = await openBridge(program.entry);
  await expect.poll(() => till.snapshot()?.screen.kind).toBe("setup");
  await till.press({ type: "set_manager_pin", name: "Ida", pin: "482915" } as Parameters<typeof till.press>[0]);
  const enrolment = { type: "enroll", serviceUrl: network.address, merchantId: "m", deviceId: "d", secret: "s" };
  // What answers there is no service; but it was reached, which no name server could have done.
  expect(await till.press(enrolment as Parameters<typeof till.press>[0])).toMatchObject({ ok: false });
  expect(network.asked).toEqual(["CONNECT inside.example:443"]);
  expect(network.reached).toEqual(["POST /oauth2/authorize"]);
  till.close();
  await program.child.stop();
});

test("the service asks a bank through it", async () => {
  const before = network.reached.length;
  const run = async (...args: string[]): Promise<string> => {
    const command = await startChild(path.join(root, "out/main/service.js"), {
      args,
      env: { ...env(), DATABASE_URL: `sqlite:${path.join(work, "service.db")}` },
      ready: /\S/,
    });
    await expect.poll(() => command.running).toBe(false);
    return command.output();
  };
  await run("partners", "add", "bank", "--url", network.address);
  expect(await run("partners", "test", "bank")).toMatch(/startwithdrawal +200 /);
  expect(network.reached.slice(before)).toEqual(["POST /api/svc/startwithdrawal", "POST /api/svc/settlewithdrawal"]);
});
