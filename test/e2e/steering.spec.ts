/** The sandbox's steering amounts at the till: each one with the screen that a cashier gets; that of 07 cents is in `job/other-ends.spec.ts`. */
import en from "../../renderer/texts/en/screens.json" with { type: "json" };
import { expect, test } from "./stage/shop.ts";
import type { TillPage } from "./stage/till-page.ts";

const handedOut = async (till: TillPage): Promise<void> => {
  await till.shows("payable");
  await till.handOver();
  await till.shows("done");
};

const cases: readonly {
  readonly amount: string;
  readonly what: string;
  readonly approves: boolean;
  readonly end: (till: TillPage) => Promise<void>;
}[] = [
  { amount: "20.00", what: "is approved and settles", approves: true, end: handedOut },
  {
    amount: "20.02",
    what: "is declined at Settle order",
    approves: true,
    end: async (till) => {
      await till.showsEnd("settle_declined");
      await till.press(en.ended.nextCustomer);
    },
  },
  { amount: "20.03", what: "is answered after 8 s", approves: true, end: handedOut },
  { amount: "20.04", what: "fails three times, then settles", approves: true, end: handedOut },
  { amount: "20.05", what: "loses the answer after booking", approves: true, end: handedOut },
  { amount: "20.06", what: "is approved by itself", approves: false, end: handedOut },
  { amount: "20.08", what: "needs no approval", approves: false, end: handedOut },
];

/** Those with a slow bank apart, so that they do not wait one after the other. */
const isSlow = ({ amount }: (typeof cases)[number]): boolean => ["20.03", "20.04"].includes(amount);

for (const some of [cases.filter(isSlow), cases.filter((one) => !isSlow(one))])
  test(`the bank steered by ${[...some.map(({ amount }) => amount), ...(some.some(isSlow) ? [] : ["20.01"])].join(", ")}`, async ({
    openShop,
  }) => {
    test.slow();
    const shop = await openShop();
    const till = await shop.openTill();
    for (const { amount, what, approves, end } of some)
      await test.step(`${amount} ${what}`, async () => {
        const { transaction_id: id } = await shop.bank.request(amount);
        await till.scan(id);
        await till.press(en.review.confirm);
        if (approves) {
          await till.shows("approval");
          expect(await shop.bank.decideSca(id, "approved")).toBe(201);
        }
        await end(till);
        const paid = (await shop.bank.payments()).filter((payment) => payment.reference === id);
        expect(paid).toHaveLength(amount === "20.02" ? 0 : 1);
        const finding = amount === "20.02" ? "closed" : "matched";
        await expect.poll(async () => (await shop.bank.report()).get(id)?.finding).toBe(finding);
      });
    if (some.some(isSlow)) return;
    await test.step("20.01 is declined before a barcode exists; scanned nevertheless, it gives no cash", async () => {
      const { transaction_id: id, status } = await shop.bank.request("20.01");
      expect(status).toBe("declined");
      await till.scan(id);
      await till.showsEnd("declined");
      await till.tone("nothing");
    });
  });
