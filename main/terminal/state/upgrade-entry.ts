/** Entries as earlier versions wrote them, brought to today's names before they are parsed. What it does not know it leaves as it is. */

type Fields = Readonly<Record<string, unknown>>;

const renamed: Readonly<Record<string, string>> = {
  notice_taken: "report_accepted",
  notice_refused: "report_refused",
  journal_mended: "journal_recovered",
};

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** @param value the parsed JSON of one entry. */
export const upgradeEntry = (value: unknown): unknown => {
  if (!isFields(value) || typeof value.type !== "string") return value;
  const type = Object.hasOwn(renamed, value.type) ? renamed[value.type] : value.type;
  if (type === value.type) return value;
  const { notice, ...rest } = value;
  return { ...rest, type, report: notice };
};
