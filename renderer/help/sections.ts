/** Which section of the guide belongs to which place of the terminal. A screen or a tab without one does not compile. */
import type { Screen } from "../../preload/contract.ts";

/** The cashier's guide, in its order. */
export const cashierSections = [
  "scan",
  "amount",
  "approval",
  "hand_out",
  "drawer",
  "ends",
  "unclear",
  "offline",
  "sign_in",
  "day",
] as const;

/** The manager's pages, in their order. */
export const managerSections = [
  "set_up",
  "devices",
  "people",
  "settings",
  "end_of_day",
  "history",
  "problems",
  "journal",
  "practice",
  "trouble",
] as const;

/** A section of the guide. */
export type HelpSection = (typeof cashierSections)[number] | (typeof managerSections)[number];

/** The tabs of the manager's area with their parts, in their order; that area shows these and no others. */
export const managerTabs = {
  today: ["overview", "list", "days", "figures", "books"],
  people: ["people"],
  devices: ["printer", "drawer", "scanner", "scanner_test", "display"],
  shop: ["terminal", "rules", "computer"],
  support: ["journal", "service"],
} as const;
/** One of `managerTabs`. */
export type ManagerTab = keyof typeof managerTabs;
/** A page of one of them. */
export type ManagerPart = (typeof managerTabs)[ManagerTab][number];

/** What lies over the screens, or stands in their place. */
export const otherPlaces = ["disconnected", "locked", "parts", "drawer_day", "counter_history"] as const;
type OtherPlace = (typeof otherPlaces)[number];

/** Where somebody may ask for help. */
export type HelpPlace = Screen["kind"] | OtherPlace | `manager_${ManagerPart}`;

/** The section that F1 opens there. */
export const sectionAt: Readonly<Record<HelpPlace, HelpSection>> = {
  starting: "trouble",
  setup: "set_up",
  blocked: "trouble",
  ready: "scan",
  looking_up: "scan",
  review: "amount",
  confirming: "approval",
  waiting: "approval",
  closing: "ends",
  payable: "hand_out",
  opening: "drawer",
  counting: "hand_out",
  done: "hand_out",
  ended: "ends",
  unknown: "unclear",
  disconnected: "trouble",
  locked: "sign_in",
  parts: "set_up",
  drawer_day: "day",
  counter_history: "history",
  manager_overview: "problems",
  manager_list: "history",
  manager_days: "end_of_day",
  manager_figures: "history",
  manager_books: "history",
  manager_people: "people",
  manager_printer: "devices",
  manager_drawer: "devices",
  manager_scanner: "devices",
  manager_scanner_test: "devices",
  manager_display: "devices",
  manager_terminal: "settings",
  manager_rules: "settings",
  manager_computer: "settings",
  manager_journal: "journal",
  manager_service: "set_up",
};
