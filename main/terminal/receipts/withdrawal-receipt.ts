/** What a withdrawal's receipt says: a function of what happened, the same for a reprint years later but for its mark. */

import { centered, cut, type PaperLine, pair, plain, rule, space, title } from "../paper/paper-line.ts";
import { groupId } from "./group-id.ts";
import { type PaperLocale, paperAmount, paperTime } from "./paper-format.ts";
import type { Receipt, ReceiptCopy } from "./receipt-schema.ts";
import { paperTexts } from "./receipt-texts.ts";

/** One copy, with the cut behind it. */
export const receiptLines = (receipt: Receipt, copy: ReceiptCopy, locale: PaperLocale): readonly PaperLine[] => {
  const texts = paperTexts[locale.language].receipt;
  const training = receipt.training ? [title(`*** ${texts.training} ***`), centered(texts.trainingNext)] : [];
  return [
    ...training,
    title(receipt.shop),
    centered(texts.title),
    centered(copy === "customer" ? texts.customerCopy : texts.shopCopy),
    ...(receipt.isReprint ? [title(`*** ${texts.reprint} ***`)] : []),
    rule,
    { kind: "text", text: paperAmount(receipt.amount, receipt.currency, locale), style: "large", align: "center" },
    rule,
    pair(texts.time, paperTime(receipt.atMs, locale)),
    pair(texts.terminal, receipt.terminal),
    ...(receipt.cashier === null ? [] : [pair(texts.cashier, receipt.cashier)]),
    space,
    plain(texts.withdrawal),
    centered(groupId(receipt.transactionId)),
    { kind: "code", value: receipt.transactionId },
    space,
    plain(texts.terminalId),
    centered(receipt.partnerId),
    { kind: "code", value: receipt.partnerId },
    space,
    centered(copy === "customer" ? texts.keep : texts.file),
    ...(receipt.isReprint ? [title(`*** ${texts.reprint} ***`)] : []),
    ...training.slice(0, 1),
    cut,
  ];
};
