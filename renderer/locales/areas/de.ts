/** The areas of the German texts, in the polite form that shop staff are used to. Leaving one out does not compile. */
export * from "../de/books.ts";
export * from "../de/day.ts";
export * from "../de/hand-out.ts";
export * from "../de/header.ts";
export * from "../de/history.ts";
export * from "../de/manager.ts";
export * from "../de/messages.ts";
export * from "../de/outcomes.ts";
export * from "../de/own-service.ts";
export * from "../de/people.ts";
export * from "../de/practice.ts";
export * from "../de/printing.ts";
export * from "../de/program.ts";
export * from "../de/scan.ts";
export * from "../de/settings.ts";
export * from "../de/setup.ts";
export * from "../de/withdrawal.ts";
