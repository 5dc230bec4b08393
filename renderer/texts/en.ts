import app from "./en/app.json" with { type: "json" };
import drawer from "./en/drawer.json" with { type: "json" };
import history from "./en/history.json" with { type: "json" };
import manager from "./en/manager.json" with { type: "json" };
import people from "./en/people.json" with { type: "json" };
import practice from "./en/practice.json" with { type: "json" };
import scan from "./en/scan.json" with { type: "json" };
import settings from "./en/settings.json" with { type: "json" };
import setup from "./en/setup.json" with { type: "json" };
import withdrawal from "./en/withdrawal.json" with { type: "json" };

/** The terminal's texts in English, by which every other language is measured. */
export const en = {
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

/** All texts of one language, as `t` finds them. */
export type Texts = typeof en;
