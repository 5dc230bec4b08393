/** The customer's part of the cashier's screen, computed in the host so that the display gets nothing else. */
import { assertNever } from "../../backend/contract/assert-never.ts";
import type { Bridge, Header, PeopleView, Screen, Settings, Snapshot } from "../../preload/contract.ts";
import {
  type CustomerBridge,
  type CustomerMoment,
  type CustomerView,
  customerBounds,
  customerViewSchema,
} from "../../preload/customer-view.ts";

/** Whether a withdrawal can be started now. */
const isOpen = (header: Header, people: PeopleView, settings: Settings): boolean =>
  !people.locked && !header.journalFailing && settings.setUp === "done" && header.day?.kind !== "closed";

const idleMoment = ({ header, people, settings }: Snapshot): CustomerMoment => {
  if (!isOpen(header, people, settings)) return { kind: "closed" };
  return { kind: header.connection === "offline" ? "offline" : "welcome" };
};

const momentOf = (screen: Screen, snapshot: Snapshot): CustomerMoment => {
  switch (screen.kind) {
    case "starting":
    case "setup":
    case "blocked":
      return { kind: "closed" };
    case "ready":
      return idleMoment(snapshot);
    case "looking_up":
    case "closing":
      return { kind: screen.kind };
    case "review":
      // Whether the drawer can pay it is the cashier's decision.
      return screen.drawer === "ok" ? { kind: "review", money: screen.money } : { kind: "cashier_asks" };
    case "confirming":
    case "done":
      return { kind: screen.kind, money: screen.money };
    case "waiting":
      if (screen.recovered) return { kind: "cashier_asks" };
      return screen.phase === "approval"
        ? { kind: "approve", money: screen.money, countdown: screen.countdown }
        : { kind: "paying", money: screen.money };
    case "payable":
    case "opening":
    case "counting":
      // Do not announce cash that the terminal must not give now.
      if (screen.recovered || snapshot.header.journalFailing) return { kind: "cashier_asks" };
      return { kind: "cash", money: screen.money };
    case "unknown":
      return { kind: "unclear" };
    case "ended":
      // An earlier customer's withdrawal is not shown to the present one.
      if (screen.late !== null) return idleMoment(snapshot);
      return { kind: "ended", outcome: screen.outcome };
    default:
      return assertNever(screen);
  }
};

/** The customer's part of a snapshot; what does not match the schema (an unusual currency, say) shows as closed. */
export const customerViewOf = (snapshot: Snapshot): CustomerView => {
  const { header, settings, screen } = snapshot;
  const around = {
    shop: header.shop.slice(0, customerBounds.shopLength),
    language: settings.language,
    colorScheme: settings.colorScheme,
    training: header.training,
    offline: header.connection === "offline",
  };
  const view = customerViewSchema.safeParse({ ...around, moment: momentOf(screen, snapshot) });
  return view.success ? view.data : { ...around, moment: { kind: "closed" } };
};

/** The display's read-only subscription. */
export const watchAsCustomer =
  (terminal: Pick<Bridge, "subscribe">): CustomerBridge["subscribe"] =>
  (listener) =>
    terminal.subscribe((snapshot) => listener(customerViewOf(snapshot)));
