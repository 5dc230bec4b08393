import type { Texts } from "./en.ts";
import app from "./it/app.json" with { type: "json" };
import drawer from "./it/drawer.json" with { type: "json" };
import history from "./it/history.json" with { type: "json" };
import manager from "./it/manager.json" with { type: "json" };
import people from "./it/people.json" with { type: "json" };
import practice from "./it/practice.json" with { type: "json" };
import scan from "./it/scan.json" with { type: "json" };
import settings from "./it/settings.json" with { type: "json" };
import setup from "./it/setup.json" with { type: "json" };
import withdrawal from "./it/withdrawal.json" with { type: "json" };

/** The terminal's texts in Italian. Leaving one out is a type error. */
export const it: Texts = {
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
