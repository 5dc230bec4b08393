/** docs/operate.md does what it says: installed by its commands, copied, and restored on an empty machine, a shop and its bank go on. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { Webhook } from "svix";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transaction } from "../../backend/contract/transaction.ts";
import { freePort } from "../free-port.ts";
import { ensureBuilt } from "../runner/built.ts";
import { bareEnvironment } from "../runner/run-program.ts";

const root = resolve(import.meta.dirname, "../..");
const guide = readFileSync(join(root, "docs/operate.md"), "utf8");
const blocks = [...guide.matchAll(/```sh\n(.*?)```/gs)].map(([, commands]) => commands ?? "");
const block = (word: string): string => blocks.find((commands) => commands.includes(word)) ?? expect.fail(word);

const folder = mkdtempSync(join(tmpdir(), "tillcash-operate-"));
let bank: Server;
let bankKey = "";
const paid: string[] = [];

beforeAll(async () => {
  await ensureBuilt();
  bank = createServer(async (request, response) => {
    const body = await text(request);
    new Webhook(bankKey).verify(body, request.headers as Record<string, string>);
    if (request.url?.endsWith("settlewithdrawal")) paid.push(JSON.parse(body).SvcTransactionReferenceId);
    response.writeHead(200, { "content-type": "application/json" }).end('{"status":"accepted"}');
  });
  await new Promise<void>((done) => bank.listen(0, "127.0.0.1", done));
});
afterAll(() => {
  bank.close();
  for (const machine of machines) if (machine.isOn) machine.run("systemctl stop tillcash");
  rmSync(folder, { recursive: true, force: true });
});

/** What root and systemd do, done by us: no users are made, owners stay ours, the unit's own ExecStart is what runs. */
const shims = (at: string, port: number): string => `set -e
PATH=${at}/usr/local/bin:$PATH
useradd() { :; }
sudo() { shift 2; "$@"; }
npm() { case "$1" in ci|run) ;; *) command npm --prefix ${root} "$@" ;; esac; }
install() { local kept=(); while [ $# -gt 0 ]; do case "$1" in -o|-g) shift ;; *) kept+=("$1") ;; esac; shift; done; command install "\${kept[@]}"; }
systemctl() {
  case "$1" in
    enable|start) (set -a; . ${at}/etc/tillcash/service.env; METRICS_PORT=0 PORT=${port}
      exec $(sed -n 's/^ExecStart=//p' ${at}/etc/systemd/system/tillcash.service)) < /dev/null > ${at}/log 2>&1 & echo $! > ${at}/pid ;;
    restart) systemctl stop; systemctl start ;;
    stop) kill -TERM $(cat ${at}/pid); while kill -0 $(cat ${at}/pid) 2> /dev/null; do sleep 0.1; done ;;
  esac
}
cd ${at}/clone
`;

interface Machine {
  readonly at: string;
  readonly url: string;
  isOn: boolean;
  run(commands: string): string;
}
const machines: Machine[] = [];

/** A folder that stands for a machine: what the guide puts under / lies under it. */
const createMachine = async (name: string): Promise<Machine> => {
  const [at, port] = [join(folder, name), await freePort()];
  const here = (commands: string) =>
    commands
      .replaceAll(/(?<![\w.])\/(opt|etc|var|usr\/local)\//g, `${at}/$1/`)
      .replaceAll("127.0.0.1:8787", `127.0.0.1:${port}`);
  for (const part of ["clone/docs", "usr/local/bin", "etc/systemd/system", "var"])
    mkdirSync(join(at, part), { recursive: true });
  cpSync(join(root, "docs/operate"), join(at, "clone/docs/operate"), { recursive: true });
  for (const file of ["service.env", "tillcash", "tillcash.service"]) {
    const path = join(at, "clone/docs/operate", file);
    writeFileSync(path, here(readFileSync(path, "utf8")));
  }
  cpSync(join(root, "out/main"), join(at, "clone/out/main"), { recursive: true });
  const machine: Machine = {
    at,
    url: `http://127.0.0.1:${port}`,
    isOn: false,
    run(commands) {
      const { status, stdout, stderr } = spawnSync("bash", ["-c", shims(at, port) + here(commands)], {
        encoding: "utf8",
        env: { ...bareEnvironment, HOME: folder },
      });
      if (status !== 0) throw new Error(`${status}: ${stdout}${stderr}`);
      if (commands.includes("systemctl enable")) machine.isOn = true;
      if (commands.includes("systemctl stop")) machine.isOn = false;
      return stdout;
    },
  };
  machines.push(machine);
  return machine;
};

const call = async <Body>(
  machine: Machine,
  path: string,
  token: string,
  body?: object,
  key?: string,
): Promise<Body> => {
  const reply = await fetch(machine.url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      ...(key === undefined ? {} : { "idempotency-key": key }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await reply.text();
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${answer}`);
  return JSON.parse(answer) as Body;
};
const signIn = async (machine: Machine, id: string, secret: string, type: string): Promise<string> => {
  const grant = { grant_type: "client_credentials", client_id: id, client_secret: secret, device_type: type };
  const reply = await fetch(`${machine.url}/oauth2/token`, { method: "POST", body: new URLSearchParams(grant) });
  return ((await reply.json()) as { access_token: string }).access_token;
};

test("installed, copied, and restored on an empty machine by the printed commands", async () => {
  const first = await createMachine("first");
  for (const word of ["npm ci", "useradd", "openssl rand"]) first.run(block(word));
  expect(first.run(blocks.find((each) => each.startsWith("systemctl enable")) ?? "")).toContain('"status":"ready"');

  const operator = (command: string) => JSON.parse(first.run(`sudo -u tillcash tillcash ${command} --json`))[0];
  operator("merchants add corner-shop --name Corner --currency EUR");
  const port = (bank.address() as AddressInfo).port;
  bankKey = operator(`partners add my-bank --url http://127.0.0.1:${port}`).secret;
  operator("partners allow my-bank --all");
  const tillSecret = operator("credentials add terminal corner-shop till-1").password;
  const bankSecret = operator("credentials add client my-bank server-1").password;
  const till = await signIn(first, "corner-shop/till-1", tillSecret, "terminal");
  const app = await signIn(first, "my-bank/server-1", bankSecret, "client");

  const settle = async (machine: Machine, n: number): Promise<string> => {
    const order = { user_id: "ann", amount: "50.00", currency: "EUR", store: "corner-shop", sca_required: false };
    const { transaction_id: id } = await call<Transaction>(machine, "/ext/v1/withdrawals", app, order, `order-${n}`);
    await call(machine, "/transaction/confirm", till, { transaction_id: id, transaction_id_partner: `pos-${n}` });
    await call(machine, `/transaction?id=${id}&wait=20&status=settling`, till);
    return id;
  };
  const linked = await settle(first, 1);
  await call(first, "/transaction/link", till, { transaction_id: linked });
  const unlinked = await settle(first, 2);
  first.run(block("tillcash backup"));
  first.run("systemctl stop tillcash");

  const second = await createMachine("second");
  for (const word of ["npm ci", "useradd"]) second.run(block(word));
  for (const kept of ["etc/tillcash/service.env", "var/backups/tillcash"])
    cpSync(join(first.at, kept), join(second.at, kept), { recursive: true });
  const env = join(second.at, "etc/tillcash/service.env");
  writeFileSync(env, readFileSync(env, "utf8").replaceAll(first.at, second.at));
  rmSync(join(first.at, "var"), { recursive: true });
  const restored = second.run(block("tillcash restore"));
  second.isOn = true;
  expect(restored).toContain('"status":"ready"');

  // The tokens, the books and the bank's key are the ones of the first machine.
  const report = await call<{ lines: { transaction_id: string; finding: string }[] }>(
    second,
    "/ext/v1/reconciliation",
    app,
  );
  expect(Object.fromEntries(report.lines.map((line) => [line.transaction_id, line.finding]))).toEqual({
    [linked]: "matched",
    [unlinked]: "not_linked",
  });
  const { status } = await call<Transaction>(second, "/transaction/link", till, { transaction_id: unlinked });
  expect(status).toBe("linked");

  // An upgrade to the next release, which is this one under another name.
  const release = block("npm ci")
    .replace(/^VERSION=.*$/m, "VERSION=9.9.9")
    .replace(/^ln .*$/m, "");
  expect(second.run(release + block("systemctl restart"))).toContain('"status":"ready"');
  // Nothing was read meanwhile: let the ends of the old connections come in.
  await new Promise((done) => setTimeout(done, 100));
  expect(readlinkSync(join(second.at, "opt/tillcash/current"))).toBe("9.9.9");
  await settle(second, 3);
  expect(new Set(paid).size).toBe(3);
  expect(paid).toHaveLength(3);
});

const has = (program: string): boolean => spawnSync(program, ["--version"]).status === 0;
test.runIf(has("systemd-analyze"))("the unit is one that systemd understands", () => {
  const unit = readFileSync(join(root, "docs/operate/tillcash.service"), "utf8");
  const copy = join(folder, "tillcash.service");
  writeFileSync(copy, unit.replace("/opt/tillcash/current/node ", `${process.execPath} `));
  const { status, stderr } = spawnSync("systemd-analyze", ["verify", copy], { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
});
