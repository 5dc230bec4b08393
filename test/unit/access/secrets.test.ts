/** Secrets as they are kept: what is right, what is not, and that every release goes on reading them. */
import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import {
  createSecretHasher,
  hashGeneratedSecret,
  makeSecret,
  serviceKeysFrom,
  verifyGeneratedSecret,
} from "../../../backend/access/secrets.ts";
import { systemRandom } from "../../../backend/adapters.ts";

const fixed = {
  bytes: (count: number) => new Uint8Array(count).fill(7),
  fraction: () => 0.5,
  id: () => "0".repeat(32),
};
const cheap = { N: 2, r: 1, p: 1 } as const;
const scryptHash = `scrypt$2$1$1$${"A".repeat(22)}$${"A".repeat(43)}`;

test("a generated secret has 256 bits, and its hash is salted and that of every release", () => {
  const secret = makeSecret(fixed);
  expect(Buffer.from(secret, "base64url")).toHaveLength(32);
  expect(hashGeneratedSecret(fixed, secret)).toBe(
    "sha256$BwcHBwcHBwcHBwcHBwcHBw$AsNQTXOMGsNdHs2_tJORNbC1GZ6mhjLSc17Av9Pt89M",
  );
  expect(hashGeneratedSecret(systemRandom, secret)).not.toBe(hashGeneratedSecret(systemRandom, secret));
});

test("a generated secret: right, wrong, unknown, or none of this kind", () => {
  const stored = hashGeneratedSecret(systemRandom, "secret");
  expect(verifyGeneratedSecret("secret", stored)).toBe(true);
  expect(verifyGeneratedSecret("Secret", stored)).toBe(false);
  expect(verifyGeneratedSecret("secret", null)).toBe(false);
  expect(verifyGeneratedSecret("secret", "sha256$salt$c2hvcnQ")).toBe(false);
  expect(verifyGeneratedSecret("secret", "sha256")).toBe(false);
  expect(verifyGeneratedSecret("secret", scryptHash)).toBeNull();
});

test("a chosen secret's hash is that of every release, and holds its cost", async () => {
  expect(await createSecretHasher(fixed, cheap).hash("sécret")).toBe(
    "scrypt$2$1$1$BwcHBwcHBwcHBwcHBwcHBw$NlRhOj7EhjWZGgOc2HM5xdpiDINS4_v8adsdhSRTx3E",
  );
});

test("it costs what OWASP asks for, as long as nobody says otherwise", async () => {
  expect(await createSecretHasher(fixed).hash("x")).toMatch(/^scrypt\$16384\$8\$5\$/);
});

test("a chosen secret is right in either form of its letters, and also where another cost made its hash", async () => {
  const made = createSecretHasher(systemRandom, { N: 4, r: 1, p: 1 });
  const secrets = createSecretHasher(systemRandom, cheap);
  const stored = await made.hash("s\u00e9cret");
  expect(await createSecretHasher(systemRandom, cheap).verify("se\u0301cret", stored)).toBe(true);
  for (let look = 0; look < 2; look += 1) {
    expect(await secrets.verify("s\u00e9cret", stored)).toBe(true);
    expect(await secrets.verify("se\u0301cret", stored)).toBe(true);
    expect(await secrets.verify("secret", stored)).toBe(false);
  }
  expect(await secrets.verify("s\u00e9cret", null)).toBe(false);
});

test("what no hasher of ours has made is no hash", async () => {
  const secrets = createSecretHasher(systemRandom, cheap);
  for (const stored of ["bcrypt$2$1$1$AAAA$AAAA", "scrypt$2$1$1", "scrypt$2$1$1$AAAA", ""])
    await expect(secrets.verify("x", stored)).rejects.toThrow("not a hash made by this program");
});

test("a secret that was right is known again without a place in the queue; a wrong one takes one", async () => {
  const secrets = createSecretHasher(systemRandom, cheap);
  const stored = await secrets.hash("right");
  const fill = () => Array.from({ length: 18 }, () => secrets.hash("other"));
  const first = fill();
  await expect(secrets.verify("right", stored)).rejects.toMatchObject({
    code: "too_many_requests",
    extra: { retryAfterSeconds: 1 },
  });
  await Promise.all(first);
  expect(await secrets.verify("right", stored)).toBe(true);
  const second = fill();
  expect(await secrets.verify("right", stored)).toBe(true);
  await expect(secrets.verify("wrong", stored)).rejects.toMatchObject({
    code: "too_many_requests",
    extra: { retryAfterSeconds: 1 },
  });
  await Promise.all(second);
});

test("the keys that are derived from SERVICE_KEY are those of every release", () => {
  const { audit, auditKeyId, history, enrolment, encryption } = serviceKeysFrom("a service key of the tests", true);
  const text = (key: Buffer | null) => key?.toString("base64url") ?? null;
  const historyKey = Buffer.from("eW-ScyYObmzEEH74b94d24yAOynhwlrTV9y_SM3V7WA", "base64url");
  expect(history("a row")).toBe(createHmac("sha256", historyKey).update("a row").digest("base64url"));
  expect([text(audit), auditKeyId, text(enrolment), text(encryption)]).toEqual([
    "WseRai7z-stU0xiqLSXa0Eul79XKx0e8INeCvYKFSLk",
    "98257638",
    "x4CQcttyYXiJSqF_XRT0J2ySUO_sJJt3CyS62ei-JRM",
    "0aLq7GvJvP2o6G0pjMWkOvKTpvnCp_erRxlejmvjz5c",
  ]);
  const stored = serviceKeysFrom("a service key of the tests", false);
  expect(stored.history("a row")).toBe(history("a row"));
  expect(stored).toEqual({
    audit,
    auditKeyId,
    history: expect.any(Function),
    enrolment,
    encryption: null,
  });
});
