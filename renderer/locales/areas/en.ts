/** The areas of the English texts, by which every other language is measured. */
export * from "../en/books.ts";
export * from "../en/day.ts";
export * from "../en/hand-out.ts";
export * from "../en/header.ts";
export * from "../en/history.ts";
export * from "../en/manager.ts";
export * from "../en/messages.ts";
export * from "../en/outcomes.ts";
export * from "../en/own-service.ts";
export * from "../en/people.ts";
export * from "../en/practice.ts";
export * from "../en/printing.ts";
export * from "../en/program.ts";
export * from "../en/scan.ts";
export * from "../en/settings.ts";
export * from "../en/setup.ts";
export * from "../en/withdrawal.ts";
