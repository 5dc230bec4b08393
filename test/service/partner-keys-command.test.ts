/** `partners test` and `partners rotate` against a bank of another make: keys encrypted at rest, in rotation, and of PARTNER_ID. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { Webhook } from "svix";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { systemClock, systemRandom } from "../../backend/adapters.ts";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import type { CommandContext } from "../../backend/operate/context.ts";
import { manage } from "../../backend/operate/manage.ts";
import { rotatePartner, setPartnerUrl, testPartner } from "../../backend/operate/partners.ts";
import { makeKey, sandboxKey } from "../../backend/partner/keys.ts";
import { allPartners, partnerById, preparePartners, updatePartner } from "../../backend/partner/partners.ts";
import { createPlace, type Place } from "./stores.ts";
import { companyAuthority } from "./tls-files.ts";
import { testKeys } from "./world.ts";

const serviceKey = "a service key of this test alone, 32";
/** One for each way of storing keys: a service without the key for them refuses those that are encrypted. */
let places: readonly Place[];
let server: Server;
let url: string;
/** The key that the bank verifies with. */
let bankKey = "";
/** What its clock says; null: the time. */
let bankDate: string | null = null;
/** What reached it. */
const seen: {
  readonly path: string;
  readonly id: unknown;
  readonly signed: unknown;
  readonly body: { readonly type?: string; sent_at?: string };
}[] = [];

const command = (settings: Record<string, string>, ...args: string[]) => {
  const place = places[settings.SERVICE_KEY === undefined ? 0 : 1];
  return manage(parseCommandLine(args, { DATABASE_URL: place?.url, ...settings }));
};
/** What was said to the two pings at the address for events. */
const verdicts = async (settings: Record<string, string>, id: string) =>
  (await command(settings, "partners", "test", id))
    .filter(({ url }) => String(url).endsWith("/events"))
    .map(({ answer, verdict }) => `${answer} ${verdict}`);

beforeAll(async () => {
  places = [await createPlace("sqlite"), await createPlace("sqlite")];
  server = createServer(async (request, response) => {
    const body = await text(request);
    const path = request.url ?? "";
    seen.push({
      path,
      id: request.headers["webhook-id"],
      signed: request.headers["webhook-signature"],
      body: JSON.parse(body),
    });
    const status = { fine: 200, chosen: 300, moved: 302, gone: 404, closed: 403 }[path.split("/")[1] ?? ""];
    if (status !== undefined) return void response.writeHead(status).end();
    try {
      new Webhook(bankKey).verify(body, request.headers as Record<string, string>);
      response.writeHead(204).end();
    } catch {
      response.writeHead(401, bankDate === null ? {} : { date: bankDate }).end();
    }
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await Promise.all(places.map((place) => place.dispose()));
});

test("what was set is shown with the shops that the bank may use", async () => {
  await command({}, "partners", "add", "with-shops", "--url", url);
  await command({}, "partners", "allow", "with-shops", "--all");
  const [shown] = await command({}, "partners", "set", "with-shops", "--events-url", url);
  expect(shown).toMatchObject({ id: "with-shops", shops: "*", events_url: url });
});

test.each([
  ["as it is", {}, "plain"],
  ["encrypted at rest", { SERVICE_KEY: serviceKey }, "sealed"],
])(
  "a ping is signed with the key that was printed, stored %s, and with both while it is rotated",
  async (_, settings, id) => {
    const [added] = await command(settings, "partners", "add", id, "--url", url);
    await command(settings, "partners", "set", id, "--events-url", `${url}/events`);
    bankKey = String(added?.secret);
    expect(await verdicts(settings, id)).toEqual(["204 right", "401 right"]);
    const [rotated] = await command(settings, "partners", "rotate", id);
    // Both signatures are right for a bank that has only the old key: the new one by itself shows that it does not know it.
    expect(await verdicts(settings, id)).toEqual(["204 right", "401 wrong", "401 right"]);
    bankKey = String(rotated?.secret);
    expect(await verdicts(settings, id)).toEqual(["204 right", "204 right", "401 right"]);
  },
);

test("under SERVICE_KEY a key is stored encrypted whichever command made it", async () => {
  const settings = { SERVICE_KEY: serviceKey, PARTNER_SECRET: makeKey(systemRandom) };
  for (const words of [
    ["add", "with-address", "--url", url],
    ["rotate", "with-address"],
    ["add", "without-address"],
    ["set-url", "without-address", url],
    ["add", "with-own", "--url", url],
    ["set-key", "with-own"],
  ])
    await command(settings, "partners", ...words);
  const store = await places[1]?.open();
  const rows = (await store?.read((tx) => tx.all(allPartners({})))) ?? [];
  const keys = rows.flatMap(({ id, secret, previous_secret }) => [secret, previous_secret].map((key) => [id, key]));
  expect(keys.filter(([, key]) => key !== null).length).toBeGreaterThan(3);
  expect(keys.filter(([, key]) => key !== null && !key?.startsWith("sealed1:"))).toEqual([]);
  expect((await command(settings, "partners", "list")).filter(({ problem }) => problem !== null)).toEqual([]);
});

test("keys from before SERVICE_KEY are encrypted on demand, each with its entry in the audit", async () => {
  const place = await createPlace("sqlite");
  onTestFinished(() => place.dispose());
  const run = (settings: Record<string, string>, ...args: string[]) =>
    manage(parseCommandLine(args, { DATABASE_URL: place.url, ...settings }));
  await run({}, "partners", "add", "early", "--url", url);
  await expect(run({}, "partners", "encrypt-keys")).rejects.toThrow(/^keys are encrypted under SERVICE_KEY: set it/);
  const settings = { SERVICE_KEY: serviceKey };
  expect(await run(settings, "partners", "encrypt-keys")).toEqual([{ keys_encrypted: 1 }]);
  expect(await run(settings, "audit", "verify")).toMatchObject([{ settings: "whole" }]);
});

test("a second rotation while an older key still runs is refused, until when is said and listed, and --force ends it", async () => {
  const [added] = await command({}, "partners", "add", "hasty", "--url", url);
  await command({}, "partners", "set", "hasty", "--events-url", `${url}/events`);
  const until = async () => (await command({}, "partners", "list")).find(({ id }) => id === "hasty")?.old_key_until;
  expect(await until()).toBeNull();
  const asked = systemClock.now();
  const [first] = await command({}, "partners", "rotate", "hasty");
  const untilMs = Date.parse(String(first?.old_key_until)) - 24 * 3_600_000;
  expect([untilMs >= asked, untilMs <= systemClock.now()]).toEqual([true, true]);
  const again = (...flags: string[]) => command({}, "partners", "rotate", "hasty", ...flags);
  await expect(again()).rejects.toThrow(
    `hasty is in a rotation until ${first?.old_key_until}: the key from before it still signs too`,
  );
  await expect(again("--hours", "0")).rejects.toThrow(/ends that one at once, say --force$/);
  expect(await until()).toBe(first?.old_key_until);
  bankKey = String(added?.secret);
  expect(await verdicts({}, "hasty")).toEqual(["204 right", "401 wrong", "401 right"]);
  await again("--force");
  expect(await verdicts({}, "hasty")).toEqual(["401 wrong", "401 wrong", "401 right"]);
  bankKey = String(first?.secret);
  expect(await verdicts({}, "hasty")).toEqual(["204 right", "401 wrong", "401 right"]);
});

test("of two rotations at the same moment one counts, and the bank's key still signs", async () => {
  const [added] = await command({}, "partners", "add", "twice", "--url", url);
  await command({}, "partners", "set", "twice", "--events-url", `${url}/events`);
  const both = await Promise.allSettled([1, 2].map(() => command({}, "partners", "rotate", "twice")));
  expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  bankKey = String(added?.secret);
  expect(await verdicts({}, "twice")).toEqual(["204 right", "401 wrong", "401 right"]);
});

test("--hours 0 ends a key that leaked at once, and the next rotation is free", async () => {
  const [added] = await command({}, "partners", "add", "leaky", "--url", url);
  await command({}, "partners", "set", "leaky", "--events-url", `${url}/events`);
  bankKey = String(added?.secret);
  await command({}, "partners", "rotate", "leaky", "--hours", "0");
  expect(await verdicts({}, "leaky")).toEqual(["401 wrong", "401 right"]);
  const listed = await command({}, "partners", "list");
  expect(listed.find(({ id }) => id === "leaky")).toMatchObject({ old_key_until: null });
  await command({}, "partners", "rotate", "leaky");
});

test("the bank of PARTNER_ID: its key is tested, and rotating it here is refused as being without effect", async () => {
  bankKey = makeKey(systemRandom);
  const settings = { PARTNER_ID: "only-bank", PARTNER_URL: `${url}/fine//`, PARTNER_SECRET: bankKey };
  const [place] = places as [Place];
  const store = await place.open();
  await preparePartners(store, systemClock, { partner: { id: "only-bank" } });
  await command(settings, "partners", "set", "only-bank", "--events-url", `${url}/events`);
  seen.length = 0;
  expect(await verdicts(settings, "only-bank")).toEqual(["204 right", "401 right"]);
  expect(seen.slice(0, 2).map(({ path }) => path)).toEqual([
    "/fine/api/svc/startwithdrawal",
    "/fine/api/svc/settlewithdrawal",
  ]);
  await expect(command(settings, "partners", "rotate", "only-bank")).rejects.toThrow(
    /^to rotate only-bank here has no effect: its key is the setting PARTNER_SECRET/,
  );
  // Where the settings of the service are not at hand, both ways on are named.
  await expect(command({}, "partners", "rotate", "only-bank")).rejects.toThrow(/PARTNER_SECRET.*partners set-url/);
  await expect(command({}, "partners", "test", "only-bank")).rejects.toThrow(/PARTNER_ID.*partners set-url/);
  // A key of its own here is the one that signs.
  await command(settings, "partners", "set-url", "only-bank", url);
  expect(await command(settings, "partners", "rotate", "only-bank")).toMatchObject([{ id: "only-bank" }]);
});

test("a bank's stored addresses are called if they may be, with the key of no other bank, and through the proxy", async () => {
  const tried = (id: string, settings = {}) => command(settings, "partners", "test", id);
  await command({}, "partners", "add", "no-address");
  const bound = { PARTNER_ID: "another-bank", PARTNER_URL: url, PARTNER_SECRET: makeKey(systemRandom) };
  await expect(tried("no-address", bound)).rejects.toThrow(/^partner no-address has no key of its own/);
  await command({}, "partners", "add", "outside", "--url", "https://bank.example");
  const asked: (string | undefined)[] = [];
  server.on("connect", ({ url: address }, socket) => {
    asked.push(address);
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  const authorities = getCACertificates("default");
  const company = join(mkdtempSync(join(tmpdir(), "tillcash-authority-")), "company.pem");
  writeFileSync(company, companyAuthority);
  vi.stubEnv("NODE_EXTRA_CA_CERTS", company);
  await tried("outside", { HTTPS_PROXY: url });
  vi.unstubAllEnvs();
  rmSync(dirname(company), { recursive: true });
  expect(getCACertificates("default").map((one) => one.trim())).toContain(companyAuthority.trim());
  setDefaultCACertificates(authorities);
  expect(asked).toEqual(["bank.example:443", "bank.example:443"]);
  await command({}, "partners", "add", "changed", "--url", url);
  const inside = updatePartner("changed", { events_url: "http://169.254.169.254/latest" });
  await (await places[0]?.open())?.write((tx) => tx.first(inside));
  seen.length = 0;
  await expect(tried("changed")).rejects.toThrow(/^the address for events of partner changed must/);
  expect(seen).toEqual([]);
  const listed = (await command({}, "partners", "list")).find(({ id }) => id === "changed");
  expect(listed?.problem).toMatch(/^the address for events of partner changed must/);
});

test("a key that the bank made is set from PARTNER_SECRET, counts at once, and is checked as every key", async () => {
  await command({}, "partners", "add", "own-key", "--url", url);
  await command({}, "partners", "set", "own-key", "--events-url", `${url}/events`);
  bankKey = makeKey(systemRandom);
  expect(await verdicts({}, "own-key")).toEqual(["401 wrong", "401 right"]);
  // Neither key of a rotation signs beside it.
  await command({}, "partners", "rotate", "own-key");
  expect(await command({ PARTNER_SECRET: bankKey }, "partners", "set-key", "own-key")).toEqual([
    { id: "own-key", key: "set" },
  ]);
  expect(await verdicts({}, "own-key")).toEqual(["204 right", "401 right"]);
  const set = (settings: Record<string, string>, id: string) => command(settings, "partners", "set-key", id);
  await expect(set({}, "own-key")).rejects.toThrow(/^the key is missing/);
  await expect(set({ PARTNER_SECRET: sandboxKey }, "own-key")).rejects.toThrow(/published: everybody knows it$/);
  await expect(set({ PARTNER_SECRET: "whsec_c2hvcnQ=" }, "own-key")).rejects.toThrow(/at least 24 random bytes$/);
  await expect(set({ PARTNER_SECRET: sandboxKey }, "own-key")).rejects.toMatchObject({ fields: ["key"] });
  const spelled = { PARTNER_SECRET: "whsec_YSBrZXkgb2YgdGhpcyB0ZXN0LCAyNSBieXRlGB==" };
  await expect(set(spelled, "own-key")).rejects.toThrow(/must be base64 as an encoder writes it/);
  await command({}, "partners", "add", "keyless");
  await expect(set({ PARTNER_SECRET: bankKey }, "keyless")).rejects.toThrow(/has no key of its own.*partners set-url/);
  await expect(set({ PARTNER_SECRET: bankKey }, "nobody")).rejects.toThrow(/^there is no partner nobody/);
});

test.each([
  [10, " (its clock is 10 minutes ahead of ours: set the wrong one)"],
  [-10, " (its clock is 10 minutes behind ours: set the wrong one)"],
  [4, ""],
  [-4, ""],
])(
  "what a bank answers to a wrong key while its clock is %s minutes off has this beside it: %j",
  async (minutes, word) => {
    const id = `clock-${minutes}`;
    const [added] = await command({}, "partners", "add", id, "--url", url);
    await command({}, "partners", "set", id, "--events-url", `${url}/events`);
    bankKey = makeKey(systemRandom);
    bankDate = new Date(systemClock.now() + minutes * 60_000).toUTCString();
    expect(await verdicts({}, id)).toEqual([`401${word} wrong`, `401${word} right`]);
    bankDate = null;
    bankKey = String(added?.secret);
    expect(await verdicts({}, id)).toEqual(["204 right", "401 right"]);
  },
);

test("the addresses of both orders are rung beside the one for events: a dead base address is wrong, and so is a path that is not there", async () => {
  const rows = async (id: string) =>
    (await command({}, "partners", "test", id)).map(({ call, answer, verdict }) => [call, answer, verdict]);
  const pings = [
    ["signed ping", "204", "right"],
    ["wrongly signed ping", "401", "right"],
  ];
  const orders = (answer: string, verdict: string) => [
    ["wrongly signed ping", answer, verdict],
    ["wrongly signed ping", answer, verdict],
  ];
  const [added] = await command({}, "partners", "add", "split", "--url", url);
  bankKey = String(added?.secret);
  expect(await rows("split")).toEqual([...orders("401", "right"), ["signed ping", "no events address", "not tried"]]);
  await command({}, "partners", "set", "split", "--events-url", `${url}/events`);
  seen.length = 0;
  expect(await rows("split")).toEqual([...orders("401", "right"), ...pings]);
  expect(seen.map(({ path, body }) => [path, body.type])).toEqual([
    ["/api/svc/startwithdrawal", "ping"],
    ["/api/svc/settlewithdrawal", "ping"],
    ["/events", "ping"],
    ["/events", "ping"],
  ]);
  await command({}, "partners", "set-url", "split", `${url}/gone`);
  expect(await rows("split")).toEqual([...orders("404", "wrong"), ...pings]);
  await command({}, "partners", "set-url", "split", `${url}/closed`);
  expect(await rows("split")).toEqual([...orders("403", "right"), ...pings]);
  await command({}, "partners", "set", "split", "--events-url", `${url}/moved`);
  expect((await rows("split")).slice(2)).toEqual(pings.map(([call]) => [call, "302", "wrong"]));
  await command({}, "partners", "set", "split", "--events-url", `${url}/fine`);
  expect((await rows("split")).slice(2)).toEqual([
    ["signed ping", "200", "right"],
    ["wrongly signed ping", "200", "wrong"],
  ]);
  await command({}, "partners", "set", "split", "--events-url", `${url}/events`);
  await command({}, "partners", "set-url", "split", "http://127.0.0.1:9");
  expect(await rows("split")).toEqual([...orders("ECONNREFUSED", "wrong"), ...pings]);
});

test("a ping says when it was sent and how long its answer took, by a clock that may be put back meanwhile", async () => {
  const [added] = await command({}, "partners", "add", "timed", "--url", `${url}/fine`);
  bankKey = String(added?.secret);
  await command({}, "partners", "set", "timed", "--events-url", `${url}/chosen`);
  const store = await places[0]?.open();
  // As a release before may have kept it.
  await store?.write((tx) => tx.first(updatePartner("timed", { url: `${url}/fine//` })));
  let nowMs = systemClock.now();
  const clock = { ...systemClock, now: () => nowMs--, after: vi.fn(systemClock.after) };
  const closed = vi.spyOn(Agent.prototype, "destroy");
  onTestFinished(() => closed.mockRestore());
  const on = { store, clock, random: systemRandom, keys: testKeys, partner: null, proxy: null };
  seen.length = 0;
  const ping = (call: string, path: string, answer: string) => ({
    ...{ call, url: url + path, answer, took_ms: 0, verdict: "wrong" },
  });
  expect(await testPartner(on as unknown as CommandContext, "timed")).toEqual([
    ping("wrongly signed ping", "/fine/api/svc/startwithdrawal", "200"),
    ping("wrongly signed ping", "/fine/api/svc/settlewithdrawal", "200"),
    ping("signed ping", "/chosen", "300"),
    ping("wrongly signed ping", "/chosen", "300"),
  ]);
  // Whoever does not answer is waited for that long; and no connection is left open, be it by http or by https.
  expect(clock.after.mock.calls.map(([ms]) => ms)).toEqual([5_000, 5_000, 5_000, 5_000]);
  expect(closed).toHaveBeenCalledTimes(2);
  const sent = ["wrongly_signed_ping", "wrongly_signed_ping", "signed_ping", "wrongly_signed_ping"];
  expect(seen.map(({ body: { type }, signed, id }) => [signed, type, id])).toEqual(
    sent.map((call, at) => [
      expect.stringMatching(/^v1,.{44}$/),
      "ping",
      `ping_${Date.parse(seen[at]?.body.sent_at ?? "")}_${call}`,
    ]),
  );
});

test("five minutes are within what a bank takes, and a second more is not", async () => {
  await command({}, "partners", "add", "bound", "--url", url);
  bankKey = makeKey(systemRandom);
  const nowMs = Math.floor(systemClock.now() / 1_000) * 1_000;
  const clock = { ...systemClock, now: () => nowMs };
  const on = {
    store: await places[0]?.open(),
    clock,
    random: systemRandom,
    keys: testKeys,
    partner: null,
    proxy: null,
  };
  const word = async (byMs: number) => {
    bankDate = new Date(nowMs + byMs).toUTCString();
    return (await testPartner(on as unknown as CommandContext, "bound"))[0]?.answer;
  };
  expect(await word(300_000)).toBe("401");
  expect(await word(301_000)).toBe("401 (its clock is 5 minutes ahead of ours: set the wrong one)");
  bankDate = null;
});

test("every problem of a bank is named, listed on one line and said line by line", async () => {
  await command({}, "partners", "add", "damaged", "--url", url);
  const store = await places[0]?.open();
  const damaged = { url: "http://bank.example", events_url: "http://169.254.169.254", secret: "short" };
  await store?.write((tx) => tx.first(updatePartner("damaged", damaged)));
  const problems = [
    /^the address of partner damaged must be https/,
    /^the address for events of partner damaged must/,
    /^the key of partner damaged .*: partners rotate damaged$/,
  ].map((problem) => expect.stringMatching(problem));
  const listed = (await command({}, "partners", "list")).find(({ id }) => id === "damaged");
  expect(String(listed?.problem).split("; ")).toEqual(problems);
  const said = await command({}, "partners", "test", "damaged").catch((error: Error) => error.message.split("\n"));
  expect(said).toEqual(problems);
});

test("another address leaves a key that a rotation sets at the same moment", async () => {
  await command({}, "partners", "add", "moving", "--url", url);
  const store = await places[0]?.open();
  if (store === undefined) throw new Error("there is no place");
  const on = { store, clock: systemClock, random: systemRandom, keys: testKeys };
  let rotated: { readonly secret: string } | undefined;
  const write: typeof store.write = async (unit) => {
    rotated ??= await rotatePartner({ ...on, partner: null }, "moving", {});
    return store.write(unit);
  };
  await setPartnerUrl({ ...on, store: { ...store, write } }, "moving", `${url}/moved`);
  const row = await store.read((tx) => tx.first(partnerById({ id: "moving" })));
  expect(row).toMatchObject({ url: `${url}/moved`, secret: rotated?.secret });
});
