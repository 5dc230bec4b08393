/**
 * Plays a morning with the programs of an earlier version and cuts the power in the middle; what is on disk then is the
 * fixture, with those programs beside it for the way back. `BUILT=OLD/out npx node test/upgrade/make-fixture.ts VERSION`, once
 * for each version that is upgraded from.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { connectDemoBank } from "../e2e/stage/bank-client.ts";
import { type BridgeClient, openBridge } from "../e2e/stage/bridge-client.ts";
import { startService, startTillHost } from "../e2e/stage/programs.ts";
import { packPrograms } from "./earlier-programs.ts";
import { fixtureAddress, fixturePin, openAtTheCut, packFixture } from "./fixture.ts";

const { host, port } = fixtureAddress;
const serviceUrl = `http://${host}:${port}`;
const version = process.argv[2];
if (version === undefined || process.env.BUILT === undefined)
  throw new Error("name the version, and its build in BUILT");
const folder = mkdtempSync(path.join(tmpdir(), "tillcash-fixture-"));
const [tillData, serviceData] = [path.join(folder, "till"), path.join(folder, "service")];

const until = async (what: () => boolean): Promise<void> => {
  for (let tries = 0; !what(); tries += 1) {
    if (tries > 400) throw new Error(`not in time: ${what}`);
    await delay(50);
  }
};

const openTill = async () => {
  const program = await startTillHost({ data: tillData, live: true });
  const till = await openBridge(program.entry);
  const press = till.press as (command: object) => ReturnType<BridgeClient["press"]>;
  const shows = (kind: string) => until(() => till.snapshot()?.screen.kind === kind);
  return { program, press, shows };
};

const service = await startService({ data: serviceData, port, env: { HOST: host } });
const bank = await connectDemoBank(serviceUrl);
const till = await openTill();
await till.shows("setup");
await till.press({ type: "set_manager_pin", name: "Ida", pin: fixturePin });
await till.press({ type: "enroll", serviceUrl, merchantId: "demo-shop", deviceId: "till-1", secret: "till-secret" });
await till.shows("ready");
await till.press({ type: "sign_out", as: "manager" });

const bringToPayable = async (amount: string): Promise<void> => {
  const { transaction_id: id } = await bank.request(amount);
  await till.press({ type: "scan", text: id, source: "keyboard" });
  await till.shows("review");
  await till.press({ type: "confirm" });
  await till.shows("waiting");
  await bank.decideSca(id, "approved");
  await till.shows("payable");
};

await bringToPayable("50.00");
await till.press({ type: "hand_out" });
await till.shows("ready");
await bank.request(openAtTheCut.asked);
await bringToPayable(openAtTheCut.payable);
const { transaction_id: settling } = await bank.request(openAtTheCut.settling);
await bank.confirmElsewhere(settling);
await bank.decideSca(settling, "approved");
await Promise.all([service.kill(), till.program.child.kill()]);
packFixture(folder, version);
packPrograms(process.env.BUILT, version);
rmSync(folder, { recursive: true, force: true });
process.exit(0);
