/** Every page of the customer's phone as the service draws it, in one language. */
import { statuses } from "../../../backend/contract/transaction.ts";
import { homePage, scaPage } from "../../../backend/sandbox/pages.ts";
import { sandboxTexts } from "../../../backend/sandbox/texts.ts";
import { assetPaths, assets } from "../../../backend/websdk/assets.ts";
import { amountPage } from "../../../backend/websdk/pages/amount.ts";
import { type Markup, messagePage, page } from "../../../backend/websdk/pages/document.ts";
import { withdrawalPage } from "../../../backend/websdk/pages/withdrawal.ts";
import { chooseTexts } from "../../../backend/websdk/texts/language.ts";
import { type Language, languages } from "../../../backend/websdk/texts/languages.ts";

/** One state of the customer's page as a document of its own. */
export interface PhonePicture {
  readonly name: string;
  readonly html: string;
}

/** What the pages load besides themselves: their sheet and their script. */
export const phoneAssets = assets;

const shop = {
  id: "demo-shop",
  name: "Kaufhaus am Hauptbahnhof GmbH & Co. KG",
  currency: "EUR",
  amount_min: 1_000,
  amount_max: 50_000,
  amount_step: 1_000,
} as const;
const id = "7F3K9Q2MX4T8WZ0G";
const confirmedAtMs = 1_000_000;
const nowMs = confirmedAtMs + 9_000;

const mains = (language: Language): readonly (readonly [string, Markup])[] => {
  const texts = chooseTexts(language, undefined);
  const own = sandboxTexts[language];
  const amount = (typed: string, problem: string | null) =>
    amountPage({
      texts,
      action: "/withdrawal",
      backHref: "/back",
      checkin: { balance: 124_000, currency: "EUR" },
      shops: [shop],
      chosen: shop,
      search: { text: "", action: "/", again: false },
      typed,
      problem,
      after: "",
    });
  const withdrawal = (status: (typeof statuses)[number]) =>
    withdrawalPage({
      texts,
      row: {
        id,
        status,
        reason: null,
        amount: 25_000,
        currency: "EUR",
        expires_at: nowMs + 600_000,
        sca_expires_at: confirmedAtMs + 40_000,
        confirmed_at: confirmedAtMs,
        linked_at: status === "linked" ? confirmedAtMs + 60_000 : null,
      },
      isInDoubt: false,
      shopName: shop.name,
      nowMs,
      brand: "Demo Bank",
      liveHref: "/live",
      cancelAction: "/cancel",
      againHref: "/again",
      backHref: "/back",
      scaHref: "/sca",
    });
  const at = (ms: number): string => new Date(ms).toISOString();
  const transaction = {
    transaction_id: id,
    status: "awaiting_sca",
    confirmed_at: at(confirmedAtMs),
    sca_expires_at: at(confirmedAtMs + 40_000),
  };
  const sca = scaPage({
    texts,
    own,
    transaction: transaction as Parameters<typeof scaPage>[0]["transaction"],
    hold: { shop: shop.name, amount: 25_000, currency: "EUR" } as Parameters<typeof scaPage>[0]["hold"],
    nowMs,
    action: "/sca",
    liveHref: "/live",
    backHref: "/back",
  });
  return [
    ["amount", amount("", null)],
    ["amount-problem", amount("7", texts.amountTooSmall("€10"))],
    ...statuses.map((status) => [`withdrawal-${status}`, withdrawal(status)] as const),
    ["bank-approval", sca],
    ["link-used", messagePage(texts.linkUsed, { href: "/", text: texts.reload })],
    ["unavailable", messagePage(texts.unavailable)],
    ["sandbox-home", homePage({ scaSeconds: 37, own, language, basePath: "", returnedWith: null })],
  ];
};

/** Every state that a withdrawal can show, and the pages around it. */
export const phonePages = async (language: Language): Promise<readonly PhonePicture[]> => {
  const texts = chooseTexts(language, undefined);
  const otherLanguages = languages.filter((code) => code !== language).map((code) => ({ code, href: `?lang=${code}` }));
  const frame = { texts, basePath: "", otherLanguages, assets: assetPaths, sandboxHref: "/sandbox" };
  return Promise.all(
    mains(language).map(async ([name, main]) => ({
      name: `phone-${name}`,
      html: String(await page(frame, { title: name, brand: "Demo Bank", main })),
    })),
  );
};
