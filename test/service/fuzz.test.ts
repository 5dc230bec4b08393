/**
 * Malformed and hostile requests: no 5xx, no hang, no leak. A share of them in each run, from a new seed that a failure
 * names; FUZZ_REQUESTS and FUZZ_SEED choose (`npm run bench -- fuzz` sends 20,000).
 */
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { byEffort } from "../runner/effort.ts";
import { Fuzzer, type FuzzRequest } from "./fuzz-requests.ts";
import { bank, createHttpStage, otherBank, otherTill } from "./http-stage.ts";
import { stores } from "./stores.ts";

const count = Number(process.env.FUZZ_REQUESTS ?? byEffort({ usual: 1_200, torture: 20_000 }));
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000);
const atOnce = 8;
/** Far above what any answer takes, also on a busy machine. */
const hangMs = 60_000;
const victimUser = "victim-5f1c";
const victimAmount = "77.06";

interface Got {
  readonly status: number;
  readonly head: string;
  readonly text: string;
}

const sendRaw = (port: number, bytes: string): Promise<Got> =>
  new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(Buffer.from(bytes, "latin1")));
    socket.setTimeout(hangMs, () => reject(new Error("hang")));
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    socket.on("error", () => resolve({ status: 0, head: "", text }));
    socket.on("close", () => {
      const [head = "", ...rest] = text.split("\r\n\r\n");
      resolve({ status: Number(head.slice(9, 12)), head, text: rest.join("\r\n\r\n") });
    });
  });

const send = (port: number, agent: Agent, asked: FuzzRequest): Promise<Got> => {
  if (asked.raw !== null) return sendRaw(port, asked.raw);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: "127.0.0.1",
        port,
        agent,
        method: asked.method,
        path: asked.path,
        // Without it node:http sends the body of a GET as if it were the next request.
        headers: asked.body === null ? asked.headers : { ...asked.headers, "content-length": asked.body.length },
        timeout: hangMs,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const head = response.rawHeaders.join("\n");
          resolve({ status: response.statusCode ?? 0, head, text: Buffer.concat(chunks).toString() });
        });
      },
    );
    sent.on("timeout", () => sent.destroy(new Error("hang")));
    // The service may answer and close before a body that is too large has been sent.
    sent.on("error", (error: NodeJS.ErrnoException) =>
      error.code === "EPIPE" || error.code === "ECONNRESET"
        ? resolve({ status: 413, head: "x-request-id", text: "" })
        : reject(error),
    );
    sent.end(asked.body ?? undefined);
  });
};

describe.each(stores)("hostile requests on %s", (dialect) => {
  test(`${count} from seed ${seed} fail nothing, are told nobody's data and leave a withdrawal as it is`, {
    timeout: 900_000 + count * 200,
  }, async () => {
    const stage = await createHttpStage(dialect, { LOG_LEVEL: "error" });
    const victim = await stage.withdrawal(victimAmount, { user_id: victimUser });
    const look = async () => {
      const token = await stage.token();
      const paths = [`/transaction?id=${victim}`, `/ext/v1/transactions/${victim}/events`];
      return Promise.all(paths.map(async (path) => (await stage.call("GET", path, { token })).body));
    };
    const before = await look();
    expect(before).toMatchObject([{ status: "ready" }, { events: [{ to: "requested" }, { to: "ready" }] }]);
    const { body: document } = await stage.call("GET", "/openapi.json");
    const tokens = [await stage.token(otherTill), await stage.token(otherBank)];
    const pool = {
      tokens,
      ids: [victim, victim.toLowerCase(), `${victim.slice(0, 15)}0`, "0000000000000000", "till-1", "demo-shop"],
    };
    const fuzzer = new Fuzzer(document, pool, seed);
    const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
    const port = Number(new URL(stage.baseUrl()).port);
    const secrets = [victimUser, victimAmount, await stage.token(), await stage.token(bank)];
    const statuses = new Map<number, number>();

    let left = count;
    const worker = async () => {
      while (left-- > 0) {
        const asked = fuzzer.next();
        const got = await send(port, agent, asked);
        statuses.set(got.status, (statuses.get(got.status) ?? 0) + 1);
        const story = () =>
          `seed ${seed}: ${asked.operation} ${JSON.stringify({ ...asked, body: asked.body?.toString().slice(0, 300) })} → ${got.status} ${got.text.slice(0, 300)}`;
        if (got.status >= 500) expect.fail(`5xx: ${story()}`);
        if (secrets.some((secret) => got.text.includes(secret))) expect.fail(`leak: ${story()}`);
        if (got.status > 0 && !/x-request-id/i.test(got.head)) expect.fail(`no X-Request-Id: ${story()}`);
        if (/set-cookie: (a=b|b=c)/i.test(got.head)) expect.fail(`header injected: ${story()}`);
        if (/\n\s+at |SQLITE|node_modules/.test(got.status >= 400 ? got.text : ""))
          expect.fail(`insides shown: ${story()}`);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    agent.destroy();

    expect(await look()).toEqual(before);
    expect([...statuses.keys()].some((status) => status >= 200 && status < 300)).toBe(true);
    expect(statuses.get(400) ?? 0).toBeGreaterThan(count / 20);
    expect(stage.log()).toBe("");
    expect((await stage.call("GET", "/readyz")).status).toBe(200);
    await stage.dispose();
  });
});
