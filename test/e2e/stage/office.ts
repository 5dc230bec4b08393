/** A service with a chain of shops that have worked since the morning, and one that has not. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { readCsv } from "../../../backend/contract/csv.ts";
import { sleepOverMidnight } from "./midnight.ts";
import { built, startService } from "./programs.ts";

/** The service, and the keys of its two chains. */
export interface Office {
  readonly url: string;
  /** Of the chain `north`: 250 withdrawals in six shops, some of them open, and terminals of which two are silent. */
  readonly key: string;
  /** Of the chain `empty`, whose shop has done nothing. */
  readonly emptyKey: string;
  /** All its withdrawals are of this day. */
  readonly filledAt: Date;
  /** The number of a withdrawal that was handed out. */
  readonly handedOut: string;
  /** Ends every token of `north` and gives it another key. */
  readonly rotate: () => string;
  readonly close: () => Promise<void>;
}

const shops = ["Airport", "Bahnhof Süd", "Corner Shop & Café", "Harbour", "High Street 100–104, second floor", "Zoo"];
const withdrawals = 250;
/** Filling it takes less, also where much else is done. */
const fillingMaxMs = 3 * 60_000;

/** Starts and fills it. */
export const startOffice = async (): Promise<Office> => {
  await sleepOverMidnight(fillingMaxMs);
  const data = mkdtempSync(path.join(tmpdir(), "tillcash-office-"));
  // What is ready stays so, however long the tests take.
  const child = await startService({ data, env: { ORDER_TTL_SECONDS: "86400" } });
  const database = path.join(data, "service.db");
  const operate = (...args: string[]): { password: string }[] =>
    JSON.parse(
      execFileSync(process.execPath, [built("service.js"), ...args, "--json"], {
        env: {
          ...process.env,
          DATABASE_URL: `sqlite:${database}`,
          SANDBOX: "1",
          PUBLIC_URL: "https://tillcash.example",
        },
        encoding: "utf8",
      }),
    );
  const call = async (token: string | null, method: string, target: string, body?: object) => {
    const response = await fetch(child.address + target, {
      method,
      headers: {
        "content-type": "application/json",
        "user-agent": "Tillcash-Terminal/1.4.0",
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        "idempotency-key": `office-${Math.random()}`,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, string>;
  };
  const tokenOf = async (device_type: string, merchant_id: string, device_id: string, password: string) => {
    const body = { grant_type: "client_credentials", scope: "", device_type, merchant_id, device_id, password };
    return (await call(null, "POST", "/oauth2/authorize", body)).access_token ?? "";
  };

  const bank = await tokenOf("client", "demo-bank", "server-1", "bank-secret");
  // Of the zone's noon or later: open for long enough.
  const zone = new Date().getUTCHours() < 2 ? "Etc/GMT-12" : "UTC";
  const [shopsFile, tillsFile, codesFile] = ["shops", "tills", "codes"].map((name) =>
    path.join(data, `${name}.csv`),
  ) as [string, string, string];
  const lines = shops.map((name, at) => `shop-${at + 1},"${name}",0.01,mon-sun 00:00-24:00,${zone}`);
  writeFileSync(shopsFile, ["id,name,step,opening,time-zone", ...lines, "quiet-shop,Quiet Shop,,,", ""].join("\n"));
  writeFileSync(tillsFile, ["shop,terminal", ...shops.map((_, at) => `shop-${at + 1},till-1`), ""].join("\n"));
  operate("merchants", "import", shopsFile);
  operate("credentials", "import", tillsFile, "--out", codesFile);
  const codes = readCsv(readFileSync(codesFile, "utf8")).slice(1);
  const tills: string[] = [];
  for (const [shop = "", , terminal = "", code = ""] of codes) {
    const { password = "" } = await call(null, "POST", "/ext/v1/enrolments", { code });
    tills.push(await tokenOf("terminal", shop, terminal, password));
  }
  const chain = (name: string, list: string) =>
    operate("credentials", "add", "chain", name, "--shops", list)[0]?.password ?? "";
  const key = chain("north", shops.map((_, at) => `shop-${at + 1}`).join());
  const emptyKey = chain("empty", "quiet-shop");

  let handedOut = "";
  const make = async (at: number) => {
    const shop = at % shops.length;
    const token = tills[shop] ?? "";
    const body = { user_id: `customer-${at}`, amount: `${20 + (at % 9) * 10}.08`, currency: "EUR" };
    const asked = { ...body, store: `shop-${shop + 1}`, partner_reference: `wd-${at}` };
    const { transaction_id = "" } = await call(bank, "POST", "/ext/v1/withdrawals", asked);
    if (at % 25 === 0) return;
    await call(token, "POST", "/transaction/confirm", { transaction_id, transaction_id_partner: `office-${at}` });
    await call(token, "GET", `/transaction?id=${transaction_id}&wait=20&status=settling`);
    if (at % 31 === 1) return;
    if (at % 40 === 2)
      await call(token, "POST", `/ext/v1/transactions/${transaction_id}/undelivered`, { reason: "till_short" });
    else {
      await call(token, "POST", "/transaction/link", { transaction_id, cashier: "C2" });
      handedOut = transaction_id;
    }
  };
  for (let at = 0; at < withdrawals; at += 10)
    await Promise.all(Array.from({ length: 10 }, (_, more) => make(at + more)));
  const filledAt = new Date();
  const db = new DatabaseSync(database);
  db.exec("PRAGMA busy_timeout = 5000");
  // The service writes these together, up to two seconds after the first.
  const contacts = db.prepare("SELECT merchant_id FROM terminal_contacts");
  while (contacts.all().length < shops.length) await sleep(20);
  db.prepare("UPDATE terminal_contacts SET heard_at = ? WHERE merchant_id IN ('shop-2', 'shop-5')").run(
    Date.now() - 47 * 60_000,
  );
  db.close();
  return {
    url: `${child.address}/office`,
    key,
    emptyKey,
    filledAt,
    handedOut,
    rotate: () => operate("credentials", "rotate", "chain", "north")[0]?.password ?? "",
    async close() {
      await child.kill();
      rmSync(data, { recursive: true, force: true });
    },
  };
};
