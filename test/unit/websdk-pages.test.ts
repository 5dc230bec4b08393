/** Every status has words, a look and a way on, in each language; the browser's script stands on its own. */
import { describe, expect, test } from "vitest";
import { reasons } from "../../backend/contract/reasons.ts";
import { type Status, statuses } from "../../backend/contract/transaction.ts";
import { scriptAsset } from "../../backend/websdk/assets.ts";
import { readAmount } from "../../backend/websdk/browser.ts";
import { amountPage, amountRules, problemTexts } from "../../backend/websdk/pages/amount.ts";
import { decimalSign, moneyText, shortMoneyText } from "../../backend/websdk/pages/document.ts";
import { statusMessageOf, withdrawalPage } from "../../backend/websdk/pages/withdrawal.ts";
import { en } from "../../backend/websdk/texts/en.ts";
import { chooseTexts } from "../../backend/websdk/texts/language.ts";
import { languages } from "../../backend/websdk/texts/languages.ts";

const viewOf = (status: Status) => ({
  row: {
    id: "7F3K9Q2MX4T8WZ0G",
    status,
    reason: null,
    amount: 5_000,
    currency: "EUR",
    expires_at: 900_000,
    sca_expires_at: 40_000,
    confirmed_at: 0,
    linked_at: status === "linked" ? 60_000 : null,
  },
  isInDoubt: false,
  shopName: "Demo Shop",
  nowMs: 10_000,
  brand: "Demo Bank",
  liveHref: "/live",
  cancelAction: "/cancel",
  againHref: null,
  backHref: "https://bank.example/",
  scaHref: null,
});

describe.each(languages.map((code) => chooseTexts(code, undefined)))("in $language", (texts) => {
  test.each(statuses)("the page of %s says what happened and never an empty or unfilled text", async (status) => {
    const markup = String(await withdrawalPage({ ...viewOf(status), texts }));
    expect(markup).toContain(`data-status="${status}"`);
    expect(markup).toMatch(/<h1 [^>]*>[^<]{5,}<\/h1>/);
    expect(markup).toContain("Demo Shop");
    expect(markup).not.toMatch(/\b(undefined|null|NaN)\b|\[object/);
    const final = ["linked", "undelivered", "declined", "rejected", "canceled", "expired", "failed"].includes(status);
    expect(markup.includes("data-live=")).toBe(!final);
    expect(markup.includes("https://bank.example/")).toBe(final);
    expect(markup.includes("data-receipt=")).toBe(status === "linked");
    expect(markup.includes(" data-awake")).toBe(["ready", "awaiting_sca", "settling"].includes(status));
  });

  test("only a paid withdrawal is said to be paid", () => {
    const paid = statuses.filter((status) => {
      const { title, detail } = statusMessageOf(status, null, "€50.00", texts);
      const isPaid = /collect your|handed out$|sie erhalten|ausgezahlt$|vous recevez|remis$|riceve|consegnati$/i.test(
        title,
      );
      return isPaid && !/kein|no cash|aucun argent|non sono stati/i.test(title + detail);
    });
    expect(paid).toEqual(["settled", "linked"]);
  });

  test("each way a withdrawal can be canceled reads differently", () => {
    const titles = reasons
      .filter((reason) => ["sca_timeout", "sca_denied", "user_canceled"].includes(reason))
      .map((reason) => statusMessageOf("canceled", reason, "", texts).title);
    expect(new Set(titles).size).toBe(3);
  });

  test("one that a restore ended is not said to be unpaid", () => {
    const { detail } = statusMessageOf("canceled", "restored", "", texts);
    expect(detail).not.toMatch(/kein Geld|no money|aucun argent|nessun denaro/i);
  });
});

test.each([
  ["rejected", "sca_timeout", en.scaTimeout],
  ["rejected", null, en.rejected],
  ["declined", "partner_unreachable", en.unreachable],
  ["declined", null, en.declined],
  ["canceled", "sca_timeout", en.scaTimeout],
  ["canceled", "sca_denied", en.scaDenied],
  ["canceled", "user_canceled", en.userCanceled],
  ["canceled", "restored", en.restored],
  ["canceled", null, en.canceled],
] as const)("%s because of %s", (status, reason, message) => {
  expect(statusMessageOf(status, reason, "€50.00", en)).toBe(message);
});

test("a code says how long it is still good", async () => {
  const markup = String(await withdrawalPage({ ...viewOf("ready"), texts: en }));
  expect(markup).toContain('data-left-ms="890000"');
});

// Start, 16 characters, check and stop take 211 modules, a QR code of this length 21: the rest is the quiet zone of both sides.
test.each([
  ["Code 128", en.barcodeAlt, 211 + 2 * 10, "M22 "],
  ["QR code", en.qrAlt, 21 + 2 * 4, "M16 "],
])("a %s has the white around it that scanners need", async (_, alt, modules, firstMove) => {
  const markup = String(await withdrawalPage({ ...viewOf("ready"), texts: en }));
  const [, found, move] =
    new RegExp(`aria-label="${alt.replace(/[()]/g, "\\$&")}"[^>]*data-modules="(\\d+)".*? d="(M\\d+ )`, "s").exec(
      markup,
    ) ?? [];
  expect([found, move]).toEqual([String(modules), firstMove]);
});

const shop = { id: "shop", name: "Shop", currency: "EUR", amount_min: 1_000, amount_max: 50_000, amount_step: 1_000 };

test.each([
  ["", 30_050, "missing"],
  ["x", 30_050, "unreadable"],
  ["9.99", 30_050, "too_small"],
  ["10", 30_050, 1_000],
  ["15", 30_050, "off_step"],
  ["300", 30_050, 30_000],
  ["310", 30_050, "over_balance"],
  ["300.00", 30_000, 30_000],
  ["500", 90_000, 50_000],
  ["500.01", 90_000, "too_large"],
])("%j of a balance of %i cents in steps of ten euros is %s", (typed, balance, expected) => {
  expect(readAmount(typed, amountRules(shop, balance))).toBe(expected);
});

test.each([
  [30_050, 50_000, ["20", "50", "100", "200"], "€300"],
  [4_000, 50_000, ["10", "20"], "€40"],
  [90_000, 50_000, ["20", "50", "100", "200"], "€500"],
  [90_000, 15_000, ["10", "20", "50", "100"], "€150"],
])(
  "of a balance of %i cents, where the most is %i, no amount is offered that would be refused, nor named as the most",
  async (balance, amount_max, chips, most) => {
    const chosen = { ...shop, amount_max };
    const view = { texts: en, action: "/", backHref: null, checkin: { balance, currency: "EUR" }, shops: [chosen] };
    const more = { chosen, search: null, typed: "", problem: null, after: "" };
    const markup = String(await amountPage({ ...view, ...more }));
    expect([...markup.matchAll(/data-amount="([^"]+)"/g)].map(([, amount]) => amount)).toEqual(chips);
    expect(markup).toContain(`${en.range("€10", most)}, ${en.step("€10")}<`);
    const [, rules = ""] = /data-rules="([^"]+)"/.exec(markup) ?? [];
    const read = { digits: 2, min: 1_000, max: amount_max, step: 1_000, balance };
    expect(JSON.parse(rules.replaceAll("&quot;", '"'))).toMatchObject(read);
    expect(problemTexts(shop, balance, en).over_balance).toBe(en.amountOverBalance(moneyText(balance, "EUR", "en")));
  },
);

test("the countdown starts from what the server says is left, not from the phone's clock", async () => {
  const markup = String(await withdrawalPage({ ...viewOf("awaiting_sca"), texts: en }));
  expect(markup).toContain('data-left-ms="27000"');
  expect(markup).toContain('data-whole-ms="37000"');
});

test("the script parses alone and uses nothing of the module it comes from", () => {
  expect(() => new Function(scriptAsset.body)).not.toThrow();
  expect(scriptAsset.body).not.toMatch(/__vite|__name|import\b|require\(|eval\(/);
});

test.each([
  ["50", "EUR", 5_000],
  ["50.5", "EUR", 5_050],
  ["50,05", "EUR", 5_005],
  [" 50. ", "EUR", 5_000],
  ["007", "EUR", 700],
  ["5000", "JPY", 5_000],
  ["5.000", "KWD", 5_000],
  ["50.5", "JPY", "unreadable"],
  ["1.000", "EUR", "unreadable"],
  ["1,000.00", "EUR", "unreadable"],
  ["١٢", "EUR", "unreadable"],
  ["0x10", "EUR", "unreadable"],
  ["", "EUR", "missing"],
])("%j typed in %s is %j", (typed, currency, expected) => {
  const rules = amountRules({ ...shop, currency, amount_min: 1, amount_max: 10 ** 12, amount_step: 1 }, 10 ** 12);
  expect(readAmount(typed, rules)).toBe(expected);
});

test.each([
  [124_000, "EUR", "en", "€1,240.00", "€1,240"],
  [124_005, "EUR", "de", "1.240,05 €", "1.240,05 €"],
  [5_000, "JPY", "en", "¥5,000", "¥5,000"],
  [5_050, "JPY", "en", "¥5,050", "¥5,050"],
  [5_500, "KWD", "en", "KWD 5.500", "KWD 5.500"],
  [999_999_999_999, "EUR", "en", "€9,999,999,999.99", "€9,999,999,999.99"],
] as const)("%i %s in %s", (minor, currency, language, long, short) => {
  const plain = (text: string) => text.replaceAll("\u00a0", " ");
  expect(plain(moneyText(minor, currency, language))).toBe(long);
  expect(plain(shortMoneyText(minor, currency, language))).toBe(short);
});

test.each([
  [undefined, undefined, "en"],
  [undefined, "fr-FR,de-CH;q=0.4,en;q=0.3", "fr"],
  [undefined, "es,it-CH;q=0.4,en;q=0.3", "it"],
  [undefined, "de;q=0,en;q=0.1", "en"],
  [undefined, "de;q=abc", "en"],
  ["de", "en", "de"],
  ["xx", "de", "de"],
  ["__proto__", undefined, "en"],
])("chosen %j with Accept-Language %j reads %s", (chosen, header, language) => {
  expect(chooseTexts(chosen, header).language).toBe(language);
});

/** Every text of a language, with the given values in those that take one. */
const said = (value: unknown, fill: string): string[] => {
  if (typeof value === "function") return said(value(fill, fill), fill);
  if (typeof value === "string") return [value];
  return Object.values(value as object).flatMap((part) => said(part, fill));
};

test.each(languages.filter((code) => code !== "en"))("the texts of %s are its own, and none is empty", (code) => {
  const texts = chooseTexts(code, undefined);
  expect(said(texts, "7").filter((text) => text.trim() === "")).toEqual([]);
  const english = new Set(said(en, "7").filter((text) => text.split(" ").length > 2));
  expect(said(texts, "7").filter((text) => english.has(text))).toEqual([]);
});

test.each([
  ["en", "."],
  ["de", ","],
  ["fr", ","],
  ["it", ","],
] as const)("the key for decimals in %s is %s", (code, sign) => {
  expect(decimalSign(code)).toBe(sign);
});
