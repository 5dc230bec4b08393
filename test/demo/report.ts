/** The demo's report: what was seen, in order, and what the books say about it. One file without scripts. */
import { groupId } from "../../backend/contract/ids.ts";

/** One picture of the demo; `file` is relative to the report. */
export interface Shot {
  readonly file: string;
  readonly device: "till" | "phone";
  readonly caption: string;
  /** Since the demo began. */
  readonly atMs: number;
}

/** A line of the service's reconciliation report, as far as the demo shows it. */
export interface BookLine {
  readonly transaction_id: string;
  readonly amount: string;
  readonly status: string;
  readonly finding: string;
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

const figure = ({ file, device, caption, atMs }: Shot, index: number): string =>
  `<figure class="${device}"><img src="${escaped(file)}" alt="${escaped(caption)}" loading="lazy">
<figcaption><b>${index + 1}</b> ${escaped(caption)} <small>${(atMs / 1_000).toFixed(1)} s</small></figcaption></figure>`;

const row = ({ transaction_id, amount, status, finding }: BookLine): string =>
  `<tr><td><code>${escaped(groupId(transaction_id))}</code></td><td class="number">${escaped(amount)}</td><td>${escaped(status)}</td><td>${escaped(finding)}</td></tr>`;

/** `2 linked, 1 rejected`, in the order of the lines. */
const counted = (lines: readonly BookLine[]): string =>
  [...new Set(lines.map(({ status }) => status))]
    .map((status) => `${lines.filter((line) => line.status === status).length} ${status}`)
    .join(", ");

/** The whole page; every text is escaped. */
export const reportHtml = (shots: readonly Shot[], lines: readonly BookLine[]): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Tillcash: the demo</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 0 auto; padding: 32px 16px; color: #16202b; background: #f5f7f9 }
main { display: flex; flex-wrap: wrap; gap: 24px; align-items: start }
figure { margin: 0; background: #fff; border-radius: 12px; overflow: hidden; border: 1px solid #d8dee5; width: 524px; max-width: 100% }
figure.phone { width: 250px } img { display: block; width: 100% }
figcaption { padding: 12px 16px; border-top: 1px solid #e6eaee } small { color: #5a6775; float: right }
table { border-collapse: collapse; background: #fff } td, th { padding: 8px 16px; border: 1px solid #d8dee5; text-align: left } .number { text-align: right }
</style>
<h1>One customer after the other</h1>
<p>Played on the built programs in a real browser: the camera saw a film of the phone, the bank is the sandbox's.</p>
<p><b>${lines.length} withdrawals in ${Math.round((shots.at(-1)?.atMs ?? 0) / 1_000)} s:</b> ${escaped(counted(lines))}.</p>
<h2>What the reconciliation report says</h2>
<table><thead><tr><th>Transaction</th><th>Amount</th><th>Status</th><th>Finding</th></tr></thead>
<tbody>${lines.map(row).join("\n")}</tbody></table>
<h2>What was seen, in ${shots.length} pictures</h2>
<main>${shots.map(figure).join("\n")}</main>
</html>
`;
