/** Another program has the port of a service of one's own: before the end of its set-up a free one takes its place, afterwards it is waited for. */
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import path from "node:path";
import { expect, test } from "vitest";
import { freePort } from "../../free-port.ts";
import {
  actor,
  certificateIn,
  form,
  program,
  serviceFolders,
  terminalOn,
  trusts,
  wanted,
} from "./own-service-program.ts";

const newFolder = serviceFolders();

/** Another program on that port, until it is closed. */
const occupy = async (port: number, host = "127.0.0.1"): Promise<Server> => {
  const server = createServer();
  server.listen({ host, port, exclusive: true });
  await once(server, "listening");
  return server;
};

test.each([
  ["the bank was told", 4, false],
  ["the terminal was enrolled", 10, true],
])(
  "cut off before %s, it goes on at a free port where another program has its own, and the bank is told that one",
  async (_, step, isBankTold) => {
    const folder = newFolder();
    const first = program(folder, step);
    await first.setUp();
    await first.service.stop();
    const left = first.service.settings();
    expect(left).toMatchObject({ shop: null, isBankTold });
    const other = await occupy(left?.port ?? 0);
    const second = program(folder);
    const answer = await second.setUp();
    other.close();
    expect(answer).toEqual({ kind: "done" });
    expect(second.service.settings()?.port).not.toBe(left?.port);
    // Signs in at the address in the bank's file.
    expect(await trusts(folder, second.service)).toEqual(wanted);
    expect(second.addresses).toEqual([`http://127.0.0.1:${second.service.settings()?.port}`]);
    await second.service.stop();
  },
);

test("after the set-up it keeps its port, which is part of its name, and is back there once the other program has gone", async () => {
  const folder = newFolder();
  const first = program(folder);
  expect(await first.setUp()).toEqual({ kind: "done" });
  await first.service.stop();
  const port = first.service.settings()?.port ?? 0;
  const other = await occupy(port);
  const second = program(folder);
  await expect.poll(() => second.service.status()).toEqual({ state: "restarting", why: "port_taken" });
  expect(second.service.channel()).toBe(null);
  other.close();
  await expect.poll(() => second.service.status()).toEqual({ state: "running", why: null });
  expect(second.service.settings()?.port).toBe(port);
  await second.service.stop();
});

test("set up again without its file of settings it comes back at its port, or not while another program has that", async () => {
  const folder = newFolder();
  const first = program(folder);
  expect(await first.setUp()).toEqual({ kind: "done" });
  await first.service.stop();
  const port = first.service.settings()?.port ?? 0;
  rmSync(path.join(folder, "service.json"));
  const other = await occupy(port);
  const again = program(folder);
  const identity = { serviceUrl: `http://127.0.0.1:${port}`, merchantId: form.shop.id, deviceId: "till-1" };
  const { send, enrolled } = terminalOn(again.service, 1, false, { identity });
  const setUp = { type: "set_up_service", ...form };
  expect(await send(setUp)).toMatchObject({ data: { kind: "refused", output: expect.stringContaining(`${port}`) } });
  expect(enrolled).toEqual([]);
  other.close();
  await expect.poll(() => again.service.status()).toEqual({ state: "running", why: null });
  await send(setUp);
  expect(enrolled).toMatchObject([[identity.serviceUrl, true, actor]]);
  await again.service.stop();
});

test("a press that starts it is told at once that another program has its port, and which", async () => {
  const folder = newFolder();
  const first = program(folder);
  expect(await first.setUp()).toEqual({ kind: "done" });
  await first.service.stop();
  const port = first.service.settings()?.port ?? 0;
  const other = await occupy(port);
  let starts = 0;
  const second = program(folder, undefined, () => void starts++);
  await expect.poll(() => second.service.status()?.why).toBe("port_taken");
  const before = starts;
  expect(await second.service.start()).toBeNull();
  expect(starts).toBeLessThanOrEqual(before + 2);
  expect(second.service.lastOutput()).toContain(String(port));
  other.close();
  // It is still tried again by itself.
  await expect.poll(() => second.service.status()).toEqual({ state: "running", why: null });
  await second.service.stop();
});

test("where another program takes its port while it starts for the first time, it takes another one", async () => {
  const folder = newFolder();
  const others: Promise<Server>[] = [];
  const run = program(folder, Number.POSITIVE_INFINITY, ({ PORT }) => {
    if (others.length === 0) others.push(occupy(Number(PORT)));
  });
  const answer = await run.setUp();
  for (const other of others) (await other).close();
  expect(answer).toEqual({ kind: "done" });
  expect(others).toHaveLength(1);
  expect(await trusts(folder, run.service)).toEqual(wanted);
  await run.service.stop();
});

test("a port for other machines that another program has is refused in the service's words, and it serves on as before", async () => {
  const folder = newFolder();
  const seen: (string | undefined)[] = [];
  const run = program(folder, undefined, ({ HOST }) => void seen.push(HOST));
  expect(await run.setUp()).toEqual({ kind: "done" });
  const port = await freePort();
  const other = await occupy(port, "0.0.0.0");
  expect(await run.work.changeNetwork({ publicUrl: "https://till.example", port, ...certificateIn(folder) })).toEqual({
    kind: "refused",
    fields: ["networkPort"],
    output: expect.stringContaining(String(port)),
  });
  other.close();
  expect(run.service.settings()?.network).toBeNull();
  // One start is enough to know it: nobody waits until it is given up.
  expect(seen).toEqual(["127.0.0.1", "0.0.0.0", "127.0.0.1"]);
  expect(run.service.status()).toEqual({ state: "running", why: null });
  await run.service.stop();
});

test("one that is open to other machines stays so where the next port is another program's", async () => {
  const folder = newFolder();
  const run = program(folder);
  expect(await run.setUp()).toEqual({ kind: "done" });
  const open = { publicUrl: "https://till.example", port: await freePort(), ...certificateIn(folder) };
  expect(await run.work.changeNetwork(open)).toEqual({ kind: "done" });
  const port = await freePort();
  const other = await occupy(port, "0.0.0.0");
  expect(await run.work.changeNetwork({ ...open, port })).toMatchObject({ fields: ["networkPort"] });
  other.close();
  expect(run.service.settings()?.network).toEqual(open);
  expect(run.service.status()).toEqual({ state: "running", why: null });
  await run.service.stop();
});

test("one whose certificate is gone does not start, and serves this terminal again once it is closed to other machines", async () => {
  const folder = newFolder();
  const first = program(folder);
  expect(await first.setUp()).toEqual({ kind: "done" });
  const files = certificateIn(folder);
  const open = { publicUrl: "https://till.example", port: await freePort(), ...files };
  expect(await first.work.changeNetwork(open)).toEqual({ kind: "done" });
  await first.service.stop();
  rmSync(files.certFile);
  const second = program(folder);
  await expect.poll(() => second.service.status()).toEqual({ state: "restarting", why: "failed" });
  expect(second.service.lastOutput()).toContain("cert.pem");
  expect(await second.work.changeNetwork(null)).toEqual({ kind: "done" });
  expect(second.service.status()).toEqual({ state: "running", why: null });
  await second.service.stop();
});
