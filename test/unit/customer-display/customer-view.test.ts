/** What the customer's display is told of each of the cashier's screens. */
import { describe, expect, test } from "vitest";
import { customerViewOf } from "../../../main/customer-display/customer-view.ts";
import { customerViewSchema } from "../../../preload/customer-view.ts";
import { staffed } from "../../e2e/gallery/people-views.ts";
import { busyHeader, calmHeader, gallery, screenOf, transactionId } from "../../e2e/gallery/snapshots.ts";

const kindOf = (name: string): string => customerViewOf(screenOf(name)).moment.kind;

describe("every screen", () => {
  test.each(gallery.map(({ name, snapshot }) => [name, snapshot] as const))(
    "%s is shown without an id",
    (_, snapshot) => {
      const busy = {
        ...snapshot,
        header: { ...busyHeader, ...snapshot.header, open: busyHeader.open },
        people: staffed,
      };
      const view = customerViewOf(busy);
      expect(customerViewSchema.parse(view)).toEqual(view);
      const text = JSON.stringify(view);
      for (const secret of [transactionId, "w-1", "w-2", calmHeader.device, "Ida", "C2", "+49", "1250"])
        expect(text, secret).not.toContain(secret);
    },
  );

  test.each([
    ["starting", "closed"],
    ["setup", "closed"],
    ["setup-devices", "closed"],
    ["blocked-journal", "closed"],
    ["locked", "closed"],
    ["ready-no-day", "closed"],
    ["ready-journal-failing", "closed"],
    ["ready", "welcome"],
    ["ready-offline", "offline"],
    ["looking-up", "looking_up"],
    ["review", "review"],
    ["review-short", "cashier_asks"],
    ["review-no-notes", "cashier_asks"],
    ["confirming", "confirming"],
    ["waiting-approval", "approve"],
    ["waiting-payment", "paying"],
    ["closing-time-out", "closing"],
    ["payable", "cash"],
    ["opening-failed", "cash"],
    ["counting", "cash"],
    ["payable-recovered", "cashier_asks"],
    ["counting-again", "cashier_asks"],
    ["payable-journal-failing", "cashier_asks"],
    ["unknown", "unclear"],
    ["done", "done"],
  ])("%s is %s", (name, kind) => expect(kindOf(name)).toBe(kind));
});

test("an amount is shown of the withdrawal in front until its cash is handed out, and of none that ends otherwise or may be another's", () => {
  const withAmount = gallery.filter(({ snapshot }) => "money" in customerViewOf(snapshot).moment);
  const kinds = new Set(withAmount.map(({ snapshot }) => customerViewOf(snapshot).moment.kind));
  expect([...kinds].sort()).toEqual(["approve", "cash", "confirming", "done", "paying", "review"]);
});

test.each([
  ["its own end", null, { kind: "ended", outcome: "sca_timeout" }],
  ["nothing of an earlier customer's", "2026-11-20T10:00:00Z", { kind: "welcome" }],
])("the customer in front is shown %s", (_, late, moment) => {
  const screen = { kind: "ended", step: "1.ended", outcome: "sca_timeout", transactionId, money: null, late } as const;
  expect(customerViewOf({ ...screenOf("ready"), screen: { ...screen, canRetry: false } }).moment).toEqual(moment);
});

test("a shop's name is as long as the display has room for", () => {
  const { header, ...rest } = screenOf("ready");
  expect(customerViewOf({ ...rest, header: { ...header, shop: "x".repeat(201) } })).toMatchObject({
    shop: "x".repeat(200),
    moment: { kind: "welcome" },
  });
});

test("where the service does not answer, the view says so", () => {
  const snapshot = screenOf("waiting-approval");
  expect(customerViewOf(snapshot).offline).toBe(false);
  expect(customerViewOf({ ...snapshot, header: { ...calmHeader, connection: "offline" } }).offline).toBe(true);
});

test("an amount that cannot be read is not shown, and the terminal goes on", () => {
  const snapshot = screenOf("review");
  const odd = { ...snapshot.screen, money: { amount: "1e3", currency: "??" } } as typeof snapshot.screen;
  expect(customerViewOf({ ...snapshot, screen: odd }).moment).toEqual({ kind: "closed" });
});

test("a view with a field more is refused", () => {
  const view = customerViewOf(screenOf("review"));
  expect(customerViewSchema.safeParse({ ...view, transactionId }).success).toBe(false);
  expect(customerViewSchema.safeParse({ ...view, moment: { ...view.moment, transactionId } }).success).toBe(false);
});
