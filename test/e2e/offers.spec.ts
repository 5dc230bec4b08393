/** What a screen offers: nothing that would be refused, and whom to call where only they can help. */
import type { Page } from "@playwright/test";
import en from "../../renderer/texts/en/screens.json" with { type: "json" };
import { openTill } from "./gallery/fake-till.ts";
import { calmHeader, gallery } from "./gallery/snapshots.ts";
import { expect, test } from "./stage/kept-page.ts";

/** Not by whether it is disabled: for a moment each new screen holds all of its buttons back. */
const confirm = (page: Page) => page.locator("button:not([data-off])", { hasText: en.review.confirm });
const camera = (page: Page) => page.getByTestId("camera");
const { profile } = calmHeader;
const support = (page: Page) => page.getByText([profile?.support?.text, profile?.support?.phone].join(", "));

const snapshotOf = (name: string) => {
  const shown = gallery.find((each) => each.name === name);
  if (shown === undefined) throw new Error(`There is no screen ${name}.`);
  return shown.snapshot;
};

for (const [what, offerOn, screens] of [
  [
    "an amount is confirmed only where the drawer can pay it",
    confirm,
    { review: true, "review-no-notes": true, "review-short": false },
  ],
  [
    "the camera runs only where a code is looked up",
    camera,
    { ready: true, "ready-no-day": false, "ready-awaiting-service": false, "ready-camera-off": false },
  ],
  [
    "support is named where only they can help",
    support,
    { "ended-service_down": true, "ended-service_refused": true, "ended-unclear": true, "ended-canceled": false },
  ],
] as const)
  test(what, async ({ page }) => {
    const till = await openTill(page, snapshotOf("looking-up"));
    for (const [n, [name, isOffered]] of Object.entries(screens).entries()) {
      await till.show(snapshotOf(name), `${n}.screen`);
      await expect(offerOn(page), name).toHaveCount(isOffered ? 1 : 0);
    }
  });
