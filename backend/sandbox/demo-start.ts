/** Plays the bank and the customer's browser up to the code: check-in, link, amount. Through the public calls only. */

import { sandboxHomePath } from "../websdk/sandbox-links.ts";
import type { BankClient, Fetch } from "./bank-client.ts";
import { demoBank, demoShop } from "./demo.ts";

const demoBrand = "Demo Bank";
const demoCustomer = "demo-customer";
const demoBalance = "1250.00";
/** Where a service that is neither https nor on loopback sends the customer back to: nobody is there. */
const nowhere = "https://bank.example/";

/** A demo withdrawal that was begun. */
export interface Started {
  /** A path of ours. */
  readonly location: string;
  readonly cookies: readonly string[];
}

/** A fresh `destination_url`, as the path and query of it. */
export const checkInDemo = async (bank: BankClient, publicUrl: string, referenceId: string): Promise<string> => {
  const checkIn = (urlBack: string) =>
    bank.post("/api/v7/partnerCheckin", {
      referenceId,
      additionalData: {
        brand: demoBrand,
        userId: demoCustomer,
        balance: demoBalance,
        currency: demoShop.currency,
        urlBack,
      },
    });
  const first = await checkIn(publicUrl + sandboxHomePath);
  const reply = first.status === 400 ? await checkIn(nowhere) : first;
  if (reply.status !== 200) throw new Error(`${demoBank.key.ownerId} could not check a customer in: ${reply.status}`);
  const { destination_url } = (await reply.json()) as { destination_url: string };
  return destination_url.slice(publicUrl.length);
};

/** Opens the link and asks for the amount, as a browser would; the cookies go to the real one. */
export const startDemo = async (fetch: Fetch, publicUrl: string, link: string, amount: string): Promise<Started> => {
  const { origin, pathname } = new URL(publicUrl);
  const opened = await fetch(new Request(origin + link));
  if (opened.status !== 303) throw new Error(`a fresh link did not open: ${opened.status}`);
  const cookies = opened.headers.getSetCookie();
  const location = (opened.headers.get("location") ?? "").slice(pathname.replace(/\/+$/, "").length);
  const cookie = cookies.map((each) => each.split(";")[0]).join("; ");
  await fetch(
    new Request(`${origin}${location}/withdrawal`, {
      method: "POST",
      headers: { origin, cookie, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ after: "", amount, store: demoShop.id }),
    }),
  );
  return { location, cookies };
};
