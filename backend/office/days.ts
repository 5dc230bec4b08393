/** Days in the user's time zone: `2026-11-20`. */

const two = (value: number): string => String(value).padStart(2, "0");
const textOf = (day: Date): string => `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;

/** The start of a day in the user's time zone, for the API. */
export const startOf = (day: string): string => new Date(`${day}T00:00:00`).toISOString();
const beside = (day: string, by: number): string => {
  const noon = new Date(`${day}T12:00:00`);
  noon.setDate(noon.getDate() + by);
  return textOf(noon);
};
/** The next day. */
export const dayAfter = (day: string): string => beside(day, 1);
/** The previous day. */
export const dayBefore = (day: string): string => beside(day, -1);
/** The current day. */
export const today = (): string => textOf(new Date());
