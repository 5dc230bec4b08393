/** The reconciliation report as a stream: one page of rows in memory, the next one read when the reader has taken it. */
import { reconciliationLineSchema } from "../contract/client.ts";
import { csvLine } from "../contract/csv.ts";
import type { ReconciliationLine } from "../withdrawals/reconcile.ts";

type Pages = AsyncGenerator<readonly ReconciliationLine[], void, undefined>;
const columns = Object.keys(reconciliationLineSchema.shape) as (keyof ReconciliationLine)[];

async function* asCsv(pages: Pages): AsyncGenerator<string, void, undefined> {
  yield csvLine(columns);
  for await (const lines of pages) yield lines.map((line) => csvLine(columns.map((column) => line[column]))).join("");
}

/** One object: `{"from","to","lines":[…],"count"}`. Cut off, it does not parse: nobody takes a part for the whole. */
async function* asJson(pages: Pages, from: string, to: string): AsyncGenerator<string, void, undefined> {
  yield `{"from":${JSON.stringify(from)},"to":${JSON.stringify(to)},"lines":[`;
  let count = 0;
  for await (const lines of pages) {
    const text = lines.map((line) => JSON.stringify(line)).join(",");
    yield count === 0 || text === "" ? text : `,${text}`;
    count += lines.length;
  }
  yield `],"count":${count}}`;
}

const encoder = new TextEncoder();

/** Reads ahead as far as the first page, so that a store that cannot be read is a 503 and not a broken stream. */
export const reportStream = async (
  pages: Pages,
  format: "json" | "csv",
  from: string,
  to: string,
): Promise<ReadableStream<Uint8Array>> => {
  const first = await pages.next();
  const all = (async function* (): Pages {
    if (first.done === true) return;
    yield first.value;
    yield* pages;
  })();
  const texts = format === "csv" ? asCsv(all) : asJson(all, from, to);
  return new ReadableStream(
    {
      async pull(controller) {
        const next = await texts.next();
        if (next.done === true) controller.close();
        else if (next.value !== "") controller.enqueue(encoder.encode(next.value));
        else await this.pull?.(controller);
      },
      async cancel() {
        await texts.return();
        await pages.return();
      },
    },
    { highWaterMark: 0 },
  );
};
