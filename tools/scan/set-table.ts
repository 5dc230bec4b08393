import type { GroupResult, Tally } from "./picture-set.ts";

const sum = (results: readonly GroupResult[], of: (result: GroupResult) => number): number =>
  results.reduce((total, result) => total + of(result), 0);

const total = (results: readonly GroupResult[], of: (result: GroupResult) => Tally): Tally => ({
  read: sum(results, (result) => of(result).read),
  wrong: sum(results, (result) => of(result).wrong),
  doubtful: sum(results, (result) => of(result).doubtful),
  ms: sum(results, (result) => of(result).ms),
});

const cells = ({ read, wrong, doubtful, ms }: Tally, pictures: number): readonly string[] => [
  (read / pictures).toFixed(3),
  String(wrong),
  String(doubtful),
  (ms / pictures).toFixed(1),
];

/** The results of a picture set as a Markdown table, with a line for all; `ms` is processor time for one picture. */
export const setTable = (results: readonly GroupResult[], isCompared: boolean): string => {
  const all: GroupResult = {
    group: "**all**",
    pictures: sum(results, ({ pictures }) => pictures),
    ours: total(results, ({ ours }) => ours),
    thorough: total(results, ({ thorough }) => thorough),
  };
  const head = ["folder", "pictures", "read", "wrong", "doubtful", "ms"];
  const other = ["zxing-wasm thorough: read", "wrong", "ms"];
  const rows = [...results, all].map(({ group, pictures, ours, thorough }) => {
    const [read = "", wrong = "", , ms = ""] = cells(thorough, pictures);
    return [group, String(pictures), ...cells(ours, pictures), ...(isCompared ? [read, wrong, ms] : [])];
  });
  const titles = isCompared ? [...head, ...other] : head;
  return [titles, titles.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
};
