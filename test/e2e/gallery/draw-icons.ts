/** `npm run icons`: draws the installers' icons anew from `renderer/icon.svg`. */
import { readFlags } from "../../../tools/command-line.ts";
import { drawIcons } from "../../../tools/release/icons.ts";
import { launchChromium } from "../../chromium.ts";

readFlags(
  "Usage: npm run icons\n\nDraws resources/icons, icon.png, icon.ico and icon.icns from renderer/icon.svg.",
  {},
);
await drawIcons(await launchChromium(["--no-sandbox"]));
