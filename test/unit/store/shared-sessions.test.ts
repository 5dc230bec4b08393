/** How a start finds out that a pooler gives its transactions sessions of others, and what it costs one that has its own. */
import type pg from "pg";
import { expect, test } from "vitest";
import { refuseSharedSessions } from "../../../backend/store/postgres-connect.ts";
import { StoreRefused } from "../../../backend/store/store.ts";

interface Asked {
  readonly text: string;
  readonly query_timeout?: number;
}

/** Two connections. @param marks what each look at the mark finds; after the last one always the own. */
const stage = (process: readonly { readonly pid: number }[], marks: readonly string[] = []) => {
  const asked: string[] = [];
  const bounds = new Set<number | undefined>();
  const ownProcess = { rows: process };
  let looks = 0;
  const client = {
    processID: 7,
    async query(sent: string | Asked) {
      const { text, query_timeout: boundMs }: Asked = typeof sent === "string" ? { text: sent } : sent;
      if (text.includes("pg_backend_pid")) return ownProcess;
      if (!text.includes("AS mark")) return asked.push("marks its own");
      bounds.add(boundMs);
      asked.push("looks");
      const mark = marks[looks] ?? "first";
      looks += 1;
      return { rows: [{ mark }] };
    },
  };
  const other = {
    connect: async () => void asked.push("connects"),
    query: async (text: string, values?: readonly string[]) => void asked.push(values?.[0] ?? text),
    end: async () => void asked.push("ends"),
  };
  const refused = refuseSharedSessions(client as unknown as pg.Client, other as unknown as pg.Client);
  return { refused, asked, bounds };
};

const looks = Array(5).fill("looks");

test("a connection whose server's process is its own has its session: nothing more is asked for", async () => {
  const { refused, asked } = stage([{ pid: 7 }]);
  await refused;
  expect(asked).toEqual([]);
});

test.each([
  ["is another's", [{ pid: 1_000_007 }]],
  ["has no number", []],
])(
  "where the process %s, a mark is looked for while another transaction lasts and after it, each time for a second at the most",
  async (_, process) => {
    const { refused, asked, bounds } = stage(process);
    await refused;
    expect(asked).toEqual([
      ...["connects", "marks its own"],
      ...["BEGIN", "second", ...looks],
      ...["COMMIT", "second", ...looks],
      "ends",
    ]);
    expect([...bounds]).toEqual([1_000]);
  },
);

test.each([
  ["once it is over", [...looks.map(() => "first"), "first", "first", "second"], 8],
  ["while it lasts", ["second"], 1],
])("a mark that another one has set %s refuses the address, and no connection is left", async (_, marks, looked) => {
  const { refused, asked } = stage([], marks);
  await expect(refused).rejects.toBeInstanceOf(StoreRefused);
  expect(asked.filter((step) => step === "looks")).toHaveLength(looked);
  expect(asked.at(-1)).toBe("ends");
});
