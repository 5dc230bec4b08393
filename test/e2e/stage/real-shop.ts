/** A shop for real money on this machine: the service outside the sandbox, by https, and the example bank, set up by the operator's own commands. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { trustMachine } from "../../../outbound/authorities.ts";
import { freePort } from "../../free-port.ts";
import { certificate, privateKey } from "../../service/tls-files.ts";
import { type Child, startChild } from "./child.ts";
import type { PlayedBank } from "./play-by-keyboard.ts";
import { built, root } from "./programs.ts";

/** The running shop. */
export interface RealShop {
  readonly bank: PlayedBank;
  /** What the terminal's QR code for the enrolment says. */
  readonly link: string;
  /** For the terminal, which has to trust the service's certificate. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const [shop, bankName, device] = ["corner-shop", "my-bank", "till-1"];

/** As docs/integrate.md has it, in its order. From now on this process trusts the service's certificate. @param folder an empty one. */
export const openRealShop = async (folder: string): Promise<RealShop> => {
  const [port, bankPort] = [await freePort(), await freePort()];
  const [serviceUrl, bankUrl] = [`https://localhost:${port}`, `http://127.0.0.1:${bankPort}`];
  const [certFile, keyFile] = [path.join(folder, "service.crt"), path.join(folder, "service.key")];
  writeFileSync(certFile, certificate);
  writeFileSync(keyFile, privateKey);
  const trusts = { NODE_EXTRA_CA_CERTS: certFile };
  trustMachine(trusts);
  const env = {
    HOST: "127.0.0.1",
    PORT: String(port),
    PUBLIC_URL: serviceUrl,
    TLS_CERT: certFile,
    TLS_KEY: keyFile,
    DATABASE_URL: `sqlite:${path.join(folder, "service.db")}`,
    METRICS_PORT: "0",
    LOG_LEVEL: "warn",
  };
  const operate = async (...command: readonly string[]): Promise<Readonly<Record<string, string>>> => {
    const args = [built("service.js"), ...command, "--json"];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } });
    return JSON.parse(stdout)[0];
  };
  const children: Child[] = [];
  children.push(await startChild(built("service.js"), { env, ready: /^service listening on (http\S+)/ }));
  await operate("merchants", "add", shop, "--name", "Corner Shop", "--currency", "EUR");
  const { secret: bankKey = "" } = await operate("partners", "add", bankName, "--url", bankUrl);
  await operate("partners", "allow", bankName, "--all");
  await operate("partners", "set", bankName, "--events-url", `${bankUrl}/events`);
  const { password = "" } = await operate("credentials", "add", "client", bankName, "server-1");
  const { enrolment = "" } = await operate("credentials", "add", "terminal", shop, device, "--enrol");
  const client = { CLIENT_ID: `${bankName}/server-1`, CLIENT_SECRET: password };
  const bankEnv = { ...trusts, ...client, BANK_KEY: bankKey, BANK_PORT: String(bankPort), TILLCASH_URL: serviceUrl };
  children.push(
    await startChild(path.join(root, "docs/examples/bank.js"), { env: bankEnv, ready: /^bank on port (\d+)/ }),
  );

  const call = async (where: string, init: RequestInit = {}): Promise<Readonly<Record<string, unknown>>> => {
    const grant = { grant_type: "client_credentials", client_id: client.CLIENT_ID, client_secret: password };
    const signedIn = await fetch(`${serviceUrl}/oauth2/token`, { method: "POST", body: new URLSearchParams(grant) });
    const { access_token } = (await signedIn.json()) as { access_token: string };
    const headers = { ...init.headers, authorization: `Bearer ${access_token}`, "content-type": "application/json" };
    const answer = await fetch(`${serviceUrl}${where}`, { ...init, headers });
    if (!answer.ok) throw new Error(`${where} was answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  };
  return {
    link: enrolment,
    env: trusts,
    bank: {
      async request() {
        const order = { user_id: "customer-77", amount: "50.00", currency: "EUR", store: shop };
        const headers = { "idempotency-key": crypto.randomUUID() };
        const made = await call("/ext/v1/withdrawals", { method: "POST", headers, body: JSON.stringify(order) });
        return String(made.transaction_id);
      },
      status: async (id) => String((await call(`/ext/v1/withdrawals/${id}`)).status),
      // The example approves by itself, as soon as it is asked.
      approve: async () => undefined,
      async timesPaid(id) {
        const { holds, payments } = (await (await fetch(`${bankUrl}/ledger`)).json()) as Record<string, [string][]>;
        if (holds?.some(([held]) => held === id)) throw new Error("the bank still holds what it paid");
        return payments?.filter(([paid]) => paid === id).length ?? 0;
      },
    },
    async close() {
      for (const child of children.reverse()) await child.kill();
    },
  };
};
