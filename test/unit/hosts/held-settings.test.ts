/** A settings file that was changed by hand moves no drawer: the devices follow what the journal holds. */
import { mkdtempSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { openJournalKeys } from "../../../main/host/secrets.ts";
import { openSettingsFile } from "../../../main/host/settings-file.ts";
import { createNodePorts } from "../../../main/terminal/node-ports.ts";
import { createTerminal } from "../../../main/terminal/terminal.ts";
import { counterActor } from "../../../main/terminal/withdrawal/inputs.ts";
import { settingsSchema } from "../../../preload/contract.ts";

/** A printer's port that counts who comes. */
const listen = async () => {
  let came = 0;
  const server = createServer((socket) => {
    came += 1;
    socket.on("error", () => {}).resume();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { port: address.port, came: () => came, close: () => server.close() };
};

test("the drawer's kick goes where the manager said, not where the file was changed to", async () => {
  const files = mkdtempSync(path.join(tmpdir(), "held-"));
  const settings = openSettingsFile(files, () => {});
  const [manager, thief] = [await listen(), await listen()];
  const drawerAt = (port: number) => ({
    ...settings.load(),
    drawer: {
      kind: "network",
      host: "127.0.0.1",
      port,
      sensor: false,
      pulse: { pin: 2, onMs: 50, offMs: 250 },
    } as const,
  });
  const credential = { serviceUrl: "http://127.0.0.1:9", merchantId: "m", deviceId: "d", secret: "s" };
  const start = async () => {
    const ports = createNodePorts({
      journalPath: path.join(files, "journal.db"),
      journalKeys: await openJournalKeys(files, null),
      secrets: { load: () => credential, save: async () => true },
      settings,
      shop: { load: () => null, save: () => {} },
      training: false,
      hasEarlierLife: false,
      log: () => {},
    });
    const terminal = await createTerminal(ports);
    terminal.start();
    return { ports, terminal };
  };
  settings.save(drawerAt(manager.port));
  await (await start()).terminal.close();
  settings.save(drawerAt(thief.port));
  const { ports, terminal } = await start();
  await ports.drawer.open();
  await terminal.close();
  manager.close();
  thief.close();
  expect([manager.came(), thief.came()]).toEqual([1, 0]);
});

test("the printer that was just chosen is the one that prints", async () => {
  const files = mkdtempSync(path.join(tmpdir(), "held-"));
  const settings = openSettingsFile(files, () => {});
  const chosen = await listen();
  const ports = createNodePorts({
    journalPath: path.join(files, "journal.db"),
    journalKeys: await openJournalKeys(files, null),
    secrets: { load: () => null, save: async () => true },
    settings,
    shop: { load: () => null, save: () => {} },
    training: true,
    hasEarlierLife: false,
    log: () => {},
  });
  const terminal = await createTerminal(ports);
  terminal.start();
  const { printer } = settingsSchema.parse({ printer: { kind: "network", host: "127.0.0.1", port: chosen.port } });
  const changed = { type: "change_settings", settings: { ...settings.load(), printer } } as const;
  expect(await terminal.dispatch(changed, counterActor)).toEqual({ ok: true });
  const printed = ports.printer.print([]);
  await expect.poll(chosen.came).toBe(1);
  chosen.close();
  await printed;
  await terminal.close();
});
