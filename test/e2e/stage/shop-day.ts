/** What the story of a shop's day does again and again: setting up, signing in, saving a file. */
import { expect, type Page } from "@playwright/test";
import en from "../../../renderer/texts/en/screens.json" with { type: "json" };
import type { VirtualPrinter } from "../../printer/virtual-printer.ts";
import { managerPin } from "./set-up.ts";

const pins = { Bo: "4829", Jo: "7305" } as const;

/** What a manager sets: who works here, the printer, the customer's copy, the drawer's money. */
export const setUp = async (page: Page, printer: VirtualPrinter): Promise<readonly unknown[]> => {
  const done = Promise.withResolvers<void>();
  // The page signs a manager out who has no area open: not before all is set.
  await page.route("**/bridge/dispatch", async (route) => {
    if ((route.request().postDataJSON() as { type: string }).type === "sign_out") await done.promise;
    await route.continue();
  });
  const refused = await page.evaluate(
    async ([port, manager, cashiers]) => {
      const session = { authorization: `Bearer ${localStorage.getItem("till-session")}` };
      const events = await fetch("/bridge/events", { headers: session });
      const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
      let first = "";
      while (!/data: .*\n\n/.test(first)) first += (await reader?.read())?.value ?? "";
      await reader?.cancel();
      const { settings } = JSON.parse(/data: (.*)/.exec(first)?.[1] ?? "") as { settings: object };
      const paper = { model: "generic", columns: 48, codePage: "auto", receipts: "customer" };
      const changed = {
        ...settings,
        people: { cashiersSignIn: true, lockAfterMinutes: 60, notHandedOutBy: "manager" },
        printer: { kind: "network", host: "127.0.0.1", port, ...paper },
        drawerMoney: { enabled: true, managerFor: ["cash_moves", "expected"] },
      };
      const commands = [
        { type: "set_manager_pin", name: "Ida", pin: manager },
        ...Object.entries(cashiers).map(([name, pin]) => {
          return { type: "save_person", person: null, name, role: "cashier", pin };
        }),
        { type: "change_settings", settings: changed },
      ];
      const send = async (command: object): Promise<{ ok: boolean; code?: string }> => {
        const answer = await fetch("/bridge/dispatch", {
          method: "POST",
          headers: { ...session, "content-type": "application/json" },
          body: JSON.stringify(command),
        });
        return answer.json();
      };
      const refused: unknown[] = [];
      for (const command of commands) {
        let reply = await send(command);
        if (reply.code === "manager_needed") {
          await send({ type: "sign_in", person: "M1", pin: manager, as: "manager" });
          reply = await send(command);
        }
        if (!reply.ok) refused.push([command.type, reply]);
      }
      return refused;
    },
    [printer.port, managerPin, pins] as const,
  );
  done.resolve();
  await page.unrouteAll({ behavior: "wait" });
  return refused;
};

/** A PIN as a person types it: a scanner's burst would be a barcode. */
export const typePin = async (page: Page, pin: string): Promise<void> => {
  await expect(page.getByLabel(en.people.pin, { exact: true })).toBeFocused();
  await page.keyboard.type(pin, { delay: 120 });
  await page.keyboard.press("Enter");
};

/** At the lock screen. */
export const signIn = async (page: Page, name: keyof typeof pins): Promise<void> => {
  await expect(page.getByRole("heading", { level: 1, name: en.people.lockTitle })).toBeVisible();
  await page.getByRole("radio", { name }).click();
  await typePin(page, pins[name]);
};

/** The file behind a button. */
export const saved = async (page: Page, name: string): Promise<string> => {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name, exact: true }).click(),
  ]);
  return Buffer.concat((await (await download.createReadStream()).toArray()) as Buffer[]).toString();
};
