/** The areas of the Italian texts, in the polite form that shop staff are used to. Leaving one out does not compile. */
export * from "../it/books.ts";
export * from "../it/day.ts";
export * from "../it/hand-out.ts";
export * from "../it/header.ts";
export * from "../it/history.ts";
export * from "../it/manager.ts";
export * from "../it/messages.ts";
export * from "../it/outcomes.ts";
export * from "../it/own-service.ts";
export * from "../it/people.ts";
export * from "../it/practice.ts";
export * from "../it/printing.ts";
export * from "../it/program.ts";
export * from "../it/scan.ts";
export * from "../it/settings.ts";
export * from "../it/setup.ts";
export * from "../it/withdrawal.ts";
