import app from "./de/app.json" with { type: "json" };
import drawer from "./de/drawer.json" with { type: "json" };
import history from "./de/history.json" with { type: "json" };
import manager from "./de/manager.json" with { type: "json" };
import people from "./de/people.json" with { type: "json" };
import practice from "./de/practice.json" with { type: "json" };
import scan from "./de/scan.json" with { type: "json" };
import settings from "./de/settings.json" with { type: "json" };
import setup from "./de/setup.json" with { type: "json" };
import withdrawal from "./de/withdrawal.json" with { type: "json" };
import type { Texts } from "./en.ts";

/** The terminal's texts in German, in the polite form that shop staff are used to. Leaving one out is a type error. */
export const de: Texts = {
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
