/** Where a bank may be called, with which keys, and how its keys are kept. */
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { systemRandom } from "../../../backend/adapters.ts";
import type { BoundPartner } from "../../../backend/context.ts";
import {
  createKeyCipher,
  guideKey,
  isSealed,
  keyProblem,
  makeKey,
  newKeyProblem,
  plainKeys,
  sandboxKey,
} from "../../../backend/partner/keys.ts";
import {
  addressProblem,
  oldKeyUntil,
  type Partner,
  partnerAddress,
  signingKeys,
} from "../../../backend/partner/partners.ts";
import { calendarOf, signedHeaders, webhookOf } from "../../../backend/partner/send.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";

test.each([
  ["https://bank.example/api", null, null],
  ["http://localhost:8080", null, null],
  ["http://bank.example", /must be https/, null],
  ["bank.example", /begins with https/, /begins with https/],
  ["ftp://bank.example", /begins with https/, /begins with https/],
  ["https://me@bank.example", /a user or a password/, /a user or a password/],
  ["https://:word@bank.example", /a user or a password/, /a user or a password/],
  ["https://bank.example/?a=b", /must not hold \? or #/, /must not hold \? or #/],
  ["https://bank.example/#a", /must not hold \? or #/, /must not hold \? or #/],
  ["https://169.254.169.254/", /where no bank can be/, /where no bank can be/],
])("the address %s", (address, live, sandbox) => {
  const [problem, inSandbox] = [addressProblem(address, false), addressProblem(address, true)];
  if (live === null) expect(problem).toBeNull();
  else expect(problem).toMatch(live);
  if (sandbox === null) expect(inSandbox).toBeNull();
  else expect(inSandbox).toMatch(sandbox);
});

/** Where clouds answer with a machine's credentials, in every spelling that leads there. */
test.each([
  ...[
    "metadata",
    "METADATA.google.internal",
    "metadata.goog",
    "Metadata.Goog.",
    "instance-data",
    "instance-data.ec2.internal",
  ],
  ...["instance-data.EC2.internal.", "metadata.tencentyun.com", "metadata.azure.internal", "metadata.goog.."],
  ...["169.254.170.2", "169.254.169.254.", "0xa9fea9fe", "2852039166", "0251.0376.0251.0376", "169.254.43518"],
  ...["100.100.100.200", "100.100.100.200.", "168.63.129.16", "192.0.0.192"],
  ...["[fd00:ec2::254]", "[FD20:CE::254]", "[fd20:ce:0:0:0:0:0:254]", "[fe80::a9fe:a9fe]", "[fe80::1]"],
  ...["[::a9fe:a9fe]", "[::169.254.169.254]", "[::ffff:169.254.169.254]", "[::FFFF:a9fe:a9fe]", "[::ffff:0:a9fe:a9fe]"],
  ...[
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b:1::a9fe:a9fe]",
    "[64:ff9b:1:a9fe:a9:fe00::]",
    "[64:ff9b:1:ffff::169.254.169.254]",
  ],
  ...[
    "[2002:a9fe:a9fe::]",
    "[2002:a9fe:a9fe::1]",
    "[::6464:64c8]",
    "[::ffff:100.100.100.200]",
    "[64:ff9b:1::6464:64c8]",
  ],
])("no bank is at %s", (host) => {
  expect(addressProblem(`https://${host}/latest`, false)).toMatch(/where no bank can be/);
});

test.each([
  ...["bank.example", "metadata.bank.example", "goog", "8.8.8.8", "100.100.100.201", "[::1]", "127.0.0.1", "10.1.2.3"],
  ...["[2001:db8::1]", "[fd12::254]", "[::ffff:8.8.8.8]", "[64:ff9c::1]"],
])("a bank may be at %s", (host) => {
  expect(addressProblem(`https://${host}/api`, false)).toBeNull();
});

const keyOf = (bytes: readonly number[]) => `whsec_${Buffer.from(bytes).toString("base64")}`;
const counting = (count: number) => keyOf(Array.from({ length: count }, (_, n) => n));
test.each([
  [counting(24), null],
  [counting(64), null],
  [counting(23), /at least 24/],
  [counting(65), /at most 64/],
  ["whsec_", /at least 24/],
  ["x", /whsec_ and base64/],
  [counting(24).slice(6), /whsec_ and base64/],
  [` ${counting(24)}`, /whsec_ and base64/],
  [`${counting(24)}\n`, /whsec_ and base64/],
  [`whsec_${"*".repeat(32)}`, /whsec_ and base64/],
  [counting(25).slice(0, -1), /whsec_ and base64/],
  [keyOf(Array.from({ length: 24 }, (_, n) => n % 7)), /must be random/],
  [keyOf(Array.from({ length: 24 }, (_, n) => n % 8)), null],
  [counting(25).replace(/.==$/, "B=="), /the last character before the =/],
  [sandboxKey, /everybody knows it/],
  [guideKey, /everybody knows it/],
])("the key %s", (key, problem) => {
  const found = newKeyProblem(key, false);
  if (problem === null) expect(found).toBeNull();
  else expect(found).toMatch(problem);
});

test("a published key is fine in the sandbox; a stored one goes on however long or spelled", () => {
  expect(keyProblem(guideKey.replace(/E=$/, "F="), false)).toMatch(/everybody knows it/);
  for (const key of [sandboxKey, guideKey])
    expect([keyProblem(key, true), newKeyProblem(key, true)]).toEqual([null, null]);
  expect(keyProblem("x", true)).toMatch(/whsec_/);
  for (const key of [counting(65), counting(25).replace(/.==$/, "B==")]) expect(keyProblem(key, false)).toBeNull();
});

test("a made key is strong, and another one each time", () => {
  const [one, two] = [makeKey(systemRandom), makeKey(systemRandom)];
  expect([newKeyProblem(one, false), one === two]).toEqual([null, false]);
  expect(Buffer.from(one.slice(6), "base64")).toHaveLength(32);
});

const encryption = Buffer.alloc(32, 1);
test("a key at rest is read by its SERVICE_KEY for its bank alone, as every release has sealed it", () => {
  const cipher = createKeyCipher(encryption, { ...systemRandom, bytes: (count) => new Uint8Array(count).fill(7) });
  const sealed = cipher.seal("bank", "the key");
  expect(sealed).toBe("sealed1:BwcHBwcHBwcHBwcHSANytt6KJw7BBo9SHmqjRvmbj4Rky8g");
  expect([isSealed(sealed), cipher.open("bank", sealed)]).toEqual([true, "the key"]);
  expect(() => cipher.open("other-bank", sealed)).toThrow(/key of partner other-bank cannot be read/);
  expect(() => createKeyCipher(Buffer.alloc(32, 2), systemRandom).open("bank", sealed)).toThrow(/cannot be read/);
  const cut = `${sealed.slice(0, -1)}${sealed.endsWith("A") ? "B" : "A"}`;
  expect(() => cipher.open("bank", cut)).toThrow(/cannot be read/);
  for (const length of [0, 12, 16, 27])
    expect(() => cipher.open("bank", `sealed1:${Buffer.alloc(length).toString("base64url")}`)).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/key of partner bank/), cause: expect.any(Error) }),
    );
  // A tag that was cut to four bytes is one that can be guessed.
  const guessable = Buffer.from(cipher.seal("bank", "").slice("sealed1:".length), "base64url").subarray(0, 16);
  expect(() => cipher.open("bank", `sealed1:${guessable.toString("base64url")}`)).toThrow(/cannot be read/);
  const usual = createKeyCipher(encryption, systemRandom);
  expect(usual.seal("bank", "the key")).not.toBe(usual.seal("bank", "the key"));
  expect(usual.open("bank", sealed)).toBe("the key");
  expect(createKeyCipher(Buffer.alloc(32, 2), systemRandom, [encryption]).open("bank", sealed)).toBe("the key");
});

test("without SERVICE_KEY keys are as they are, and sealed ones are refused", () => {
  const plain = createKeyCipher(null, systemRandom);
  expect([plain.seal("bank", "the key"), plain.open("bank", "the key")]).toEqual(["the key", "the key"]);
  expect(() => plain.open("bank", "sealed1:x")).toThrow(/SERVICE_KEY is missing/);
  expect(createKeyCipher(encryption, systemRandom).open("bank", "the key")).toBe("the key");
});

const bound: BoundPartner = { url: "https://bound", secret: "bound secret" };
const options = {
  isSandbox: true,
  boundPartners: new Map([["bank", bound]]),
  keyCipher: { open: (id: string, key: string) => `${id}:${key}` },
};
const row = (changes: Partial<Partner>): Partner => ({
  id: "bank",
  url: "https://own",
  secret: "own",
  slots: null,
  answers: null,
  events_url: null,
  sca_url: null,
  previous_secret: null,
  previous_secret_until: null,
  user_day_max: null,
  user_day_currency: null,
  ...changes,
});

test("a bank's own address and key go before what is bound to its name; another bank's never count", () => {
  const own = { url: "https://own", secret: "bank:own" };
  expect(partnerAddress(options, "bank", row({}))).toEqual(own);
  for (const lacking of [undefined, row({ url: null }), row({ secret: null }), row({ url: "" })]) {
    expect(partnerAddress(options, "bank", lacking)).toEqual(bound);
    expect(partnerAddress(options, "other-bank", lacking)).toBeNull();
  }
});

test("the key before signs beside the one in use, until the rotation ends, and only where there is one", () => {
  const rotated = row({ previous_secret: "old", previous_secret_until: 100 });
  expect(signingKeys(options, bound, rotated, 99)).toEqual(["bound secret", "bank:old"]);
  for (const [other, now] of [
    [rotated, 100],
    [row({}), 0],
    [row({ previous_secret_until: 100 }), 0],
    [row({ previous_secret: "old" }), 0],
    [undefined, 0],
  ] as const)
    expect(signingKeys(options, bound, other, now)).toEqual(["bound secret"]);
  const unread = { ...options, keyCipher: createKeyCipher(encryption, systemRandom) };
  expect(signingKeys(unread, bound, { ...rotated, previous_secret: "sealed1:x" }, 99)).toEqual(["bound secret"]);
  expect([oldKeyUntil(rotated, 99), oldKeyUntil(rotated, 100), oldKeyUntil(row({}), 0)]).toEqual([100, null, null]);
  expect(oldKeyUntil(row({ previous_secret_until: 100 }), 0)).toBeNull();
});

test("a call is signed under each key, over its id, its time and its body, plain text being the key itself", () => {
  const [whsec, text] = [makeKey(systemRandom), "a plain text"];
  const nowMs = Date.now();
  const headers = signedHeaders([whsec, text], "settle_1", nowMs, "{}");
  expect(headers).toMatchObject({
    "content-type": "application/json",
    "user-agent": expect.stringMatching(/^Tillcash\/\d/),
    "webhook-id": "settle_1",
    "webhook-timestamp": String(Math.floor(nowMs / 1_000)),
  });
  expect(headers["webhook-signature"]?.split(" ")).toHaveLength(2);
  for (const key of [whsec, text]) {
    expect(webhookOf(key).verify("{}", headers)).toEqual({});
    expect(() => webhookOf(key).verify("[]", headers)).toThrow();
  }
  expect(() => webhookOf(makeKey(systemRandom)).verify("{}", headers)).toThrow();
});

test.each([
  ["whsec_ and base64", (bytes: Uint8Array) => `whsec_${Buffer.from(bytes).toString("base64")}`, (key: string) => key],
  ["text", (bytes: Uint8Array) => Buffer.from(bytes).toString("hex"), (key: string) => Buffer.from(key)],
])("a key that is %s is read as every receiver reads it", (_, keyOf, asReceived) => {
  const key = keyOf(systemRandom.bytes(32));
  const headers = signedHeaders([key], "id", Date.now(), "{}");
  const read = asReceived(key);
  const receiver = typeof read === "string" ? new Webhook(read) : new Webhook(read, { format: "raw" });
  expect(receiver.verify("{}", headers)).toEqual({});
});

test("a bank compares with the calendar, where the clock has one", () => {
  const clock = new VirtualClock(5);
  expect(calendarOf(clock)).toBe(5);
  expect(calendarOf(Object.assign(new VirtualClock(5), { calendar: () => 7 }))).toBe(7);
});

test("plain keys are what there is without a cipher", () => {
  expect(plainKeys.seal("bank", "key")).toBe("key");
});
