/** Days as the reader's own clock has them: `2026-11-20`. */

const two = (value: number): string => String(value).padStart(2, "0");
const textOf = (day: Date): string => `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;

/** When the day begins here, as the API takes it. */
export const startOf = (day: string): string => new Date(`${day}T00:00:00`).toISOString();
const beside = (day: string, by: number): string => {
  const noon = new Date(`${day}T12:00:00`);
  noon.setDate(noon.getDate() + by);
  return textOf(noon);
};
/** The day after. */
export const dayAfter = (day: string): string => beside(day, 1);
/** The day before. */
export const dayBefore = (day: string): string => beside(day, -1);
/** Today. */
export const today = (): string => textOf(new Date());
