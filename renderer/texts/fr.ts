import type { Texts } from "./en.ts";
import app from "./fr/app.json" with { type: "json" };
import drawer from "./fr/drawer.json" with { type: "json" };
import history from "./fr/history.json" with { type: "json" };
import manager from "./fr/manager.json" with { type: "json" };
import people from "./fr/people.json" with { type: "json" };
import practice from "./fr/practice.json" with { type: "json" };
import scan from "./fr/scan.json" with { type: "json" };
import settings from "./fr/settings.json" with { type: "json" };
import setup from "./fr/setup.json" with { type: "json" };
import withdrawal from "./fr/withdrawal.json" with { type: "json" };

/** The terminal's texts in French. Leaving one out is a type error. */
export const fr: Texts = {
  ...app,
  ...drawer,
  ...history,
  ...manager,
  ...people,
  ...practice,
  ...scan,
  ...settings,
  ...setup,
  ...withdrawal,
};
