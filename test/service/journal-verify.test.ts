/** `npm run journal -- verify --against-service` with the built service: a journal that was put back or cut shows, however sound it is in itself. */
import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openCredentialFile, openJournalKeys } from "../../main/host/secrets.ts";
import { createClock } from "../../main/terminal/adapters.ts";
import { openNodeDatabase } from "../../main/terminal/journal/database.ts";
import { openJournal } from "../../main/terminal/journal/journal.ts";
import { createServiceClient } from "../../main/terminal/service/client.ts";
import { createKyTransport } from "../../main/terminal/service/transport.ts";
import { ensureBuilt } from "../runner/built.ts";
import { type BackendProcess, startBackend } from "./backend-process.ts";

const folder = mkdtempSync(join(tmpdir(), "journal-verify-"));
const path = join(folder, "journal.db");
let service: BackendProcess;

beforeAll(async () => {
  await ensureBuilt();
  service = await startBackend({ SANDBOX: "1", DATABASE_URL: `sqlite:${join(folder, "service.db")}` });
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = promisify(execFile);
const verify = (...args: string[]): Promise<{ stdout: string; stderr: string; code?: number }> =>
  run(process.execPath, ["main/journal-tool/cli.ts", "verify", "--data", folder, ...args]).catch((error) => error);

/** As a developer: that service has no certificate. */
const againstService = ["--against-service", "--allow-plain-http"] as const;

test("the links that the service was given are compared, one by one", async () => {
  const credential = { serviceUrl: service.url, merchantId: "demo-shop", deviceId: "till-1", secret: "till-secret" };
  expect((await verify("--against-service")).stderr).toContain("There is no journal");
  const secrets = await openCredentialFile(folder, () => undefined, null);
  await secrets.save(credential, () => true);
  const clock = createClock();
  const client = createServiceClient({
    clock,
    transport: createKyTransport(clock, { takesSandbox: true, takesPlainHttp: true }),
    secrets,
  });
  const journal = openJournal(path, 0, "write", openNodeDatabase, await openJournalKeys(folder, null));
  const report = async (): Promise<number> => {
    const head = journal.head();
    if (head === null) throw new Error("the journal is empty");
    const answer = await client.reportJournalHead(head);
    return answer.kind === "answer" ? answer.status : 0;
  };
  journal.append(clock.now(), ['{"n":1}']);
  expect(await report()).toBe(201);
  journal.close();
  copyFileSync(path, join(folder, "copy.db"));
  const later = openJournal(path, 0, "write", openNodeDatabase, await openJournalKeys(folder, null));
  later.append(clock.now(), ['{"n":2}', '{"n":3}']);
  const head = later.head();
  later.close();
  expect(head === null ? null : await client.reportJournalHead(head)).toMatchObject({ status: 201 });
  expect(await verify("--against-service")).toMatchObject({ code: 2, stderr: expect.stringContaining("plain http") });
  const sound = await verify(...againstService);
  expect(sound.stdout).toContain("4 sound entries, 0 damaged");
  expect(sound.stdout).toContain("2 links compared with the service, 0 wrong");

  copyFileSync(join(folder, "copy.db"), path);
  expect((await verify()).stdout).toContain("2 sound entries, 0 damaged");
  const old = await verify(...againstService);
  expect(old).toMatchObject({ code: 1, stdout: expect.stringContaining("entry 4: missing; the service has its link") });

  const forked = openJournal(path, 0, "write", openNodeDatabase, await openJournalKeys(folder, null));
  forked.append(clock.now(), ['{"n":"other"}', '{"n":"other"}']);
  const other = forked.head();
  forked.close();
  expect(other === null ? null : await client.reportJournalHead(other)).toMatchObject({
    status: 409,
    body: { code: "journal_forked" },
  });
  expect(await verify(...againstService)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("entry 4: not the one the service was told of"),
  });
  await service.stop();
  expect(await verify(...againstService)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("did not answer"),
  });
});
