/** The areas of the French texts, in the polite form that shop staff are used to. Leaving one out does not compile. */
export * from "../fr/books.ts";
export * from "../fr/day.ts";
export * from "../fr/hand-out.ts";
export * from "../fr/header.ts";
export * from "../fr/history.ts";
export * from "../fr/manager.ts";
export * from "../fr/messages.ts";
export * from "../fr/outcomes.ts";
export * from "../fr/own-service.ts";
export * from "../fr/people.ts";
export * from "../fr/practice.ts";
export * from "../fr/printing.ts";
export * from "../fr/program.ts";
export * from "../fr/scan.ts";
export * from "../fr/settings.ts";
export * from "../fr/setup.ts";
export * from "../fr/withdrawal.ts";
