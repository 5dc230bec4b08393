/** The signing examples of docs/examples, as modules and as programs, against another implementation of Standard Webhooks. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Webhook } from "svix";
import { afterAll, describe, expect, test } from "vitest";
import { sign, verify } from "../../docs/examples/verify.ts";

const root = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "tillcash-signing-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the signing examples agree with another implementation", () => {
  const key = `whsec_${Buffer.from("thirty-two random bytes of a key").toString("base64")}`;
  const body = '{"amount":"50.00","store":"Café \\"Zum Eck\\""}';
  const now = new Date();
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const right = new Webhook(key).sign("settle_1", now, body);

  test("TypeScript", () => {
    expect(sign(key, "settle_1", timestamp, body)).toBe(right);
    const headers = { "webhook-id": "settle_1", "webhook-timestamp": timestamp, "webhook-signature": right };
    expect(verify(key, headers, body, now.getTime())).toBe(true);
    expect(verify(key, { ...headers, "webhook-signature": `v1,AAAA ${right}` }, body, now.getTime())).toBe(true);
    expect(verify(key, headers, `${body} `, now.getTime())).toBe(false);
    expect(verify(key, headers, body, now.getTime() + 301_000)).toBe(false);
  });

  const has = (program: string) => spawnSync(program, ["--version"]).status === 0;
  const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
  const programs: [string, boolean, string[]][] = [
    ["Node", true, [process.execPath, "docs/examples/verify.ts"]],
    ["Python", has("python3"), ["python3", "docs/examples/verify.py"]],
    ["shell", hasOpenssl, ["sh", "docs/examples/verify.sh"]],
    ["bash", hasOpenssl, ["bash", "docs/examples/verify.sh"]],
  ];
  for (const [name, isThere, [program = "", ...rest]] of programs) {
    const run = (at: string, signature: string, input: string) =>
      spawnSync(program, [...rest, key, "settle_1", at, signature], { cwd: root, input }).status;
    test.runIf(isThere)(`${name} as a program`, () => {
      expect(run(timestamp, right, body)).toBe(0);
      expect(run(timestamp, `v1,AAAA ${right}`, body)).toBe(0);
      expect(run(timestamp, right, `${body} `)).toBe(1);
      expect(run(timestamp, `v1,${"A".repeat(43)}=`, body)).toBe(1);
      expect(run(String(Number(timestamp) - 301), right, body)).toBe(1);
      // A stranger writes what he likes there: it is refused before anything reads it as more than digits.
      const trace = join(folder, `${name}-was-here`);
      for (const at of ["", "now", "1e9", `a[$(touch ${trace})]`, "9".repeat(40)])
        expect([at, run(at, right, body)]).toEqual([at, 1]);
      expect(existsSync(trace)).toBe(false);
    });
  }
});
